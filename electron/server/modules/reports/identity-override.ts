import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { updateImageStudy } from '#server/modules/images/image-study-writing-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { areSameDifferences, identityOf } from '#server/modules/studies/study-identity.ts'
import { actorOf, type UserCaller } from '#server/modules/users/caller.ts'
import { fullName } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { IdentityDifference } from '#shared/contract/images.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { readDraftState } from './report-drafts.ts'
import { isReportSignedSince } from './report-queries.ts'
import { signingUser } from './report-signing.ts'

/**
 * Allows signing although the images differ from the worklist or the study. The caller must be
 * allowed to sign.
 * @param differences the differences that were shown to the user
 * @throws ApiError those of a draft; refused: there is nothing to override, or the differences have
 *   changed
 */
export const overrideIdentity = (
  context: Context,
  caller: UserCaller,
  studyId: string,
  {
    reason,
    differences,
  }: { readonly reason: string; readonly differences: readonly IdentityDifference[] },
): void =>
  context.database.transaction(() => {
    const { study } = readDraftState(context, caller, studyId)
    const { userId } = signingUser(context, caller)
    const { studyInstanceUid } = study
    const identity = identityOf(findImageStudy(context.database, studyInstanceUid), study)
    if (identity.state !== 'mismatch')
      throw new ApiError('refused', message('reports.nothing-to-override'))
    if (!areSameDifferences(identity.differences, differences))
      throw new ApiError('refused', message('reports.differences-outdated'))
    const at = instantOf(context.clock())
    const override = { at, userId, name: fullName(caller.user), reason, differences }
    updateImageStudy(context.database, studyInstanceUid, { override })
    const fields = [...new Set(differences.map(({ from, field }) => `${from}: ${field}`))]
    const detail = { studyInstanceUid, fields, reason }
    note(context, actorOf(caller), 'study.override-identity', studyId, detail)
  })

/**
 * Withdraws the override, so that signing is blocked again. The caller must be allowed to sign.
 * @throws ApiError those of a draft; refused: there is no override, or a report has been signed
 *   since
 */
export const withdrawOverride = (context: Context, caller: UserCaller, studyId: string): void =>
  context.database.transaction(() => {
    const { study } = readDraftState(context, caller, studyId)
    signingUser(context, caller)
    const { studyInstanceUid } = study
    const { override } = findImageStudy(context.database, studyInstanceUid) ?? {}
    if (!override) throw new ApiError('refused', message('reports.not-overridden'))
    if (isReportSignedSince(context.database, studyId, override.at))
      throw new ApiError('refused', message('reports.signed-since-override'))
    updateImageStudy(context.database, studyInstanceUid, { override: null })
    note(context, actorOf(caller), 'study.withdraw-override', studyId, { studyInstanceUid })
  })
