import type { Context } from '#server/context.ts'
import { differencesOf, withRow } from '#server/modules/images/mismatch.ts'
import type { ImageStudyRecord, SentWorklistRow } from '#server/modules/studies/image-study-row.ts'
import { identityOf } from '#server/modules/studies/study-identity.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import type { Schedule, ScheduledExam } from '#server/modules/worklist/schedule.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Exam } from '#shared/contract/dashboard-exams.ts'
import { OrderId, orderIdOf } from '#shared/contract/reconciliation.ts'
import { ApiError } from '#shared/errors.ts'
import { hasStartTime } from '#shared/exam-start-time.ts'
import { message } from '#shared/messages/message.ts'
import type { MatchInput } from './order-match.ts'

/** An order with the values that are needed to compare and link it. */
export interface Order {
  readonly orderId: string
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly exam: Exam
  readonly requestedProcedureId: string
  readonly matched: MatchInput
}

/** The orders of a day, from the partner's stored answers. */
export async function ordersOn(schedule: Pick<Schedule, 'scheduled'>, day: string) {
  const { exams, source, oldestAt } = await schedule.scheduled(day)
  const orders = exams
    .map((one) => orderOf(day, one))
    .filter(({ orderId }) => OrderId.safeParse(orderId).success)
  return { orders, source, oldestAt }
}

/** @throws ApiError not-found */
export async function requireOrder(
  schedule: Pick<Schedule, 'scheduled'>,
  orderId: string,
): Promise<Order> {
  const { orders } = await ordersOn(schedule, orderId.slice(0, 10))
  const order = orders.find((one) => one.orderId === orderId)
  if (!order) throw new ApiError('not-found', message('reconciliation.order-gone'))
  return order
}

function orderOf(day: string, { exam, requestedProcedureId }: ScheduledExam): Order {
  const { accessionNumber, patientId, patientName, patientBirthDate, patientSex, modality } = exam
  // `item.ts` of the worklist sets a start time if the partner did not provide one; it must not be
  // compared.
  const devices = exam.devices.flatMap(({ aeTitle, name }) => [aeTitle, name])
  const matched: MatchInput = {
    accessionNumber,
    patientId,
    patientName,
    patientBirthDate,
    patientSex,
    modalities: modality === '' ? [] : [modality],
    date: exam.startDate,
    time: hasStartTime(exam) ? exam.startTime : '',
    devices: [...devices, exam.location].filter((name) => name !== ''),
  }
  // Equals `stepKey` of the worklist: a row without a Study Instance UID is identified by its
  // patient.
  const orderId =
    exam.studyInstanceUid === ''
      ? `${day} ? ${patientId} ${accessionNumber}`
      : orderIdOf(day, exam.studyInstanceUid, exam.scheduledProcedureStepId)
  return { orderId, day, exam, requestedProcedureId, matched }
}

/** The order as a worklist row, in the form that is stored with the decision. */
export function rowOf({
  exam,
  requestedProcedureId,
}: Order): Omit<SentWorklistRow, 'callingAeTitle' | 'at'> {
  const { studyInstanceUid, scheduledProcedureStepId, accessionNumber, description } = exam
  const { patientName, patientId, patientBirthDate, patientSex } = exam
  return {
    studyInstanceUid,
    scheduledProcedureStepId,
    requestedProcedureId,
    accessionNumber,
    description,
    patientName,
    patientId,
    patientBirthDate,
    patientSex,
  }
}

/** The state that the study would have if it were linked to the order now. */
export function previewLink(context: Context, study: ImageStudyRecord, order: Order) {
  const at = instantOf(context.clock())
  const row: SentWorklistRow = { ...rowOf(order), callingAeTitle: study.callingAeTitle, at }
  const differences = differencesOf(row, study.header, study.studyInstanceUid)
  const mismatch = withRow(study.mismatch, differences, at)
  const { state } = identityOf(
    { ...study, handedOut: row, mismatch },
    findStudyByUid(context.database, 'scribe', study.studyInstanceUid),
  )
  return { row, mismatch, isMatched: state === 'matched' || state === 'resolved' }
}
