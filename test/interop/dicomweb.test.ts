import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { type DicomJson, type DicomwebClient, dicomwebClient } from '../support/dicomweb-client.ts'
import { type HttpAnswer, httpCall } from '../support/http-call.ts'
import { writeInstance } from '../support/instance-file.ts'
import { isThere, type Need, needs } from '../support/needs.ts'
import { DICOMWEB_PLUGIN, type Orthanc, startOrthanc } from '../support/orthanc.ts'
import {
  type ArchiveOfSamples,
  OF_EACH_SYNTAX,
  ofPatient,
  openArchiveOfSamples,
  PATIENTS,
  sampleOf,
} from './archive-fixture.ts'
import { dataSetIn, type Sendable } from './storage-fixture.ts'

const ALL: readonly Need[] = ['samples']
const ORIGIN = 'http://viewer.clinic.example'
const RIGHTS = ['none', 'read', 'store', 'read-and-store'] as const

let archive: ArchiveOfSamples
const keys: Partial<Record<(typeof RIGHTS)[number], string>> = {}
/** Its base URL. */
let root: string
let client: DicomwebClient
/** It asks for instances in whatever transfer syntax they have. */
let asStored: DicomwebClient

beforeAll(async () => {
  if (!isThere('samples')) return
  archive = await openArchiveOfSamples({
    devices: [{ aeTitle: 'CT1' }],
    overrides: { 'dicomweb.isOn': true, 'dicomweb.origins': [ORIGIN] },
    prepare(context: Context) {
      for (const dicomweb of RIGHTS) {
        const permissions = { description: dicomweb, isViewerEnabled: false, scope: 'all' } as const
        keys[dicomweb] = createApiKey(context, { ...permissions, dicomweb }, 'command-line').key
      }
    },
  })
  root = `${archive.started.http}/dicom-web`
  client = dicomwebClient(root, keys['read-and-store'] ?? '')
  asStored = dicomwebClient(root, keys.read ?? '', AS_STORED)
})
afterAll(() => archive?.[Symbol.asyncDispose]())

const firstOf = (item: DicomJson, tag: string) => item[tag]?.Value?.[0]
const valuesOf = (items: readonly DicomJson[], tag: string) =>
  [...new Set(items.map((item) => String(firstOf(item, tag))))].sort()
const distinct = (values: readonly string[]) => [...new Set(values)].sort()

const pathOf = ({ studyInstanceUid, seriesInstanceUid, sopInstanceUid }: Sendable) =>
  `${root}/studies/${studyInstanceUid}/series/${seriesInstanceUid}/instances/${sopInstanceUid}`
const uidsOf = ({ studyInstanceUid, seriesInstanceUid, sopInstanceUid }: Sendable) => ({
  studyInstanceUID: studyInstanceUid,
  seriesInstanceUID: seriesInstanceUid,
  sopInstanceUID: sopInstanceUid,
})
const AS_STORED = 'multipart/related; type="application/dicom"; transfer-syntax=*'

