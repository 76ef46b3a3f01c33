import { describe, expect, it } from 'vitest'
import type { UserCaller } from '#gateway/domain/caller.ts'
import { isVisible } from '#gateway/domain/study-access.ts'
import type { ExpressCustomerId, UserId } from '#shared/ids.ts'

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
    ...{ canManageStudies: false, canCreateReports: true, hasDashboardAccess: true, lastLoginAt: null, customerIds: [mine] },
  },
  ...more,
})
const study = (studyId: string, expressCustomerId: string | null) => ({ studyId, expressCustomerId, createdByApiKeyId: null })

describe('a member who is linked to customers', () => {
  it('sees their studies alone', () => {
    expect(isVisible(caller(), study('stu_1', mine))).toBe(true)
    for (const other of ['cus_2', null]) expect(isVisible(caller(), study('stu_1', other))).toBe(false)
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
