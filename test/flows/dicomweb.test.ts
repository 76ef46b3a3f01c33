import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import {
  encapsulatedFile,
  IMAGE,
  RLE,
} from '../electron/server/dicom/pixel-data/viewed-file-fixture.ts'
import { CT_IMAGE_STORAGE, type MadeInstance, writeInstance } from '../support/instance-file.ts'
import { hidesOpenFiles, openFilesIn } from '../support/open-files.ts'
import { tempFolder } from '../support/temp-store.ts'
import {
  dataSetIn,
  type JsonItem,
  openWebArchive,
  partsIn,
  UPLOAD_TYPE,
  uploadOf,
  type WebArchive,
} from './dicomweb-fixture.ts'

const STUDY = '2.25.100'
const PATH = `/studies/${STUDY}/series/2.25.100.1/instances/2.25.100.1.1`
const ANY_SYNTAX = { accept: 'multipart/related; type="application/dicom"; transfer-syntax=*' }

/** A file of an invented patient's CT image. */
function made(more: MadeInstance = {}): Buffer {
  using folder = tempFolder()
  return readFileSync(writeInstance(folder.folder, more).path)
}
const FIRST = made()
const SECOND = made({ sopInstanceUid: '2.25.100.1.2', more: { InstanceNumber: '2' } })
const OTHER_SERIES = made({
  ...{ sopInstanceUid: '2.25.100.2.1', seriesInstanceUid: '2.25.100.2' },
  transferSyntaxUid: TRANSFER_SYNTAX.implicitLittleEndian,
})
const OTHER_PATIENT = made({
  ...{
    sopInstanceUid: '2.25.200.1.1',
    seriesInstanceUid: '2.25.200.1',
    studyInstanceUid: '2.25.200',
  },
  ...{ patientName: 'Muster^Erika', more: { PatientID: 'P-2', StudyDate: '20260401' } },
})
/** Two frames of 8 bits, each a fragment of PackBits. */
const FRAMES = [1, 2].map((level) => {
  const header = Buffer.alloc(64)
  header.writeUInt32LE(1, 0)
  header.writeUInt32LE(64, 4)
  return Buffer.concat([header, Buffer.from([256 - 23, level * 50])])
})
const COMPRESSED = encapsulatedFile({ ...IMAGE, NumberOfFrames: '2' }, FRAMES, {
  transferSyntaxUid: RLE,
})
const RLE_PATH = '/studies/2.25.1/series/2.25.2/instances/2.25.3'

const firstOf = (item: JsonItem | undefined, tag: string) => item?.[tag]?.Value?.[0]