describe('dicomweb-client', () => {
  it('finds a patient’s studies, their series and their images', async (context) => {
    needs(context, ...ALL)
    const [, patientId = ''] = PATIENTS
    const samples = ofPatient(archive, patientId)
    const studies = await client.searchForStudies({
      queryParams: { PatientID: patientId },
    })
    expect(valuesOf(studies, '0020000D')).toEqual(
      distinct(samples.map(({ studyInstanceUid }) => studyInstanceUid)),
    )
    for (const studyInstanceUID of valuesOf(studies, '0020000D')) {
      const of = samples.filter(({ studyInstanceUid }) => studyInstanceUid === studyInstanceUID)
      const series = await client.searchForSeries({ studyInstanceUID })
      expect(valuesOf(series, '0020000E')).toEqual(
        distinct(of.map(({ seriesInstanceUid }) => seriesInstanceUid)),
      )
      for (const item of series)
        expect(firstOf(item, '00201209')).toBe(
          of.filter(({ seriesInstanceUid }) => seriesInstanceUid === firstOf(item, '0020000E'))
            .length,
        )
      const images = await client.searchForInstances({ studyInstanceUID })
      expect(valuesOf(images, '00080018')).toEqual(of.map((one) => one.sopInstanceUid).sort())
    }
  })

  it('finds nothing where nothing matches', async (context) => {
    needs(context, ...ALL)
    const queryParams = { PatientID: 'NOBODY' }
    expect(await client.searchForStudies({ queryParams })).toEqual([])
  })

  it('reads each kind of object back byte for byte', async (context) => {
    needs(context, ...ALL)
    for (const name of OF_EACH_SYNTAX) {
      const sample = sampleOf(archive, name)
      const bytes = await asStored.retrieveInstance({
        ...uidsOf(sample),
      })
      expect(dataSetIn(Buffer.from(bytes)).equals(sample.dataSet), name).toBe(true)
    }
  })

  it('reads a study and a series with every image', async (context) => {
    needs(context, ...ALL)
    const [patientId = ''] = PATIENTS
    const samples = ofPatient(archive, patientId)
    const [first] = samples
    if (!first) throw new Error('no sample')
    const { studyInstanceUID, seriesInstanceUID } = uidsOf(first)
    const asked = { studyInstanceUID }
    const study = await asStored.retrieveStudy(asked)
    const series = await asStored.retrieveSeries({
      ...asked,
      seriesInstanceUID,
    })
    const texts = (parts: readonly ArrayBuffer[]) =>
      parts.map((part) => dataSetIn(Buffer.from(part)).toString('latin1')).sort()
    const expected = (of: readonly Sendable[]) =>
      of.map(({ dataSet }) => dataSet.toString('latin1')).sort()
    expect(texts(study)).toEqual(
      expected(samples.filter((one) => one.studyInstanceUid === studyInstanceUID)),
    )
    expect(texts(series)).toEqual(
      expected(samples.filter((one) => one.seriesInstanceUid === seriesInstanceUID)),
    )
  })

  it('reads metadata without pixels, and the bulk data it names', async (context) => {
    needs(context, ...ALL)
    for (const name of ['CT_small.dcm', 'liver_expb_1frame.dcm', 'SC_rgb_rle.dcm']) {
      const sample = sampleOf(archive, name)
      const [item] = await client.retrieveInstanceMetadata(uidsOf(sample))
      if (!item) throw new Error('no metadata')
      expect(firstOf(item, '00080018')).toBe(sample.sopInstanceUid)
      expect(firstOf(item, '00080016')).toBe(sample.sopClassUid)
      expect(item['7FE00010']).not.toHaveProperty('InlineBinary')
      const { studyInstanceUID } = uidsOf(sample)
      const ofStudy = await client.retrieveStudyMetadata({
        studyInstanceUID,
      })
      expect(ofStudy).toContainEqual(item)
    }
  })

  it('reads frames as they are stored', async (context) => {
    needs(context, ...ALL)
    for (const name of [
      'CT_small.dcm',
      'J2K_pixelrep_mismatch.dcm',
      'SC_rgb_jpeg_dcmtk.dcm',
      'MR_small_jpeg_ls_lossless.dcm',
    ]) {
      const sample = sampleOf(archive, name)
      const answer = await get(`${pathOf(sample)}/frames/1`, {
        accept: 'multipart/related; type="application/octet-stream"; transfer-syntax=*, */*;q=0.1',
      })
      expect(answer.status, name).toBe(200)
      const [part] = partsOf(answer)
      if (!part) throw new Error(`${name}: no part`)
      expect(sample.dataSet.includes(part), name).toBe(true)
      expect(part.length, name).toBeGreaterThan(1000)
    }
  })

  it('reads frames uncompressed where it asks for that', async (context) => {
    needs(context, ...ALL)
    const sample = sampleOf(archive, 'MR_small_jpeg_ls_lossless.dcm')
    const [frame] = await client.retrieveInstanceFrames({
      ...uidsOf(sample),
      frameNumbers: [1],
    })
    // 64 × 64 pixels of 16 bits.
    expect(frame?.byteLength).toBe(64 * 64 * 2)
  })

  it('reads a rendered image and a thumbnail', async (context) => {
    needs(context, ...ALL)
    const sample = sampleOf(archive, 'CT_small.dcm')
    const [rendered = new ArrayBuffer()] = await client.retrieveInstanceRendered({
      ...uidsOf(sample),
      mediaTypes: [{ mediaType: 'image/jpeg' }],
    })
    expect(Buffer.from(rendered).subarray(0, 3).toString('hex')).toBe('ffd8ff')
    const png = await get(`${pathOf(sample)}/rendered`, { accept: 'image/png' })
    expect(png.headers['content-type']).toMatch(/^image\/png/)
    expect(png.bytes.subarray(1, 4).toString('latin1')).toBe('PNG')
    const small = await get(`${pathOf(sample)}/thumbnail`, { accept: 'image/jpeg' })
    expect(small.bytes.subarray(0, 3).toString('hex')).toBe('ffd8ff')
  })

  it('stores instances, which are there afterwards as they were sent', async (context) => {
    needs(context, ...ALL)
    const folder = archive.folder()
    const made = [1, 2].map((at) =>
      writeInstance(folder, {
        sopInstanceUid: `2.25.77.1.${at}`,
        seriesInstanceUid: '2.25.77.1',
        studyInstanceUid: '2.25.77',
      }),
    )
    const datasets = made.map(({ path }) => new Uint8Array(readFileSync(path)).buffer)
    await client.storeInstances({ datasets })
    const parts = await asStored.retrieveStudy({
      studyInstanceUID: '2.25.77',
    })
    expect(parts.map((part) => dataSetIn(Buffer.from(part)).toString('latin1')).sort()).toEqual(
      made.map(({ dataSet }) => dataSet.toString('latin1')).sort(),
    )
  })
})

