import { listReportObjects } from '#server/modules/reports/report-document-queries.ts'
import type { DeskStudy } from '../../support/reading-desk.ts'
import type { Standing } from '../ledger.ts'
import type { Promised } from '../promise.ts'
import { commitmentsTrue } from '../promises/commitments-true.ts'
import { deliveredAtLast } from '../promises/delivered-at-last.ts'
import { deliveredTheSame } from '../promises/delivered-the-same.ts'
import { filesHaveRows } from '../promises/files-have-rows.ts'
import { imagesKept } from '../promises/images-kept.ts'
import { logSilent } from '../promises/log-silent.ts'
import { patientsApart } from '../promises/patients-apart.ts'
import { signaturesAudited } from '../promises/signatures-audited.ts'
import { signedUnchanged } from '../promises/signed-unchanged.ts'
import { studiesKept } from '../promises/studies-kept.ts'
import { hashOf, type Reader } from '../reader.ts'
import type { Work } from './clients.ts'

/** What is outside of the gateway. */
export interface Outside {
  /** What the archive got: hashes of the data sets by SOP Instance UID. */
  readonly archive: Map<string, Set<string>>
}

export interface KillEvidence {
  readonly work: Work
  readonly reader: Reader
  readonly outside: Outside
}

/** `deliveredTheSame` says that each report is one event, whatever it came for. */
const PROMISES: readonly Promised[] = [
  ...[studiesKept, signedUnchanged, deliveredTheSame, logSilent, imagesKept, filesHaveRows],
  ...[patientsApart, commitmentsTrue, signaturesAudited, deliveredAtLast],
]

/** What is lost or invented after a restart; whatever may still wait is not looked at. */
export function checkKept(evidence: KillEvidence): readonly string[] {
  return [
    ...database(evidence),
    ...reports(evidence),
    ...invented(evidence),
    ...promises(evidence, false),
    ...archived(evidence),
  ]
}

/** The same once everything that waited has had the time to be done. */
export function checkSettled(evidence: KillEvidence): readonly string[] {
  return [...checkKept(evidence), ...promises(evidence, true), ...settled(evidence)]
}

const promises = ({ work: { ledger }, reader }: KillEvidence, isEnd: boolean): string[] =>
  PROMISES.flatMap(({ name, check }) =>
    check({ ledger, reader, isEnd }).map((breach) => `${name}: ${breach}`),
  )

function database({ reader: { select } }: KillEvidence): string[] {
  const [integrity] = select<{ integrity_check: string }>('pragma integrity_check')
  return [
    ...(integrity?.integrity_check === 'ok'
      ? []
      : [`the database is damaged: ${integrity?.integrity_check}`]),
    ...(select('pragma foreign_key_check').length === 0
      ? []
      : ['rows refer to rows that are not there']),
  ]
}

const standingOf = ({ draft, signed }: DeskStudy['told']): Standing => ({
  draft: draft && { isAddendum: draft.isAddendum, revision: draft.revision, text: draft.text },
  signed: signed.map(({ text }) => text),
})

/**
 * Each saved revision and each signature that was acknowledged is there; the call under way was
 * done as a whole, or not at all.
 */
function reports({ work: { deskStudies }, reader }: KillEvidence): string[] {
  return deskStudies.flatMap((study) => {
    const found = JSON.stringify(reader.standingOf(study.studyId))
    if (study.asked && found === JSON.stringify(standingOf(study.asked))) study.told = study.asked
    study.asked = undefined
    const told = JSON.stringify(standingOf(study.told))
    return found === told
      ? []
      : [`report of ${study.studyInstanceUid}: ${found} in place of ${told}`]
  })
}

