import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect } from 'vitest'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { findCurrentInstance } from '#server/modules/images/instance-queries.ts'
import {
  findReportPdf,
  listReportObjects,
  readReportPdf,
} from '#server/modules/reports/report-document-queries.ts'
import {
  findCriticalResult,
  listReportRevisions,
  listReports,
  type ReportRecord,
} from '#server/modules/reports/report-queries.ts'
import type { AuditRow } from '#shared/contract/dashboard.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import type { StudyReportStatus } from '#shared/lifecycle.ts'
import type { Standing } from './reading-desk.ts'

/** A report that came to the partner, in the order they came. */
export interface Arrival {
  readonly eventId: string
  readonly data: EventData<'report.delivered'>
  /** The partner took it and said so; whether the gateway heard it is another thing. */
  readonly isAccepted: boolean
}

interface OutboxRow {
  readonly subject: string
  readonly state: string
  readonly lane: string | null
}
interface EventRow {
  readonly eventId: string
  readonly subject: string
  readonly state: string
}

/** What the data folder holds of reports, read beside whoever may write it. */
export interface ReportLedger extends Disposable {
  standingOf(studyId: string): Standing
  /** Rows of the outbox that wait, of both kinds. */
  waiting(): number
  /**
   * What was signed is whole, all of it and nothing else is on its way, and the partner got nothing
   * else.
   */
  expectSound(arrivals: readonly Arrival[]): void
  /** What was signed is delivered, and is in the archive once, as both objects. */
  expectSettled(arrivals: readonly Arrival[]): void
}

