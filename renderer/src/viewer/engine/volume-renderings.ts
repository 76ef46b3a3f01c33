import { CONSTANTS, type Types, utilities } from '@cornerstonejs/core'
import { message } from '#shared/messages/message.ts'
import type { ValueWindow } from '#shared/pixels/opening-window.ts'
import type { Rendering } from './pane.ts'

/** A way of colouring a volume, and Cornerstone's preset behind it. */
interface NamedRendering extends Rendering {
  readonly preset: string
}

/** Opacity and colour by Hounsfield units, for CT. */
const CT: readonly NamedRendering[] = [
  { name: message('viewer.rendering-bone'), preset: 'CT-Bone' },
  { name: message('viewer.rendering-soft-tissue'), preset: 'CT-Soft-Tissue' },
  { name: message('viewer.rendering-vessels'), preset: 'CT-AAA' },
  { name: message('viewer.rendering-lung'), preset: 'CT-Lung' },
]
/** By the window that the images open with, because values of MR have no unit. */
const GENERAL_RENDERINGS: readonly NamedRendering[] = [
  { name: message('viewer.rendering-general'), preset: 'MR-Default' },
  { name: message('viewer.rendering-vessels'), preset: 'MR-Angio' },
  { name: message('viewer.rendering-brain'), preset: 'MR-T2-Brain' },
]

/** What a volume can be rendered as; the first is what it opens with. @param unit of its values */
export const renderingsOf = (unit: string): readonly NamedRendering[] =>
  unit === 'HU' ? CT : GENERAL_RENDERINGS

/** Colours the volume of a viewport. @param window what its images open with */
export function applyRendering(
  actor: Types.VolumeActor,
  { preset: name }: NamedRendering,
  unit: string,
  window: ValueWindow | undefined,
): void {
  const preset = CONSTANTS.VIEWPORT_PRESETS.find((one) => one.name === name)
  if (!preset) return
  const fitted = unit === 'HU' || !window ? preset : withinWindow(preset, window)
  utilities.applyPreset(actor, fitted)
}

type Preset = (typeof CONSTANTS.VIEWPORT_PRESETS)[number]

/** Stretches the values of a preset from the lower to the upper end of a window. */
function withinWindow(preset: Preset, { center, width }: ValueWindow): Preset {
  const opacity = numbersOf(preset.scalarOpacity)
  const at = opacity.filter((_, n) => n % 2 === 0)
  // The outermost points lie where no image has values.
  const inner = at.slice(1, -1)
  const [from = 0, to = 1] = [Math.min(...inner), Math.max(...inner)]
  const lower = center - width / 2
  const moved = (value: number) => lower + ((value - from) / (to - from || 1)) * width
  const stretchValues = (text: string, each: number) => {
    const numbers = numbersOf(text).map((value, n) => (n % each === 0 ? moved(value) : value))
    return [numbers.length, ...numbers].join(' ')
  }
  return {
    ...preset,
    scalarOpacity: stretchValues(preset.scalarOpacity, 2),
    colorTransfer: stretchValues(preset.colorTransfer, 4),
  }
}

/** The first number of a list says how many follow. */
const numbersOf = (text: string): number[] => text.split(' ').slice(1).map(Number)
