// An archive of many studies for the benchmark of queries: rows only, no files. All of it is
// invented. Studies are written as the intake writes them; series and instances by one statement a
// study, because twenty million calls would take an hour.
import { openContext } from '../../electron/server/context.ts'
import { rawQuery } from '../../electron/server/database/query.ts'
import { insertImageStudy } from '../../electron/server/modules/images/image-study-writing-queries.ts'
import { indexModalities } from '../../electron/server/modules/studies/retrieval-index-queries.ts'

const SYLLABLES = 'ba le ro kin mar tu sen vi do ra lo pe gar nu ski ten fa wi zo he'.split(' ')
const GIVEN = 'Ana Luis Marta Jonas Lucía Peter Amina Tomás Chiara Olga Ravi Yuki'.split(' ')
const MODALITIES = ['CT', 'MR', 'CR', 'US', 'MG']
const SOP_CLASSES = {
  CT: '1.2.840.10008.5.1.4.1.1.2',
  MR: '1.2.840.10008.5.1.4.1.1.4',
  CR: '1.2.840.10008.5.1.4.1.1.1',
  US: '1.2.840.10008.5.1.4.1.1.6.1',
  MG: '1.2.840.10008.5.1.4.1.1.1.2',
}
const STUDIES_OF_A_PATIENT = 4
const SERIES_OF_A_STUDY = 2
/** Studies that share a transaction. */
const BATCH = 5000
const DAY_MS = 86_400_000
const YEARS = 5
const INSTANCE_BYTES = 526_000

const INSERT_SERIES = `insert into imageSeries
    (studyInstanceUid, seriesInstanceUid, modality, seriesNumber, instances, bytes, lastInstanceAt)
  select p.uid, p.uid || '.' || s.n, p.modality, s.n, p.count, p.count * ${INSTANCE_BYTES}, p.at
  from (select ? as uid, ? as modality, ? as count, ? as at) p, temp.numbers s
  where s.n <= ${SERIES_OF_A_STUDY}`
const INSERT_INSTANCES = `insert into instances
    (sopInstanceUid, sopClassUid, studyInstanceUid, seriesInstanceUid, transferSyntaxUid, file,
     dataSetOffset, bytes, crc32, state, detail, callingAeTitle, remoteAddress, deviceName,
     associationId, receivedAt, lastSeenAt, modality, instanceNumber, scheduledProcedureStepId,
     structure)
  select p.uid || '.' || s.n || '.' || i.n, p.sopClass, p.uid, p.uid || '.' || s.n,
     '1.2.840.10008.1.2.1', printf('%02x/%s.%d.%d.dcm', p.folder, p.uid, s.n, i.n),
     350, ${INSTANCE_BYTES}, 1, 'current', '', 'CT1', '10.0.3.7', 'CT room 1',
     p.association, p.at, p.at, p.modality, i.n, '', 'complete'
  from (select ? as uid, ? as modality, ? as count, ? as at, ? as sopClass, ? as folder,
      ? as association) p, temp.numbers s, temp.numbers i
  where s.n <= ${SERIES_OF_A_STUDY} and i.n <= p.count`
const COUNT =
  'update imageStudies set instances = ?, series = ?, bytes = ? where studyInstanceUid = ?'

const studyUid = (index) => `1.2.826.0.1.3680043.8.498.8.${1_000_000_000 + index}`

/** What a study of the archive is asked by, from its number. */
export function studyOf(index, studies) {
  const patient = Math.floor(index / STUDIES_OF_A_PATIENT)
  // Patients come back over the years: consecutive numbers are not consecutive days.
  const place = (index * 7919) % studies
  const date = new Date(
    Date.UTC(2026, 10, 20) - Math.floor((place / studies) * YEARS * 365) * DAY_MS,
  )
  const at = (patient * 7919) % SYLLABLES.length ** 3
  const family =
    SYLLABLES[at % 20] + SYLLABLES[Math.floor(at / 20) % 20] + SYLLABLES[Math.floor(at / 400)]
  return {
    studyInstanceUid: studyUid(index),
    patientId: `P${String((patient * 9973) % 10_000_000).padStart(7, '0')}`,
    patientName: `${family[0].toUpperCase()}${family.slice(1)}^${GIVEN[Math.floor(patient / 8000) % GIVEN.length]}`,
    patientBirthDate: `${1930 + (patient % 80)}${String(1 + (patient % 12)).padStart(2, '0')}${String(1 + (patient % 28)).padStart(2, '0')}`,
    accessionNumber: `A${String(index).padStart(8, '0')}`,
    studyDate: date.toISOString().slice(0, 10).replaceAll('-', ''),
    modality: MODALITIES[index % MODALITIES.length],
    at: date.toISOString(),
  }
}