export function openLedger(folder: string): ReportLedger {
  const database = new Sqlite(join(folder, DATABASE_FILE), { readonly: true })
  const store = openContext({ folder, clock: Date.now, uuid: randomUUID })
  const select = <T>(sql: string, ...values: unknown[]) =>
    database.prepare(sql).all(...values) as T[]
  const studies = () =>
    select<{ studyId: string; status: StudyReportStatus }>(
      "select studyId, status from studies where area = 'scribe'",
    )
  const queued = (kind: string) =>
    select<OutboxRow>('select subject, state, lane from outbox where kind = ?', kind)
  const signed = () =>
    studies().flatMap(({ studyId }) =>
      listReports(store.database, studyId).filter(({ status }) => status === 'completed'),
    )

  /** @throws where the rows of the study contradict each other */
  function standingOf(studyId: string): Standing {
    const status = studies().find((study) => study.studyId === studyId)?.status
    const reports = listReports(store.database, studyId)
    const drafts = reports.filter((report) => report.status === 'in_progress')
    const done = reports.filter((report) => report.status === 'completed')
    expect(drafts.length).toBeLessThanOrEqual(1)
    const [draft] = drafts
    expect(status).toBe(statusOf(draft, done.length))
    expect(done.map(({ isAddendum }) => isAddendum)).toEqual(done.map((_, at) => at > 0))
    if (draft) expect(revisionsOf(draft)).toEqual(draft.revision === 0 ? [] : [draft.plainText])
    return {
      status: status ?? 'unassigned',
      draft: draft
        ? { isAddendum: draft.isAddendum, revision: draft.revision, text: draft.plainText ?? '' }
        : null,
      signed: done.map(({ isAddendum, isCritical, plainText }) => ({
        ...{ isAddendum, isCritical: isCritical ?? false, text: plainText ?? '' },
      })),
    }
  }

  /** The newest text that is kept of it. */
  const revisionsOf = ({ reportId, revision }: ReportRecord) =>
    listReportRevisions(store.database, reportId)
      .filter((kept) => kept.revision >= revision)
      .map(({ text }) => text)

  function expectFrozen(report: ReportRecord, signatures: readonly AuditRow[]): void {
    const { reportId, plainText, textHash, isCritical } = report
    const pdf = readReportPdf(store.database, reportId) ?? Buffer.alloc(0)
    const entry = findReportPdf(store.database, reportId)
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(entry).toMatchObject({
      sha256: hashOf(pdf),
      bytes: pdf.length,
      createdAt: report.signedAt,
    })
    expect(textHash).toBe(hashOf(plainText ?? ''))
    expect(report.signer?.userId).toBe(report.userId)
    expect(listReportRevisions(store.database, reportId)).toEqual([])
    expect(findCriticalResult(store.database, reportId)?.openedAt).toBe(
      isCritical ? report.signedAt : undefined,
    )
    const detail = { studyId: report.studyId, isCritical, textHash, pdfHash: entry?.sha256 }
    expect(signatures.filter(({ target }) => target === reportId)).toMatchObject([
      { actor: `user:${report.userId}`, detail },
    ])
  }

  function expectSound(arrivals: readonly Arrival[]): void {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(database.pragma('foreign_key_check')).toEqual([])
    expect(store.audit.verify().isIntact).toBe(true)
    const reports = signed()
    const ids = reports.map(({ reportId }) => reportId).sort()
    const signatures = store.audit
      .after(0, Number.MAX_SAFE_INTEGER, 1_000_000)
      .filter(({ action }) => action === 'report.sign')
    for (const { studyId } of studies()) standingOf(studyId)
    for (const report of reports) expectFrozen(report, signatures)
    expect(signatures).toHaveLength(reports.length)

    const deliveries = queued('report.delivered')
    const events = select<EventRow>(
      "select eventId, subject, state from events where type = 'report.delivered'",
    )
    const subjects = (rows: readonly { readonly subject: string }[]) =>
      rows.map(({ subject }) => subject).sort()
    expect(subjects(deliveries)).toEqual(ids)
    expect(subjects(queued('report.archive'))).toEqual(ids)
    expect(subjects(events)).toEqual(ids)
    expect(select('select reportId from reportPdfs order by 1')).toEqual(
      ids.map((reportId) => ({ reportId })),
    )
    const eventOf = new Map(events.map((event) => [event.subject, event]))
    const accepted = new Set(
      arrivals.filter(({ isAccepted }) => isAccepted).map(({ data }) => data.reportId as string),
    )
    for (const { subject, state, lane } of deliveries) {
      expect(lane).toBe(reports.find(({ reportId }) => reportId === subject)?.studyId)
      expect([state, eventOf.get(subject)?.state]).toEqual(
        state === 'sent' ? ['sent', 'done'] : ['waiting', 'waiting'],
      )
      // What the partner has not taken is never called delivered.
      if (state === 'sent') expect(accepted).toContain(subject)
    }

    const taken = new Set<string>()
    for (const { eventId, data, isAccepted } of arrivals) {
      const report = reports.find(({ reportId }) => reportId === data.reportId)
      expect(data).toMatchObject({
        plainText: report?.plainText,
        isCritical: report?.isCritical,
        studyId: report?.studyId,
      })
      expect(eventId).toBe(eventOf.get(data.reportId)?.eventId)
      const before = reports.filter(
        ({ studyId, seq }) => report && studyId === report.studyId && seq < report.seq,
      )
      expect(before.filter(({ reportId }) => !taken.has(reportId))).toEqual([])
      if (isAccepted) taken.add(data.reportId)
    }
  }

  return {
    standingOf,
    waiting: () =>
      [...queued('report.delivered'), ...queued('report.archive')].filter(
        ({ state }) => state === 'waiting',
      ).length,
    expectSound,
    expectSettled(arrivals) {
      expectSound(arrivals)
      const states = new Set(
        [...queued('report.delivered'), ...queued('report.archive')].map(({ state }) => state),
      )
      expect([...states]).toEqual(['sent'])
      const objects = signed().flatMap(({ reportId }) =>
        listReportObjects(store.database, reportId),
      )
      expect(new Set(objects.map(({ sopInstanceUid }) => sopInstanceUid)).size).toBe(objects.length)
      for (const { reportId, plainText } of signed()) {
        const contents = listReportObjects(store.database, reportId).map(
          ({ kind, sopInstanceUid }) => {
            const instance = findCurrentInstance(store.database, sopInstanceUid)
            const file = readFileSync(join(folder, 'images', instance?.file ?? ''))
            expect(file).toHaveLength(instance?.bytes ?? 0)
            return { kind, file }
          },
        )
        expect(contents.map(({ kind }) => kind)).toEqual(['pdf', 'sr'])
        expect(
          contents[0]?.file.includes(readReportPdf(store.database, reportId) ?? 'no PDF'),
        ).toBe(true)
        expect(
          contents[1]?.file.includes(
            plainText?.split('\n').at(-1)?.replace('Impression: ', '') ?? 'no text',
          ),
        ).toBe(true)
      }
      expect(select('select sopInstanceUid from instances')).toHaveLength(objects.length)
    },
    [Symbol.dispose]() {
      store[Symbol.dispose]()
      database.close()
    },
  }
}

const hashOf = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')

/**
 * The status of a study that its reports imply, by the interface's table of states.
 */
function statusOf(draft: ReportRecord | undefined, signed: number): StudyReportStatus {
  if (draft) return draft.isAddendum ? 'addendum_active' : 'in_progress'
  return signed > 0 ? 'completed' : 'unassigned'
}
