import type { Delivery, ReadingStudy } from '#shared/contract/reports.ts'
import type { Tone } from '../../format/tones.ts'

export const SEVERITY_TONES: Readonly<Record<ReadingStudy['severity'], Tone>> = {
  stat: 'danger',
  high: 'warning',
  normal: 'plain',
}

const DELIVERY_TONES: Readonly<Record<Delivery['state'], Tone>> = {
  none: 'plain',
  waiting: 'info',
  delivered: 'good',
  failed: 'danger',
  dropped: 'plain',
}

/** An attempt failed, so people should know although it is tried again. */
export const deliveryTone = ({ state, attempts }: Delivery): Tone =>
  state === 'waiting' && attempts > 0 ? 'warning' : DELIVERY_TONES[state]
