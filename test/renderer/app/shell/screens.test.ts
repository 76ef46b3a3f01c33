import { describe, expect, it } from 'vitest'
import { CLINIC_ROLES, type ClinicRole, type Level } from '#shared/contract/people.ts'
import type { Session } from '../../../../renderer/src/api/session.ts'
import { homesOf, WORK_ROLES, workRoleOf } from '../../../../renderer/src/api/work-role.ts'
import { SCREENS, screensOf } from '../../../../renderer/src/app/shell/screens.ts'

const session = (clinicRole: ClinicRole, level: Level = 'member', isLimited = false): Session =>
  ({ user: { userId: 'u', clinicRole, level }, isLimited }) as Session
const own = (...given: Parameters<typeof session>) =>
  screensOf(session(...given)).own.map(({ to }) => to)
const all = (...given: Parameters<typeof session>) =>
  screensOf(session(...given)).all.map(({ to }) => to)

describe('the work of a person', () => {
  it('follows from every role in the clinic', () => {
    for (const clinicRole of CLINIC_ROLES) expect(WORK_ROLES).toContain(workRoleOf({ clinicRole }))
  })

  it('decides the home page; managers have all of them', () => {
    expect(homesOf(session('Radiologist').user as never)).toEqual(['radiologist'])
    expect(homesOf(session('Radiologist', 'owner').user as never)).toEqual(WORK_ROLES)
  })
})

describe('the screens of a person', () => {
  it('are those of their work', () => {
    expect(own('Front Desk Operator')).toEqual(['/', '/worklist', '/studies', '/customers'])
    expect(own('Radiologist')).toEqual(['/', '/studies', '/images', '/reading'])
    expect(own('Imaging Technologist')).toEqual([
      ...['/', '/worklist', '/studies', '/images'],
      ...['/devices', '/destinations', '/activity'],
    ])
  })

  it('leave out what only managers may open, whatever the work', () => {
    for (const role of CLINIC_ROLES)
      expect(all(role).filter((to) => /people|partner|events|keys|settings/.test(to))).toEqual([])
  })

  it('are all screens for managers who administer; other managers keep their own work', () => {
    expect(own('PACS Administrator', 'owner')).toEqual(SCREENS.map(({ to }) => to))
    expect(own('Radiologist', 'admin')).toEqual(
      SCREENS.map(({ to }) => to).filter((to) => to !== '/worklist'),
    )
    expect(all('Radiologist', 'admin')).toEqual(SCREENS.map(({ to }) => to))
  })

  it('leave out screens with every patient for accounts limited to customers', () => {
    expect(all('Front Desk Operator', 'member', true)).not.toContain('/worklist')
  })

  it('are none while nobody is signed in', () => {
    expect(screensOf({ user: null, isLimited: false } as Session).all).toEqual([])
  })
})
