// npm run bench -- restore [--studies 100000] [--reports 10000]: a clinic is backed up, its data
// folder destroyed, and put back on “another PC” with the recovery key alone; then every report's
// text and PDF are compared byte by byte, and the audit chain is followed. Beside it, in the same
// run, a plain copy with fsync of the same database. Figures: docs/BENCHMARKS.md.
import { createHash } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { keepRecoveryKey, newRecoveryKey, wrapDataKey } from '#server/database/recovery-key.ts'
import { openContext } from '../electron/server/context.ts'
import { makeBackup } from '../electron/server/modules/backups/make-backup.ts'
import { storeRecoveryProof } from '../electron/server/modules/backups/recovery-key-setup.ts'
import {
  applyStagedRestore,
  stageRestore,
} from '../electron/server/modules/backups/restore-files.ts'
import {
  insertReportPdf,
  readReportPdf,
} from '../electron/server/modules/reports/report-document-queries.ts'
import { renderReportPdf } from '../electron/server/modules/reports/report-pdf.ts'
import { findReport, insertReport } from '../electron/server/modules/reports/report-queries.ts'
import { seed } from './bench-window/clinic.mjs'
import { root, stop } from './setup.mjs'

const { values } = parseArgs({
  options: {
    studies: { type: 'string', default: '100000' },
    reports: { type: 'string' },
    folder: { type: 'string' },
  },
})
const studies = Number(values.studies)
const reports = Number(values.reports ?? Math.ceil(studies / 10))
/** PDFs that are rendered; the others differ from one of them in a comment with their own id. */
const RENDERED = 20
const MB = 1024 * 1024

// Beside the project, not in the temporary folder, which may be another disk, or none.
const cache = values.folder ?? join(root, 'node_modules', '.cache')
mkdirSync(cache, { recursive: true })
const work = mkdtempSync(join(cache, 'bench-restore-'))
const [pc, other, disk] = ['pc', 'another pc', 'backups'].map((name) => join(work, name))
const steps = []
try {
  for (const folder of [pc, disk]) mkdirSync(folder)
  const { userId } = await seed(pc, studies)
  const recoveryKey = newRecoveryKey()
  const before = await sign(pc, userId, recoveryKey)
  const database = join(pc, 'gateway.sqlite')
  const floor = await timed(
    'plain copy with fsync',
    () => plainCopy(database, join(disk, 'plain')),
    statSync(database).size,
  )
  rmSync(join(disk, 'plain'))

  const { name, sealed } = await backUp()
  rmSync(pc, { recursive: true })
  await timed('making ready with the recovery key', () =>
    stageRestore(other, join(disk, name), { recoveryKey }, 'bench', Date.now()),
  )
  await timed('putting in place', () => applyStagedRestore(other, Date.now()))
  using store = await timed('first opening', () => openContext({ folder: other }))
  const after = await timed('reading every report and its PDF', () => fingerprints(store))
  const verdict = await timed('following the audit chain', () => store.audit.verify())

  console.log(
    `\n${studies} studies, ${before.size} signed reports with PDFs; backup ${(sealed / MB).toFixed(0)} MB on the disk`,
  )
  for (const { what, seconds, bytes, stall } of steps)
    console.log(
      `  ${what.padEnd(36)} ${seconds.toFixed(2).padStart(8)} s  ${(seconds / floor.seconds).toFixed(1).padStart(6)} × the floor${bytes ? `  ${(bytes / MB).toFixed(0)} MB, ${(bytes / MB / seconds).toFixed(0)} MB/s` : ''}${stall ? `  longest turn ${stall.toFixed(0)} ms` : ''}`,
    )
  const differ = [...before].filter(([reportId, print]) => after.get(reportId) !== print)
  if (differ.length > 0 || after.size !== before.size)
    stop(`${differ.length} of ${before.size} reports are not what they were.`)
  if (!verdict.isIntact) stop(`The audit chain breaks at entry ${verdict.seq}.`)
  console.log(
    `Every report is the same, byte by byte; the audit chain of ${verdict.entries} entries holds.`,
  )
} finally {
  rmSync(work, { recursive: true, force: true })
}

async function backUp() {
  using store = openContext({ folder: pc })
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const phases = new Map()
  let phase = { name: '', at: performance.now() }
  const enter = (next) => {
    if (next === phase.name) return
    if (phase.name) phases.set(phase.name, (performance.now() - phase.at) / 1000)
    phase = { name: next, at: performance.now() }
  }
  const made = await timed('backup, all of it', () =>
    makeBackup(store, disk, 'scheduled', 'bench', (told) => enter(told.phase)),
  )
  enter('')
  const step = steps.at(-1)
  step.bytes = made.plainBytes
  step.stall = delay.max / 1e6
  for (const [what, seconds] of phases) steps.push({ what: `  ${what}`, seconds })
  return { name: made.name, sealed: bytesIn(join(disk, made.name)) }
}

