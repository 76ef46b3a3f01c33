import { setImmediate } from 'node:timers/promises'
import { readAnswer, WebhookError } from '#server/webhooks/request.ts'
import { message } from '#shared/messages/message.ts'
import { EXTRA_KEYWORDS } from './attributes.ts'
import { type RequestScope, rowsOfItem } from './item.ts'
import { byStart, rowAt, type WorklistRow, worklistRow } from './row.ts'

/** The rows of one partner response, parsed once and shared by every query that uses it. */
export interface AnswerRows {
  /** In the partner's order; the steps of an item in the order of its sequence. */
  readonly rows: readonly WorklistRow[]
  /** Indices of `rows` in the order in which they are sent. */
  readonly order: Uint32Array
  /** The `EXTRA_KEYWORDS` that have a value in at least one row. */
  readonly extras: ReadonlySet<string>
}

/**
 * Returns the items of a stored response, or undefined if an earlier release stored one that is no
 * longer accepted.
 */
export function parseStoredItems(body: Buffer): readonly unknown[] | undefined {
  try {
    return readAnswer('modality_worklist.requested', body).items
  } catch (error) {
    if (error instanceof WebhookError) return undefined
    throw error
  }
}

/** Maximum number of steps in one response: the upper limit of `worklist.maxRows`. */
const MAX_STEPS = 50_000

/** @throws {WebhookError} oversize: the response has more steps than any modality would be sent. */
export function checkStepCount(items: readonly unknown[]): void {
  let steps = 0
  for (const item of items) {
    const { ScheduledProcedureStepSequence: sequence } = (item ?? {}) as {
      readonly ScheduledProcedureStepSequence?: unknown
    }
    steps += Array.isArray(sequence) ? Math.max(1, sequence.length) : 1
  }
  if (steps > MAX_STEPS)
    throw new WebhookError('oversize', message('webhooks.too-many-exams', { most: MAX_STEPS }))
}

/** Items processed before yielding to the event loop. */
const ITEMS_PER_TURN = 500

/**
 * Reads the items of a response. Rows that conflict with each other (a repeated step, two patients
 * in one study) are withheld as well.
 */
export async function readRows(
  items: readonly unknown[],
  requestScope: RequestScope,
): Promise<AnswerRows> {
  const rows: WorklistRow[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % ITEMS_PER_TURN === 0) await setImmediate()
    rows.push(...rowsOfItem(item, requestScope))
  }
  const checkedRows = withholdConflicts(rows)
  const order = Uint32Array.from(checkedRows.keys()).sort(
    (a, b) => byStart(rowAt(checkedRows, a), rowAt(checkedRows, b)) || a - b,
  )
  const extras = new Set(
    EXTRA_KEYWORDS.filter((keyword) => checkedRows.some(({ values }) => values[keyword] !== '')),
  )
  return { rows: checkedRows, order, extras }
}

function withholdConflicts(rows: readonly WorklistRow[]): WorklistRow[] {
  const patients = new Map<string, string>()
  const conflictingUids = new Set<string>()
  for (const { values, withheld } of rows) {
    const patient = patients.get(values.StudyInstanceUID)
    if (withheld) continue
    if (patient === undefined) patients.set(values.StudyInstanceUID, values.PatientID)
    else if (patient !== values.PatientID) conflictingUids.add(values.StudyInstanceUID)
  }
  const steps = new Set<string>()
  const stepIds = new Map<string, string>()
  return rows.map((row) => {
    const { StudyInstanceUID: study, ScheduledProcedureStepID: step } = row.values
    if (row.withheld) return row
    // Otherwise images of two patients would end up in one study.
    if (conflictingUids.has(study))
      return worklistRow(row.values, message('worklist.study-of-two-patients'), row.remarks)
    const key = `${study} ${step}`
    if (steps.has(key)) return worklistRow(row.values, message('worklist.step-twice'), row.remarks)
    steps.add(key)
    const other = stepIds.get(step)
    stepIds.set(step, other ?? study)
    if (other === undefined || other === study) return row
    // Some modalities identify an exam by this ID alone.
    return worklistRow(row.values, null, [
      ...row.remarks,
      message('worklist.step-id-in-other-study'),
    ])
  })
}
