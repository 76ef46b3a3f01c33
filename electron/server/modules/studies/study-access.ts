import type { DomainDeps } from '#server/modules/audit/audit.ts'
import type { Caller } from '#server/modules/users/caller.ts'
import { ApiError } from '#shared/errors.ts'
import type { Area, StudyRecord } from './study-queries.ts'

/** Names a study by its id, its UID, or both of the same study (interface-choices §6 row 34). */
export interface EitherStudy {
  readonly studyId?: string | undefined
  readonly studyInstanceUid?: string | undefined
}

/**
 * Whether the study is in the caller's scope (row 26) and among the customers it may see (row 52).
 */
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

/** Finds studies as a caller may see them: what is out of scope is not there. */
export interface StudyFinder {
  /** @throws ApiError not-found */
  read(caller: Caller, area: Area, studyId: string): StudyRecord
  /** @throws ApiError not-found */
  byUid(caller: Caller, area: Area, studyInstanceUid: string): StudyRecord
  /**
   * `part` is where the names were given. @throws ApiError malformed: neither name, or those of two
   * studies; not-found
   */
  resolve(caller: Caller, area: Area, either: EitherStudy, part?: 'body' | 'query'): StudyRecord
}

export function studyFinder({ store }: Pick<DomainDeps, 'store'>): StudyFinder {
  const { studies } = store

  function visible(caller: Caller, area: Area, study: StudyRecord | undefined): StudyRecord {
    if (!study || study.area !== area || !isVisible(caller, study))
      throw new ApiError('not-found', 'There is no such study.')
    return study
  }
  const read = (caller: Caller, area: Area, studyId: string) =>
    visible(caller, area, studies.get(studyId))
  const byUid = (caller: Caller, area: Area, uid: string) =>
    visible(caller, area, studies.byUid(area, uid))

  return {
    read,
    byUid,
    resolve(caller, area, { studyId, studyInstanceUid }, part = 'body') {
      if (studyId === undefined) {
        if (studyInstanceUid !== undefined) return byUid(caller, area, studyInstanceUid)
        throw new ApiError(
          'malformed',
          'The call must name a study by studyId or studyInstanceUid.',
          {
            errors: [{ path: `${part}.studyId`, message: 'must be given, or studyInstanceUid' }],
          },
        )
      }
      const study = read(caller, area, studyId)
      if (studyInstanceUid !== undefined && study.studyInstanceUid !== studyInstanceUid)
        throw new ApiError('malformed', 'studyId and studyInstanceUid name different studies.', {
          errors: [
            {
              path: `${part}.studyInstanceUid`,
              message: 'must be that of the study named by studyId',
            },
          ],
        })
      return study
    },
  }
}
