import { expect, it } from 'vitest'
import { readDataSet } from '#server/dicom/data-set/data-set.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'

const IMPLICIT = '1.2.840.10008.1.2'

/** An element in Implicit VR Little Endian that claims `length` bytes. */
function element(tag: number, value: Buffer, length = value.length): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt16LE(tag >>> 16, 0)
  header.writeUInt16LE(tag & 0xffff, 2)
  header.writeUInt32LE(length, 4)
  return Buffer.concat([header, value])
}

/**
 * A step sequence whose one item has a Modality that claims so many bytes; a long value follows the
 * sequence.
 */
const withModalityOf = (length: number) =>
  Buffer.concat([
    element(0x00400100, element(0xfffee000, element(0x00080060, Buffer.from('CT'), length))),
    element(0x00401001, Buffer.alloc(64, 0x20)),
  ])

it('refuses an element that is longer than its item, though the data set goes on behind it', () => {
  expect(readDataSet(withModalityOf(2), IMPLICIT)).toHaveLength(2)
  const read = () => readDataSet(withModalityOf(20), IMPLICIT)
  expect(read).toThrow(DimseError)
  expect(read).toThrow('Element longer than what holds it')
})
