import type { InstanceExtras } from '#shared/contract/viewing.ts'
import type { StackImage } from './images.ts'
import { numbersOf } from './look-up.ts'
import type { ValueWindow, WindowPreset } from './pane.ts'
import type { Values } from './values.ts'

const CT_PRESETS: readonly WindowPreset[] = [
  { name: 'Soft tissue', center: 40, width: 400 },
  { name: 'Lung', center: -600, width: 1500 },
  { name: 'Bone', center: 480, width: 2500 },
  { name: 'Brain', center: 40, width: 80 },
  { name: 'Stroke', center: 35, width: 35 },
  { name: 'Subdural', center: 75, width: 215 },
  { name: 'Mediastinum', center: 50, width: 350 },
  { name: 'Liver', center: 60, width: 160 },
  { name: 'Angiography', center: 300, width: 600 },
]

/** Presets for an image: what its file says, or else what it opened with; what fits its values; those of its modality. */
export function presetsOf(image: StackImage, modality: string, automatic: ValueWindow, opened: ValueWindow): readonly WindowPreset[] {
  const { windowCenter, windowWidth } = image.attributes
  const fromFile = windowCenter.flatMap((center, index) => {
    const width = windowWidth[index]
    if (width === undefined || !(width > 0)) return []
    const explained = image.instance.windowExplanation[index]?.trim()
    return [{ name: explained || (windowCenter.length > 1 ? `From the image ${index + 1}` : 'From the image'), center, width }]
  })
  const isAutomatic = opened.center === automatic.center && opened.width === automatic.width
  return [
    ...fromFile,
    ...(fromFile.length === 0 && !isAutomatic ? [{ name: 'As opened', ...opened }] : []),
    { name: 'Automatic', ...automatic },
    // Hounsfield units, and not the stored values of an image without rescale (PS3.3 C.8.2.1).
    ...(unitOf(image, modality) === 'HU' ? CT_PRESETS : []),
  ]
}

/** The unit of values after rescale; empty where it is not known. */
export function unitOf({ instance, attributes }: StackImage, modality: string): string {
  if (instance.rescaleType !== '' && instance.rescaleType !== 'US') return instance.rescaleType
  if (modality !== 'CT' || instance.imageType.includes('LOCALIZER')) return ''
  return attributes.intercept !== null ? 'HU' : ''
}

/** The window that an image opens with: its file's first, that of its look-up table, or one that fits its values. */
export function openingWindow(
  image: StackImage,
  modality: string,
  values: Values,
  least: number,
  greatest: number,
  extras: InstanceExtras | undefined,
): ValueWindow {
  const [center] = image.attributes.windowCenter
  const [width] = image.attributes.windowWidth
  // C.11.2.1.2.1: a width below 1 is none, but for LINEAR_EXACT and SIGMOID.
  if (center !== undefined && width !== undefined && width > 0 && (width >= 1 || image.instance.voiLutFunction !== ''))
    return { center, width }
  const table = extras?.voiLuts[0]
  if (table) return windowOfTable(table)
  if (modality === 'CT' && unitOf(image, modality) === 'HU') return { center: 40, width: 400 }
  return automaticWindow(values, least, greatest, image.instance.image?.padding?.[0])
}

/** Inputs over which the table's output changes. */
function windowOfTable(table: InstanceExtras['voiLuts'][number]): ValueWindow {
  const numbers = numbersOf(table)
  const first = numbers.findIndex((number) => number !== numbers[0])
  const last = numbers.findLastIndex((number) => number !== numbers.at(-1))
  if (first < 0 || last < first) return { center: table.firstValue + table.entries / 2, width: Math.max(1, table.entries) }
  return { center: table.firstValue + (first + last) / 2, width: Math.max(1, last - first + 1) }
}

/** A window from the first to the 99th hundredth of the values. @param padding a value that stands for no pixel */
export function automaticWindow(values: Values, least: number, greatest: number, padding?: number): ValueWindow {
  const steps = 1024
  const size = (greatest - least) / steps
  if (!(size > 0)) return { center: least + 0.5, width: 1 }
  const counts = new Uint32Array(steps)
  // Ten thousand values tell as much as millions.
  const stride = Math.max(1, Math.floor(values.length / 10_000))
  let total = 0
  for (let n = 0; n < values.length; n += stride) {
    const value = values[n] as number
    if (value === padding) continue
    const step = Math.min(steps - 1, Math.floor((value - least) / size))
    counts[step] = (counts[step] as number) + 1
    total += 1
  }
  const at = (share: number) => {
    let passed = 0
    for (let step = 0; step < steps; step += 1) {
      passed += counts[step] as number
      if (passed >= total * share) return step
    }
    return steps - 1
  }
  const [low, high] = [least + at(0.01) * size, least + (at(0.99) + 1) * size]
  const isWhole = !(values instanceof Float32Array)
  return {
    center: isWhole ? Math.round((low + high) / 2) : (low + high) / 2,
    width: isWhole ? Math.max(1, Math.round(high - low)) : high - low,
  }
}
