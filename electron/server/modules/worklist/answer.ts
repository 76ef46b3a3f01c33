import { setImmediate } from 'node:timers/promises'
import { readAnswer, WebhookError } from '#server/webhooks/request.ts'
import { message } from '#shared/messages/message.ts'
import { EXTRA_KEYWORDS } from './attributes.ts'
import { type AskedFor, rowsOfItem } from './item.ts'
import { byStart, rowAt, type WorklistRow, worklistRow } from './row.ts'

/** The rows of one body of the partner, read once and shared by every query it answers. */
export interface AnswerRows {
  /** In the partner's order, steps in the order of their item. */
  readonly rows: readonly WorklistRow[]
  /** Indices of `rows` in the order in which they are sent. */
  readonly order: Uint32Array
  /** Those of `EXTRA_KEYWORDS` that some row has a value for. */
  readonly extras: ReadonlySet<string>
}

/**
 * The items of a kept answer; undefined where an earlier release kept one that is not accepted any
 * more.
 */
export function keptItems(body: Buffer): readonly unknown[] | undefined {
  try {
    return readAnswer('modality_worklist.requested', body).items
  } catch (error) {
    if (error instanceof WebhookError) return undefined
    throw error
  }
}

/** Steps of one answer: the largest `worklist.maxRows`. */
const MOST_STEPS = 50_000

/** @throws {WebhookError} oversize: more steps than any console would be sent. */
export function checkSteps(items: readonly unknown[]): void {
  let steps = 0
  for (const item of items) {
    const { ScheduledProcedureStepSequence: sequence } = (item ?? {}) as {
      readonly ScheduledProcedureStepSequence?: unknown
    }
    steps += Array.isArray(sequence) ? Math.max(1, sequence.length) : 1
  }
  if (steps > MOST_STEPS)
    throw new WebhookError('oversize', message('webhooks.too-many-exams', { most: MOST_STEPS }))
}

/** Items read before others get a turn on the event loop. */
const SLICE = 500

/**
 * Reads the items of an answer; what is wrong between items (a step twice, two patients in one
 * study) is withheld too.
 */
export async function readRows(items: readonly unknown[], askedFor: AskedFor): Promise<AnswerRows> {
  const rows: WorklistRow[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % SLICE === 0) await setImmediate()
    rows.push(...rowsOfItem(item, askedFor))
  }
  const checked = checkBetween(rows)
  const order = Uint32Array.from(checked.keys()).sort(
    (a, b) => byStart(rowAt(checked, a), rowAt(checked, b)) || a - b,
  )
  const extras = new Set(
    EXTRA_KEYWORDS.filter((keyword) => checked.some(({ values }) => values[keyword] !== '')),
  )
  return { rows: checked, order, extras }
}

function checkBetween(rows: readonly WorklistRow[]): WorklistRow[] {
  const patients = new Map<string, string>()
  const mixed = new Set<string>()
  for (const { values, withheld } of rows) {
    const patient = patients.get(values.StudyInstanceUID)
    if (withheld) continue
    if (patient === undefined) patients.set(values.StudyInstanceUID, values.PatientID)
    else if (patient !== values.PatientID) mixed.add(values.StudyInstanceUID)
  }
  const steps = new Set<string>()
  const stepIds = new Map<string, string>()
  return rows.map((row) => {
    const { StudyInstanceUID: study, ScheduledProcedureStepID: step } = row.values
    if (row.withheld) return row
    // Images of two people would end up in one study.
    if (mixed.has(study))
      return worklistRow(row.values, message('worklist.study-of-two-patients'), row.remarks)
    const key = `${study} ${step}`
    if (steps.has(key)) return worklistRow(row.values, message('worklist.step-twice'), row.remarks)
    steps.add(key)
    const other = stepIds.get(step)
    stepIds.set(step, other ?? study)
    if (other === undefined || other === study) return row
    // Some consoles know an examination by this id alone.
    return worklistRow(row.values, null, [
      ...row.remarks,
      message('worklist.step-id-in-other-study'),
    ])
  })
}
