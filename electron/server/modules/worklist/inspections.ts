import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { isStepClosed } from '#server/modules/procedure-steps/closed-step-queries.ts'
import { reportError } from '#server/platform/log.ts'
import { WebhookError } from '#server/webhooks/request.ts'
import { WorklistQuestion } from '#shared/contract/webhooks.ts'
import { Inspection, type InspectionSummary, type RowVerdict } from '#shared/contract/worklist.ts'
import { type AnswerRows, parseStoredItems, readRows } from './answer.ts'
import { fullComment } from './faults.ts'
import { insertInspection, type NewInspection, readInspection } from './inspection-queries.ts'
import { hasDocument, readDocument, storeDocument } from './queries.ts'
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

const InspectionDetail = z.object({
  question: WorklistQuestion.nullable(),
  partner: Inspection.shape.partner.unwrap().extend({ detail: StoredMessage }).nullable(),
  userId: z.string().nullable(),
})

/** The data of an inspection besides its summary. */
interface InspectionContent {
  readonly transferSyntax: string
  readonly detail: z.infer<typeof InspectionDetail>
  readonly verdicts: VerdictDocument | undefined
  /** The rows that the verdicts refer to. */
  readonly list: AnswerRows | undefined
}

/** Unreferenced documents are kept for an hour, so one stored this recently still exists. */
const RECENTLY_STORED_MS = 10 * 60_000
const MAX_ROWS = 1000

/**
 * Records a query. Each query takes a small row; the partner's answer and the verdicts on its rows
 * are stored once for all queries that share them, so that hundreds of queries a second on
 * thousands of rows can be recorded. The record is durable when the promise resolves. A record that
 * cannot be written is skipped, because the device must be served anyway.
 * @returns the ID of the inspection, or `UNRECORDED`
 */
export async function recordInspection(
  context: Context,
  run: QueryRun,
  summary: NewInspection,
): Promise<number> {
  const { request, answered, cached } = run
  const document = cached?.document ?? sharedDocument(verdictsWithoutRows(run))
  const detail = Buffer.from(JSON.stringify(detailOf(run)))
  const now = context.clock()
  const isStored = document.hash !== '' && Math.abs(now - document.keptAt) < RECENTLY_STORED_MS
  const servedAnswerHash = cached ? answered?.answer.hash : undefined
  try {
    const [inspectionId, hash] = await context.database.commitSoon(() => {
      const verdictHash = isStored ? document.hash : storeDocument(context, document.bytes)
      // If the answer could not be stored, the record contains how the query ended, but no rows.
      const answerHash =
        servedAnswerHash !== undefined && hasDocument(context, servedAnswerHash)
          ? servedAnswerHash
          : null
      const { transferSyntax } = request
      const record = { ...summary, transferSyntax, detail, answerHash, verdictHash }
      return [insertInspection(context.database, record), verdictHash]
    })
    if (!isStored) Object.assign(document, { hash, keptAt: now })
    return inspectionId
  } catch (error) {
    reportError(context, error)
    return UNRECORDED
  }
}

const detailOf = ({
  question,
  answered,
  exception,
  querySource,
}: QueryRun): InspectionContent['detail'] => ({
  question: question ?? null,
  partner:
    answered?.call ?? (exception?.error instanceof WebhookError ? callOf(exception.error) : null),
  userId: querySource.user?.userId ?? null,
})

const verdictsWithoutRows = ({ query, exception }: QueryRun): VerdictDocument => ({
  findings: [],
  runs: [],
  keys:
    query?.received ??
    (exception?.error instanceof UnreadableQuery ? exception.error.received : []),
  remarks: query?.remarks ?? [],
  context: null,
})

/**
 * Converts a finished query to the form that `findInspection` returns; works for queries that could
 * not be recorded too.
 */
export function inspectionOf(context: Context, run: QueryRun, maxRows = MAX_ROWS): Inspection {
  const { summary, request, cached, answered } = run
  if (!summary) throw new Error('the query has not ended')
  const content = {
    transferSyntax: request.transferSyntax,
    detail: detailOf(run),
    verdicts: cached ? readVerdicts(cached.document.bytes) : verdictsWithoutRows(run),
    list: answered?.answer.list,
  }
  return toInspection(context, summary, content, 'all', maxRows)
}

/**
 * Returns a recorded query with at most 1,000 of its rows, parsed again from the partner's answer;
 * undefined if there is no such query.
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
  const items = answer && parseStoredItems(answer)
  const list = items && verdicts?.context ? await readRows(items, verdicts.context) : undefined
  const content = {
    transferSyntax,
    detail: InspectionDetail.parse(JSON.parse(detail.toString())),
    verdicts,
    list,
  }
  return toInspection(context, summary, content, filter, MAX_ROWS)
}

const FILTER_OF_VERDICT = {
  sent: 'sent',
  filtered: 'filtered',
  cut: 'filtered',
  withheld: 'withheld',
} as const
const VERDICT_ORDER = { sent: 0, withheld: 1, cut: 2, filtered: 3 } as const

function toInspection(
  context: Context,
  summary: InspectionSummary,
  { transferSyntax, detail: { question, partner }, verdicts, list }: InspectionContent,
  filter: VerdictFilter,
  maxRows: number,
): Inspection {
  const rows = (list && verdicts ? rowsOf(context, list, verdicts) : [])
    .filter(({ verdict }) => filter === 'all' || FILTER_OF_VERDICT[verdict] === filter)
    .sort((a, b) => VERDICT_ORDER[a.verdict] - VERDICT_ORDER[b.verdict])
  return {
    ...summary,
    errorComment: fullComment(summary, partner?.detail ?? null),
    transferSyntax,
    keys: [...(verdicts?.keys ?? [])],
    question,
    remarks: [...(verdicts?.remarks ?? [])],
    partner,
    rows: rows.slice(0, maxRows),
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