/**
 * Signs reports of the completed studies as the reporting part does, and gives their fingerprints.
 */
async function sign(folder, userId, recoveryKey) {
  using store = openContext({ folder })
  storeRecoveryProof(store)
  keepRecoveryKey(folder, wrapDataKey(store.database.seal, recoveryKey, Date.now()))
  const pdfs = await Promise.all(
    Array.from({ length: RENDERED }, (_, index) => renderReportPdf(inputOf(index))),
  )
  const completed = store.database.all(
    store.database.sql
      .selectFrom('studies')
      .select('studyId')
      .where('status', '=', 'completed')
      .where('area', '=', 'scribe')
      .limit(reports),
  )
  const signedAt = new Date().toISOString()
  for (let first = 0; first < completed.length; first += 1000)
    store.database.transaction(() => {
      for (const [at, { studyId }] of completed.slice(first, first + 1000).entries())
        signOne(store, { studyId, userId, signedAt, pdfs, index: first + at })
    })
  return fingerprints(store)
}

function signOne(store, { studyId, userId, signedAt, pdfs, index }) {
  const reportId = `rep_${studyId.slice(4)}`
  const { pages, bytes } = pdfs[index % RENDERED]
  const content = Buffer.concat([bytes, Buffer.from(`\n% ${reportId}\n`)])
  const text = textOf(index)
  insertReport(store.database, {
    ...{
      reportId,
      studyId,
      userId,
      isAddendum: false,
      status: 'completed',
      signedAt,
      isCritical: false,
      plainText: text,
      revision: 1,
    },
    ...{
      snapshotMetadata: { patientName: 'EXAMPLE^JANE', mrn: String(index) },
      createdAt: signedAt,
      updatedAt: signedAt,
      textHash: sha256(text),
    },
    signer: { userId, name: 'Dr. Bench Person', clinicRole: 'Radiologist', npiNumber: null },
  })
  insertReportPdf(store.database, {
    reportId,
    sha256: sha256(content),
    pages,
    createdAt: signedAt,
    content,
  })
  store.audit.append({
    actor: `user:${userId}`,
    action: 'report.sign',
    target: reportId,
    detail: { studyId },
  })
}

function textOf(index) {
  return `Indication: Cough for ${index} weeks.\n\nFindings:\n${'The nodule in the right upper lobe measures 8 x 7 mm, unchanged. '.repeat(1 + (index % 12))}\n\nImpression:\nUnchanged.`
}

function inputOf(index) {
  const text = textOf(index)
  const signer = {
    userId: 'usr_1',
    name: 'Dr. Bench Person',
    clinicRole: 'Radiologist',
    npiNumber: null,
  }
  const part = {
    isAddendum: false,
    text,
    textHash: sha256(text),
    signer,
    signedAt: '2026-11-21T13:05:33.123Z',
    isCritical: false,
    finding: null,
    communication: null,
  }
  return {
    ...{
      clinicName: 'Bench',
      letterhead: '',
      paper: 'A4',
      timeZone: 'Europe/Berlin',
      reportId: `rep_${index}`,
      studyInstanceUid: `2.25.${index}`,
    },
    ...{
      studyDescription: 'CT chest',
      accessionNumber: '',
      metadata: { patientName: 'Jane Example' },
      parts: [part],
    },
  }
}

/** Of each signed report, text and PDF as the store gives them. */
function fingerprints(store) {
  const ids = store.database.all(store.database.sql.selectFrom('reports').select('reportId'))
  return new Map(
    ids.map(({ reportId }) => [
      reportId,
      `${sha256(findReport(store.database, reportId).plainText)} ${sha256(readReportPdf(store.database, reportId))}`,
    ]),
  )
}

function plainCopy(from, to) {
  const [source, target] = [openSync(from, 'r'), openSync(to, 'w')]
  const buffer = Buffer.alloc(MB)
  for (let length = readSync(source, buffer); length > 0; length = readSync(source, buffer))
    writeSync(target, buffer, 0, length)
  fsyncSync(target)
  closeSync(source)
  closeSync(target)
}

async function timed(what, work, bytes) {
  const began = performance.now()
  const result = await work()
  const seconds = (performance.now() - began) / 1000
  steps.push({ what, seconds, bytes })
  return bytes === undefined ? result : { seconds }
}

function bytesIn(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}
