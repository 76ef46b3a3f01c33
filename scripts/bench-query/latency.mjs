// How long a query of the archive takes, by C-FIND and by QIDO-RS, one after the other, and what
// the gateway's memory is before and after.
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'
import { dimsePortOf, pssOf } from '../bench-kit.mjs'
import { studyOf } from './archive.mjs'
import { associate, identifierOf } from './dimse.mjs'

const P95_MS = 50
/** Growth of memory during the queries that is still called flat, MiB. */
const GROWTH_MB = 30
const WARMING = 50
const STUDY_KEYS = {
  ...{ PatientName: '', PatientID: '', PatientBirthDate: '', AccessionNumber: '' },
  ...{ StudyDate: '', StudyTime: '', StudyDescription: '', ModalitiesInStudy: '' },
  ...{ NumberOfStudyRelatedSeries: '', NumberOfStudyRelatedInstances: '', StudyInstanceUID: '' },
}

/** What is asked, of the study of a number: the path below the root of QIDO-RS, and its keys. */
const QUERIES = {
  'patient ID': ({ patientId }) => study({ PatientID: patientId }),
  'name and birth date': ({ patientName, patientBirthDate }) =>
    study({ PatientName: patientName, PatientBirthDate: patientBirthDate }),
  'beginning of a name': ({ patientName }) =>
    study({ PatientName: `${patientName.slice(0, -1)}*` }),
  'accession number': ({ accessionNumber }) => study({ AccessionNumber: accessionNumber }),
  'patient ID and a year': ({ patientId, studyDate }) =>
    study({
      PatientID: patientId,
      StudyDate: `${studyDate.slice(0, 4)}0101-${studyDate.slice(0, 4)}1231`,
    }),
  'an unknown ID': ({ patientId }) => study({ PatientID: `${patientId}X` }),
  'series of a study': ({ studyInstanceUid }) => ({
    path: `studies/${studyInstanceUid}/series`,
    level: 'SERIES',
    keys: {},
    asked: { StudyInstanceUID: studyInstanceUid, SeriesInstanceUID: '', Modality: '' },
  }),
  'images of a series': ({ studyInstanceUid }) => ({
    path: `studies/${studyInstanceUid}/series/${studyInstanceUid}.1/instances`,
    level: 'IMAGE',
    keys: {},
    asked: {
      StudyInstanceUID: studyInstanceUid,
      SeriesInstanceUID: `${studyInstanceUid}.1`,
      ...{ SOPInstanceUID: '', SOPClassUID: '', InstanceNumber: '' },
    },
  }),
  'a day of one modality': ({ studyDate, modality }) =>
    study({ StudyDate: studyDate, ModalitiesInStudy: modality }),
}
const study = (keys) => ({
  path: 'studies',
  level: 'STUDY',
  keys,
  asked: { ...STUDY_KEYS, ...keys },
})

/**
 * Says a table; resolves with what missed its target.
 * @returns {Promise<string[]>}
 */
export async function measureArchive({ gateway, key, studies, queries }) {
  const pool = new Pool(gateway.ready.http, { connections: 1 })
  const association = await associate({
    ...{ port: dimsePortOf(gateway), called: 'ISTHMUS', calling: 'BENCH' },
    service: 'studyRootFind',
  })
  const ask = {
    'C-FIND': async ({ level, asked }) =>
      (await association.find(identifierOf({ QueryRetrieveLevel: level, ...asked }))).answers,
    'QIDO-RS': async ({ path, keys }) => {
      const { statusCode, body } = await pool.request({
        path: `/dicom-web/${path}?${new URLSearchParams(keys)}`,
        method: 'GET',
        headers: { authorization: `Bearer ${key}`, accept: 'application/dicom+json' },
      })
      const text = await body.text()
      if (statusCode === 204) return 0
      if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${text}`)
      return JSON.parse(text).length
    },
  }
  const missed = []
  // The numbers walk the whole archive, so that each query is of other rows than the last one.
  let walk = 0
  const next = () => {
    walk = (walk + Math.floor(studies * 0.618) + 1) % studies
    return studyOf(walk, studies)
  }
  console.log(`\n| ${studies} studies | by | answers | p50 ms | p95 ms | target |`)
  console.log('|---|---|---:|---:|---:|---|')
  const rows = Object.entries(QUERIES).flatMap(([name, query]) =>
    Object.entries(ask).map(([by, send]) => ({ name, by, query, send })),
  )
  for (const { query, send } of rows) for (let n = 0; n < WARMING; n++) await send(query(next()))
  const before = pssOf(gateway.child.pid)
  for (const { name, by, query, send } of rows) {
    const times = []
    let answers = 0
    for (let n = 0; n < queries; n++) {
      const asked = query(next())
      const sent = performance.now()
      answers += await send(asked)
      times.push(performance.now() - sent)
    }
    times.sort((a, b) => a - b)
    const [p50, p95] = [0.5, 0.95].map((share) => times[Math.floor(times.length * share)])
    const mean = (answers / queries).toFixed(1)
    console.log(
      `| ${name} | ${by} | ${mean} | ${p50.toFixed(2)} | ${p95.toFixed(2)} | ≤ ${P95_MS} |`,
    )
    if (p95 > P95_MS) missed.push(`${name} by ${by}: p95 ${p95.toFixed(1)} ms, not ${P95_MS}`)
    if (name !== 'an unknown ID' && answers === 0) missed.push(`${name} by ${by}: no answer`)
  }
  await wait(1000)
  const after = pssOf(gateway.child.pid)
  console.log(
    `\nMemory of the gateway before and after: ${before.toFixed(0)} and ${after.toFixed(0)} MiB`,
  )
  if (after - before > GROWTH_MB) missed.push(`memory grew by ${(after - before).toFixed(0)} MiB`)
  association.close()
  await pool.destroy()
  return missed
}
