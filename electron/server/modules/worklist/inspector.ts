import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { WorklistQuestion } from '#shared/contract/webhooks.ts'
import { Inspection, type InspectionSummary, type RowVerdict } from '#shared/contract/worklist.ts'
import { type AnswerRows, keptItems, readRows } from './answer.ts'
import { commentOfRecord } from './faults.ts'
import type { InspectionRecord } from './inspection-queries.ts'
import {
  type Finding,
  findingsOf,
  readVerdicts,
  type VerdictDocument,
  writeVerdicts,
} from './verdicts.ts'

/** What a query has for itself beside its summary. */
export interface InspectionDetail {
  readonly question: Inspection['question']
  readonly partner: Inspection['partner']
  /** The user who asked from the window, null for a device. */
  readonly userId: string | null
}

/** What there is to show of a query. */
export interface Inspected {
  readonly summary: InspectionSummary
  readonly transferSyntax: string
  readonly detail: Pick<InspectionDetail, 'question' | 'partner'>
  readonly verdicts: VerdictDocument | undefined
  /** The rows that the verdicts are on. */
  readonly list: AnswerRows | undefined
}

/** A document that many records refer to. */
export interface SharedDocument {
  readonly bytes: Buffer
  /** Its hash, '' until it was kept. */
  hash: string
  /** Milliseconds since 1970. */
  keptAt: number
}

export const sharedDocument = (document: VerdictDocument): SharedDocument => ({
  bytes: writeVerdicts(document),
  hash: '',
  keptAt: 0,
})

export interface InspectorDeps {
  readonly store: Pick<Context, 'database' | 'documents' | 'inspections' | 'closedSteps'>
  readonly clock: () => number
}

export type VerdictFilter = 'all' | 'sent' | 'filtered' | 'withheld'

const Detail = z.object({
  question: WorklistQuestion.nullable(),
  partner: Inspection.shape.partner,
  userId: z.string().nullable(),
})

/** `documents` keeps what nothing refers to for an hour: what was kept this long ago is there. */
const KEPT_FOR_SURE = 10 * 60_000
const MOST_ROWS = 1000

/**
 * The record of every query: a small row each; the partner's answer and the verdicts on its rows
 * are kept once for all queries that share them, so that hundreds of queries a second on thousands
 * of rows can be recorded.
 */
export function openInspector({ store, clock }: InspectorDeps) {
  return {
    /** Durable when it resolves; the inspection's id. */
    async record(
      summary: Omit<InspectionRecord, 'detail' | 'verdictHash'>,
      detail: InspectionDetail,
      verdicts: SharedDocument,
    ): Promise<number> {
      const now = clock()
      const isKept = verdicts.hash !== '' && Math.abs(now - verdicts.keptAt) < KEPT_FOR_SURE
      const [inspectionId, hash] = await store.database.commitSoon(() => {
        const verdictHash = isKept ? verdicts.hash : store.documents.keep(verdicts.bytes)
        // An answer that the disk did not take: the record says how the query ended, without its
        // rows.
        const answerHash =
          summary.answerHash !== null && store.documents.has(summary.answerHash)
            ? summary.answerHash
            : null
        return [
          store.inspections.insert({
            ...summary,
            answerHash,
            detail: Buffer.from(JSON.stringify(detail)),
            verdictHash,
          }),
          verdictHash,
        ]
      })
      if (!isKept) Object.assign(verdicts, { hash, keptAt: now })
      return inspectionId
    },

    /**
     * The record with its rows, `most` of them, read again from the partner's answer; undefined
     * where there is none of that id.
     */
    async read(
      inspectionId: number,
      filter: VerdictFilter,
      most = MOST_ROWS,
    ): Promise<Inspection | undefined> {
      const found = store.inspections.read(inspectionId)
      if (!found) return undefined
      const { detail, answerHash, verdictHash, transferSyntax, ...summary } = found
      const verdictBytes = verdictHash === null ? undefined : store.documents.read(verdictHash)
      const verdicts = verdictBytes && readVerdicts(verdictBytes)
      const answer = answerHash === null ? undefined : store.documents.read(answerHash)
      const items = answer && keptItems(answer)
      const list = items && verdicts?.context ? await readRows(items, verdicts.context) : undefined
      const { question, partner } = Detail.parse(JSON.parse(detail.toString()))
      return inspectionOf(
        { summary, transferSyntax, detail: { question, partner }, verdicts, list },
        filter,
        most,
      )
    },

    /** A query that could not be recorded, as `read` would have it. */
    unrecorded: (query: Inspected, filter: VerdictFilter, most = MOST_ROWS): Inspection =>
      inspectionOf(query, filter, most),
  }

  function inspectionOf(
    { summary, transferSyntax, detail: { question, partner }, verdicts, list }: Inspected,
    filter: VerdictFilter,
    most: number,
  ): Inspection {
    const all = list && verdicts ? rowsOf(list, verdicts, store.closedSteps.has) : []
    const rows = all.filter(({ verdict }) => filter === 'all' || SHOWN_AS[verdict] === filter)
    rows.sort((a, b) => ORDER[a.verdict] - ORDER[b.verdict])
    return {
      ...summary,
      errorComment: commentOfRecord(summary, partner?.detail ?? ''),
      transferSyntax,
      keys: [...(verdicts?.keys ?? [])],
      question,
      remarks: [...(verdicts?.remarks ?? [])],
      partner,
      rows: rows.slice(0, most),
      rowsTotal: rows.length,
    }
  }
}
export type Inspector = ReturnType<typeof openInspector>

const SHOWN_AS = {
  sent: 'sent',
  filtered: 'filtered',
  cut: 'filtered',
  withheld: 'withheld',
} as const
const ORDER = { sent: 0, withheld: 1, cut: 2, filtered: 3 } as const

function rowsOf(
  { rows, order }: AnswerRows,
  verdicts: VerdictDocument,
  isClosed: (studyInstanceUid: string, scheduledProcedureStepId: string) => boolean,
): RowVerdict[] {
  const findings: Finding[] = [...findingsOf(verdicts)]
  return [...order].flatMap((index) => {
    const [row, finding] = [rows[index], findings[index]]
    if (!row || !finding) return []
    const { values } = row
    return [
      {
        verdict: finding.verdict,
        reason: finding.reason,
        remarks: [...row.remarks, ...finding.remarks],
        patientName: values.PatientName,
        patientId: values.PatientID,
        accessionNumber: values.AccessionNumber,
        modality: values.Modality,
        description: values.ScheduledProcedureStepDescription,
        startDate: values.ScheduledProcedureStepStartDate,
        startTime: values.ScheduledProcedureStepStartTime,
        scheduledProcedureStepId: values.ScheduledProcedureStepID,
        studyInstanceUid: values.StudyInstanceUID,
        isClosed: isClosed(values.StudyInstanceUID, values.ScheduledProcedureStepID),
      },
    ]
  })
}
