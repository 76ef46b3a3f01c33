import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { tagOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import {
  HEADER_LIMITS,
  HeaderReader,
  type HeaderResult,
  textOf,
  type Wanted,
} from '#server/dicom/data-set/header-reader.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { imageDataSet } from '../../../../support/instance-file.ts'
import { needs, PYDICOM_SAMPLES } from '../../../../support/needs.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'

const tag = (keyword: string): number => tagOf(keyword) as number
const NAME = tag('PatientName')
const STUDY = tag('StudyInstanceUID')
const ROWS = tag('Rows')
const REQUEST = tag('RequestAttributesSequence')
const STEP_ID = tag('ScheduledProcedureStepID')
const WANTED: readonly Wanted[] = [NAME, STUDY, ROWS, { sequence: REQUEST, tags: [STUDY, STEP_ID] }]

const text = (keyword: string, vr: string, value: string): Element => ({
  tag: tag(keyword),
  vr,
  value: Buffer.from(value, 'latin1'),
})
const request = (stepId: string): DataSet => [
  text('StudyInstanceUID', 'UI', '2.25.7'),
  text('ScheduledProcedureStepID', 'SH', stepId),
]

/**
 * Depth before width: a sequence that is not wanted, private elements, two items of the wanted
 * sequence, and pixel data at the end.
 */
const HEADER: DataSet = [
  ...imageDataSet().filter((element) => element.tag < 0x00400000),
  {
    tag: 0x00081140,
    vr: 'SQ',
    value: [[text('ReferencedSOPInstanceUID', 'UI', '1.2.3')], request('NOT-THIS')],
  },
  { tag: 0x00090010, vr: 'LO', value: Buffer.from('ACME 1.0') },
  { tag: 0x00091001, vr: 'UN', value: Buffer.from('private!') },
  { tag: REQUEST, vr: 'SQ', value: [request('STEP-1'), request('STEP-2')] },
  { tag: 0x7fe00010, vr: 'OW', value: Buffer.alloc(512, 7) },
].sort((a, b) => a.tag - b.tag)

function read(
  bytes: Buffer,
  transferSyntax: string,
  wanted = WANTED,
  pieces = bytes.length,
): HeaderResult {
  const reader = new HeaderReader(transferSyntax, wanted)
  for (let at = 0; at < bytes.length; at += Math.max(1, pieces))
    reader.push(Buffer.from(bytes.subarray(at, at + Math.max(1, pieces))))
  return reader.end()
}

const SEEN = {
  name: 'Müller^Jörg',
  study: '2.25.100',
  rows: '1000',
  stepId: 'STEP-1',
  requested: '2.25.7',
  fault: undefined,
}
const seenIn = (header: HeaderResult) => {
  const step = header.first(REQUEST)
  return {
    name: textOf(header, NAME),
    study: textOf(header, STUDY),
    rows: header.get(ROWS)?.toString('hex'),
    stepId: step && textOf(step, STEP_ID),
    requested: step && textOf(step, STUDY),
    fault: header.fault,
  }
}

describe('the header reader', () => {
  const {
    implicitLittleEndian,
    explicitLittleEndian,
    explicitBigEndian,
    deflatedExplicitLittleEndian,
  } = TRANSFER_SYNTAX

  it.each([
    implicitLittleEndian,
    explicitLittleEndian,
    explicitBigEndian,
    deflatedExplicitLittleEndian,
  ])('reads wanted values in %s, however the bytes are cut', (transferSyntax) => {
    const bytes = writeDataSet(HEADER, transferSyntax)
    for (const pieces of [1, 3, 7, 11, 64, bytes.length])
      expect(seenIn(read(bytes, transferSyntax, WANTED, pieces))).toEqual(SEEN)
  })

  it('reads an encapsulated transfer syntax as Explicit VR Little Endian', () => {
    const bytes = writeDataSet(HEADER, explicitLittleEndian)
    expect(seenIn(read(bytes, '1.2.840.10008.1.2.4.90'))).toEqual(SEEN)
  })

  it('passes sequences and items of undefined length, fragments within them too', () => {
    const sequence = (of: string, ...items: string[]) =>
      `${of}5351 0000 ffffffff ${items.join('')} feffdde0 00000000`
    const item = (...elements: string[]) =>
      `feff00e0 ffffffff ${elements.join('')} feff0de0 00000000`
    const icon =
      'e07f1000 4f42 0000 ffffffff feff00e0 00000000 feff00e0 04000000 feffdde0 feffdde0 00000000'
    const inner = sequence('08004011', item('08005511 5549 0400 312e3200'))
    const bytes = hex(
      sequence('08004011', item(inner, icon), item()),
      '10001000 504e 0400 415e4220',
      sequence('40007502', item('40000900 5348 0200 5331')),
      'e07f1000 4f42 0000 ffffffff feff00e0 00000000',
    )
    const header = read(
      bytes,
      explicitLittleEndian,
      [NAME, { sequence: REQUEST, tags: [STEP_ID] }, 0x7fe10000],
      5,
    )
    const step = header.first(REQUEST)
    expect({
      name: textOf(header, NAME),
      step: step && textOf(step, STEP_ID),
      fault: header.fault,
    }).toEqual({
      name: 'A^B',
      step: 'S1',
      fault: undefined,
    })
    expect(header.reachedPixelData).toBe(true)
  })

  it('reads what travels as UN in Implicit VR Little Endian (PS3.5 §6.2.2)', () => {
    const inside = 'feff00e0 ffffffff 40000900 02000000 5331 feff0de0 00000000'
    const undefinedLength = hex(`40007502 554e 0000 ffffffff ${inside} feffdde0 00000000`)
    const definedLength = hex(`40007502 554e 0000 1a000000 ${inside}`)
    for (const bytes of [undefinedLength, definedLength]) {
      const header = read(bytes, explicitLittleEndian, [{ sequence: REQUEST, tags: [STEP_ID] }], 3)
      const step = header.first(REQUEST)
      expect({ step: step && textOf(step, STEP_ID), fault: header.fault }).toEqual({
        step: 'S1',
        fault: undefined,
      })
    }
  })

  it('is done at the first tag above the last wanted one, and takes no more', () => {
    const reader = new HeaderReader(explicitLittleEndian, [NAME])
    reader.push(
      writeDataSet(
        HEADER.filter((element) => element.tag <= NAME),
        explicitLittleEndian,
      ),
    )
    expect(reader.isDone).toBe(false)
    reader.push(hex('10002000 4c4f 0200 5031'))
    expect(reader.isDone).toBe(true)
    reader.push(Buffer.from('whatever comes then'))
    expect(reader.end()).toMatchObject({ fault: undefined, reachedPixelData: false })
  })

  it('is done at pixel data although more is wanted behind it', () => {
    const reader = new HeaderReader(explicitLittleEndian, [NAME, 0x7fe11001])
    reader.push(writeDataSet(HEADER, explicitLittleEndian).subarray(0, -600))
    expect(reader.isDone).toBe(false)
    reader.push(writeDataSet(HEADER, explicitLittleEndian).subarray(-600))
    expect(reader.isDone).toBe(true)
    expect(reader.end().reachedPixelData).toBe(true)
  })

  it('keeps no view of the bytes it is given', () => {
    const bytes = writeDataSet(HEADER, explicitLittleEndian)
    const reader = new HeaderReader(explicitLittleEndian, WANTED)
    reader.push(bytes)
    bytes.fill(0)
    expect(seenIn(reader.end())).toEqual(SEEN)
  })

  it('tells a value that is empty from one that is missing, and passes over one that is too long', () => {
    const long: Element = {
      tag: tag('StudyDescription'),
      vr: 'UT',
      value: Buffer.alloc(HEADER_LIMITS.valueBytes + 2, 0x41),
    }
    const bytes = writeDataSet(
      [long, text('PatientName', 'PN', ''), text('StudyInstanceUID', 'UI', '2.25.1')],
      explicitLittleEndian,
    )
    const header = read(bytes, explicitLittleEndian, [long.tag, NAME, tag('PatientID'), STUDY])
    expect(header.get(long.tag)).toBeUndefined()
    expect(header.get(NAME)).toEqual(Buffer.alloc(0))
    expect(header.get(tag('PatientID'))).toBeUndefined()
    expect(textOf(header, STUDY)).toBe('2.25.1')
  })

  it('says where bytes are no data set, and keeps what came before', () => {
    const good = hex('08001800 5549 0400 312e3200')
    const faults = {
      'data set ends within an element (at (0010,0010))': hex('10001000 504e 0800 414243'),
      'data set ends within an element (at (0008,0018))': hex('1000'),
      'delimiter outside its sequence (at (0008,0018))': hex('feff0de0 00000000'),
      'something else than an item in a sequence (at (0008,1140))': hex(
        '08004011 5351 0000 ffffffff 10001000 504e 0000',
      ),
      'item longer than its sequence (at (0040,0275))': hex(
        '40007502 5351 0000 10000000 feff00e0 20000000',
      ),
      'element longer than what holds it (at (0040,0009))': hex(
        '40007502 5351 0000 10000000 feff00e0 08000000 40000900 5348 0400',
      ),
    }
    for (const [fault, bytes] of Object.entries(faults)) {
      const header = read(
        Buffer.concat([good, bytes]),
        explicitLittleEndian,
        [0x00080018, NAME, { sequence: REQUEST, tags: [STEP_ID] }],
        4,
      )
      expect(header.fault).toBe(fault)
      expect(textOf(header, 0x00080018)).toBe('1.2')
    }
  })

  it('refuses sequences that are nested without end', () => {
    const level = hex('08004011 5351 0000 ffffffff feff00e0 ffffffff')
    const bytes = Buffer.concat(Array.from({ length: 5000 }, () => level))
    expect(read(bytes, explicitLittleEndian).fault).toBe(
      'sequences more than 32 deep (at (0008,1140))',
    )
  })

  it('says so where a deflated data set cannot be inflated, or its header has no end', () => {
    expect(
      read(Buffer.from('this is not deflated at all'), deflatedExplicitLittleEndian).fault,
    ).toMatch(/cannot be inflated/)
    const bomb = writeDataSet(
      [{ tag: 0x00081140, vr: 'UN', value: Buffer.alloc(20 << 20) }],
      deflatedExplicitLittleEndian,
    )
    expect(bomb.length).toBeLessThan(30_000)
    expect(read(bomb, deflatedExplicitLittleEndian, WANTED, 1000).fault).toMatch(/too long/)
  })

  it('reads text in the declared character set, and in the fallback where there is none or it does not fit', () => {
    const name = (bytes: Buffer, declared?: string) => {
      const set: DataSet =
        declared === undefined ? [] : [text('SpecificCharacterSet', 'CS', declared)]
      return read(
        writeDataSet([...set, { tag: NAME, vr: 'PN', value: bytes }], explicitLittleEndian),
        explicitLittleEndian,
        [NAME],
      )
    }
    const latin = Buffer.from('M\xfcller^J', 'latin1')
    expect(textOf(name(latin, 'ISO_IR 100'), NAME, ['ISO_IR 144'])).toBe('Müller^J')
    expect(textOf(name(latin), NAME, ['ISO_IR 100'])).toBe('Müller^J')
    expect(textOf(name(latin, 'ISO_IR 192'), NAME, ['ISO_IR 100'])).toBe('Müller^J')
    expect(textOf(name(latin, 'ISO_IR 192'), NAME)).toBe('M\ufffdller^J')
    expect(name(latin, 'ISO 2022 IR 6\\ISO 2022 IR 87').characterSet).toEqual([
      'ISO 2022 IR 6',
      'ISO 2022 IR 87',
    ])
  })

  it('never throws, nor is it fooled by how the bytes are cut', {
    timeout: RUNS_TIMEOUT_MS,
  }, () => {
    const transferSyntaxes = fc.constantFrom(
      implicitLittleEndian,
      explicitLittleEndian,
      explicitBigEndian,
      deflatedExplicitLittleEndian,
    )
    const noise = fc.uint8Array({ maxLength: 400 })
    const sound = fc
      .tuple(fc.nat(600), fc.uint8Array({ minLength: 1, maxLength: 8 }))
      .map(([at, bytes]) => ({ at, bytes }))
    fc.assert(
      fc.property(
        transferSyntaxes,
        fc.oneof(noise, sound),
        fc.integer({ min: 1, max: 50 }),
        (transferSyntax, input, pieces) => {
          const bytes =
            input instanceof Uint8Array
              ? Buffer.from(input)
              : damaged(writeDataSet(HEADER, transferSyntax), input)
          expect(seenIn(read(bytes, transferSyntax, WANTED, pieces))).toEqual(
            seenIn(read(bytes, transferSyntax)),
          )
        },
      ),
      runs(400),
    )
  })

  it("reads pydicom's sample files, but for one that is truncated and one in Implicit VR that says it is not", async (context) => {
    needs(context, 'samples')
    const folder = PYDICOM_SAMPLES
    const studies: Record<string, string> = {}
    const faulty: string[] = []
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.dcm'))) {
      const path = join(folder, name)
      const meta = await readFileMeta(path).catch(() => undefined)
      if (!meta?.transferSyntaxUid) continue
      const header = read(
        readFileSync(path).subarray(meta.dataSetOffset),
        meta.transferSyntaxUid,
        [STUDY, NAME, 0x7fe10000],
        1000,
      )
      if (header.fault) faulty.push(name)
      studies[name] = textOf(header, STUDY)
    }
    expect(faulty).toEqual(['SC_rgb_jpeg.dcm', 'rtplan_truncated.dcm'])
    expect(Object.keys(studies).length).toBeGreaterThan(60)
    expect(studies).toMatchObject({
      'CT_small.dcm': '1.3.6.1.4.1.5962.1.2.1.20040119072730.12322',
      'MR_small_bigendian.dcm': '1.3.6.1.4.1.5962.1.2.4.20040826185059.5457',
      'image_dfl.dcm': '1.3.6.1.4.1.5962.1.2.0.977067310.6001.0',
    })
  })
})

const hex = (...parts: string[]): Buffer => Buffer.from(parts.join('').replaceAll(' ', ''), 'hex')

function damaged(
  bytes: Buffer,
  { at, bytes: put }: { readonly at: number; readonly bytes: Uint8Array },
): Buffer {
  Buffer.from(put).copy(bytes, at % bytes.length)
  return bytes
}
