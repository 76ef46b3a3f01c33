import { type AttributeValues, attributeValues } from '#server/dicom/data-set/attribute-values.ts'
import type { ByteSource } from '#server/dicom/data-set/byte-source.ts'
import { BytesMissing, openByteWindow } from '#server/dicom/data-set/byte-window.ts'
import { type FileStart, readFileStart } from '#server/dicom/data-set/file-start.ts'
import {
  type ElementSearch,
  type Found,
  searchElements,
} from '#server/dicom/data-set/found-elements.ts'
import type { FrameBytes } from './frame-bytes.ts'
import { type HeaderExtras, headerExtras } from './header-extras.ts'
import { locatePixels, type PixelForm, type PixelLocation, pixelForm } from './pixel-location.ts'
import { ViewedFileFault } from './viewed-file-fault.ts'
import { type ViewedHeader, viewedHeader } from './viewed-header.ts'
import { isLookedAt, TAG } from './viewed-tags.ts'

export type { ByteSource } from '#server/dicom/data-set/byte-source.ts'
export { type FrameBytes, lengthOfFrame, readFrame } from './frame-bytes.ts'
export type { HeaderExtras, LookUpTable, OverlayPlane } from './header-extras.ts'
export { ViewedFileFault } from './viewed-file-fault.ts'
export type { ViewedHeader } from './viewed-header.ts'

/** A DICOM file that is looked at, while it may still be coming. */
export interface ViewedFile {
  /** By its file meta information, or by what it looks like; empty until its header is there. */
  readonly transferSyntaxUid: string
  /** What it says of itself; undefined while more bytes are needed. @throws {ViewedFileFault} */
  header(): ViewedHeader | undefined
  /**
   * Where a frame is, from 1; undefined while its bytes have not come.
   * @throws {ViewedFileFault} also where the file has no such frame, ends before it, or is no image
   */
  frame(number: number): FrameBytes | undefined
  /**
   * Palette, look-up tables and overlays; of a file whose header is there. @throws
   * {ViewedFileFault}
   */
  extras(): HeaderExtras
  /**
   * Once the file is whole: what is wrong with it though its header can be read, such as frames
   * that are missing. Undefined: nothing.
   */
  fault(): string | undefined
}

/** What is known of a file whose header has been read. */
interface Opened {
  readonly header: ViewedHeader
  /** What is odd about its header. */
  readonly fault: string
  /** Undefined: it is no image. */
  readonly pixels: PixelLocation | undefined
}

/** A file to look at, with or without preamble and file meta information. Reads nothing yet. */
export function openViewedFile(source: ByteSource): ViewedFile {
  const reading = openReading(source)
  let opened: Opened | undefined
  let failure: ViewedFileFault | undefined

  function open(): Opened | undefined {
    if (failure) throw failure
    if (opened) return opened
    try {
      const read = reading.advance()
      if (read) opened = openFound(source, read)
      return opened
    } catch (error) {
      if (error instanceof ViewedFileFault) failure = error
      throw error
    } finally {
      // Many files are open at once.
      if (opened || failure) reading.release()
    }
  }

  function frame(number: number): FrameBytes | undefined {
    const file = open()
    if (!file) return undefined
    const { frames, notImage } = file.header.instance
    if (!file.pixels) throw new ViewedFileFault(notImage)
    if (!Number.isInteger(number) || number < 1 || number > frames)
      throw new ViewedFileFault('It has no such frame.')
    return file.pixels.frame(number)
  }

  return {
    get transferSyntaxUid() {
      return opened?.header.instance.transferSyntaxUid ?? ''
    },
    header: () => open()?.header,
    frame,
    extras() {
      const again = open() && openReading(source)
      const read = again?.advance()
      if (!again || !read) throw new ViewedFileFault('Its header has not come yet.')
      return headerExtras(read.values)
    },
    fault() {
      if (!source.isWhole) return undefined
      const file = open()
      return file?.pixels?.fault() ?? (file?.fault || undefined)
    },
  }
}

/**
 * Whether its data set is deflated, so that it is to be inflated first (`inflatedFile`); undefined
 * while more bytes are needed.
 */
export function isDeflated(source: ByteSource): boolean | undefined {
  try {
    return readFileStart(openByteWindow(source), source.isWhole ? source.length : undefined).coding
      .deflated
  } catch (error) {
    // What is no DICOM file is told by its header.
    if (error instanceof ViewedFileFault) return false
    if (error instanceof BytesMissing) return source.isWhole ? false : undefined
    throw error
  }
}

/** Where the document of an encapsulated one (PDF, CDA, STL) is. */
export interface EncapsulatedDocument {
  readonly at: number
  readonly length: number
  readonly mimeType: string
  readonly title: string
}

/**
 * The document inside a file that is whole; undefined where there is none. @throws
 * {ViewedFileFault}
 */
export function encapsulatedDocument(source: ByteSource): EncapsulatedDocument | undefined {
  const read = openReading(source).advance()
  const element = read?.found.elements.get(TAG.EncapsulatedDocument)
  if (!read || !element || element.items || element.length === 0) return undefined
  const exact = read.values.number(TAG.EncapsulatedDocumentLength) ?? 0
  return {
    at: element.at,
    // PS3.3 C.24.2: the value may have a byte of padding.
    length: exact === element.length - 1 ? exact : element.length,
    mimeType: read.values.text(TAG.MIMETypeOfEncapsulatedDocument).toLowerCase(),
    title: read.values.text(TAG.DocumentTitle),
  }
}

interface Read {
  readonly start: FileStart
  readonly found: Found
  readonly values: AttributeValues
  readonly form: PixelForm
}

/** The elements of a file's header, as its bytes come. */
function openReading(source: ByteSource) {
  const window = openByteWindow(source)
  let start: FileStart | undefined
  let search: ElementSearch | undefined
  /** Bytes without which it makes no sense to look again. */
  let needed = 0
  const wholeLength = () => (source.isWhole ? source.length : undefined)

  function read(): Read {
    start ??= readFileStart(window, wholeLength())
    if (start.coding.deflated)
      throw new ViewedFileFault('It is deflated, and has not been inflated.')
    search ??= searchElements(
      window,
      { at: start.dataSetOffset, coding: start.coding },
      isLookedAt,
      wholeLength,
    )
    const found = search.advance()
    const form = found.pixels ? pixelForm(window, found.pixels, start.transferSyntaxUid) : 'native'
    return { start, found, values: attributeValues(found.elements, window), form }
  }

  return {
    /** Undefined while more bytes are needed. @throws {ViewedFileFault} */
    advance(): Read | undefined {
      if (!source.isWhole && source.length < needed) return undefined
      try {
        return read()
      } catch (error) {
        if (!(error instanceof BytesMissing)) throw error
        if (source.isWhole) throw new ViewedFileFault('It ends within its header.')
        // A sequence that has not come whole is read again from its start: not for every piece.
        needed = Math.max(error.until, Math.floor(source.length * 1.1))
        return undefined
      }
    },
    release: () => window.release(),
  }
}

function openFound(source: ByteSource, { start, found, values, form }: Read): Opened {
  const { header, fault } = viewedHeader(values, found.pixels, start, form !== 'native')
  return {
    header,
    fault,
    pixels: found.pixels && locatePixels(source, found.pixels, form, header, values),
  }
}
