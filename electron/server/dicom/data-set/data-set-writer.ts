import { deflateRawSync } from 'node:zlib'
import type { DataSet, Element } from './coding.ts'
import { CODINGS, type Coding, ITEM } from './coding.ts'
import { swapNumbers, VR } from './vr.ts'

/**
 * Encodes a data set in one of the transfer syntaxes of `CODINGS`, with defined lengths, odd values
 * padded, and numbers swapped for Big Endian. Group lengths are omitted, because they are retired
 * and may be outdated (PS3.5 §7.2).
 * @throws {RangeError} for an unknown transfer syntax or VR
 */
export function writeDataSet(dataSet: DataSet, transferSyntax: string): Buffer {
  const coding = CODINGS[transferSyntax]
  if (!coding) throw new RangeError(`no such transfer syntax: ${transferSyntax}`)
  const target = Buffer.allocUnsafe(sizeOf(dataSet, coding))
  writeElements(target, 0, dataSet, coding)
  return coding.deflated ? deflate(target) : target
}

function sizeOf(dataSet: DataSet, coding: Coding): number {
  let size = 0
  for (const element of dataSet) {
    if (isGroupLength(element)) continue
    const length = valueLength(element, coding)
    size += (coding.explicit && hasLongLength(element, length) ? 12 : 8) + length
  }
  return size
}

function valueLength({ value }: Element, coding: Coding): number {
  if (Buffer.isBuffer(value)) return value.length + (value.length & 1)
  return value.reduce((length, item) => length + 8 + sizeOf(item, coding), 0)
}

function writeElements(target: Buffer, start: number, dataSet: DataSet, coding: Coding): number {
  const { bigEndian } = coding
  let at = start
  for (const element of dataSet) {
    if (isGroupLength(element)) continue
    const length = Buffer.isBuffer(element.value)
      ? element.value.length + (element.value.length & 1)
      : valueLength(element, coding)
    at = writeTag(target, at, element.tag, bigEndian)
    if (!coding.explicit) {
      at = target.writeUInt32LE(length, at)
    } else if (hasLongLength(element, length)) {
      // PS3.5 §6.2.2: a value too long for the 16-bit length of its VR is encoded as UN.
      at += target.write(representationOf(element).long ? element.vr : 'UN', at, 'latin1')
      at = target.writeUInt16LE(0, at)
      at = bigEndian ? target.writeUInt32BE(length, at) : target.writeUInt32LE(length, at)
    } else {
      at += target.write(element.vr, at, 'latin1')
      at = bigEndian ? target.writeUInt16BE(length, at) : target.writeUInt16LE(length, at)
    }
    at = Buffer.isBuffer(element.value)
      ? writeValue(target, at, element, element.value, length, coding)
      : writeItems(target, at, element.value, coding)
  }
  return at
}

function writeValue(
  target: Buffer,
  at: number,
  element: Element,
  value: Buffer,
  length: number,
  coding: Coding,
): number {
  const { long, width, pad } = representationOf(element)
  value.copy(target, at)
  if (length > value.length) target[at + value.length] = pad
  // A value encoded as UN is always in Little Endian.
  if (coding.bigEndian && (long || length <= 0xffff))
    swapNumbers(target.subarray(at, at + length), width)
  return at + length
}

function writeItems(
  target: Buffer,
  start: number,
  items: readonly DataSet[],
  coding: Coding,
): number {
  let at = start
  for (const item of items) {
    at = writeTag(target, at, ITEM, coding.bigEndian)
    const end = writeElements(target, at + 4, item, coding)
    if (coding.bigEndian) target.writeUInt32BE(end - at - 4, at)
    else target.writeUInt32LE(end - at - 4, at)
    at = end
  }
  return at
}

function writeTag(target: Buffer, at: number, tag: number, bigEndian: boolean): number {
  if (bigEndian) return target.writeUInt32BE(tag, at)
  target.writeUInt16LE(tag >>> 16, at)
  return target.writeUInt16LE(tag & 0xffff, at + 2)
}

const isGroupLength = ({ tag }: Element): boolean => (tag & 0xffff) === 0

const hasLongLength = (element: Element, length: number): boolean =>
  representationOf(element).long || length > 0xffff

function representationOf({ vr }: Element) {
  const representation = VR.get(vr)
  if (!representation) throw new RangeError(`no such value representation: ${vr}`)
  return representation
}

// PS3.5 A.5: the deflated stream is padded to an even length.
function deflate(bytes: Buffer): Buffer {
  const deflated = deflateRawSync(bytes)
  return deflated.length & 1 ? Buffer.concat([deflated, Buffer.alloc(1)]) : deflated
}
