import type { Context } from '#server/context.ts'
import type { Caller } from '#server/modules/users/caller.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { type Area, findStudy, findStudyByUid, type StudyRecord } from './study-queries.ts'

/** Names a study by its id, its UID, or both of the same study. */
export interface EitherStudy {
  readonly studyId?: string | undefined
  readonly studyInstanceUid?: string | undefined
}

/** Whether the study is in the caller's scope and among the customers it may see. */
export function isVisible(
  caller: Caller,
  study: Pick<StudyRecord, 'createdByApiKeyId' | 'expressCustomerId'> &
    Partial<Pick<StudyRecord, 'studyId'>>,
): boolean {
  if (caller.kind === 'api-key')
    return caller.scope === 'all' || study.createdByApiKeyId === caller.apiKeyId
  if (caller.linkedStudyId !== undefined && caller.linkedStudyId === study.studyId) return true
  const customers = visibleCustomers(caller)
  return (
    customers === undefined ||
    customers.some((expressCustomerId) => expressCustomerId === study.expressCustomerId)
  )
}

/** The customers whose studies alone the caller sees; undefined where it sees all. */
export function visibleCustomers(caller: Caller): readonly string[] | undefined {
  if (
    caller.kind === 'api-key' ||
    caller.user.level !== 'member' ||
    caller.user.customerIds.length === 0
  )
    return undefined
  return caller.user.customerIds
}

/**
 * A study as the caller may see it: what is out of scope is not there. @throws ApiError not-found
 */
export const visibleStudy = ({ database }: Context, caller: Caller, area: Area, studyId: string) =>
  demandVisible(caller, area, findStudy(database, studyId))

/** @throws ApiError not-found */
export const visibleStudyByUid = (
  { database }: Context,
  caller: Caller,
  area: Area,
  studyInstanceUid: string,
) => demandVisible(caller, area, findStudyByUid(database, area, studyInstanceUid))

function demandVisible(caller: Caller, area: Area, study: StudyRecord | undefined): StudyRecord {
  if (!study || study.area !== area || !isVisible(caller, study))
    throw new ApiError('not-found', message('studies.none-such'))
  return study
}

/**
 * `part` is where the names were given. @throws ApiError malformed: neither name, or those of two
 * studies; not-found
 */
export function resolveStudy(
  context: Context,
  caller: Caller,
  area: Area,
  { studyId, studyInstanceUid }: EitherStudy,
  part: 'body' | 'query' = 'body',
): StudyRecord {
  if (studyId === undefined) {
    if (studyInstanceUid !== undefined)
      return visibleStudyByUid(context, caller, area, studyInstanceUid)
    throw new ApiError('malformed', message('studies.not-named'), {
      errors: [{ path: `${part}.studyId`, message: message('studies.must-be-named') }],
    })
  }
  const study = visibleStudy(context, caller, area, studyId)
  if (studyInstanceUid !== undefined && study.studyInstanceUid !== studyInstanceUid) {
    throw new ApiError('malformed', message('studies.two-named'), {
      errors: [{ path: `${part}.studyInstanceUid`, message: message('studies.must-be-the-same') }],
    })
  }
  return study
}
