import { note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { listStudyCopies } from '#server/modules/images/instance-copy-queries.ts'
import { sumRemoved } from '#server/modules/images/local-file-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { findUser } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { StudyLifecycle } from '#shared/contract/lifecycle.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { insertHold, isHeld, liftHold, listHolds } from './hold-queries.ts'

/** Where the images of a study are kept, and its legal holds. @throws ApiError not-found */
export function studyLifecycle({ database }: Context, studyInstanceUid: string): StudyLifecycle {
  const study = findImageStudy(database, studyInstanceUid)
  if (!study) throw new ApiError('not-found', message('studies.none-such'))
  const nameOf = (userId: string | null) => {
    const user = userId === null ? undefined : findUser(database, userId)
    return user ? `${user.firstName} ${user.lastName}`.trim() || user.email : ''
  }
  const { removed, removedAt } = sumRemoved(database, studyInstanceUid)
  return {
    ...{ studyInstanceUid, instances: study.instances, removed, removedAt },
    copies: listStudyCopies(database, studyInstanceUid).map(
      ({ destinationName: name, kind, instances, confirmedAt }) => ({
        ...{ name, kind, instances, confirmedAt },
      }),
    ),
    holds: listHolds(database, studyInstanceUid).map((hold) => ({
      holdId: hold.holdId,
      reason: hold.reason,
      placedBy: nameOf(hold.userId),
      placedAt: hold.placedAt,
      liftedBy: hold.liftedBy === null ? null : nameOf(hold.liftedBy),
      liftedAt: hold.liftedAt,
    })),
  }
}

/** @throws ApiError not-found; refused if the study is held already */
export const placeLegalHold = (
  context: Context,
  studyInstanceUid: string,
  reason: string,
  userId: string,
): StudyLifecycle =>
  context.database.transaction(() => {
    const { database, clock, uuid } = context
    studyLifecycle(context, studyInstanceUid)
    if (isHeld(database, studyInstanceUid))
      throw new ApiError('refused', message('lifecycle.held-already'))
    const placedAt = instantOf(clock())
    insertHold(database, { holdId: uuid(), studyInstanceUid, reason, userId, placedAt })
    note(context, userActor(userId), 'lifecycle.hold', studyInstanceUid, { reason })
    return studyLifecycle(context, studyInstanceUid)
  })

/** @throws ApiError not-found; refused if the study is not held */
export const liftLegalHold = (
  context: Context,
  studyInstanceUid: string,
  reason: string,
  userId: string,
): StudyLifecycle =>
  context.database.transaction(() => {
    const { database, clock } = context
    studyLifecycle(context, studyInstanceUid)
    const by = { liftedBy: userId, liftedAt: instantOf(clock()) }
    if (!liftHold(database, studyInstanceUid, by))
      throw new ApiError('refused', message('lifecycle.not-held'))
    note(context, userActor(userId), 'lifecycle.hold-lift', studyInstanceUid, { reason })
    return studyLifecycle(context, studyInstanceUid)
  })
