import type { PresentationState } from '#shared/contract/referencing-objects.ts'
import type { Message } from '#shared/messages/message.ts'
import type { ValueWindow } from '#shared/pixels/opening-window.ts'
import type { PlaneScene } from '../referencing/plane-scene.ts'
import type { Scene } from '../referencing/scene.ts'
import type { SeriesState, StackImage } from './stack.ts'

export type Plane = 'axial' | 'sagittal' | 'coronal'
/** What a pane shows a series as: its images, a plane of its volume, or the volume as a whole. */
export type ContentKind = 'stack' | 'plane' | 'volume'
export type SlabKind = 'slice' | 'maximum' | 'minimum' | 'average'
/** How thick a plane is, and which value of its thickness is seen (MIP, MinIP, mean). */
export interface Slab {
  /** slice: without thickness. */
  readonly kind: SlabKind
  readonly millimetres: number
}
/** A way of colouring a volume. */
export interface Rendering {
  readonly name: Message
}

export interface WindowPreset extends ValueWindow {
  /** `Lung`, `From the image`, `Automatic`. */
  readonly name: Message
  /** From 0, of the image's VOI look-up tables; without it, brightness is linear. */
  readonly curve?: number
  /** Number keys that choose it: the same for every image of a modality. */
  readonly keys?: readonly number[]
}

/** What a pane shows. The same object until something changes. */
export interface PaneState {
  /** Null: nothing is shown. */
  readonly series: SeriesState | null
  readonly kind: ContentKind
  /** Null unless a plane is shown. */
  readonly plane: Plane | null
  /** Null unless a plane is shown. */
  readonly slab: Slab | null
  /** Null unless a volume is shown. */
  readonly rendering: Rendering | null
  /** Of what is shown, from 0; `count` images, or slices of the plane. */
  readonly index: number
  readonly count: number
  /** Null where a plane or a volume is shown, and where nothing is. */
  readonly image: StackImage | null
  /** The pixels of `image` are on the screen, not those of the image before. */
  readonly isShown: boolean
  /**
   * Why the image cannot be shown; null where it can. Then the pane shows no pixels of another
   * image.
   */
  readonly problem: Message | null
  /** Name of the look-up table that makes brightness of values; null where it is a straight line. */
  readonly curve: Message | null
  /** Null of a colour image. */
  readonly window: ValueWindow | null
  /** `HU`, or empty. */
  readonly unit: string
  readonly isInverted: boolean
  /** Degrees clockwise: 0, 90, 180, 270. */
  readonly rotation: number
  readonly isFlippedHorizontally: boolean
  readonly isFlippedVertically: boolean
  /** Screen pixels (CSS) for a pixel of the image; 0 where nothing is shown. */
  readonly magnification: number
  readonly isSmooth: boolean
  readonly isPlaying: boolean
  readonly framesPerSecond: number
  /** Letters of the body's side at each edge (`L`, `AR`); empty where they are not known. */
  readonly edges: {
    readonly left: string
    readonly right: string
    readonly top: string
    readonly bottom: string
  }
  /**
   * What a length on it means; null where it is that of the patient. Such as
   * `Lengths are at the detector, larger than in the patient.`
   */
  readonly lengthNote: Message | null
  /** What of the shown image's file is not applied to its pixels, such as an overlay. */
  readonly notes: readonly Message[]
  /** Of a plane or a volume: slices that are there, of `of`. Null otherwise. */
  readonly volume: { readonly read: number; readonly of: number } | null
  /** The presentation state by which `image` is shown; null: as sent. */
  readonly presentation: PresentationState | null
  /** Why a part of it cannot be applied to this image. */
  readonly presentationProblem: Message | null
}

/** Value under a point. */
export interface ProbedValue {
  /** As stored, before rescale; three numbers of a colour pixel. */
  readonly stored: readonly number[]
  /** After rescale; null of a colour pixel. */
  readonly value: number | null
  readonly unit: string
  /** From 0. */
  readonly column: number
  readonly row: number
}

/** RGB of a picture, rows from the top. */
export interface CapturedPicture {
  readonly rows: number
  readonly columns: number
  readonly rgb: Uint8Array
}

/**
 * A place on the screen that shows a series. It stands being attached and detached at will (React
 * StrictMode).
 */
export interface Pane {
  readonly paneId: string
  /**
   * Draws into `element`, which must have a size and `position: relative`. What is shown stays the
   * same. @returns the way to detach
   */
  attach(element: HTMLDivElement): () => void
  state(): PaneState
  subscribe(listener: () => void): () => void

  /** @param index from 0; without it, the first image, or where this series was left */
  show(series: SeriesState, index?: number): void
  /** A plane of a volume. @returns why it cannot be; null where it can */
  showPlane(series: SeriesState, plane: Plane): Message | null
  /** A volume as a whole, from the front. @returns why it cannot be; null where it can */
  showVolume(series: SeriesState): Message | null
  clear(): void

  scrollTo(index: number): void
  scrollBy(images: number): void
  play(framesPerSecond?: number): void
  stop(): void

  /**
   * Presets that fit what is shown, for its modality; the first is what it opens with. `keys` says
   * which number chooses each: of CT its named windows, of others what it opens with and the
   * automatic window.
   */
  presets(): readonly WindowPreset[]
  /** Of a preset with a curve, by that curve. */
  setWindow(window: ValueWindow | WindowPreset): void
  invert(): void
  /** Of a plane. */
  setSlab(slab: Slab): void
  /** Of a volume; the first is what it opens with. Of anything else, none. */
  renderings(): readonly Rendering[]
  setRendering(rendering: Rendering): void
  /** Degrees clockwise, of 90. */
  rotate(degrees: number): void
  flip(way: 'horizontally' | 'vertically'): void
  zoomBy(factor: number): void
  panBy(right: number, down: number): void
  fit(): void
  /** A pixel of the image is a pixel of the screen (CSS). */
  oneToOne(): void
  smooth(isSmooth: boolean): void
  /**
   * Window, zoom, position, rotation, flip and inversion as the image opens. Annotations and the
   * thickness of a plane stay.
   */
  reset(): void
  /**
   * Shows the image by a presentation state; null: as sent. The same state again, on another image
   * that it shows in the same way, leaves what a person has changed since.
   */
  present(state: PresentationState | null): void
  /** What is drawn over its image, for as long as that image is shown. */
  setScene(scene: Scene | null): void
  /** What is drawn over the plane of a volume that it shows. */
  setPlaneScene(scene: PlaneScene | null): void

  /**
   * @param x,y in CSS pixels from the pane's top left corner; undefined where there is no pixel,
   *   and in a plane outside its volume
   */
  probeAt(x: number, y: number): ProbedValue | undefined
  /**
   * What is on the screen with its annotations, and with what `draw` adds (overlay text) in a
   * canvas of that size. Undefined where no image is shown.
   */
  capture(
    draw?: (context: CanvasRenderingContext2D, width: number, height: number) => void,
  ): Promise<CapturedPicture | undefined>
}
