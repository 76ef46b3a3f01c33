import type { Context } from '#server/context.ts'
import type { Caller } from '#server/modules/users/caller.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { type Area, findStudy, findStudyByUid, type StudyRecord } from './study-queries.ts'

/** Identifies a study by its ID, its UID, or both. */
export interface StudyIdentifiers {
  readonly studyId?: string | undefined
  readonly studyInstanceUid?: string | undefined
}

/** Whether the study is in the caller's scope and belongs to a customer that the caller may see. */
export function isVisible(
  caller: Caller,
  study: Pick<StudyRecord, 'createdByApiKeyId' | 'expressCustomerId'> &
    Partial<Pick<StudyRecord, 'studyId'>>,
): boolean {
  if (caller.kind === 'api-key')
    return caller.scope === 'all' || study.createdByApiKeyId === caller.apiKeyId
  if (caller.linkedStudyId !== undefined && caller.linkedStudyId === study.studyId) return true
  const customers = visibleCustomerIds(caller)
  return (
    customers === undefined ||
    customers.some((expressCustomerId) => expressCustomerId === study.expressCustomerId)
  )
}

/** The only customers whose studies the caller may see; undefined if there is no restriction. */
export function visibleCustomerIds(caller: Caller): readonly string[] | undefined {
  if (
    caller.kind === 'api-key' ||
    caller.user.level !== 'member' ||
    caller.user.customerIds.length === 0
  )
    return undefined
  return caller.user.customerIds
}

/**
 * Returns a study that the caller may see; one out of scope is treated as not existing.
 * @throws ApiError not-found
 */
export const requireVisibleStudy = (
  { database }: Context,
  caller: Caller,
  area: Area,
  studyId: string,
) => requireVisible(caller, area, findStudy(database, studyId))

/** @throws ApiError not-found */
export const requireVisibleStudyByUid = (
  { database }: Context,
  caller: Caller,
  area: Area,
  studyInstanceUid: string,
) => requireVisible(caller, area, findStudyByUid(database, area, studyInstanceUid))

function requireVisible(caller: Caller, area: Area, study: StudyRecord | undefined): StudyRecord {
  if (!study || study.area !== area || !isVisible(caller, study))
    throw new ApiError('not-found', message('studies.none-such'))
  return study
}

/**
 * Finds the study with the given identifiers.
 * @param part the part of the request that contained them, for error messages
 * @throws ApiError malformed: neither identifier is given, or they belong to different studies;
 *   not-found
 */
export function resolveStudy(
  context: Context,
  caller: Caller,
  area: Area,
  { studyId, studyInstanceUid }: StudyIdentifiers,
  part: 'body' | 'query' = 'body',
): StudyRecord {
  if (studyId === undefined) {
    if (studyInstanceUid !== undefined)
      return requireVisibleStudyByUid(context, caller, area, studyInstanceUid)
    throw new ApiError('malformed', message('studies.not-named'), {
      errors: [{ path: `${part}.studyId`, message: message('studies.must-be-named') }],
    })
  }
  const study = requireVisibleStudy(context, caller, area, studyId)
  if (studyInstanceUid !== undefined && study.studyInstanceUid !== studyInstanceUid) {
    throw new ApiError('malformed', message('studies.two-named'), {
      errors: [{ path: `${part}.studyInstanceUid`, message: message('studies.must-be-the-same') }],
    })
  }
  return study
}
