import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { listCorrections } from '#server/modules/corrections/correction-queries.ts'
import { updateImageStudy } from '#server/modules/images/image-study-writing-queries.ts'
import { withRow } from '#server/modules/images/mismatch.ts'
import { listStepStatuses } from '#server/modules/procedure-steps/performed-step-queries.ts'
import { isReportSignedSince } from '#server/modules/reports/report-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { isUnscheduled } from '#server/modules/studies/study-identity.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { actorOf, requirePermission, type UserCaller } from '#server/modules/users/caller.ts'
import { findExamFacts } from '#server/modules/worklist/queries.ts'
import type { Schedule } from '#server/modules/worklist/schedule.ts'
import { clinicDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { ReconciliationDecision } from '#shared/contract/reconciliation.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'
import { type Order, previewLink, requireOrder, rowOf } from './orders.ts'
import {
  findReconciliation,
  findReconciliationOfImages,
  findReconciliationOfOrder,
  insertReconciliation,
  type ReconciliationRecord,
  setReconciliationUndone,
} from './reconciliation-queries.ts'

/** How the order of a study changed: unlinked reverts the data that came with the order. */
export type OrderChange = 'linked' | 'kept' | 'unlinked'

/** Called within the transaction of a decision about a study. */
type OrderChangeListener = (studyInstanceUid: string, change: OrderChange) => void

/**
 * Links the exam to an order. The images are not changed.
 * @throws ApiError outdated: a decision about the exam or the order was made in the meantime;
 *   refused: the images belong to another patient
 */
export async function linkExam(
  context: Context,
  schedule: Pick<Schedule, 'scheduled'>,
  caller: UserCaller,
  studyInstanceUid: string,
  orderId: string,
  orderChanged: OrderChangeListener,
): Promise<ReconciliationDecision> {
  requirePermission(caller, 'manageStudies')
  const order = await requireOrder(schedule, orderId)
  return context.database.transaction(() => {
    const study = requireOpenExam(context, studyInstanceUid)
    requireOpenOrder(context, order)
    const { withheld } = order.exam
    if (withheld) throw new ApiError('refused', withheld)
    const linkedBy = nameOf(caller)
    const { row, mismatch, isMatched } = previewLink(context, study, order)
    if (!isMatched) throw new ApiError('refused', message('reconciliation.images-differ'))
    updateImageStudy(context.database, studyInstanceUid, {
      handedOut: { ...row, linkedBy },
      mismatch,
    })
    const decision = decide(context, caller, {
      kind: 'link',
      day: dayOf(context, study),
      imageStudyUid: studyInstanceUid,
      order: rowOf(order),
      reason: '',
    })
    orderChanged(studyInstanceUid, 'linked')
    note(context, actorOf(caller), 'reconcile.link', studyInstanceUid, { order: orderId })
    return decisionOf(context, decision)
  })
}

/**
 * Keeps the exam as unscheduled.
 * @throws ApiError outdated
 */
export const keepExam = (
  context: Context,
  caller: UserCaller,
  studyInstanceUid: string,
  reason: string,
  orderChanged: OrderChangeListener,
): ReconciliationDecision =>
  context.database.transaction(() => {
    requirePermission(caller, 'manageStudies')
    const study = requireOpenExam(context, studyInstanceUid)
    const decision = decide(context, caller, {
      kind: 'keep',
      day: dayOf(context, study),
      imageStudyUid: studyInstanceUid,
      order: null,
      reason,
    })
    orderChanged(studyInstanceUid, 'kept')
    note(context, actorOf(caller), 'reconcile.keep', studyInstanceUid, { reason })
    return decisionOf(context, decision)
  })

/**
 * Marks the order as not done.
 * @throws ApiError outdated
 */
export async function markNotDone(
  context: Context,
  schedule: Pick<Schedule, 'scheduled'>,
  caller: UserCaller,
  orderId: string,
  reason: string,
): Promise<ReconciliationDecision> {
  requirePermission(caller, 'manageStudies')
  const order = await requireOrder(schedule, orderId)
  return context.database.transaction(() => {
    requireOpenOrder(context, order)
    const { studyInstanceUid, withheld } = order.exam
    if (studyInstanceUid === '') throw new ApiError('refused', withheld ?? verbatim(''))
    const decision = decide(context, caller, {
      kind: 'not-done',
      day: order.day,
      imageStudyUid: null,
      order: rowOf(order),
      reason,
    })
    note(context, actorOf(caller), 'reconcile.not-done', orderId, { reason })
    return decisionOf(context, decision)
  })
}

/**
 * Returns a decision that has not been undone.
 * @throws ApiError outdated: it was undone or does not exist
 */
export function requireDecision(context: Context, decisionId: number): ReconciliationRecord {
  const decision = findReconciliation(context.database, decisionId)
  if (!decision) throw new ApiError('outdated', message('reconciliation.undone-already'))
  return decision
}

/**
 * Undoes a decision.
 * @throws ApiError refused: a report has been signed since; outdated: it was undone in the meantime
 */
export const undoDecision = (
  context: Context,
  caller: UserCaller,
  decisionId: number,
  orderChanged: OrderChangeListener,
): void =>
  context.database.transaction(() => {
    requirePermission(caller, 'manageStudies')
    const { database } = context
    const decision = requireDecision(context, decisionId)
    const obstacle = undoObstacleOf(context, decision)
    if (obstacle) throw new ApiError('refused', obstacle)
    const { kind, imageStudyUid, order } = decision
    const now = instantOf(context.clock())
    setReconciliationUndone(database, decisionId, now, caller.user.userId)
    if (kind === 'link' && imageStudyUid !== null) {
      const study = findImageStudy(database, imageStudyUid)
      const mismatch = withRow(study?.mismatch ?? null, [], now)
      updateImageStudy(database, imageStudyUid, { handedOut: null, mismatch })
      orderChanged(imageStudyUid, 'unlinked')
    }
    const target = imageStudyUid ?? `${order?.studyInstanceUid} ${order?.scheduledProcedureStepId}`
    note(context, actorOf(caller), 'reconcile.undo', target, { decision: kind })
  })

export const decisionOf = (
  context: Context,
  record: ReconciliationRecord,
): ReconciliationDecision => {
  const { decisionId, kind, reason, at, userName: by, order } = record
  return {
    decisionId,
    kind,
    reason,
    at,
    by,
    order: order && {
      accessionNumber: order.accessionNumber,
      patientName: order.patientName,
      description: order.description,
    },
    undoObstacle: undoObstacleOf(context, record),
  }
}

function undoObstacleOf(
  { database }: Context,
  { kind, imageStudyUid, order, at }: ReconciliationRecord,
): Message | null {
  const uid = imageStudyUid ?? order?.studyInstanceUid ?? ''
  const study = findStudyByUid(database, 'scribe', uid)
  if (study && isReportSignedSince(database, study.studyId, at))
    return message('reconciliation.signed-since')
  const isCorrected = listCorrections(database, uid).some(
    (correction) => correction.undoneAt === null && correction.at >= at,
  )
  // Undoing that correction would link the study to its order again.
  return kind === 'link' && isCorrected ? message('reconciliation.corrected-since') : null
}

/**
 * @throws ApiError not-found; outdated: a decision was made, or the exam is no longer unscheduled
 */
function requireOpenExam({ database }: Context, studyInstanceUid: string): ImageStudyRecord {
  const study = findImageStudy(database, studyInstanceUid)
  if (!study) throw new ApiError('not-found', message('images.no-study'))
  const decided = findReconciliationOfImages(database, studyInstanceUid)
  if (decided) throw new ApiError('outdated', describeDecision(decided))
  if (!isUnscheduled(study, findStudyByUid(database, 'scribe', studyInstanceUid)))
    throw new ApiError('outdated', message('reconciliation.no-longer-unscheduled'))
  return study
}

/** @throws ApiError outdated: a decision was made, or images have arrived */
function requireOpenOrder({ database }: Context, { exam }: Order): void {
  const { studyInstanceUid, scheduledProcedureStepId } = exam
  const decided = findReconciliationOfOrder(database, studyInstanceUid, scheduledProcedureStepId)
  if (decided) throw new ApiError('outdated', describeDecision(decided))
  const facts = findExamFacts(database, [studyInstanceUid]).get(studyInstanceUid)
  const isReceived = listStepStatuses(database, studyInstanceUid).some(
    (step) =>
      step.scheduledProcedureStepId === scheduledProcedureStepId && step.status === 'RECEIVED',
  )
  if (facts?.images || isReceived)
    throw new ApiError('outdated', message('reconciliation.images-arrived'))
}

/** Describes the decision that another user made in the meantime. */
function describeDecision({ kind, userName, order }: ReconciliationRecord): Message {
  if (kind === 'keep') return message('reconciliation.kept-meanwhile', { userName })
  if (kind === 'not-done') return message('reconciliation.not-done-meanwhile', { userName })
  const number = order?.accessionNumber || order?.scheduledProcedureStepId || ''
  return message('reconciliation.linked-meanwhile', { userName, number })
}

function decide(
  context: Context,
  caller: UserCaller,
  decision: Pick<ReconciliationRecord, 'kind' | 'day' | 'imageStudyUid' | 'order' | 'reason'>,
): ReconciliationRecord {
  return insertReconciliation(context.database, {
    ...decision,
    userId: caller.user.userId,
    userName: nameOf(caller),
    at: instantOf(context.clock()),
  })
}

const nameOf = ({ user }: UserCaller) => `${user.firstName} ${user.lastName}`

const dayOf = ({ settings }: Context, { createdAt }: ImageStudyRecord) =>
  clinicDay(msOf(createdAt), timeZoneOf(settings.get('clinic.timeZone')))
