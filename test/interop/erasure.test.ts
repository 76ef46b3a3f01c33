import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dashboardErasures } from '#shared/contract/erasure.ts'
import { type JsonItem, openWebArchive } from '../flows/dicomweb-fixture.ts'
import { needs, PYDICOM_SAMPLES } from '../support/needs.ts'
import { hidesOpenFiles, openFilesIn } from '../support/open-files.ts'

/** Of different studies: in RLE, JPEG 2000 and without compression. */
const SAMPLES = ['MR_small_RLE.dcm', 'JPEG2000.dcm', 'SC_rgb_rle.dcm', 'CT_small.dcm']
const UNCOMPRESSED = {
  accept: 'multipart/related; type="application/dicom"; transfer-syntax=1.2.840.10008.1.2.1',
}

const textOf = (item: JsonItem, tag: string) => String(item[tag]?.Value?.[0] ?? '')

/** The files of the folder that contain one of the texts; the database, which is sealed, left out. */
function filesWith(folder: string, texts: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    if (name.startsWith('gateway.sqlite')) return false
    try {
      const bytes = readFileSync(join(folder, name))
      return texts.some((text) => bytes.includes(text))
    } catch {
      // A folder, or the control socket.
      return false
    }
  })
}

it('an erasure leaves nothing of its studies in any folder, nor an open file', {
  timeout: 60_000,
}, async (context) => {
  needs(context, 'samples')
  await using web = await openWebArchive()
  const { folder, call } = web.gateway
  await web.store(SAMPLES.map((name) => readFileSync(join(PYDICOM_SAMPLES, name))))
  const instances = await web.json('/instances?includefield=00100010&includefield=00100020')
  expect(instances).toHaveLength(SAMPLES.length)
  const pathOf = (item: JsonItem) =>
    `/studies/${textOf(item, '0020000D')}/series/${textOf(item, '0020000E')}/instances/${textOf(item, '00080018')}`
  for (const item of instances) {
    expect((await web.get(pathOf(item), UNCOMPRESSED)).status).toBe(200)
    expect((await web.get(`${pathOf(item)}/rendered`, { accept: 'image/png' })).status).toBe(200)
    // Opens the file that is stored.
    await web.get(`${pathOf(item)}/frames/1`, {
      accept: 'multipart/related; type="application/octet-stream"; transfer-syntax=*',
    })
  }
  const converted = join(folder, 'spool', 'dicomweb')
  expect(readdirSync(converted).length).toBeGreaterThanOrEqual(3)
  const [kept, ...erased] = instances as [JsonItem, ...JsonItem[]]
  const textsOf = (item: JsonItem) => [...[textOf(item, '00080018'), textOf(item, '0020000D')]]
  expect(filesWith(folder, erased.flatMap(textsOf)).length).toBeGreaterThanOrEqual(5)

  for (const item of erased) {
    const of = { studyInstanceUid: textOf(item, '0020000D'), scope: 'study' } as const
    const { confirmWith } = await call(dashboardErasures.preview, { body: of })
    const { isValid } = await call(dashboardErasures.erase, {
      body: {
        ...{ studyInstanceUids: [of.studyInstanceUid], scope: of.scope },
        ...{ reason: 'Requested', confirmation: confirmWith },
      },
    })
    expect(isValid).toBe(true)
  }
  expect(filesWith(folder, erased.flatMap(textsOf))).toEqual([])
  if (!hidesOpenFiles) {
    const open = [...openFilesIn(join(folder, 'images')), ...openFilesIn(converted)]
    expect(open.filter((path) => !existsSync(path))).toEqual([])
  }
  for (const item of erased) expect((await web.get(pathOf(item), UNCOMPRESSED)).status).toBe(404)
  expect((await web.get(pathOf(kept), UNCOMPRESSED)).status).toBe(200)
})
