import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileMeta, readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { IMPLEMENTATION } from '#server/dicom/data-set/uids.ts'
import { scratchFolder } from '../../../../support/dcmtk.ts'
import { writeInstance } from '../../../../support/instance-file.ts'
import { needs } from '../../../../support/needs.ts'

describe('file meta information', () => {
  it('is a preamble, DICM and a group whose length is right', () => {
    const meta = fileMeta({
      sopClassUid: '1.2.3',
      sopInstanceUid: '2.25.4',
      transferSyntaxUid: '1.2.840.10008.1.2.1',
      sourceAeTitle: 'CT1',
    })
    expect(meta.subarray(0, 128)).toEqual(Buffer.alloc(128))
    expect(meta.toString('latin1', 128, 132)).toBe('DICM')
    expect(meta.readUInt32LE(140)).toBe(meta.length - 144)
    expect(meta.subarray(144, 158).toString('hex')).toBe(
      '02000100' + '4f420000' + '02000000' + '0001',
    )
  })

  it('is understood by DCMTK', async (context) => {
    needs(context, 'dcmtk')
    using scratch = scratchFolder()
    const { path } = writeInstance(scratch.path)
    expect(execFileSync('dcmftest', [path], { encoding: 'latin1' })).toMatch(/^yes:/)
    const dump = execFileSync(
      'dcmdump',
      ['-M', '+P', '0002,0012', '+P', '0002,0013', '+P', '0002,0016', '+P', '0010,0020', path],
      {
        encoding: 'latin1',
      },
    )
    expect(dump).toContain(`[${IMPLEMENTATION.classUid}]`)
    expect(dump).toContain(`[${IMPLEMENTATION.versionName}`)
    expect(dump).toContain('[CT1]')
    expect(dump).toContain('[P-0815]')
  })

  it('reads back what it wrote, and where the data set begins', async () => {
    using scratch = scratchFolder()
    const { path, dataSetOffset } = writeInstance(scratch.path, {
      sopInstanceUid: '2.25.9.9',
      transferSyntaxUid: '1.2.840.10008.1.2',
    })
    expect(await readFileMeta(path)).toEqual({
      sopClassUid: '1.2.840.10008.5.1.4.1.1.2',
      sopInstanceUid: '2.25.9.9',
      sourceAeTitle: 'CT1',
      transferSyntaxUid: '1.2.840.10008.1.2',
      dataSetOffset,
    })
  })

  it('leaves an empty source AE title out, as an element without a value would be wrong', () => {
    const given = {
      sopClassUid: '1.2',
      sopInstanceUid: '1.3',
      transferSyntaxUid: '1.2.840.10008.1.2',
    }
    expect(
      fileMeta({ ...given, sourceAeTitle: '' }).includes(Buffer.from([0x02, 0, 0x16, 0])),
    ).toBe(false)
    expect(
      fileMeta({ ...given, sourceAeTitle: 'CT1' }).includes(Buffer.from([0x02, 0, 0x16, 0])),
    ).toBe(true)
  })

  it('refuses what is no DICOM file, whatever length it claims', async () => {
    using scratch = scratchFolder()
    const meta = fileMeta({
      sopClassUid: '1.2',
      sopInstanceUid: '1.3',
      transferSyntaxUid: '1.2.840.10008.1.2',
      sourceAeTitle: '',
    })
    const bad = Buffer.from(meta)
    bad.writeUInt32LE(0xfffffff0, 140)
    const files = {
      empty: Buffer.alloc(0),
      text: Buffer.from('x'.repeat(500)),
      cut: meta.subarray(0, meta.length - 3),
      long: bad,
    }
    for (const [name, bytes] of Object.entries(files)) {
      const path = join(scratch.path, name)
      writeFileSync(path, bytes)
      await expect(readFileMeta(path), name).rejects.toThrow('not a DICOM file')
    }
  })
})
