import { message, verbatim } from '#shared/messages/message.ts'
import type { Curve } from '#shared/pixels/curves.ts'
import { windowOfCurve } from '#shared/pixels/curves.ts'
import { unitOf, type ValueWindow } from '#shared/pixels/opening-window.ts'
import { translateMessage } from '../../i18n/messages.ts'
import type { WindowPreset } from './pane.ts'
import type { StackImage } from './stack.ts'

/** In the order of their number keys, from 1. */
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
].map((preset, at) => ({ ...preset, keys: [at + 1] }))

/**
 * Presets for an image: the curves and windows of its file, or else what it opened with; what fits
 * its values; those of its modality. A number key means the same for every image of a modality, so
 * that a person can press it without looking: of CT the named windows, also where an image has
 * windows of its own; of other modalities, whose values have no common scale, 1 is the window that
 * the image opens with and 2 the automatic one.
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
  const fitted: WindowPreset = { name: message('viewer.preset-automatic'), ...automatic }
  const all: readonly WindowPreset[] = [
    ...curves.map((curve, index) => ({
      name: curve.name,
      ...windowOfCurve(curve, isExact),
      curve: index,
    })),
    ...fromFile,
    ...(isUnnamed ? [{ name: message('viewer.preset-as-opened'), ...opened }] : []),
    fitted,
    // Hounsfield units, and not the stored values of an image without rescale (PS3.3 C.8.2.1).
    ...(unitOf(image, modality) === 'HU' ? CT_PRESETS : []),
  ]
  const presetsWithKeys: readonly WindowPreset[] =
    modality === 'CT'
      ? all
      : all.map((preset, index) => ({
          ...preset,
          keys: [...(index === 0 ? [1] : []), ...(preset === fitted ? [2] : [])],
        }))
  // A curve and a window of one name are not the same.
  return presetsWithKeys.map((preset, index) =>
    all.findIndex(({ name }) => translateMessage(name) === translateMessage(preset.name)) === index
      ? preset
      : {
          ...preset,
          name: message('viewer.preset-numbered', { name: preset.name, number: index + 1 }),
        },
  )
}
