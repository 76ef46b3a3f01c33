import { describe, expect, it } from 'vitest'
import * as studyService from '#server/modules/studies/service.ts'
import * as studyAccess from '#server/modules/studies/study-access.ts'
import { isVisible, visibleCustomerIds } from '#server/modules/studies/study-access.ts'
import type { ApiKeyCaller, UserCaller } from '#server/modules/users/caller.ts'
import type { ExpressCustomerId, UserId } from '#shared/ids.ts'
import { bound } from '../../../../support/bound.ts'
import { newKey } from '../../../../support/callers.ts'
import { refusal, refusalOf } from '../../../../support/refusal.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const mine = 'cus_1' as ExpressCustomerId
const caller = (more: Partial<UserCaller> = {}): UserCaller => ({
  kind: 'user',
  user: {
    ...{
      userId: 'usr_1' as UserId,
      email: 'una@clinic.example',
      firstName: 'Una',
      lastName: 'Malá',
      level: 'member',
      clinicRole: 'Radiologist',
    },
    ...{
      canManageStudies: false,
      canCreateReports: true,
      hasDashboardAccess: true,
      lastLoginAt: null,
      customerIds: [mine],
    },
  },
  ...more,
})
const study = (studyId: string, expressCustomerId: string | null) => ({
  studyId,
  expressCustomerId,
  createdByApiKeyId: null,
})

describe('a member who is linked to customers', () => {
  it('sees their studies alone', () => {
    expect(isVisible(caller(), study('stu_1', mine))).toBe(true)
    for (const other of ['cus_2', null])
      expect(isVisible(caller(), study('stu_1', other))).toBe(false)
  })

  it('sees by a link for dictation its study, whosever it is, and no other', () => {
    const linked = caller({ linkedStudyId: 'stu_1' })
    for (const other of ['cus_2', null]) {
      expect(isVisible(linked, study('stu_1', other))).toBe(true)
      expect(isVisible(linked, study('stu_2', other))).toBe(false)
    }
    expect(isVisible(linked, { createdByApiKeyId: null, expressCustomerId: 'cus_2' })).toBe(false)
  })
})

describe('who is not held to some customers', () => {
  it('is an owner, an admin, and a member who is linked to none', () => {
    const { user } = caller()
    expect(visibleCustomerIds(caller())).toEqual([mine])
    for (const other of [{ level: 'owner' }, { level: 'admin' }, { customerIds: [] }] as const) {
      const free = caller({ user: { ...user, ...other } })
      expect(visibleCustomerIds(free)).toBeUndefined()
      expect(isVisible(free, study('stu_1', 'cus_2'))).toBe(true)
    }
  })

  it('is a key, which sees all studies or those it made', () => {
    const key: ApiKeyCaller = {
      kind: 'api-key',
      apiKeyId: 'key-1',
      scope: 'all',
      isViewerEnabled: true,
    }
    const own = { ...study('stu_1', 'cus_2'), createdByApiKeyId: 'key-1' }
    expect(visibleCustomerIds(key)).toBeUndefined()
    expect([own, study('stu_2', null)].map((one) => isVisible(key, one))).toEqual([true, true])
    expect(
      [own, study('stu_2', null)].map((one) => isVisible({ ...key, scope: 'self' }, one)),
    ).toEqual([true, false])
  })
})

describe('a study', () => {
  /** A study of each area, made by a key that sees its own alone. */
  function stage() {
    const temp = tempStore()
    const key = newKey(temp.store, { scope: 'self' })
    const { createStudy: create } = bound(studyService, temp.store)
    const made = { studyDescription: 'CT', severity: 'normal' } as const
    const scribe = create(key, 'scribe', { ...made, studyInstanceUid: '1.2.1' }).record
    const viewer = create(key, 'viewer', { ...made, studyInstanceUid: '1.2.2' }).record
    return Object.assign(temp, {
      key,
      other: newKey(temp.store, { scope: 'self' }),
      scribe,
      viewer,
      finder: bound(studyAccess, temp.store),
    })
  }

  it('is found by its id and by its UID, in its area and by who may see it', () => {
    using on = stage()
    const { finder, key, scribe, viewer } = on
    expect(finder.requireVisibleStudy(key, 'scribe', scribe.studyId).studyId).toBe(scribe.studyId)
    expect(finder.requireVisibleStudyByUid(key, 'viewer', '1.2.2').studyId).toBe(viewer.studyId)
    const refused = [
      () => finder.requireVisibleStudy(key, 'viewer', scribe.studyId),
      () => finder.requireVisibleStudyByUid(key, 'scribe', '1.2.2'),
      () => finder.requireVisibleStudy(on.other, 'scribe', scribe.studyId),
      () => finder.requireVisibleStudyByUid(on.other, 'viewer', '1.2.2'),
      () => finder.requireVisibleStudy(key, 'scribe', 'stu_none'),
      () => finder.requireVisibleStudyByUid(key, 'scribe', '1.2.3'),
    ]
    for (const find of refused)
      expect(refusal(find)).toMatchObject({ code: 'not-found', message: 'There is no such study.' })
  })

  it('is named by either, or by both where they are of one study', () => {
    using on = stage()
    const { finder, key, scribe } = on
    const { studyId } = scribe
    for (const either of [
      { studyId },
      { studyInstanceUid: '1.2.1' },
      { studyId, studyInstanceUid: '1.2.1' },
    ])
      expect(finder.resolveStudy(key, 'scribe', either).studyId).toBe(studyId)
    const two = { studyId, studyInstanceUid: '1.2.2' }
    expect(refusal(() => finder.resolveStudy(key, 'scribe', two))).toMatchObject({
      ...{ code: 'malformed', message: 'studyId and studyInstanceUid name different studies.' },
      errors: [
        { path: 'body.studyInstanceUid', message: 'must be that of the study that studyId names' },
      ],
    })
    expect(refusalOf(() => finder.resolveStudy(key, 'scribe', two, 'query'))).toBe(
      'malformed query.studyInstanceUid',
    )
    expect(refusal(() => finder.resolveStudy(key, 'scribe', {}, 'query'))).toMatchObject({
      ...{
        code: 'malformed',
        message: 'The request must name a study by studyId or studyInstanceUid.',
      },
      errors: [
        { path: 'query.studyId', message: 'must be given, unless studyInstanceUid is given' },
      ],
    })
    expect(refusalOf(() => finder.resolveStudy(key, 'scribe', {}))).toBe('malformed body.studyId')
  })
})
