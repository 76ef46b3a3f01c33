import type { WaveformGroup } from '#shared/contract/viewed-objects.ts'

/** Paper speeds in mm/s and gains in mm/mV that electrocardiographs offer. */
export const SPEEDS = [12.5, 25, 50] as const
export const GAINS = [5, 10, 20] as const
export const LAYOUTS = ['12x1', '6x2', '3x4'] as const
export type WaveformLayout = (typeof LAYOUTS)[number]

/** The part of a channel that stands at one place of the sheet. */
export interface Strip {
  /** Index of the channel in the group. */
  readonly channel: number
  readonly label: string
  /** Row and first column of the place, of `columns` of the layout. */
  readonly row: number
  readonly column: number
  /** The samples that it shows. */
  readonly from: number
  readonly to: number
}

export interface Sheet {
  readonly rows: number
  readonly columns: number
  readonly strips: readonly Strip[]
  /** Duration of the whole width. */
  readonly seconds: number
}

/** The order of a standard 12-lead ECG. */
const LEADS = ['I', 'II', 'III', 'aVR', 'aVL', 'aVF', 'V1', 'V2', 'V3', 'V4', 'V5', 'V6']

/** `Lead aVR (Einthoven)` as `aVR`; other labels as they are. */
export function leadName(label: string): string {
  const shortLabel = label
    .replace(/^\s*leads?\s+/i, '')
    .replace(/\(.*\)/, '')
    .trim()
  return (
    LEADS.find((lead) => lead.toLowerCase() === shortLabel.toLowerCase()) ?? (shortLabel || label)
  )
}

/** The channels of the standard leads in their order; undefined if any is missing. */
export function standardLeads(
  group: Pick<WaveformGroup, 'channels'>,
): readonly number[] | undefined {
  const names = group.channels.map(({ label }) => leadName(label))
  const found = LEADS.map((lead) => names.indexOf(lead))
  return found.includes(-1) ? undefined : found
}

/** Layouts that a group can be shown in: those with columns need the twelve standard leads. */
export const layoutsOf = (group: WaveformGroup): readonly WaveformLayout[] =>
  standardLeads(group) ? LAYOUTS : ['12x1']

/**
 * Where each channel stands. 12x1: one below the other, over the whole time; 6x2 and 3x4: the
 * columns follow each other in time, and lead II is below them over the whole time as the rhythm.
 */
export function sheetOf(group: WaveformGroup, layout: WaveformLayout): Sheet {
  const { samples, frequency, channels } = group
  const seconds = samples / frequency
  const standard = standardLeads(group)
  const nameOf = (channel: number) => leadName(channels[channel]?.label ?? '')
  if (!standard || layout === '12x1') {
    const order = standard ?? []
    const others = channels.map((_, index) => index).filter((index) => !order.includes(index))
    const strips = [...order, ...others].map((channel, row) => ({
      ...{ channel, label: nameOf(channel), row, column: 0, from: 0, to: samples },
    }))
    return { rows: strips.length, columns: 1, strips, seconds }
  }
  const [rows, columns] = layout === '3x4' ? [3, 4] : [6, 2]
  const strips = standard.map((channel, index) => {
    const column = Math.floor(index / rows)
    return {
      ...{ channel, label: nameOf(channel), row: index % rows, column },
      from: Math.floor((column * samples) / columns),
      to: Math.floor(((column + 1) * samples) / columns),
    }
  })
  const rhythm = standard[1] ?? 0
  const whole = {
    ...{ channel: rhythm, label: nameOf(rhythm), row: rows, column: 0, from: 0, to: samples },
  }
  return { rows: rows + 1, columns, strips: [...strips, whole], seconds }
}

/** The samples of a channel as numbers. */
export function samplesOf(base64: string): Float32Array {
  const text = atob(base64)
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
  return new Float32Array(bytes.buffer)
}

/** The smallest and the largest sample; undefined if there is none. */
export function rangeOf(samples: Float32Array): readonly [least: number, most: number] | undefined {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (const value of samples) {
    if (Number.isNaN(value)) continue
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  return least <= most ? [least, most] : undefined
}

/**
 * A trace as the path of an SVG. @param from,to the samples that are shown
 * @param xPerSample,yPerUnit in mm; @param x,y where the first sample and the value 0 are, in mm
 */
export function tracePath(
  samples: Float32Array,
  { from, to }: Pick<Strip, 'from' | 'to'>,
  { xPerSample, yPerUnit, x, y }: Readonly<Record<'xPerSample' | 'yPerUnit' | 'x' | 'y', number>>,
): string {
  const parts: string[] = []
  let isDrawing = false
  for (let at = from; at < to; at++) {
    const value = samples[at] ?? Number.NaN
    // A gap in the recording stays a gap.
    if (Number.isNaN(value)) {
      isDrawing = false
      continue
    }
    const px = (x + (at - from) * xPerSample).toFixed(3)
    const py = (y - value * yPerUnit).toFixed(3)
    parts.push(`${isDrawing ? 'L' : 'M'}${px} ${py}`)
    isDrawing = true
  }
  return parts.join('')
}

/** What two places on the paper are apart. Lengths in mm. */
export function caliperDistances(
  [fromX, fromY]: readonly [number, number],
  [toX, toY]: readonly [number, number],
  speed: number,
  gain: number,
): {
  readonly milliseconds: number
  readonly perMinute: number | null
  readonly millivolts: number
} {
  const milliseconds = (Math.abs(toX - fromX) / speed) * 1000
  return {
    milliseconds: Math.round(milliseconds),
    perMinute: milliseconds >= 1 ? Math.round(60_000 / milliseconds) : null,
    millivolts: Number((Math.abs(toY - fromY) / gain).toFixed(2)),
  }
}
