import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { findInstance, setInstanceState } from '#server/modules/images/instance-queries.ts'
import { isReportSignedSince } from '#server/modules/reports/report-queries.ts'
import { findImageStudy, updateMismatch } from '#server/modules/studies/image-study-queries.ts'
import type { ImageStudyRecord, SentWorklistRow } from '#server/modules/studies/image-study-row.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import {
  finishCorrection,
  moveReferences,
  type OnCorrected,
  recomputeStudy,
  replaceImages,
  senderOf,
} from './correction-commit.ts'
import { type CopyRequest, newUidsFor } from './correction-copies.ts'
import { findRejectionNote } from './correction-notice-queries.ts'
import { IN_DOUBT_MESSAGE, outdatedError, stateOfStudies } from './correction-plan.ts'
import {
  type CorrectedImage,
  type CorrectionRecord,
  countReplacedCopies,
  findCorrection,
  isCorrectionSent,
  listCorrectedPairs,
  setCorrectionUndone,
} from './correction-queries.ts'
import type { CorrectionRun, CorrectionRuns } from './correction-runs.ts'
import { headersOf, imagesOf, isReceived, requireImageStudy } from './study-images.ts'

/** Returns why the correction cannot be undone; `null` if it can. */
export function undoObstacleOf({ database }: Context, record: CorrectionRecord): Message | null {
  const { correctionId, fromStudyInstanceUid, toStudyInstanceUid, details, at } = record
  if (record.undoneAt !== null) return message('corrections.undone-already')
  if (record.undoes !== null) return message('corrections.is-undo')
  const target = findImageStudy(database, toStudyInstanceUid)
  if (target?.inDoubt) return IN_DOUBT_MESSAGE
  const linkedRow =
    rowLinkedSince(details.handedOut.from, findImageStudy(database, fromStudyInstanceUid)) ??
    (fromStudyInstanceUid === toStudyInstanceUid
      ? undefined
      : rowLinkedSince(details.handedOut.to, target))
  if (linkedRow) return linkedObstacle(linkedRow)
  const isSignedSince = (uid: string) => {
    const study = findStudyByUid(database, 'scribe', uid)
    return study !== undefined && isReportSignedSince(database, study.studyId, at)
  }
  if (isSignedSince(toStudyInstanceUid)) return message('corrections.signed-since')
  if (isSignedSince(fromStudyInstanceUid)) return message('corrections.signed-without')
  return countReplacedCopies(database, correctionId) > 0 ? message('corrections.copies-gone') : null
}

/** Whether a destination has, or may have, originals or copies of the correction. */
const hasLeftGateway = ({ database }: Context, correctionId: string) =>
  isCorrectionSent(database, correctionId) ||
  findRejectionNote(database, correctionId) !== undefined

/** The images of both studies, read before the transaction of an undo. */
type UndoInput = Awaited<ReturnType<typeof readUndoInput>>

/**
 * Undoes the correction.
 * @throws ApiError refused, outdated, unavailable
 */
export async function undoCorrection(
  context: Context,
  runs: CorrectionRuns,
  onCorrected: OnCorrected,
  record: CorrectionRecord,
  reason: string,
  userId: string,
  run: CorrectionRun,
): Promise<void> {
  const { database } = context
  requireUndoable(context, record)
  const input = await readUndoInput(context, record)
  if (!hasLeftGateway(context, record.correctionId)) {
    await database.commitSoon(() => {
      requireUnchanged(context, record, input)
      if (hasLeftGateway(context, record.correctionId)) throw outdatedError()
      makeOriginalsCurrent(context, onCorrected, record, input, reason, userId)
    })
    return
  }
  // An archive does not accept instances again that it rejected, so the originals are sent as
  // copies with new UIDs.
  const { fromStudyInstanceUid: back, toStudyInstanceUid: now } = record
  const requests = input.pairs.map(
    ({ original, copy }): CopyRequest => ({ original: copy, source: original, values: [] }),
  )
  const uids = newUidsFor(context, requests, back, back)
  await runs.withCopies(run, requests, uids, back, (made) => {
    requireUnchanged(context, record, input)
    const at = instantOf(context.clock())
    const { correctionId: furtherId } = replaceImages(context, onCorrected, made, {
      from: requireImageStudy(database, now),
      staying: input.staying,
      targetHeaders: input.there,
      handedOut: () => rowBefore(context, record, back),
      handedOutFrom: rowBefore(context, record, now),
      correction: {
        correctionId: context.uuid(),
        kind: record.kind,
        cause: record.cause,
        toStudyInstanceUid: back,
        userId,
        at,
        undoes: record.correctionId,
      },
      details: {
        reason,
        changes: record.details.changes.map(({ field, before, after }) => ({
          field,
          before: [after],
          after: before[0] ?? '',
        })),
      },
    })
    setCorrectionUndone(database, record.correctionId, { at, by: userId, with: furtherId, reason })
    updateMismatch(database, back)
    updateMismatch(database, now)
    const detail = { correctionId: record.correctionId, reason, instances: made.length }
    note(context, `user:${userId}`, 'images.undo-correction', back, {
      ...detail,
      furtherCorrectionId: furtherId,
    })
  })
}

