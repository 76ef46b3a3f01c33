import { message, verbatim } from '#shared/messages/message.ts'
import { translateMessage } from '../../i18n/messages.ts'
import type { Curve } from './curves.ts'
import { windowOfCurve } from './curves.ts'
import type { ValueWindow, WindowPreset } from './pane.ts'
import type { StackImage } from './stack.ts'
import { rescaledPadding, type Values } from './values.ts'

const CT_PRESETS: readonly WindowPreset[] = [
  { name: message('viewer.preset-soft-tissue'), center: 40, width: 400 },
  { name: message('viewer.preset-lung'), center: -600, width: 1500 },
  { name: message('viewer.preset-bone'), center: 480, width: 2500 },
  { name: message('viewer.preset-brain'), center: 40, width: 80 },
  { name: message('viewer.preset-stroke'), center: 35, width: 35 },
  { name: message('viewer.preset-subdural'), center: 75, width: 215 },
  { name: message('viewer.preset-mediastinum'), center: 50, width: 350 },
  { name: message('viewer.preset-liver'), center: 60, width: 160 },
  { name: message('viewer.preset-angiography'), center: 300, width: 600 },
]

/**
 * Presets for an image: the curves and windows of its file, or else what it opened with; what fits
 * its values; those of its modality.
 */
export function presetsOf(
  image: StackImage,
  modality: string,
  automatic: ValueWindow,
  opened: ValueWindow,
  curves: readonly Curve[] = [],
  isExact = false,
): readonly WindowPreset[] {
  const { windowCenter, windowWidth } = image.attributes
  const fromFile = windowCenter.flatMap((center, index) => {
    const width = windowWidth[index]
    if (width === undefined || !(width > 0)) return []
    const explained = image.instance.windowExplanation[index]?.trim()
    return [
      {
        name: explained
          ? verbatim(explained)
          : message('viewer.preset-of-image', { count: windowCenter.length, number: index + 1 }),
        center,
        width,
      },
    ]
  })
  const isAutomatic = opened.center === automatic.center && opened.width === automatic.width
  const isUnnamed = fromFile.length === 0 && curves.length === 0 && !isAutomatic
  const all = [
    ...curves.map((curve, index) => ({
      name: curve.name,
      ...windowOfCurve(curve, isExact),
      curve: index,
    })),
    ...fromFile,
    ...(isUnnamed ? [{ name: message('viewer.preset-as-opened'), ...opened }] : []),
    { name: message('viewer.preset-automatic'), ...automatic },
    // Hounsfield units, and not the stored values of an image without rescale (PS3.3 C.8.2.1).
    ...(unitOf(image, modality) === 'HU' ? CT_PRESETS : []),
  ]
  // A curve and a window of one name are not the same.
  return all.map((preset, index) =>
    all.findIndex(({ name }) => translateMessage(name) === translateMessage(preset.name)) === index
      ? preset
      : {
          ...preset,
          name: message('viewer.preset-numbered', { name: preset.name, number: index + 1 }),
        },
  )
}

/** The unit of values after rescale; empty where it is not known. */
export function unitOf({ instance, attributes }: StackImage, modality: string): string {
  if (instance.rescaleType !== '' && instance.rescaleType !== 'US') return instance.rescaleType
  if (modality !== 'CT' || instance.imageType.includes('LOCALIZER')) return ''
  return attributes.intercept !== null ? 'HU' : ''
}

/**
 * The window that an image without a curve opens with: its file's first, or one that fits its
 * values. @param hasTable its values come from a table
 */
export function openingWindow(
  image: StackImage,
  modality: string,
  values: Values,
  least: number,
  greatest: number,
  hasTable = false,
): ValueWindow {
  const [center] = image.attributes.windowCenter
  const [width] = image.attributes.windowWidth
  // C.11.2.1.2.1: a width below 1 is none, but for LINEAR_EXACT and SIGMOID.
  if (
    center !== undefined &&
    width !== undefined &&
    width > 0 &&
    (width >= 1 || image.instance.voiLutFunction !== '')
  )
    return { center, width }
  if (modality === 'CT' && unitOf(image, modality) === 'HU') return { center: 40, width: 400 }
  return automaticWindow(
    values,
    least,
    greatest,
    rescaledPadding(image.instance.image, image.attributes, hasTable),
  )
}

/**
 * A window from the first to the 99th hundredth of the values. @param padding the least and
 * greatest value that stand for no pixel
 */
export function automaticWindow(
  values: Values,
  least: number,
  greatest: number,
  padding?: readonly [number, number],
): ValueWindow {
  const [from, to] = padding ?? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const steps = 1024
  const size = (greatest - least) / steps
  if (!(size > 0)) return { center: least + 0.5, width: 1 }
  const counts = new Uint32Array(steps)
  // Ten thousand values tell as much as millions.
  const stride = Math.max(1, Math.floor(values.length / 10_000))
  let total = 0
  for (let n = 0; n < values.length; n += stride) {
    const value = values[n] as number
    if (value >= from && value <= to) continue
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
