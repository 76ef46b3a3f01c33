import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { type Archive, startStorescp } from '../support/archive.ts'
import { type Response, readResponses } from '../support/dcmtk.ts'
import { freePort } from '../support/free-port.ts'
import { startGateway } from '../support/gateway.ts'
import { seedImages } from '../support/images.ts'
import { isThere, type Need, needs } from '../support/needs.ts'
import { type Orthanc, startOrthanc } from '../support/orthanc.ts'
import {
  type ArchiveOfSamples,
  OF_EACH_SYNTAX,
  ofPatient,
  openArchiveOfSamples,
  PATIENTS,
  sampleOf,
} from './archive-fixture.ts'
import {
  dataSetIn,
  notDicom,
  onlyIn,
  type Said,
  type Sendable,
  say,
  storedIn,
} from './storage-fixture.ts'

const ALL: readonly Need[] = ['dcmtk', 'samples']
/** By device: what it may do. */
const RIGHTS = {
  CT1: 'none',
  ASKER: 'query',
  PACS: 'retrieve',
} as const

let archive: ArchiveOfSamples
/** Where C-MOVE sends to: it takes every transfer syntax and writes what came as it came. */
let receiver: Archive
let orthanc: Orthanc | undefined

beforeAll(async () => {
  if (!isThere('dcmtk') || !isThere('samples')) return
  receiver = await startStorescp(['+xa', '+B'])
  const orthancPort = await freePort()
  archive = await openArchiveOfSamples({
    devices: [
      ...Object.entries(RIGHTS).map(([aeTitle, retrieval]) => ({ aeTitle, retrieval })),
      { aeTitle: 'STORESCP', address: '127.0.0.1', port: receiver.port },
      { aeTitle: 'ORTHANC', address: '127.0.0.1', port: orthancPort, retrieval: 'retrieve' },
    ],
  })
  if (isThere('orthanc'))
    orthanc = await startOrthanc(
      archive.started.dimsePort,
      { DicomAlwaysAllowFind: true },
      orthancPort,
    )
})
afterAll(async () => {
  await orthanc?.[Symbol.asyncDispose]()
  await archive?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})

const keysOf = (keys: readonly string[]) => keys.flatMap((key) => ['-k', key])

type Command = 'findscu' | 'getscu' | 'movescu'
interface Asked {
  readonly calling?: string
  /** -S or -P. */
  readonly model?: string
  readonly more?: readonly string[]
}
/** What a tool of DCMTK said to keys such as `PatientID=1`. */
function ask(command: Command, keys: readonly string[], asked: Asked = {}): Promise<Said> {
  const { calling = 'PACS', model = '-S', more = [] } = asked
  return say(command, [
    ...['-v', model, '-aet', calling, '-aec', 'ISTHMUS', ...more],
    ...keysOf(keys),
    ...['127.0.0.1', String(archive.started.dimsePort)],
  ])
}

/** Responses of findscu, read by pydicom. */
async function found(keys: readonly string[], asked: Asked = {}): Promise<Response[]> {
  const folder = archive.folder()
  const said = await ask('findscu', keys, { ...asked, more: ['-X', '-od', folder] })
  expect(said.output).toContain('Received Final Find Response (Success)')
  return readResponses(folder)
}

const distinct = (values: readonly string[]) => [...new Set(values)].sort()
const valuesOf = (responses: readonly Response[], keyword: string) =>
  distinct(responses.map((response) => String(response[keyword])))

/** So many that their responses do not fit into the buffers of a connection. */
const IMAGES = 20_000

