import type { Colour, PresentationState } from '#shared/contract/referencing-objects.ts'
import type { Affine } from './plane-mapping.ts'

/** Column and row of an image, as fractions from the outer corner of its first pixel. */
export type PixelPoint = readonly [x: number, y: number]

/** Segments as a picture, from whose pixels `matrix` leads to those of the image. */
export interface Mask {
  readonly canvas: HTMLCanvasElement
  readonly matrix: Affine
  /** 0 to 1. */
  readonly opacity: number
}

export interface Outline {
  readonly colour: Colour
  readonly points: readonly PixelPoint[]
  readonly shape: 'closed' | 'open' | 'points'
}

/** What referencing objects draw over one image, and over no other one. */
export interface Scene {
  readonly imageId: string
  /** The presentation state by which the image is shown; null: as sent. */
  readonly presentation: PresentationState | null
  /** Tracking UIDs of the drawings that the pane shows, which the state would draw again. */
  readonly drawn: ReadonlySet<string>
  readonly masks: readonly Mask[]
  readonly outlines: readonly Outline[]
}

/** Colours of what names none: far apart, and bright on dark images. */
const COLOURS: readonly Colour[] = [
  [255, 99, 71],
  [64, 200, 255],
  [130, 230, 90],
  [255, 190, 40],
  [210, 120, 255],
  [0, 220, 190],
  [255, 130, 190],
  [190, 190, 60],
]

/** The colour of a segment or a region: its own, or one by its place in the object. */
export const colourAt = (own: Colour | null, index: number): Colour =>
  own ?? COLOURS[index % COLOURS.length] ?? [255, 255, 255]

export const cssColour = ([red, green, blue]: Colour, opacity = 1): string =>
  `rgb(${red} ${green} ${blue} / ${opacity})`