function requireUndoable(context: Context, record: CorrectionRecord): void {
  const current = findCorrection(context.database, record.correctionId) ?? record
  const obstacle = undoObstacleOf(context, current)
  if (obstacle) throw new ApiError('refused', obstacle)
}

/**
 * Must be called within the transaction of the undo.
 * @throws ApiError refused, outdated
 */
function requireUnchanged(context: Context, record: CorrectionRecord, { before }: UndoInput): void {
  requireUndoable(context, record)
  const { fromStudyInstanceUid: back, toStudyInstanceUid: now } = record
  if (stateOfStudies(context.database, now, back) !== before) throw outdatedError()
}

async function readUndoInput(context: Context, record: CorrectionRecord) {
  const { database } = context
  const { correctionId, fromStudyInstanceUid: back, toStudyInstanceUid: now } = record
  const pairs = listCorrectedPairs(database, correctionId).flatMap(
    ({ originalId, correctedId }): CorrectedImage[] => {
      const original = findInstance(database, originalId)
      const copy = findInstance(database, correctedId)
      return original && copy ? [{ original, copy }] : []
    },
  )
  const copyIds = new Set(pairs.map(({ copy }) => copy.instanceId))
  const others = imagesOf(database, now).filter(
    (each) => isReceived(each) && !copyIds.has(each.instanceId),
  )
  const targetImages = now === back ? others : imagesOf(database, back).filter(isReceived)
  return {
    pairs,
    staying: now === back ? [] : await headersOf(context, others),
    there: await headersOf(context, targetImages),
    originals: await headersOf(context, pairs.map(({ original }) => original).filter(isReceived)),
    before: stateOfStudies(database, now, back),
  }
}

/**
 * Makes the originals current again. Only possible while neither the copies nor a rejection note
 * have left the gateway. Must be called within the transaction of the undo.
 */
function makeOriginalsCurrent(
  context: Context,
  onCorrected: OnCorrected,
  record: CorrectionRecord,
  { pairs, staying, there, originals }: UndoInput,
  reason: string,
  userId: string,
): void {
  const { database } = context
  const { correctionId, fromStudyInstanceUid: back, toStudyInstanceUid: now } = record
  const at = instantOf(context.clock())
  for (const { copy } of pairs)
    setInstanceState(
      database,
      copy.instanceId,
      'superseded',
      null,
      message('corrections.withdrawn'),
    )
  for (const { original } of pairs) setInstanceState(database, original.instanceId, 'current')
  setCorrectionUndone(database, correctionId, { at, by: userId, with: null, reason })
  const reversed = pairs.map(({ original, copy }) => ({ original: copy, copy: original }))
  moveReferences(context, reversed, now, back, at)
  const sender = senderOf(pairs.map(({ original }) => original))
  const row = rowBefore(context, record, back)
  recomputeStudy(context, back, [...there, ...originals], row, at, sender)
  if (now !== back) recomputeStudy(context, now, staying, rowBefore(context, record, now), at)
  finishCorrection(context, onCorrected, {
    correction: findCorrection(database, correctionId) ?? record,
    pairs: pairs.map(({ original, copy }) => ({
      original: { ...original, state: 'current' },
      copy: { ...copy, state: 'superseded' },
    })),
    isUndo: true,
  })
  const detail = { correctionId, reason, instances: pairs.length }
  note(context, `user:${userId}`, 'images.undo-correction', back, detail)
}

/**
 * The worklist row of one of the studies without the correction. If the study still has the row
 * that the correction set, this is the previous row, otherwise the current one.
 */
function rowBefore(
  { database }: Context,
  {
    fromStudyInstanceUid: from,
    toStudyInstanceUid: to,
    at,
    details: { handedOut },
  }: CorrectionRecord,
  uid: string,
) {
  const now = findImageStudy(database, uid)?.handedOut ?? null
  // The correction changed the demographics of the row.
  if (from === to) return isSameRow(now, handedOut.from) ? handedOut.from : now
  // The correction gave the target the row of the order because the target had none.
  return uid === to && handedOut.to === null && now?.at === at && now.linkedBy === undefined
    ? null
    : now
}

/** Whether both are the same row; the patient may have been corrected. */
const isSameRow = (one: SentWorklistRow | null, other: SentWorklistRow | null) =>
  one?.at === other?.at &&
  one?.linkedBy === other?.linkedBy &&
  one?.scheduledProcedureStepId === other?.scheduledProcedureStepId

/** The row to which a user linked the study after it had the row `before`. */
function rowLinkedSince(
  before: SentWorklistRow | null,
  study: ImageStudyRecord | undefined,
): SentWorklistRow | undefined {
  const row = study?.handedOut
  return row?.linkedBy !== undefined && !isSameRow(row, before) ? row : undefined
}

const linkedObstacle = ({ accessionNumber, scheduledProcedureStepId }: SentWorklistRow) =>
  message('corrections.linked-since', { order: accessionNumber || scheduledProcedureStepId })