describe('DICOMweb', () => {
  let web: WebArchive
  beforeAll(async () => {
    web = await openWebArchive()
    const stored = await web.store([FIRST, SECOND, OTHER_SERIES, OTHER_PATIENT, COMPRESSED])
    expect(stored.status, String(stored.bytes)).toBe(200)
  })
  afterAll(() => web?.[Symbol.asyncDispose]())

  it('says what it stored, and stores again what it has without a change', async () => {
    const again = await web.store([FIRST], `/studies/${STUDY}`)
    expect(again.status).toBe(200)
    expect(again.headers.get('content-type')).toBe('application/dicom+json')
    expect(JSON.parse(again.bytes.toString())).toEqual({
      '00081190': { vr: 'UR', Value: [`${web.root}/studies/${STUDY}`] },
      '00081199': {
        vr: 'SQ',
        Value: [
          {
            '00081150': { vr: 'UI', Value: [CT_IMAGE_STORAGE] },
            '00081155': { vr: 'UI', Value: ['2.25.100.1.1'] },
            '00081190': { vr: 'UR', Value: [web.root + PATH] },
          },
        ],
      },
    })
  })

  it('says what it did not store, and why', async () => {
    const third = made({ sopInstanceUid: '2.25.100.1.3', more: { InstanceNumber: '3' } })
    const strange = made({ sopInstanceUid: '2.25.9', sopClassUid: '1.2.840.10008.1.1' })
    const mixed = await web.store(
      [third, OTHER_PATIENT, strange, Buffer.from('no DICOM')],
      `/studies/${STUDY}`,
    )
    expect(mixed.status).toBe(202)
    const answer = JSON.parse(mixed.bytes.toString())
    const failures = answer['00081198'].Value.map((item: JsonItem) => [
      firstOf(item, '00081155'),
      firstOf(item, '00081197'),
    ])
    expect(failures).toEqual([
      ['2.25.200.1.1', 0xa900],
      ['2.25.9', 0x0122],
      [undefined, 0xc000],
    ])
    expect(answer['00081199'].Value).toHaveLength(1)
    const none = await web.store([OTHER_PATIENT], `/studies/${STUDY}`)
    expect(none.status).toBe(409)
  })

  it('refuses an upload that is not one', async () => {
    const post = (contentType: string, body: Buffer) =>
      fetch(`${web.root}/studies`, {
        method: 'POST',
        headers: { authorization: `Bearer ${web.key}`, 'content-type': contentType },
        body: new Uint8Array(body),
      })
    expect((await post('application/json', Buffer.from('{}'))).status).toBe(415)
    expect((await post('multipart/related; type="application/dicom"', FIRST)).status).toBe(400)
    expect((await post(UPLOAD_TYPE, uploadOf([]))).status).toBe(400)
    const cut = uploadOf([made({ sopInstanceUid: '2.25.100.1.77' })])
    expect((await post(UPLOAD_TYPE, cut.subarray(0, -300))).status).toBeGreaterThanOrEqual(400)
    expect(await web.json('/instances?SOPInstanceUID=2.25.100.1.77')).toEqual([])
  })

  it('sends a study, a series and an instance as they are stored', async () => {
    const study = await web.get(`/studies/${STUDY}`, ANY_SYNTAX)
    expect(study.status).toBe(200)
    const parts = partsIn(study)
    expect(parts.map(({ type }) => type)).toContain(
      `application/dicom; transfer-syntax=${TRANSFER_SYNTAX.implicitLittleEndian}`,
    )
    for (const file of [FIRST, SECOND, OTHER_SERIES])
      expect(parts.some(({ content }) => dataSetIn(content).equals(dataSetIn(file)))).toBe(true)
    const series = partsIn(await web.get(`/studies/${STUDY}/series/2.25.100.2`, ANY_SYNTAX))
    expect(series.map(({ content }) => dataSetIn(content))).toEqual([dataSetIn(OTHER_SERIES)])
    const [instance] = partsIn(await web.get(PATH, ANY_SYNTAX))
    expect(instance && dataSetIn(instance.content).equals(dataSetIn(FIRST))).toBe(true)
    // Without parts, as a file.
    const file = await web.get(PATH, { accept: 'application/dicom' })
    expect(dataSetIn(file.bytes).equals(dataSetIn(FIRST))).toBe(true)
  })

  it('converts what the caller does not accept as it is stored', async () => {
    const plain = await web.get(RLE_PATH, { accept: 'multipart/related; type="application/dicom"' })
    const [part] = partsIn(plain)
    expect(part?.type).toBe(
      `application/dicom; transfer-syntax=${TRANSFER_SYNTAX.explicitLittleEndian}`,
    )
    expect(part?.content.includes(Buffer.alloc(24, 50))).toBe(true)
    const [frame] = partsIn(
      await web.get(`${RLE_PATH}/frames/2`, {
        accept: 'multipart/related; type="application/octet-stream"',
      }),
    )
    expect(frame?.type).toBe(
      `application/octet-stream; transfer-syntax=${TRANSFER_SYNTAX.explicitLittleEndian}`,
    )
    expect(frame?.content).toEqual(Buffer.alloc(24, 100))
    const never = await web.get(RLE_PATH, {
      accept:
        'multipart/related; type="application/dicom"; transfer-syntax=1.2.840.10008.1.2.4.110',
    })
    expect(never.status).toBe(406)
    expect(JSON.parse(never.bytes.toString())).toMatchObject({ code: 'not-acceptable' })
  })

  it('sends frames as they are stored, in the order of the request', async () => {
    const stored = await web.get(`${RLE_PATH}/frames/2,1`, {
      accept: 'multipart/related; type="application/octet-stream"; transfer-syntax=*',
    })
    expect(partsIn(stored)).toEqual(
      [FRAMES[1], FRAMES[0]].map((content) => ({
        type: `image/dicom-rle; transfer-syntax=${RLE}`,
        content,
      })),
    )
    const [first] = partsIn(await web.get(`${PATH}/frames/1`))
    expect(first?.content).toEqual(dataSetIn(FIRST).subarray(-512))
    const single = await web.get(`${PATH}/frames/1`, { accept: 'application/octet-stream' })
    expect(single.bytes).toEqual(first?.content)
    expect((await web.get(`${PATH}/frames/2`)).status).toBe(404)
    expect((await web.get(`${PATH}/frames/0`)).status).toBe(400)
    expect((await web.get(`${PATH}/frames/1`, { accept: 'image/jls' })).status).toBe(200)
  })

  it('sends metadata, and the bulk data that it names', async () => {
    const [item] = await web.json(`${PATH}/metadata`)
    expect(item?.['00100010']).toEqual({ vr: 'PN', Value: [{ Alphabetic: 'Müller^Jörg' }] })
    expect(item?.['00280010']).toEqual({ vr: 'US', Value: [16] })
    expect(item?.['00080005']).toEqual({ vr: 'CS', Value: ['ISO_IR 192'] })
    expect(item?.['00083002']?.Value).toEqual([TRANSFER_SYNTAX.explicitLittleEndian])
    const uri = item?.['7FE00010']?.BulkDataURI ?? ''
    expect(uri).toBe(`${web.root}${PATH}/bulkdata/7FE00010`)
    const [value] = partsIn(await web.get(uri))
    expect(value?.content).toEqual(dataSetIn(FIRST).subarray(-512))
    const compressed = partsIn(await web.get(`${RLE_PATH}/bulkdata/7FE00010`))
    expect(compressed.map(({ content }) => content)).toEqual(FRAMES)
    expect((await web.get(`${PATH}/bulkdata/00189999`)).status).toBe(404)
    const ofStudy = await web.json(`/studies/${STUDY}/metadata`)
    expect(ofStudy).toContainEqual(item)
  })

  it('renders an image and a thumbnail', async () => {
    const jpeg = await web.get(`${PATH}/rendered`)
    expect(jpeg.headers.get('content-type')).toBe('image/jpeg')
    expect(jpeg.bytes.toString('hex', 0, 3)).toBe('ffd8ff')
    const png = await web.get(`${PATH}/rendered?viewport=8,8&window=50,100,linear`, {
      accept: 'image/png',
    })
    expect([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)]).toEqual([8, 8])
    for (const path of [`/studies/${STUDY}`, `/studies/${STUDY}/series/2.25.100.1`, PATH])
      expect((await web.get(`${path}/thumbnail`)).status, path).toBe(200)
    const frame = await web.get(`${RLE_PATH}/frames/2/rendered`, { accept: 'image/png' })
    expect(frame.status).toBe(200)
    expect((await web.get(`${PATH}/rendered?window=1`)).status).toBe(400)
    expect((await web.get(`${PATH}/rendered`, { accept: 'image/gif' })).status).toBe(406)
  })

  it('finds studies, series and instances', async () => {
    const [study, ...others] = await web.json(
      '/studies?PatientID=P-0815&includefield=SOPClassesInStudy',
    )
    expect(others).toEqual([])
    expect(study).toMatchObject({
      '00081190': { vr: 'UR', Value: [`${web.root}/studies/${STUDY}`] },
      '00100010': { vr: 'PN', Value: [{ Alphabetic: 'Müller^Jörg' }] },
      '00201206': { vr: 'IS', Value: [2] },
      '00080062': { vr: 'UI', Value: [CT_IMAGE_STORAGE] },
    })
    const dated = await web.json('/studies?StudyDate=20260401-&PatientName=mus*')
    expect(dated.map((item) => firstOf(item, '0020000D'))).toEqual(['2.25.200'])
    const series = await web.json(`/studies/${STUDY}/series`)
    expect(series.map((item) => firstOf(item, '0020000E')).sort()).toEqual([
      '2.25.100.1',
      '2.25.100.2',
    ])
    const ofPatient = await web.json('/series?00100020=P-2')
    expect(firstOf(ofPatient[0], '00100020')).toBe('P-2')
    const images = await web.json(`/studies/${STUDY}/series/2.25.100.1/instances`)
    expect(images.map((item) => firstOf(item, '00080018'))).toContain('2.25.100.1.2')
    const one = await web.json(`/studies/${STUDY}/instances?limit=1&offset=1`)
    expect(one).toHaveLength(1)
    expect(await web.json('/studies?PatientID=nobody')).toEqual([])
  })

  it('says which parts of a query it does not support', async () => {
    const answer = await web.get('/studies?fuzzymatching=true&ImageComments=x')
    expect(answer.headers.get('warning')).toMatch(/^299 .*fuzzymatching.*, 299 .*ImageComments/)
    expect((await web.get('/studies?limit=many')).status).toBe(400)
    expect((await web.get('/studies', { accept: 'application/dicom+xml' })).status).toBe(406)
  })

  it('has nothing at paths without images', async () => {
    for (const path of ['/studies/1.2.3', '/studies/1.2.3/metadata', `${PATH}1/frames/1`])
      expect((await web.get(path)).status, path).toBe(404)
    const other = `/studies/2.25.200/series/2.25.100.1/instances/2.25.100.1.1`
    expect((await web.get(other, ANY_SYNTAX)).status).toBe(404)
  })

  it('shows uploads where the images of devices are shown', async () => {
    const { lines } = await web.gateway.call(dashboard.feed, { query: {} })
    expect(lines.some(({ text }) => JSON.stringify(text).includes('images.sent'))).toBe(true)
  })
})