/**
 * Fills a data folder up with `studies` studies of `instances` instances together.
 * @param {{ studies: number, instances: number, say: (line: string) => void }} options
 */
export function fillArchive(folder, { studies, instances, say }) {
  const began = Date.now()
  using context = openContext({ folder })
  const { database } = context
  // What is lost when the machine fails is made again.
  database.run(rawQuery('pragma synchronous = off', []))
  // The indexes are written to at random places: 2 GB of them in memory, in KiB.
  database.run(rawQuery('pragma cache_size = -2000000', []))
  database.run(rawQuery('pragma wal_autocheckpoint = 100000', []))
  database.run(rawQuery('create temp table numbers (n integer primary key)', []))
  const ofSeries = Math.max(1, Math.round(instances / studies / SERIES_OF_A_STUDY))
  for (let n = 1; n <= Math.max(ofSeries, SERIES_OF_A_STUDY); n++)
    database.run(rawQuery('insert into temp.numbers values (?)', [n]))
  // An archive whose making was interrupted is taken up where it ended: a batch is one transaction.
  const done = database.get(rawQuery('select count(*) as studies from imageStudies', [])).studies
  for (let first = done; first < studies; first += BATCH) {
    database.transaction(() => {
      for (let index = first; index < Math.min(first + BATCH, studies); index++)
        insertStudy(database, index, studies, ofSeries)
    })
    if (Math.round(first / BATCH) % 5 === 0)
      say(`${first} of ${studies} studies, ${Math.round((Date.now() - began) / 1000)} s`)
  }
  return { seconds: (Date.now() - began) / 1000, instances: studies * ofSeries * SERIES_OF_A_STUDY }
}

function insertStudy(database, index, studies, ofSeries) {
  const { studyInstanceUid, modality, at, ...identity } = studyOf(index, studies)
  insertImageStudy(database, newStudy(studyInstanceUid, modality, at, identity))
  database.run(rawQuery(INSERT_SERIES, [studyInstanceUid, modality, ofSeries, at]))
  const association = `a${index}`
  database.run(
    rawQuery(INSERT_INSTANCES, [
      ...[studyInstanceUid, modality, ofSeries, at, SOP_CLASSES[modality]],
      ...[index % 256, association],
    ]),
  )
  const count = ofSeries * SERIES_OF_A_STUDY
  database.run(
    rawQuery(COUNT, [count, SERIES_OF_A_STUDY, count * INSTANCE_BYTES, studyInstanceUid]),
  )
  indexModalities(database, studyInstanceUid)
}

function newStudy(studyInstanceUid, modality, at, identity) {
  return {
    ...{ studyInstanceUid, createdAt: at, lastInstanceAt: at, state: 'settled', settledAt: at },
    ...{ dueAt: at, callingAeTitle: 'CT1', remoteAddress: '10.0.3.7', deviceName: 'CT room 1' },
    transfer: { how: 'released', detail: null, at },
    header: {
      ...{ patientSex: 'F', patientSize: '', patientWeight: '', patientAge: '' },
      ...{ studyDescription: `${modality} examination`, requestedProcedureDescription: '' },
      ...{ studyTime: '093000', referringPhysicianName: '', institutionName: 'Bench Clinic' },
      ...{ studyId: '', modality, requestedProcedureId: '', scheduledProcedureStepId: '' },
      ...{ requestStudyInstanceUid: '', characterSetRule: '' },
      ...identity,
    },
    ...{ handedOut: null, mismatch: null, isFetched: false, enrichmentAttempts: 0 },
    enrichment: { state: 'not-asked', askedAt: null, nextAt: null, detail: null, warnings: [] },
  }
}
