import type { Types } from '@cornerstonejs/core'
import type { ImagePixel, InstanceExtras } from '#shared/contract/viewed-images.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { isCodestreamSigned } from '#shared/pixels/codestream-sign.ts'
import { supplementalColours } from '#shared/pixels/colours.ts'
import { embeddedPlane, type OverlayPlane, overlaysOfFrame } from '#shared/pixels/overlays.ts'
import type { StoredPixels } from '#shared/pixels/stored.ts'
import type { FetchedFrame } from './fetches.ts'

/** What is drawn over the gray levels of an image, and what cannot be. */
export interface Layers {
  readonly overlays: readonly OverlayPlane[]
  /** RGBA of the pixels that a supplemental palette colours, those of the others transparent. */
  readonly colours: Uint8ClampedArray<ArrayBuffer> | undefined
  /** What of the file is not applied, for the user. */
  readonly notes: readonly Message[]
}

const NO_LAYERS: Layers = { overlays: [], colours: undefined, notes: [] }
const layersOfImages = new WeakMap<Types.IImage, Layers>()

/** For as long as the image is in memory. */
export const layersOf = (image: Types.IImage | undefined): Layers =>
  (image && layersOfImages.get(image)) ?? NO_LAYERS

/** @param frame from 1 */
export function keepLayers(
  image: Types.IImage,
  pixel: ImagePixel,
  frame: number,
  { bytes, transferSyntaxUid }: FetchedFrame,
  { samples }: StoredPixels,
  extras: InstanceExtras | undefined,
): void {
  const { planes, unread } = extras
    ? overlaysOfFrame(extras, frame, (bit) => embeddedPlane(bytes, pixel, transferSyntaxUid, bit))
    : { planes: [], unread: 0 }
  const isSigned = isCodestreamSigned(bytes)
  const notes = [
    ...(extras?.notApplied ?? []),
    ...(unread > 0 ? [message('viewer.overlays-not-applied', { count: unread })] : []),
    ...(isSigned !== undefined && isSigned !== (pixel.pixelRepresentation === 1)
      ? [message('viewer.signs-differ')]
      : []),
  ]
  const colours = extras?.supplement ? supplementalColours(samples, extras.supplement) : undefined
  if (planes.length > 0 || colours || notes.length > 0)
    layersOfImages.set(image, { overlays: planes, colours, notes })
}
