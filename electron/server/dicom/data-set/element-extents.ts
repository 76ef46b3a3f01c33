import type { FileHandle } from 'node:fs/promises'
import { message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import {
  type Coding,
  ITEM_DELIMITATION,
  SEQUENCE_DELIMITATION,
  UNDEFINED_LENGTH,
} from './coding.ts'
import { vrOf } from './dictionary.ts'
import {
  type ElementHeader,
  MAX_HEADER_BYTES,
  newElementHeader,
  readElementHeader,
} from './element-header.ts'

const MAX_ELEMENTS = 200_000
const MAX_DEPTH = 32
const WINDOW_BYTES = 64 << 10

/**
 * The file is damaged or contains something that cannot be rewritten. The message quotes no value
 * of the file.
 */
export class CopyFault extends MessageError {
  override name = 'CopyFault'
}

/** The position of a top-level element in its file. */
export interface Extent {
  readonly tag: number
  readonly vr: string
  readonly at: number
  readonly end: number
}

export async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, at + filled)
    if (bytesRead === 0) throw new CopyFault(message('dicom.ends-within-element'))
    filled += bytesRead
  }
  return bytes
}

/**
 * The extents of the top-level elements from `start` up to the tag `last`, in file order. @throws
 * CopyFault
 */
export async function extentsOf(
  file: FileHandle,
  start: number,
  coding: Coding,
  last = Number.POSITIVE_INFINITY,
): Promise<Extent[]> {
  const { size } = await file.stat()
  const headers = new FileHeaders(file, size, coding)
  const extents: Extent[] = []
  for (let at = start; at < size; ) {
    const { tag, vr, length, size: own } = await headers.read(at, false)
    if (tag > last) break
    const value = at + own
    const end = length === UNDEFINED_LENGTH ? await headers.afterItems(value, 1) : value + length
    if (end > size) throw new CopyFault(message('dicom.ends-within-element'))
    extents.push({ tag, vr: vr === '' ? vrOf(tag) : vr, at, end })
    if (extents.length > MAX_ELEMENTS) throw new CopyFault(message('dicom.too-many-elements'))
    at = end
  }
  return extents
}

/** Reads element headers at any position of a file. */
class FileHeaders {
  readonly #file: FileHandle
  readonly #size: number
  readonly #coding: Coding
  readonly #header = newElementHeader()
  #window: Buffer = Buffer.alloc(0)
  #windowAt = 0
  #count = 0

  constructor(file: FileHandle, size: number, coding: Coding) {
    this.#file = file
    this.#size = size
    this.#coding = coding
  }

  /** Returns a header that is valid until the next call. */
  async read(at: number, isItem: boolean): Promise<ElementHeader> {
    const length = Math.min(MAX_HEADER_BYTES, this.#size - at)
    if (at < this.#windowAt || at + length > this.#windowAt + this.#window.length) {
      this.#window = await bytesAt(this.#file, at, Math.min(WINDOW_BYTES, this.#size - at))
      this.#windowAt = at
    }
    this.#count++
    const from = at - this.#windowAt
    if (
      this.#count > MAX_ELEMENTS * 50 ||
      !readElementHeader(this.#header, this.#window, from, length, this.#coding, isItem)
    )
      throw new CopyFault(message('dicom.ends-within-element'))
    return this.#header
  }

  /**
   * Returns the offset after the delimiter of a sequence or of fragments of undefined length. PS3.5
   * §6.2.2: the contents of a UN are in Implicit VR.
   */
  async afterItems(from: number, depth: number): Promise<number> {
    if (depth > MAX_DEPTH) throw new CopyFault(message('dicom.sequences-too-deep'))
    for (let at = from; ; ) {
      const { tag, length, size } = await this.read(at, true)
      at += size
      if (tag === SEQUENCE_DELIMITATION) return at
      at = length === UNDEFINED_LENGTH ? await this.#afterItem(at, depth) : at + length
    }
  }

  async #afterItem(from: number, depth: number): Promise<number> {
    for (let at = from; ; ) {
      const { tag, length, size } = await this.read(at, false)
      at += size
      if (tag === ITEM_DELIMITATION) return at
      at = length === UNDEFINED_LENGTH ? await this.afterItems(at, depth + 1) : at + length
    }
  }
}