describe('findscu', () => {
  it('finds the studies of a patient', async (context) => {
    needs(context, ...ALL)
    for (const patientId of PATIENTS) {
      const responses = await found([
        'QueryRetrieveLevel=STUDY',
        `PatientID=${patientId}`,
        'StudyInstanceUID',
        'NumberOfStudyRelatedInstances',
        'NumberOfStudyRelatedSeries',
        'ModalitiesInStudy',
        'RetrieveAETitle',
      ])
      const samples = ofPatient(archive, patientId)
      const studies = distinct(samples.map(({ studyInstanceUid }) => studyInstanceUid))
      expect(responses).toHaveLength(studies.length)
      expect(valuesOf(responses, 'StudyInstanceUID')).toEqual(studies)
      for (const response of responses) {
        const of = samples.filter(
          ({ studyInstanceUid }) => studyInstanceUid === response.StudyInstanceUID,
        )
        const series = distinct(of.map(({ seriesInstanceUid }) => seriesInstanceUid))
        expect(response).toMatchObject({
          QueryRetrieveLevel: 'STUDY',
          PatientID: patientId,
          NumberOfStudyRelatedInstances: String(of.length),
          NumberOfStudyRelatedSeries: String(series.length),
          RetrieveAETitle: 'ISTHMUS',
        })
      }
    }
  })

  it('finds patients by a wild card of their name', async (context) => {
    needs(context, ...ALL)
    const keys = ['QueryRetrieveLevel=PATIENT', 'PatientName=doe*', 'PatientID']
    const responses = await found(keys, { model: '-P' })
    expect(valuesOf(responses, 'PatientID')).toEqual(expect.arrayContaining(PATIENTS))
    const nobody = ['QueryRetrieveLevel=PATIENT', 'PatientName=nobody*', 'PatientID']
    expect(await found(nobody, { model: '-P' })).toEqual([])
  })

  it('finds the series and the images of a study, level by level', async (context) => {
    needs(context, ...ALL)
    const [patientId = ''] = PATIENTS
    const samples = ofPatient(archive, patientId)
    for (const studyInstanceUid of distinct(samples.map((sample) => sample.studyInstanceUid))) {
      const of = samples.filter((sample) => sample.studyInstanceUid === studyInstanceUid)
      const series = await found([
        'QueryRetrieveLevel=SERIES',
        `StudyInstanceUID=${studyInstanceUid}`,
        'SeriesInstanceUID',
        'Modality',
        'NumberOfSeriesRelatedInstances',
      ])
      expect(valuesOf(series, 'SeriesInstanceUID')).toEqual(
        distinct(of.map((sample) => sample.seriesInstanceUid)),
      )
      const images: Response[] = []
      for (const { SeriesInstanceUID } of series)
        images.push(
          ...(await found([
            'QueryRetrieveLevel=IMAGE',
            `StudyInstanceUID=${studyInstanceUid}`,
            `SeriesInstanceUID=${SeriesInstanceUID}`,
            'SOPInstanceUID',
            'SOPClassUID',
            'InstanceNumber',
          ])),
        )
      expect(images).toHaveLength(of.length)
      expect(valuesOf(images, 'SOPInstanceUID')).toEqual(of.map((one) => one.sopInstanceUid).sort())
    }
  })

  it('matches ranges of dates and lists of UIDs', async (context) => {
    needs(context, ...ALL)
    const uids = OF_EACH_SYNTAX.slice(0, 3).map((name) => sampleOf(archive, name).studyInstanceUid)
    const list = await found(['QueryRetrieveLevel=STUDY', `StudyInstanceUID=${uids.join('\\')}`])
    expect(valuesOf(list, 'StudyInstanceUID')).toEqual(distinct(uids))
    const ofDay = ['QueryRetrieveLevel=STUDY', 'StudyDate=20040119', 'StudyInstanceUID']
    const { studyInstanceUid } = sampleOf(archive, 'CT_small.dcm')
    expect(valuesOf(await found(ofDay), 'StudyInstanceUID')).toEqual([studyInstanceUid])
    const until = ['QueryRetrieveLevel=STUDY', 'StudyDate=20040118-20040120', 'StudyInstanceUID']
    expect(valuesOf(await found(until), 'StudyInstanceUID')).toEqual([studyInstanceUid])
  })

  it('is told what is wrong with a query without a level', async (context) => {
    needs(context, ...ALL)
    const { output } = await ask('findscu', ['PatientID=1'])
    expect(output).toMatch(
      /Received Final Find Response \(.*(IdentifierDoesNotMatch|DataSetDoesNotMatch|A900|Unable).*\)/i,
    )
  })

  it('ends a query that is cancelled while responses are sent', async (context) => {
    needs(context, ...ALL)
    await using many = await startGateway({
      partner: null,
      devices: [{ aeTitle: 'ASKER', retrieval: 'query' }],
      prepare: (started) => seedImages(started, { uid: '2.25.55', instances: IMAGES }),
    })
    const keys = ['QueryRetrieveLevel=IMAGE', 'StudyInstanceUID=2.25.55']
    const { output } = await say('findscu', [
      ...['-v', '-S', '--cancel', '2', '-aet', 'ASKER', '-aec', 'ISTHMUS'],
      ...keysOf([...keys, 'SeriesInstanceUID=2.25.55.1', 'SOPInstanceUID']),
      ...['127.0.0.1', String(many.dimsePort)],
    ])
    expect(output).toMatch(/Received Final Find Response \(Cancel/)
    const responses = output.match(/Find Response: \d+ \(Pending\)/g)?.length ?? 0
    expect(responses).toBeGreaterThan(0)
    expect(responses).toBeLessThan(IMAGES)
  })

  it('may not ask as a device without the right', async (context) => {
    needs(context, ...ALL)
    const keys = ['QueryRetrieveLevel=STUDY', 'StudyInstanceUID']
    const { output } = await ask('findscu', keys, { calling: 'CT1' })
    expect(output).toMatch(/Association Rejected/)
  })
})

const studyKeys = (studyInstanceUid: string) => [
  'QueryRetrieveLevel=STUDY',
  `StudyInstanceUID=${studyInstanceUid}`,
]

const imageKeys = ({ studyInstanceUid, seriesInstanceUid, sopInstanceUid }: Sendable) => [
  'QueryRetrieveLevel=IMAGE',
  `StudyInstanceUID=${studyInstanceUid}`,
  `SeriesInstanceUID=${seriesInstanceUid}`,
  `SOPInstanceUID=${sopInstanceUid}`,
]

describe('getscu', () => {
  it('gets each kind of object, those in explicit VR byte for byte', async (context) => {
    needs(context, ...ALL)
    for (const name of OF_EACH_SYNTAX) {
      const sample = sampleOf(archive, name)
      const folder = archive.folder()
      const said = await ask('getscu', imageKeys(sample), { more: ['+B', '-od', folder] })
      const got = storedIn(folder)
      expect(got, `${name}: ${said.output}`).toHaveLength(1)
      expect(await notDicom(got.map(({ path }) => path))).toEqual([])
      // It proposes what is not compressed, so the rest is converted (decision 0055).
      if (sample.transferSyntaxUid === TRANSFER_SYNTAX.explicitLittleEndian)
        expect(got[0]?.dataSet.equals(sample.dataSet), name).toBe(true)
    }
  })

  it('gets a patient with every series, and is told how many', async (context) => {
    needs(context, ...ALL)
    const [, patientId = ''] = PATIENTS
    const folder = archive.folder()
    const keys = ['QueryRetrieveLevel=PATIENT', `PatientID=${patientId}`]
    const said = await ask('getscu', keys, { model: '-P', more: ['+B', '-od', folder] })
    const samples = ofPatient(archive, patientId)
    expect(said.output).toMatch(
      new RegExp(`Number of Completed Sub-?operations\\D+${samples.length}\\b`, 'i'),
    )
    const got = new Set(storedIn(folder).map(({ dataSet }) => dataSet.toString('latin1')))
    expect(got.size).toBe(samples.length)
    for (const sample of samples) expect(got.has(sample.dataSet.toString('latin1'))).toBe(true)
  })

  it.each([
    ['SC_rgb_rle.dcm', 'dcmdrle'],
    ['MR_small_jpeg_ls_lossless.dcm', 'dcmdjpls'],
  ])(
    'gets %s uncompressed where it accepts nothing else, with the pixels of %s',
    async (name, decoder) => {
      const sample = sampleOf(archive, name)
      const folder = archive.folder()
      const said = await ask('getscu', studyKeys(sample.studyInstanceUid), {
        more: ['+xe', '-od', folder],
      })
      const path = readdirSync(folder).find((file) => file.includes(sample.sopInstanceUid))
      expect(path, said.output).toBeDefined()
      const judged = join(archive.folder(), 'judged.dcm')
      await say(decoder, ['+te', sample.path, judged])
      expect(await pixelsOf(join(folder, path ?? ''))).toEqual(await pixelsOf(judged))
    },
  )

  it.for([
    ['SC_rgb_rle.dcm', '+xr'],
    ['MR_small_jpeg_ls_lossless.dcm', '+xt'],
    ['J2K_pixelrep_mismatch.dcm', '+xv'],
    ['image_dfl.dcm', '+xd'],
    ['liver_expb_1frame.dcm', '+xb'],
  ] as const)(
    'gets %s byte for byte where it names its transfer syntax first (%s)',
    async ([name, option], context) => {
      needs(context, ...ALL)
      const sample = sampleOf(archive, name)
      const folder = archive.folder()
      const said = await ask('getscu', studyKeys(sample.studyInstanceUid), {
        more: ['+B', option, '-od', folder],
      })
      const got = storedIn(folder).map(({ dataSet }) => dataSet.toString('latin1'))
      expect(got, said.output).toContain(sample.dataSet.toString('latin1'))
    },
  )

  it.for([
    ['SC_rgb_jpeg_dcmtk.dcm', '+xy'],
    ['JPGExtended.dcm', '+xx'],
    ['693_J2KI.dcm', '+xw'],
  ] as const)(
    'gets %s, which has loss, with the same pixels, and byte for byte where the clinic accepts that (%s)',
    async ([name, option], context) => {
      needs(context, ...ALL)
      const { call } = archive.started
      const accept = (isOn: boolean) =>
        call(dashboard.changeSettings, { body: { settings: { 'dimse.acceptLossyForGet': isOn } } })
      const sample = sampleOf(archive, name)
      const got = async () => {
        const folder = archive.folder()
        const more = ['+B', option, '-od', folder]
        const said = await ask('getscu', imageKeys(sample), { more })
        const files = storedIn(folder)
        expect(files, said.output).toHaveLength(1)
        return files[0]
      }
      expect((await got())?.dataSet.equals(sample.dataSet)).toBe(false)
      await accept(true)
      try {
        expect((await got())?.dataSet.equals(sample.dataSet)).toBe(true)
      } finally {
        await accept(false)
      }
    },
  )

  it('may not retrieve as a device that may only query', async (context) => {
    needs(context, ...ALL)
    const { studyInstanceUid } = sampleOf(archive, 'CT_small.dcm')
    const folder = archive.folder()
    const said = await ask('getscu', studyKeys(studyInstanceUid), {
      calling: 'ASKER',
      more: ['-od', folder],
    })
    expect(said.output).toMatch(/Association Rejected/)
    expect(readdirSync(folder)).toEqual([])
  })
})

/** Bytes of the pixel data of a file, as dcmdump writes them. */
async function pixelsOf(path: string): Promise<Buffer> {
  const folder = archive.folder()
  await say('dcmdump', ['+W', folder, path])
  const raw = readdirSync(folder)
  return Buffer.concat(raw.sort().map((file) => readFileSync(join(folder, file))))
}

describe('movescu', () => {
  it('has each kind of object sent byte for byte', async (context) => {
    needs(context, ...ALL)
    for (const name of OF_EACH_SYNTAX) {
      const { studyInstanceUid } = sampleOf(archive, name)
      const said = await ask('movescu', studyKeys(studyInstanceUid), {
        more: ['-aem', 'STORESCP'],
      })
      expect(said.output, name).toContain('Received Final Move Response (Success)')
    }
    const got = new Set(storedIn(receiver.folder).map(({ dataSet }) => dataSet.toString('latin1')))
    const missing = OF_EACH_SYNTAX.filter(
      (name) => !got.has(sampleOf(archive, name).dataSet.toString('latin1')),
    )
    expect(missing).toEqual([])
  })

  it('is told that a destination is unknown', async (context) => {
    needs(context, ...ALL)
    const { studyInstanceUid } = sampleOf(archive, 'CT_small.dcm')
    const said = await ask('movescu', studyKeys(studyInstanceUid), { more: ['-aem', 'NOWHERE'] })
    expect(said.output).toMatch(/MoveDestinationUnknown|A801/i)
  })
})

/** The data sets that an Orthanc keeps, by SOP Instance UID. */
async function dataSetsIn(kept: Orthanc): Promise<Map<string, string>> {
  const instances = await kept.rest<{ ID: string }[]>('/instances?expand')
  const pairs = instances.map(async ({ ID }) => {
    const uid = await kept.download(`/instances/${ID}/content/0008-0018`)
    const file = await kept.download(`/instances/${ID}/file`)
    return [
      uid.toString('latin1').replace(/[\0 ]+$/, ''),
      dataSetIn(file).toString('latin1'),
    ] as const
  })
  return new Map(await Promise.all(pairs))
}

/** Without Data Set Trailing Padding (PS3.10 §7.2), which storescu does not send. */
const withoutPadding = (dataSet: string) => {
  const at = dataSet.lastIndexOf('\xfc\xff\xfc\xffOB')
  return at < 0 ? dataSet : dataSet.slice(0, at)
}

describe('Orthanc', () => {
  // It encodes anew what comes by C-STORE, so its copies are compared with those that it makes of
  // the original files, which storescu sends it.
  it('queries, retrieves and keeps every object as if it came from where it was made', async (context) => {
    needs(context, ...ALL, 'orthanc')
    if (!orthanc) throw new Error('not started')
    const samples = [
      ...PATIENTS.flatMap((patientId) => ofPatient(archive, patientId)),
      ...OF_EACH_SYNTAX.map((name) => sampleOf(archive, name)),
    ]
    const studies = distinct(samples.map((one) => one.studyInstanceUid))
    for (const StudyInstanceUID of studies) {
      const { ID } = await orthanc.rest<{ ID: string }>('/modalities/isthmus/query', {
        Level: 'Study',
        Query: { StudyInstanceUID, NumberOfStudyRelatedInstances: '', ModalitiesInStudy: '' },
      })
      expect(await orthanc.rest<string[]>(`/queries/${ID}/answers`)).toHaveLength(1)
      await orthanc.rest(`/queries/${ID}/retrieve`, { TargetAet: 'ORTHANC', Synchronous: true })
    }
    const retrieved = await dataSetsIn(orthanc)
    await using direct = await startOrthanc(archive.started.dimsePort)
    for (const { path, transferSyntaxUid, sopClassUid } of samples) {
      const only = onlyIn(archive.folder(), transferSyntaxUid, [sopClassUid])
      const to = ['-aec', 'ORTHANC', '127.0.0.1', String(direct.port)]
      const { code, output } = await say('storescu', [...only, ...to, path])
      expect(code, output).toBe(0)
    }
    const made = await dataSetsIn(direct)
    expect([...retrieved.keys()].sort()).toEqual([...made.keys()].sort())
    const differing = [...made].filter(
      ([uid, dataSet]) => withoutPadding(retrieved.get(uid) ?? '') !== dataSet,
    )
    expect(differing.map(([uid]) => uid)).toEqual([])
    expect(made.size).toBe(new Set(samples.map((one) => one.sopInstanceUid)).size)
  })
})