interface Bytes extends Pick<HttpAnswer, 'status'> {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}
async function get(
  url: string,
  headers: Readonly<Record<string, string>>,
  key: string | undefined = keys.read,
): Promise<Bytes> {
  const authorization: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
  const answer = await fetch(url, { headers: { ...authorization, ...headers } })
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    bytes: Buffer.from(await answer.arrayBuffer()),
  }
}

/** Bodies of the parts of a multipart response (RFC 2046 §5.1). */
function partsOf({ headers, bytes }: Bytes): Buffer[] {
  const boundary = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1]
  if (!boundary) throw new Error(`no multipart response: ${headers['content-type']}`)
  const text = bytes.toString('latin1')
  return text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => part.slice(part.indexOf('\r\n\r\n') + 4, -2))
    .map((part) => Buffer.from(part, 'latin1'))
}

// What Weasis 4.7 sends (RsQueryResult, ManifestCompletion, SeriesDownloadManager, LoadSeries and
// ThumbnailManager of its sources): the study list of a patient, the series of a study, the images
// of a series, then each image or the whole series, and a thumbnail.
describe('Weasis', () => {
  const STUDY_FIELDS =
    '00080020,00080030,00080050,00080061,00080090,00081030,00100010,00100020,00100021,00100030,00100040,0020000D,00200010'
  const SERIES_FIELDS = '0008103E,00080060,0020000E,00200011,00081190'
  const INSTANCE_FIELDS = '00080016,00080018,00200013'
  const JSON_ONLY = { accept: 'application/dicom+json' }
  const DICOM = { accept: 'multipart/related;type="application/dicom";transfer-syntax=*' }
  const items = async (path: string, headers: Readonly<Record<string, string>> = JSON_ONLY) => {
    const { status, bytes } = await get(`${root}${path}`, headers)
    expect(status, `${path}: ${bytes}`).toBe(200)
    return JSON.parse(bytes.toString()) as DicomJson[]
  }

  it('opens the studies of a patient image by image', async (context) => {
    needs(context, ...ALL)
    const [, patientId = ''] = PATIENTS
    const expected = new Set(
      ofPatient(archive, patientId).map(({ dataSet }) => dataSet.toString('latin1')),
    )
    const got = new Set<string>()
    // Its study query names no media type.
    const studies = await items(`/studies?00100020=${patientId}&includefield=${STUDY_FIELDS}`, {
      accept: '*/*',
    })
    for (const study of valuesOf(studies, '0020000D')) {
      const series = await items(`/studies/${study}/series?includefield=${SERIES_FIELDS}`)
      for (const one of series) {
        const uid = firstOf(one, '0020000E')
        const retrieveUrl = String(firstOf(one, '00081190'))
        expect(retrieveUrl).toBe(`${root}/studies/${study}/series/${uid}`)
        const counted = await items(
          `/studies/${study}/series?0020000E=${uid}&includefield=00201209`,
        )
        const images = await items(
          `/studies/${study}/series/${uid}/instances?includefield=${INSTANCE_FIELDS}`,
        )
        expect(counted.map((item) => firstOf(item, '00201209'))).toEqual([images.length])
        for (const image of valuesOf(images, '00080018')) {
          const answer = await get(`${retrieveUrl}/instances/${image}`, DICOM)
          for (const part of partsOf(answer)) got.add(dataSetIn(part).toString('latin1'))
        }
        const whole = partsOf(await get(retrieveUrl, DICOM))
        expect(whole).toHaveLength(images.length)
      }
    }
    expect(got).toEqual(expected)
  })

  it('shows a thumbnail of an image and of a series', async (context) => {
    needs(context, ...ALL)
    const sample = sampleOf(archive, 'CT_small.dcm')
    for (const path of [pathOf(sample), pathOf(sample).replace(/\/instances\/.*/, '')]) {
      const answer = await get(`${path}/thumbnail?viewport=256%2C256`, { accept: 'image/jpeg' })
      expect(answer.status).toBe(200)
      expect(answer.bytes.subarray(0, 3).toString('hex')).toBe('ffd8ff')
    }
  })
})

