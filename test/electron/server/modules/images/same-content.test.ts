import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { compareContent, type Transcode } from '#server/modules/images/same-content.ts'
import type { StoredObject } from '#server/modules/images/stored-object.ts'
import { tempFolder } from '../../../../support/temp-store.ts'
import { CT, encoded, IMAGE, type Values } from './intake-fixture.ts'

const {
  explicitLittleEndian,
  implicitLittleEndian,
  explicitBigEndian,
  deflatedExplicitLittleEndian,
} = TRANSFER_SYNTAX
const JPEG_LOSSLESS = '1.2.840.10008.1.2.4.70'
const JPEG_BASELINE = '1.2.840.10008.1.2.4.50'
const NESTED: Values = {
  ...IMAGE,
  RequestAttributesSequence: [
    { ScheduledProcedureStepID: 'S1' },
    { ScheduledProcedureStepID: 'S2' },
  ],
}
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

function openStage(transcode: Transcode = async () => Promise.reject(new Error('no module'))) {
  const temp = tempFolder()
  const compare = (one: StoredObject, other: StoredObject) =>
    compareContent(temp.folder, transcode, one, other)
  let files = 0
  function written(dataSet: Buffer, transferSyntaxUid: string): StoredObject {
    const meta = fileMeta({
      sopClassUid: CT,
      sopInstanceUid: String(IMAGE.SOPInstanceUID),
      transferSyntaxUid,
      sourceAeTitle: 'CT1',
    })
    const path = join(temp.folder, `${files++}.dcm`)
    writeFileSync(path, Buffer.concat([meta, dataSet]))
    return { path, dataSetOffset: meta.length, transferSyntaxUid }
  }
  const object = (values: Values, transferSyntax: string = explicitLittleEndian) =>
    written(encoded(values, transferSyntax), transferSyntax)
  return { compare, written, object, [Symbol.dispose]: () => temp[Symbol.dispose]() }
}

/** With an offset table and one fragment after the other. */
function encapsulated(fragments: readonly string[], table = ''): Buffer {
  const { PixelData: _, ...header } = IMAGE
  const item = (value: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(value.length)
    return Buffer.concat([hex('feff00e0'), length, value])
  }
  const parts = [hex(table), ...fragments.map((fragment) => Buffer.from(fragment))].map(item)
  return Buffer.concat([
    encoded(header),
    hex('e07f1000 4f42 0000 ffffffff'),
    ...parts,
    hex('feffdde0 00000000'),
  ])
}

