import type { itemOf } from '../exams.ts'
import type { Find, FoundRow, GivenAnswer, Ledger, StepAccount } from '../ledger.ts'
import type { Promised } from '../promise.ts'

/**
 * A worklist has what the partner said last and nothing else: of its last good answer to that
 * device that holds the days, or, where a run ended while an answer came, of the one before. What
 * it has withdrawn does not come back; what is done is not served, what has begun says so.
 */
export const rowsFromPartner: Promised = {
  name: 'No row is invented',
  when: 'step',
  check({ ledger }) {
    const finds = ledger.finds
    ledger.finds = []
    return finds.flatMap((find) => faultsOf(find, ledger))
  },
}

function faultsOf(find: Find, ledger: Ledger): string[] {
  const allowed = answersFor(find, ledger.answers.slice(0, find.answers))
  const known = new Set(allowed.flatMap(({ items }) => items.map(wordsOf)))
  const invented = find.rows.filter((row) => !known.has(wordsOfRow(row)))
  const outside = find.rows.filter(
    ({ day }) => day < find.from || day > find.to || (!find.isLive && day < find.today),
  )
  const doubled = find.rows.length - new Set(find.rows.map(({ stepId }) => stepId)).size
  const wrong = find.rows.flatMap((row) => standingFault(row, find, ledger))
  const [last] = allowed
  const missing = find.isLive && last ? last.items.filter((item) => isDue(item, find, ledger)) : []
  return [
    ...invented.map(
      (row) =>
        `${find.callingAe} was sent ${row.stepId}, which is not in the partner's last answer`,
    ),
    ...outside.map(
      ({ stepId, day }) =>
        `${find.callingAe} asked for ${find.from} to ${find.to} and was sent ${stepId} of ${day}`,
    ),
    ...(doubled > 0 ? [`${find.callingAe} was sent ${doubled} rows twice`] : []),
    ...wrong,
    ...missing.map(
      (item) =>
        `${find.callingAe} was not sent ${stepOf(item).ScheduledProcedureStepID}, which the partner answered`,
    ),
  ]
}

/** The newest that is sure, and those after it. */
function answersFor({ callingAe, from, to }: Find, given: readonly GivenAnswer[]): GivenAnswer[] {
  const holding = given.filter(
    (answer) =>
      answer.callingAe === callingAe &&
      answer.dateStart.replaceAll('-', '') <= from &&
      answer.dateEnd.replaceAll('-', '') >= to,
  )
  const sure = holding.findLastIndex(({ isUnsure }) => !isUnsure)
  return holding.slice(Math.max(0, sure)).reverse()
}

type Item = ReturnType<typeof itemOf>
const stepOf = (item: Item) =>
  item.ScheduledProcedureStepSequence[0] as Item['ScheduledProcedureStepSequence'][number]

const wordsOf = (item: Item): string => {
  const step = stepOf(item)
  return JSON.stringify([
    ...[
      item.StudyInstanceUID,
      step.ScheduledProcedureStepID,
      item.AccessionNumber,
      item.PatientID,
      item.PatientName,
    ],
    ...[
      step.ScheduledProcedureStepDescription,
      step.ScheduledProcedureStepStartDate,
      step.ScheduledProcedureStepStartTime,
    ],
  ])
}
const wordsOfRow = ({
  studyInstanceUid,
  stepId,
  accessionNumber,
  patientId,
  patientName,
  description,
  day,
  time,
}: FoundRow): string =>
  JSON.stringify([
    studyInstanceUid,
    stepId,
    accessionNumber,
    patientId,
    patientName,
    description,
    day,
    time,
  ])

/** The last performed step that speaks of it; 'unknown' where an answer to a device is missing. */
function standingOf(
  stepId: string,
  { steps }: Ledger,
): StepAccount['status'] | 'SCHEDULED' | 'unknown' {
  const own = steps.filter((step) => step.stepId === stepId)
  if (own.some(({ isSure, asked }) => !isSure || asked !== undefined)) return 'unknown'
  return own.at(-1)?.status ?? 'SCHEDULED'
}

function standingFault(
  { stepId, status }: FoundRow,
  { callingAe, hidesStarted }: Find,
  ledger: Ledger,
): string[] {
  const standing = standingOf(stepId, ledger)
  if (standing === 'unknown') return []
  if (standing === 'COMPLETED') return [`${callingAe} was sent ${stepId}, which is completed`]
  if (standing === 'IN PROGRESS' && hidesStarted)
    return [`${callingAe} was sent ${stepId}, which has begun elsewhere`]
  const expected = standing === 'IN PROGRESS' ? 'STARTED' : 'SCHEDULED'
  return status === expected
    ? []
    : [`${callingAe} was sent ${stepId} as ${status}, and it is ${expected}`]
}

/** It must be in a live answer: nothing has come of it yet. */
function isDue(item: Item, { from, to, rows }: Find, ledger: Ledger): boolean {
  const { ScheduledProcedureStepID: stepId, ScheduledProcedureStepStartDate: day } = stepOf(item)
  const isUntouched =
    !ledger.steps.some((step) => step.stepId === stepId) &&
    !ledger.runStudies.has(item.StudyInstanceUID)
  return isUntouched && day >= from && day <= to && !rows.some((row) => row.stepId === stepId)
}
