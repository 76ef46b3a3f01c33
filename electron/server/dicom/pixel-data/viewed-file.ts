import { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
import {
  ByteWindow,
  MissingBytesError,
  ViewedFileFault,
} from '#server/dicom/data-set/byte-window.ts'
import { type FileStart, readFileStart } from '#server/dicom/data-set/file-start.ts'
import { ElementSearch, type ElementSearchResult } from '#server/dicom/data-set/found-elements.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { FrameBytes } from './frame-bytes.ts'
import { type HeaderExtras, headerExtras } from './header-extras.ts'
import { locatePixels, type PixelForm, type PixelLocation, pixelForm } from './pixel-location.ts'
import { type ViewedHeader, viewedHeader } from './viewed-header.ts'
import { isViewerTag } from './viewed-tags.ts'

export type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
export { ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
export { type FrameBytes, isPartOfFile, lengthOfFrame, readFrame } from './frame-bytes.ts'
export type { HeaderExtras, LookUpTable, OverlayPlane } from './header-extras.ts'
export type { ViewedHeader } from './viewed-header.ts'

/** The state of a file after its header has been read. */
interface OpenedFile {
  readonly header: ViewedHeader
  /** What is unusual about its header. */
  readonly fault: Message | null
  /** Undefined if it has no frames. */
  readonly pixels: PixelLocation | undefined
  readonly frames: number
}

/**
 * A DICOM file being viewed, possibly while it is still arriving, with or without preamble and file
 * meta information. Contents are read on demand.
 */
export class ViewedFile {
  readonly #source: ByteSource
  #reading: HeaderReader | undefined
  #opened: OpenedFile | undefined
  #failure: ViewedFileFault | undefined

  constructor(source: ByteSource) {
    this.#source = source
    this.#reading = new HeaderReader(source)
  }

  /** From the file meta information or detected; empty until the header is available. */
  get transferSyntaxUid(): string {
    return this.#opened?.header.instance.transferSyntaxUid ?? ''
  }

  /** The header; undefined while more bytes are needed. @throws {ViewedFileFault} */
  header(): ViewedHeader | undefined {
    return this.#open()?.header
  }

  /** Number of frames of an image or a segmentation; 0 until the header is available. */
  get frames(): number {
    return this.#opened?.pixels ? this.#opened.frames : 0
  }

  /**
   * Locates a frame, numbered from 1; undefined while its bytes have not arrived.
   * @throws {ViewedFileFault} also if the file has no such frame, ends before it, or is neither an
   * image nor a segmentation
   */
  frame(number: number): FrameBytes | undefined {
    const file = this.#open()
    if (!file) return undefined
    const { notImage } = file.header.instance
    if (!file.pixels) throw new ViewedFileFault(notImage ?? message('viewer.no-image'))
    if (!Number.isInteger(number) || number < 1 || number > file.frames)
      throw new ViewedFileFault(message('viewed-file.no-such-frame'))
    return file.pixels.frame(number)
  }

  /**
   * Where a frame is, or will be once its bytes arrive; undefined if it can only be found by its
   * bytes, or the file has no such frame. The header must be available.
   */
  expectedFrame(number: number): FrameBytes | undefined {
    const isFrame = Number.isInteger(number) && number >= 1 && number <= this.frames
    return isFrame ? this.#opened?.pixels?.expected(number) : undefined
  }

  /**
   * Palette, lookup tables and overlays. The header must be available. @throws {ViewedFileFault}
   */
  extras(): HeaderExtras {
    const read = this.#open() && new HeaderReader(this.#source).advance()
    if (!read) throw new ViewedFileFault(message('viewed-file.header-not-come'))
    return headerExtras(read.values)
  }

  /**
   * For a complete file: a fault that does not prevent reading the header, such as missing frames.
   * Undefined if there is none.
   */
  fault(): Message | undefined {
    if (!this.#source.isWhole) return undefined
    const file = this.#open()
    return file?.pixels?.fault() ?? file?.fault ?? undefined
  }

  #open(): OpenedFile | undefined {
    if (this.#failure) throw this.#failure
    if (this.#opened) return this.#opened
    try {
      const read = this.#reading?.advance()
      if (read) this.#opened = openedFileOf(this.#source, read)
      return this.#opened
    } catch (error) {
      if (error instanceof ViewedFileFault) this.#failure = error
      throw error
    } finally {
      // The reader is released, because many files are open at the same time.
      if (this.#opened || this.#failure) this.#reading = undefined
    }
  }
}

/**
 * Whether the data set is deflated and must be inflated first (`inflatedFile`); undefined while
 * more bytes are needed.
 */
export function isDeflated(source: ByteSource): boolean | undefined {
  try {
    return readFileStart(new ByteWindow(source), source.isWhole ? source.length : undefined).coding
      .deflated
  } catch (error) {
    // Reported later, when the header is read.
    if (error instanceof ViewedFileFault) return false
    if (error instanceof MissingBytesError) return source.isWhole ? false : undefined
    throw error
  }
}

interface HeaderParts {
  readonly start: FileStart
  readonly found: ElementSearchResult
  readonly values: AttributeValues
  readonly form: PixelForm
}

/** Reads the header elements of a file while its bytes arrive. */
class HeaderReader {
  readonly #source: ByteSource
  readonly #window: ByteWindow
  #start: FileStart | undefined
  #search: ElementSearch | undefined
  /** Length of the source below which another attempt is pointless. */
  #needed = 0

  constructor(source: ByteSource) {
    this.#source = source
    this.#window = new ByteWindow(source)
  }

  /** Returns undefined while more bytes are needed. @throws {ViewedFileFault} */
  advance(): HeaderParts | undefined {
    const { isWhole, length } = this.#source
    if (!isWhole && length < this.#needed) return undefined
    try {
      return this.#read(isWhole ? length : undefined)
    } catch (error) {
      if (!(error instanceof MissingBytesError)) throw error
      if (isWhole) throw new ViewedFileFault(message('viewed-file.ends-within-header'))
      // An incomplete sequence is read again from its start, so this waits until the file has grown
      // by a tenth.
      this.#needed = Math.max(error.requiredLength, Math.floor(length * 1.1))
      return undefined
    }
  }

  #read(wholeLength: number | undefined): HeaderParts {
    const window = this.#window
    this.#start ??= readFileStart(window, wholeLength)
    const { coding, dataSetOffset, transferSyntaxUid } = this.#start
    if (coding.deflated) throw new ViewedFileFault(message('viewed-file.not-inflated'))
    this.#search ??= new ElementSearch(window, dataSetOffset, coding, isViewerTag)
    const found = this.#search.advance(wholeLength)
    const form = found.pixels ? pixelForm(window, found.pixels, transferSyntaxUid) : 'native'
    return { start: this.#start, found, values: new AttributeValues(found.elements, window), form }
  }
}

function openedFileOf(source: ByteSource, { start, found, values, form }: HeaderParts): OpenedFile {
  const { header, fault, stored } = viewedHeader(values, found.pixels, start, form !== 'native')
  const { transferSyntaxUid } = start
  const pixels =
    found.pixels && stored
      ? locatePixels(source, found.pixels, form, { ...stored, transferSyntaxUid }, values)
      : undefined
  return { header, fault, pixels, frames: stored?.frames ?? 0 }
}