describe('two objects are the same', () => {
  it.each([
    explicitLittleEndian,
    implicitLittleEndian,
    explicitBigEndian,
    deflatedExplicitLittleEndian,
  ])('whatever their transfer syntax: %s', async (syntax) => {
    using stage = openStage()
    for (const other of [
      explicitLittleEndian,
      implicitLittleEndian,
      explicitBigEndian,
      deflatedExplicitLittleEndian,
    ])
      expect(await stage.compare(stage.object(NESTED, syntax), stage.object(NESTED, other))).toBe(
        'same',
      )
  })

  it('with other lengths, group lengths, padding, and a private sequence that one of them does not know', async () => {
    using stage = openStage()
    const plain = stage.object(IMAGE)
    const pixels = encoded(IMAGE).subarray(-20)
    const header = encoded(IMAGE).subarray(0, -20)
    const groupLength = hex('e07f0000 554c 0400 14000000')
    expect(
      await stage.compare(
        plain,
        stage.written(Buffer.concat([header, groupLength, pixels]), explicitLittleEndian),
      ),
    ).toBe('same')
    const trailing = hex('fcfffcff 4f42 0000 04000000 00000000')
    expect(
      await stage.compare(
        plain,
        stage.written(Buffer.concat([header, pixels, trailing]), explicitLittleEndian),
      ),
    ).toBe('same')
    const explicit = Buffer.concat([
      header,
      hex('e17f0110 5351 0000 12000000 feff00e0 0a000000 08005011 5549 0200 312e'),
      pixels,
    ])
    const ofImplicit = encoded(IMAGE, implicitLittleEndian)
    const implicit = Buffer.concat([
      ofImplicit.subarray(0, -16),
      hex('e17f0110 12000000 feff00e0 0a000000 08005011 02000000 312e'),
      ofImplicit.subarray(-16),
    ])
    expect(
      await stage.compare(
        stage.written(explicit, explicitLittleEndian),
        stage.written(implicit, implicitLittleEndian),
      ),
    ).toBe('same')
  })

  it('with the same fragments, whatever the offset table says', async () => {
    using stage = openStage()
    const one = stage.written(encapsulated(['abcd', 'efgh']), JPEG_BASELINE)
    expect(
      await stage.compare(
        one,
        stage.written(encapsulated(['abcd', 'efgh'], '00000000'), JPEG_BASELINE),
      ),
    ).toBe('same')
    expect(
      await stage.compare(one, stage.written(encapsulated(['abcd', 'efgX']), JPEG_BASELINE)),
    ).toBe('pixels')
  })

  it('with the same pixels once they are decoded, where they were compressed without loss', async () => {
    const to: string[] = []
    using stage = openStage(async (_in, out, transferSyntax) => {
      to.push(transferSyntax)
      writeFileSync(out, Buffer.concat([META, encoded(IMAGE)]))
    })
    const META = fileMeta({
      sopClassUid: CT,
      sopInstanceUid: '1.2',
      transferSyntaxUid: explicitLittleEndian,
      sourceAeTitle: '',
    })
    const compressed = stage.written(encapsulated(['compressed']), JPEG_LOSSLESS)
    expect(await stage.compare(stage.object(IMAGE, implicitLittleEndian), compressed)).toBe('same')
    expect(await stage.compare(stage.object({ ...IMAGE, PixelData: 'others__' }), compressed)).toBe(
      'pixels',
    )
    expect(
      await stage.compare(stage.written(encapsulated(['otherwise!']), JPEG_LOSSLESS), compressed),
    ).toBe('same')
    expect(new Set(to)).toEqual(new Set([explicitLittleEndian]))
  })
})

describe('two objects differ', () => {
  it('in what they say, or in their pixels, also at the last byte', async () => {
    using stage = openStage()
    const one = stage.object(NESTED)
    expect(
      await stage.compare(
        one,
        stage.object({ ...NESTED, PatientName: 'Sample^Sara' }, implicitLittleEndian),
      ),
    ).toBe('attributes')
    const other = {
      ...NESTED,
      RequestAttributesSequence: [
        { ScheduledProcedureStepID: 'S1' },
        { ScheduledProcedureStepID: 'S3' },
      ],
    }
    expect(await stage.compare(one, stage.object(other, explicitBigEndian))).toBe('attributes')
    const { StudyID: _, ...fewer } = { ...NESTED, StudyID: '7' }
    expect(
      await stage.compare(stage.object(fewer), stage.object({ ...NESTED, StudyID: '7' })),
    ).toBe('attributes')
    expect(
      await stage.compare(
        one,
        stage.object({ ...NESTED, PixelData: 'pixels_X' }, explicitBigEndian),
      ),
    ).toBe('pixels')
  })

  it('as far as anybody knows where they cannot be decoded: they are never the same', async () => {
    using stage = openStage()
    const native = stage.object(IMAGE)
    expect(
      await stage.compare(native, stage.written(encapsulated(['compressed']), JPEG_LOSSLESS)),
    ).toBe('unknown')
    expect(
      await stage.compare(native, stage.written(encapsulated(['compressed']), JPEG_BASELINE)),
    ).toBe('unknown')
    const damaged = Buffer.concat([encoded(IMAGE).subarray(0, 300), encoded(IMAGE).subarray(310)])
    expect(await stage.compare(native, stage.written(damaged, explicitLittleEndian))).not.toBe(
      'same',
    )
  })
})