/** Nothing is there that nobody asked for, and nothing twice. */
function invented({ work, reader: { select } }: KillEvidence): string[] {
  const studies = select<{ studyId: string; studyInstanceUid: string }>(
    "select studyId, studyInstanceUid from studies where area = 'scribe'",
  )
  const known = new Set(work.deskStudies.map(({ studyId }) => studyId as string))
  const sent = /\.1\.\d+$/
  const instances = select<{
    sopInstanceUid: string
    studyInstanceUid: string
    callingAeTitle: string
  }>(
    "select sopInstanceUid, studyInstanceUid, callingAeTitle from instances where callingAeTitle like 'CT%'",
  )
  const signed = select<{ studyId: string }>(
    "select studyId from reports where status = 'completed'",
  )
  const doubles = select<{ subject: string; n: number }>(
    "select subject, count(*) n from outbox where kind in ('report.delivered', 'report.archive') group by kind, subject having n > 1",
  )
  const objects = select<{ reportId: string; n: number }>(
    'select reportId, count(*) n from reportObjects group by reportId having n > 2',
  )
  return [
    ...repeated(studies.map(({ studyInstanceUid }) => studyInstanceUid)).map(
      (uid) => `${uid} was created twice`,
    ),
    ...studies
      .filter(({ studyInstanceUid }) => !work.asked.has(studyInstanceUid))
      .map(({ studyInstanceUid }) => `${studyInstanceUid} was never asked for`),
    ...instances
      .filter((one) => !work.asked.has(one.studyInstanceUid) || !sent.test(one.sopInstanceUid))
      .map(({ sopInstanceUid }) => `${sopInstanceUid} was never sent`),
    ...repeated(instances.map(({ sopInstanceUid }) => sopInstanceUid)).map(
      (uid) => `${uid} is there twice`,
    ),
    ...signed
      .filter(({ studyId }) => !known.has(studyId))
      .map(({ studyId }) => `a report of ${studyId} is signed by nobody`),
    ...doubles.map(({ subject, n }) => `${subject} is queued ${n} times`),
    ...objects.map(({ reportId, n }) => `${reportId} has ${n} objects`),
  ]
}

function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>()
  return values.filter((value) => seen.has(value) || !seen.add(value))
}

/**
 * What the archive got is what devices sent, and what is called sent it got. Copies of reports do
 * not go there by themselves.
 */
function archived({ reader, outside: { archive } }: KillEvidence): string[] {
  const rows = reader.select<{
    sopInstanceUid: string
    file: string
    dataSetOffset: number
    forward: string | null
  }>(
    `select i.sopInstanceUid, i.file, i.dataSetOffset, f.state forward from instances i
     left join forwards f using (instanceId) where callingAeTitle like 'CT%'`,
  )
  const known = new Set(rows.map(({ sopInstanceUid }) => sopInstanceUid))
  return [
    ...rows
      .filter(({ forward }) => forward !== 'waiting' && forward !== 'sent')
      .map(
        ({ sopInstanceUid, forward }) =>
          `${sopInstanceUid} is not on its way to the archive: ${forward}`,
      ),
    ...rows.flatMap((row) => {
      const bytes = reader.bytesOf(row)
      const got = archive.get(row.sopInstanceUid) ?? new Set()
      if (got.size === 0)
        return row.forward === 'sent'
          ? [`${row.sopInstanceUid} is called sent, and the archive never got it`]
          : []
      return bytes && got.size === 1 && got.has(hashOf(bytes))
        ? []
        : [`${row.sopInstanceUid} was sent with another content`]
    }),
    ...[...archive.keys()]
      .filter((uid) => !known.has(uid))
      .map((uid) => `the archive has ${uid}, and the gateway has it not`),
  ]
}

/** What waited is done. */
function settled({ work, reader: { select, store } }: KillEvidence): string[] {
  const waiting = (table: string) =>
    select<{ n: number }>(`select count(*) n from ${table} where state = 'waiting'`)[0]?.n ?? 0
  const { ledger, transactions } = work
  const answered = Map.groupBy(ledger.commitments, ({ transactionUid }) => transactionUid)
  const unread = select<{ studyInstanceUid: string }>(
    "select studyInstanceUid from imageStudies where state <> 'settled'",
  )
  const signed = select<{ reportId: string }>(
    "select reportId from reports where status = 'completed'",
  )
  return [
    ...['outbox', 'forwards', 'commitments']
      .filter((table) => waiting(table) > 0)
      .map((table) => `${waiting(table)} rows of ${table} wait`),
    ...unread.map(({ studyInstanceUid }) => `${studyInstanceUid} is not complete`),
    ...[...transactions].flatMap(([transactionUid, uids]) => {
      const results = answered.get(transactionUid) ?? []
      const missing = uids.filter(
        (uid) => !results.some(({ committed }) => committed.includes(uid)),
      )
      return missing.length === 0
        ? []
        : [`${transactionUid}: ${missing.length} of ${uids.length} images were not committed`]
    }),
    ...signed
      .filter(
        ({ reportId }) =>
          listReportObjects(store.database, reportId)
            .map(({ kind }) => kind)
            .join() !== 'pdf,sr',
      )
      .map(({ reportId }) => `${reportId} is not in the archive as PDF and SR`),
  ]
}
