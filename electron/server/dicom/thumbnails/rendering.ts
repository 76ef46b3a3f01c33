/** How a frame is rendered. */
export interface Rendering {
  /** From 1. */
  readonly frame: number | 'middle'
  /** Largest width and height in pixels; a picture is never enlarged. */
  readonly width: number
  readonly height: number
  readonly format: 'png' | 'jpeg'
  /** Of a JPEG, from 1 to 100. */
  readonly quality: number
  /** Replaces the window with which the image opens. */
  readonly window: GivenWindow | undefined
}

export interface GivenWindow {
  readonly center: number
  readonly width: number
  /** LINEAR, LINEAR_EXACT or SIGMOID (PS3.3 C.11.2.1.3). */
  readonly voiLutFunction: string
}

/** Pixels of the longest side of a thumbnail. */
const THUMBNAIL_SIDE = 128
/** A small picture of the middle frame. */
export const THUMBNAIL_RENDERING: Rendering = {
  ...{ frame: 'middle', width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE },
  ...{ format: 'png', quality: 100, window: undefined },
}
