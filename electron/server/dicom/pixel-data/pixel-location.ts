import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import type { ByteSource, ByteWindow } from '#server/dicom/data-set/byte-window.ts'
import { ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import { CODINGS, ITEM, UNDEFINED_LENGTH } from '#server/dicom/data-set/coding.ts'
import type { ElementSearchResult } from '#server/dicom/data-set/found-elements.ts'
import { VR } from '#server/dicom/data-set/vr.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { EncapsulatedFrames } from './encapsulated-frames.ts'
import type { FrameBytes } from './frame-bytes.ts'
import { missingFrames, truncatedFile } from './frame-bytes.ts'
import { bitsOfFrame, framesWithin, nativeFrame } from './native-frames.ts'
import type { StoredFrames } from './viewed-header.ts'
import { TAG } from './viewed-tags.ts'

/**
 * native: uncompressed frames; pieces: encapsulated fragments; bare: one compressed stream without
 * items, which violates PS3.5 §A.4.
 */
export type PixelForm = 'native' | 'pieces' | 'bare'

/**
 * Determines how pixel data is stored. @throws {MissingBytesError} @throws {ViewedFileFault} if
 * it contradicts the transfer syntax
 */
export function pixelForm(
  window: ByteWindow,
  pixels: NonNullable<ElementSearchResult['pixels']>,
  transferSyntaxUid: string,
): PixelForm {
  const isNative = CODINGS[transferSyntaxUid] !== undefined
  if (pixels.length === UNDEFINED_LENGTH) {
    if (isNative) throw new ViewedFileFault(message('viewed-file.unexpected-pieces'))
    return 'pieces'
  }
  if (isNative) return 'native'
  if (pixels.length < 8) return 'bare'
  const first = window.bytes(pixels.at, 4)
  return first.readUInt16LE(0) * 0x10000 + first.readUInt16LE(2) === ITEM ? 'pieces' : 'bare'
}

/** Transfer syntaxes whose frames begin with a marker: JPEG, JPEG-LS, JPEG 2000, JPEG XL, HTJ2K. */
const SYNTAXES_WITH_START_MARKERS =
  /^1\.2\.840\.10008\.1\.2\.4\.(?:5\d|6\d|70|8[01]|9[0-3]|11[0-2]|20[1-3])$/
/** Length in bytes of a table of 64-bit numbers for the maximum number of frames. */
const MAX_TABLE_BYTES = 1 << 20

/** Locates the frames of an image. */
export interface PixelLocation {
  /**
   * Locates a frame, numbered from 1; undefined while its bytes have not arrived. @throws
   * {ViewedFileFault} if the file has no such frame
   */
  frame(number: number): FrameBytes | undefined
  /** Where a frame is, or will be; undefined if it can only be found by its bytes. */
  expected(number: number): FrameBytes | undefined
  /** For a complete file: which frames are missing. */
  fault(): Message | undefined
}

export function locatePixels(
  source: ByteSource,
  pixels: NonNullable<ElementSearchResult['pixels']>,
  form: PixelForm,
  { image, frames, transferSyntaxUid }: StoredFrames & { readonly transferSyntaxUid: string },
  values: AttributeValues,
): PixelLocation {
  if (form === 'native') {
    const swapsPairs =
      pixels.bigEndian && image.bitsAllocated <= 8 && VR.get(pixels.vr)?.width === 2
    const native = {
      at: pixels.at,
      length: pixels.length,
      frameBits: bitsOfFrame(image),
      swapsPairs,
    }
    return simpleLocation(
      source,
      pixels,
      frames,
      framesWithin(pixels.length, native.frameBits),
      native.frameBits,
      (number) => nativeFrame(native, number),
    )
  }
  if (form === 'bare') {
    const bytes: FrameBytes = {
      spans: [{ at: pixels.at, length: pixels.length }],
      swapsPairs: false,
      bitRange: undefined,
    }
    return simpleLocation(
      source,
      pixels,
      frames,
      pixels.length > 0 ? 1 : 0,
      pixels.length * 8,
      () => bytes,
    )
  }
  return new EncapsulatedFrames(source, {
    at: pixels.at,
    end: pixels.length === UNDEFINED_LENGTH ? undefined : pixels.at + pixels.length,
    frames,
    extended: extendedTable(values),
    hasStartMarkers: SYNTAXES_WITH_START_MARKERS.test(transferSyntaxUid),
  })
}

/** Frames whose positions can be computed. `room`: the number of frames that fit into the value. */
function simpleLocation(
  source: ByteSource,
  { at, length }: { readonly at: number; readonly length: number },
  frames: number,
  room: number,
  frameBits: number,
  find: (number: number) => FrameBytes,
): PixelLocation {
  function fault(): Message | undefined {
    const available = Math.max(0, Math.min(length, source.length - at))
    const completeFrames = Math.min(room, frameBits === 0 ? 0 : framesWithin(available, frameBits))
    if (completeFrames >= frames) return undefined
    return available < length
      ? truncatedFile(completeFrames, frames)
      : missingFrames(completeFrames, frames)
  }
  return {
    fault,
    expected: (number) => (number > room ? undefined : find(number)),
    frame(number) {
      if (number > room) throw new ViewedFileFault(missingFrames(room, frames))
      const frame = find(number)
      if (frame.spans.every((span) => span.at + span.length <= source.length)) return frame
      if (source.isWhole) throw new ViewedFileFault(fault() ?? truncatedFile(0, frames))
      return undefined
    },
  }
}

function extendedTable(
  values: AttributeValues,
): { readonly offsets: Buffer; readonly lengths: Buffer } | undefined {
  const offsets = values.bytes(TAG.ExtendedOffsetTable, MAX_TABLE_BYTES)
  const lengths = values.bytes(TAG.ExtendedOffsetTableLengths, MAX_TABLE_BYTES)
  return offsets && lengths && { offsets, lengths }
}