describe('Orthanc', () => {
  let orthanc: Orthanc
  beforeAll(async () => {
    if (!isThere('orthanc-dicomweb') || !isThere('samples')) return
    const server = {
      Url: `${root}/`,
      HttpHeaders: { Authorization: `Bearer ${keys['read-and-store']}` },
      ChunkedTransfers: true,
    }
    orthanc = await startOrthanc(1, {
      Plugins: [DICOMWEB_PLUGIN],
      DicomWeb: { Enable: true, Root: '/dicom-web/', Servers: { isthmus: server } },
    })
  })
  afterAll(() => orthanc?.[Symbol.asyncDispose]())

  it('queries, retrieves and keeps every object byte for byte', async (context) => {
    needs(context, ...ALL, 'orthanc-dicomweb')
    const samples = [
      ...PATIENTS.flatMap((patientId) => ofPatient(archive, patientId)),
      ...OF_EACH_SYNTAX.map((name) => sampleOf(archive, name)),
    ]
    const ofPatients = PATIENTS.map(async (patientId) => {
      const answers = await orthanc.rest<Record<string, { Name: string; Value: string }>[]>(
        '/dicom-web/servers/isthmus/qido',
        { Uri: '/studies', Arguments: { '00100020': patientId } },
      )
      const studies = answers.map(
        (answer) =>
          Object.values(answer).find(({ Name }) => Name === 'StudyInstanceUID')?.Value ?? '',
      )
      const expected = ofPatient(archive, patientId).map((one) => one.studyInstanceUid)
      expect(distinct(studies)).toEqual(distinct(expected))
    })
    await Promise.all(ofPatients)
    const studies = distinct(samples.map((one) => one.studyInstanceUid))
    await orthanc.rest('/dicom-web/servers/isthmus/retrieve', {
      Resources: studies.map((Study) => ({ Study })),
      Synchronous: true,
    })
    const kept = await orthanc.rest<{ ID: string }[]>('/instances?expand')
    const files = kept.map(({ ID }) => orthanc.download(`/instances/${ID}/file`))
    const dataSets = (await Promise.all(files)).map((file) => dataSetIn(file).toString('latin1'))
    const expected = new Set(samples.map(({ dataSet }) => dataSet.toString('latin1')))
    expect(dataSets).toHaveLength(expected.size)
    expect(dataSets.filter((dataSet) => !expected.has(dataSet))).toEqual([])
  })

  it('stores instances here', async (context) => {
    needs(context, ...ALL, 'orthanc-dicomweb')
    const made = writeInstance(archive.folder(), {
      sopInstanceUid: '2.25.88.1.1',
      seriesInstanceUid: '2.25.88.1',
      studyInstanceUid: '2.25.88',
    })
    const { ID } = await orthanc.rest<{ ID: string }>('/instances', readFileSync(made.path))
    await orthanc.rest('/dicom-web/servers/isthmus/stow', { Resources: [ID], Synchronous: true })
    const answer = await get(`${root}/studies/2.25.88/instances`, {
      accept: 'application/dicom+json',
    })
    const found = JSON.parse(answer.bytes.toString()) as DicomJson[]
    expect(valuesOf(found, '00080018')).toEqual(['2.25.88.1.1'])
  })
})

describe('a DICOMweb call', () => {
  const json = { accept: 'application/dicom+json' }

  it('is refused without a key, and with a key that lacks the right', async (context) => {
    needs(context, ...ALL)
    const none = await get(`${root}/studies`, json, '')
    expect([none.status, none.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    expect((await get(`${root}/studies`, json, keys.none)).status).toBe(403)
    expect((await get(`${root}/studies`, json, keys.store)).status).toBe(403)
    const { path } = writeInstance(archive.folder(), {
      sopInstanceUid: '2.25.99.1.1',
      studyInstanceUid: '2.25.99',
    })
    const reader = dicomwebClient(root, keys.read ?? '')
    const datasets = [new Uint8Array(readFileSync(path)).buffer]
    await expect(reader.storeInstances({ datasets })).rejects.toMatchObject({ status: 403 })
  })

  it('is answered for the origins that are set alone', async (context) => {
    needs(context, ...ALL)
    const preflight = (origin: string) =>
      httpCall(`${root}/studies`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization,accept',
        },
      })
    const known = await preflight(ORIGIN)
    expect(known.status).toBeLessThan(300)
    expect(known.headers['access-control-allow-origin']).toBe(ORIGIN)
    expect(known.headers['access-control-allow-headers']).toMatch(/authorization/i)
    const other = await preflight('http://elsewhere.example')
    expect(other.headers['access-control-allow-origin']).toBeUndefined()
    const read = await get(`${root}/studies?limit=1`, { ...json, origin: ORIGIN })
    expect(read.headers['access-control-allow-origin']).toBe(ORIGIN)
  })
})
