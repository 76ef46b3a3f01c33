// The gateway beside Orthanc with its DICOMweb plugin, both with the same images: study-level
// C-FIND, frames by WADO-RS, C-GET.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { phantomSlice, phantomSopUid } from '../../electron/simulator/phantom.ts'
import { DICOMWEB_PLUGIN, startOrthanc } from '../../test/support/orthanc.ts'
import { dimsePortOf, median, run } from '../bench-kit.mjs'
import { associate, identifierOf } from './dimse.mjs'

const STUDIES = 200
const CONNECTIONS = 4
const LARGE = '1.2.826.0.1.3680043.8.498.9'
/** Least ratio to Orthanc's rate. */
const TARGETS = { 'study-level C-FIND/s': 3, 'WADO-RS frames/s': 3, 'C-GET MB/s': 1.5 }
const smallStudy = (number) => `1.2.826.0.1.3680043.8.498.9.${number}`
const seriesOf = (studyInstanceUid, slices, patient) => ({
  ...{ studyInstanceUid, seriesInstanceUid: `${studyInstanceUid}.1`, slices },
  ...{ patientId: `BENCH-${patient}`, patientName: `Test^Bench${patient}` },
})
const large = (slices) => seriesOf(LARGE, slices, 0)

/**
 * Says a table; resolves with what missed its target.
 * @returns {Promise<string[]>}
 */
export async function measurePeers({ gateway, key, work, slices, seconds, rounds }) {
  await using orthanc = await startOrthanc(1, {
    Plugins: [DICOMWEB_PLUGIN],
    DicomWeb: { Enable: true, Root: '/dicom-web/' },
    ...{ DicomAlwaysAllowFind: true, DicomAlwaysAllowGet: true, HttpThreadsCount: 50 },
    ...{ ConcurrentJobs: 4, TcpNoDelay: true, KeepAlive: true },
  })
  const servers = {
    isthmus: { port: dimsePortOf(gateway), called: 'ISTHMUS', url: gateway.ready.http, key },
    orthanc: { port: orthanc.port, called: 'ORTHANC', url: orthanc.url },
  }
  storeImages(work, slices, Object.values(servers))
  const rows = {
    'study-level C-FIND/s': (server) => findRate(server, seconds),
    'WADO-RS frames/s': (server) => frameRate(server, slices, seconds, work),
    'C-GET MB/s': (server) => getRate(server, slices),
  }
  const figures = Object.fromEntries(
    Object.keys(rows).map((name) => [name, { isthmus: [], orthanc: [] }]),
  )
  for (let round = 0; round <= rounds; round++)
    for (const [name, measure] of Object.entries(rows))
      for (const [who, server] of Object.entries(servers)) {
        const rate = await measure(server)
        if (round > 0) figures[name][who].push(rate)
      }
  return tableOf(figures, rounds)
}

function tableOf(figures, rounds) {
  const missed = []
  console.log(`\n| ${rounds} rounds, medians | Isthmus | Orthanc | ratio | target |`)
  console.log('|---|---:|---:|---:|---|')
  for (const [name, { isthmus, orthanc }] of Object.entries(figures)) {
    // Of one round, as near in time as can be.
    const ratio = median(isthmus.map((rate, round) => rate / orthanc[round]))
    const target = TARGETS[name]
    console.log(
      `| ${name} | ${median(isthmus).toFixed(0)} | ${median(orthanc).toFixed(0)} | ${ratio.toFixed(2)}× | ≥ ${target}× |`,
    )
    if (ratio < target) missed.push(`${name}: ${ratio.toFixed(2)}× of Orthanc, not ${target}×`)
  }
  return missed
}

function storeImages(work, slices, servers) {
  const folder = join(work, 'images')
  mkdirSync(folder)
  const series = [
    large(slices),
    ...Array.from({ length: STUDIES }, (_, index) => seriesOf(smallStudy(index + 1), 1, index + 1)),
  ]
  for (const one of series)
    for (let number = 1; number <= one.slices; number++)
      writeFileSync(
        join(folder, `${phantomSopUid(one, number)}.dcm`),
        Buffer.concat(phantomSlice(one, number)),
      )
  for (const { called, port } of servers) {
    const address = ['127.0.0.1', String(port), folder]
    run('storescu', ['-R', '-aet', 'BENCH', '-aec', called, '+sd', ...address], {
      ...process.env,
      TCP_NODELAY: '1',
    })
  }
}

/** Answered queries a second, each of one patient, on associations that are kept. */
async function findRate({ port, called }, seconds) {
  const end = performance.now() + seconds * 1000
  let [done, patient] = [0, 0]
  const worker = async () => {
    const association = await associate({
      port,
      called,
      calling: 'BENCH',
      service: 'studyRootFind',
    })
    while (performance.now() < end) {
      const identifier = identifierOf({
        ...{ QueryRetrieveLevel: 'STUDY', PatientID: `BENCH-${1 + (patient++ % STUDIES)}` },
        ...{ PatientName: '', StudyDate: '', StudyInstanceUID: '', StudyDescription: '' },
        ...{ AccessionNumber: '', ModalitiesInStudy: '', NumberOfStudyRelatedInstances: '' },
      })
      const { answers } = await association.find(identifier)
      if (answers !== 1) throw new Error(`${called} answered with ${answers} studies`)
      done += 1
    }
    association.close()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  return done / seconds
}

/**
 * Frames a second, the uncompressed pixels of one slice after the other, requested by wrk, because a
 * client in JavaScript takes more of the processors than the servers.
 */
async function frameRate({ url, key }, slices, seconds, work) {
  const series = large(slices)
  const path = `/dicom-web/studies/${LARGE}/series/${series.seriesInstanceUid}/instances/`
  const paths = Array.from({ length: slices }, (_, index) =>
    JSON.stringify(`${path}${phantomSopUid(series, 1 + index)}/frames/1`),
  )
  const script = join(work, 'frames.lua')
  writeFileSync(
    script,
    `local paths = { ${paths.join(', ')} }
local headers = { Accept = 'multipart/related; type="application/octet-stream"'${key ? `, Authorization = 'Bearer ${key}'` : ''} }
local at = 0
function request()
  at = at % #paths + 1
  return wrk.format('GET', paths[at], headers)
end
`,
  )
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, url]
  const { stdout } = await promisify(execFile)('wrk', options)
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  const sent = /Transfer\/sec:\s+([\d.]+)(MB|GB)/.exec(stdout)
  const bytes = Number(sent?.[1]) * (sent?.[2] === 'GB' ? 1 << 30 : 1 << 20)
  if (/Non-2xx|Socket errors/.test(stdout) || !(bytes / rate >= 512 * 512 * 2))
    throw new Error(`${url}: ${stdout}`)
  return rate
}

/** MB a second of the whole large study over one association. */
async function getRate({ port, called }, slices) {
  const association = await associate({ port, called, calling: 'BENCH', service: 'studyRootGet' })
  const began = performance.now()
  const { instances, bytes } = await association.get(
    identifierOf({ QueryRetrieveLevel: 'STUDY', StudyInstanceUID: LARGE }),
  )
  const seconds = (performance.now() - began) / 1000
  association.close()
  if (instances !== slices) throw new Error(`${called} sent ${instances} of ${slices} instances`)
  return bytes / 1e6 / seconds
}
