import type { Destination } from '#shared/contract/destinations.ts'
import type { Tone } from '../../format/tones.ts'
import { t } from '../../i18n/t.ts'

type DestinationState = 'off' | 'failed' | 'retrying' | 'sending' | 'idle' | 'unused'
export const STATE_TONES: Readonly<Record<DestinationState, Tone>> = {
  off: 'plain',
  failed: 'danger',
  retrying: 'warning',
  sending: 'info',
  idle: 'good',
  unused: 'plain',
}

/** How a destination stands: what asks for a person first. */
export function stateOf({
  isEnabled,
  queue,
  lastError,
  lastSentAt,
}: Destination): DestinationState {
  if (queue.failed > 0) return 'failed'
  if (!isEnabled) return 'off'
  if (queue.waiting > 0) return lastError ? 'retrying' : 'sending'
  return lastSentAt === null ? 'unused' : 'idle'
}

/** What goes there by itself, in words. */
export function forwardingText({
  isAutomatic,
  modalities,
}: Pick<Destination, 'isAutomatic' | 'modalities'>): string {
  if (!isAutomatic) return t('ui.destinations.gets.none')
  return modalities.length === 0
    ? t('ui.destinations.gets.all')
    : t('ui.destinations.gets.some', { modalities: modalities.join(', ') })
}
