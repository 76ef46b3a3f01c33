import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { isStepClosed } from '#server/modules/procedure-steps/closed-step-queries.ts'
import { reportError } from '#server/platform/log.ts'
import { WebhookError } from '#server/webhooks/request.ts'
import { WorklistQuestion } from '#shared/contract/webhooks.ts'
import { Inspection, type InspectionSummary, type RowVerdict } from '#shared/contract/worklist.ts'
import { type AnswerRows, keptItems, readRows } from './answer.ts'
import { commentOfRecord } from './faults.ts'
import { insertInspection, type NewInspection, readInspection } from './inspection-queries.ts'
import { hasDocument, keepDocument, readDocument } from './queries.ts'
import { UnreadableQuery } from './query.ts'
import { type QueryRun, UNRECORDED } from './query-run.ts'
import {
  findingsOf,
  readVerdicts,
  StoredMessage,
  sharedDocument,
  type VerdictDocument,
} from './verdicts.ts'
import { callOf } from './worklist-cache.ts'

export type VerdictFilter = 'all' | 'sent' | 'filtered' | 'withheld'

const Detail = z.object({
  question: WorklistQuestion.nullable(),
  partner: Inspection.shape.partner.unwrap().extend({ detail: StoredMessage }).nullable(),
  userId: z.string().nullable(),
})

/** What there is to show of a query beside its summary. */
interface Inspected {
  readonly transferSyntax: string
  readonly detail: z.infer<typeof Detail>
  readonly verdicts: VerdictDocument | undefined
  /** The rows that the verdicts are on. */
  readonly list: AnswerRows | undefined
}

/** A document is kept for an hour without references: one that was kept this recently is there. */
const SURELY_KEPT_MS = 10 * 60_000
const MOST_ROWS = 1000

/**
 * Records a query: a small row each; the partner's answer and the verdicts on its rows are kept
 * once for all queries that share them, so that hundreds of queries a second on thousands of rows
 * can be recorded. Durable when it resolves; serving comes first, so that a record which the disk
 * does not take is left out. @returns the id of the inspection, `UNRECORDED` where there is none
 */
export async function recordInspection(
  context: Context,
  run: QueryRun,
  summary: NewInspection,
): Promise<number> {
  const { request, answered, kept } = run
  const document = kept?.document ?? sharedDocument(verdictsWithoutRows(run))
  const detail = Buffer.from(JSON.stringify(detailOf(run)))
  const now = context.clock()
  const isKept = document.hash !== '' && Math.abs(now - document.keptAt) < SURELY_KEPT_MS
  const served = kept ? answered?.answer.hash : undefined
  try {
    const [inspectionId, hash] = await context.database.commitSoon(() => {
      const verdictHash = isKept ? document.hash : keepDocument(context, document.bytes)
      // An answer that the disk did not take: the record says how the query ended, without its
      // rows.
      const answerHash = served !== undefined && hasDocument(context, served) ? served : null
      const { transferSyntax } = request
      const record = { ...summary, transferSyntax, detail, answerHash, verdictHash }
      return [insertInspection(context.database, record), verdictHash]
    })
    if (!isKept) Object.assign(document, { hash, keptAt: now })
    return inspectionId
  } catch (error) {
    reportError(context, error)
    return UNRECORDED
  }
}

const detailOf = ({ question, answered, trouble, asker }: QueryRun): Inspected['detail'] => ({
  question: question ?? null,
  partner:
    answered?.call ?? (trouble?.error instanceof WebhookError ? callOf(trouble.error) : null),
  userId: asker.user?.userId ?? null,
})

const verdictsWithoutRows = ({ query, trouble }: QueryRun): VerdictDocument => ({
  findings: [],
  runs: [],
  keys:
    query?.received ?? (trouble?.error instanceof UnreadableQuery ? trouble.error.received : []),
  remarks: query?.remarks ?? [],
  context: null,
})

/** A query that has ended, as `findInspection` has it; also one that could not be recorded. */
export function inspectionOf(context: Context, run: QueryRun, most = MOST_ROWS): Inspection {
  const { summary, request, kept, answered } = run
  if (!summary) throw new Error('the query has not ended')
  const inspected = {
    transferSyntax: request.transferSyntax,
    detail: detailOf(run),
    verdicts: kept ? readVerdicts(kept.document.bytes) : verdictsWithoutRows(run),
    list: answered?.answer.list,
  }
  return shown(context, summary, inspected, 'all', most)
}

/**
 * A recorded query with its rows, at most 1,000, read again from the partner's answer; undefined
 * where there is none of that id.
 */
export async function findInspection(
  context: Context,
  inspectionId: number,
  filter: VerdictFilter = 'all',
): Promise<Inspection | undefined> {
  const found = readInspection(context.database, inspectionId)
  if (!found) return undefined
  const { detail, answerHash, verdictHash, transferSyntax, ...summary } = found
  const verdictBytes = verdictHash === null ? undefined : readDocument(context, verdictHash)
  const verdicts = verdictBytes && readVerdicts(verdictBytes)
  const answer = answerHash === null ? undefined : readDocument(context, answerHash)
  const items = answer && keptItems(answer)
  const list = items && verdicts?.context ? await readRows(items, verdicts.context) : undefined
  const inspected = {
    transferSyntax,
    detail: Detail.parse(JSON.parse(detail.toString())),
    verdicts,
    list,
  }
  return shown(context, summary, inspected, filter, MOST_ROWS)
}

const SHOWN_AS = {
  sent: 'sent',
  filtered: 'filtered',
  cut: 'filtered',
  withheld: 'withheld',
} as const
const ORDER = { sent: 0, withheld: 1, cut: 2, filtered: 3 } as const

function shown(
  context: Context,
  summary: InspectionSummary,
  { transferSyntax, detail: { question, partner }, verdicts, list }: Inspected,
  filter: VerdictFilter,
  most: number,
): Inspection {
  const rows = (list && verdicts ? rowsOf(context, list, verdicts) : [])
    .filter(({ verdict }) => filter === 'all' || SHOWN_AS[verdict] === filter)
    .sort((a, b) => ORDER[a.verdict] - ORDER[b.verdict])
  return {
    ...summary,
    errorComment: commentOfRecord(summary, partner?.detail ?? null),
    transferSyntax,
    keys: [...(verdicts?.keys ?? [])],
    question,
    remarks: [...(verdicts?.remarks ?? [])],
    partner,
    rows: rows.slice(0, most),
    rowsTotal: rows.length,
  }
}

function rowsOf(
  { database }: Context,
  { rows, order }: AnswerRows,
  verdicts: VerdictDocument,
): RowVerdict[] {
  const findings = [...findingsOf(verdicts)]
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
        isClosed: isStepClosed(database, values.StudyInstanceUID, values.ScheduledProcedureStepID),
      },
    ]
  })
}