it('is not there while it is switched off', async () => {
  await using web = await openWebArchive({ overrides: { 'dicomweb.isOn': false } })
  expect((await web.get('/studies')).status).toBe(404)
})

it('frees everything of a caller that hangs up, and limits the requests in progress', async () => {
  await using web = await openWebArchive({ overrides: { 'dicomweb.maxParallel': 1 } })
  const large = made({ size: 2000 })
  expect((await web.store([large])).status).toBe(200)
  const controller = new AbortController()
  const response = await fetch(`${web.root}/studies/${STUDY}`, {
    headers: { authorization: `Bearer ${web.key}`, ...ANY_SYNTAX },
    signal: controller.signal,
  })
  await response.body?.getReader().read()
  const busy = await web.get(`/studies/${STUDY}/metadata`)
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '1'])
  if (!hidesOpenFiles) expect(imagesOpen(web)).toHaveLength(1)
  controller.abort()
  await expect
    .poll(async () => (await web.get(`/studies/${STUDY}/metadata`)).status, { timeout: 5000 })
    .toBe(200)
  if (!hidesOpenFiles) await expect.poll(() => imagesOpen(web), { timeout: 5000 }).toEqual([])

  // An upload that breaks off leaves nothing, and is no fault of the gateway.
  const { hostname, port } = new URL(web.root)
  const upload = request({
    ...{ hostname, port, method: 'POST', path: '/dicom-web/studies' },
    headers: { authorization: `Bearer ${web.key}`, 'content-type': UPLOAD_TYPE },
  })
  upload.on('error', () => undefined)
  upload.write(
    uploadOf([made({ size: 1000, sopInstanceUid: '2.25.100.1.9' })]).subarray(0, 900_000),
  )
  await expect
    .poll(() => openFilesIn(web.gateway.folder).some((path) => path.includes('spool')))
    .toBe(true)
  upload.destroy()
  await expect.poll(() => readdirSync(join(web.gateway.folder, 'spool'))).not.toContain('part')
  await expect.poll(async () => (await web.get('/studies')).status).toBe(200)
  expect(await web.json('/instances?SOPInstanceUID=2.25.100.1.9')).toEqual([])
  expect(web.gateway.log.filter((line) => line.includes('a call failed'))).toEqual([])
})

const imagesOpen = ({ gateway }: WebArchive) => openFilesIn(join(gateway.folder, 'images'))
