import { describe, expect, it } from 'vitest'
import { dashboardPeople, type Person } from '#shared/contract/dashboard-people.ts'
import { verbatim } from '#shared/messages/message.ts'
import { ACTIONS, editObstacle, stateOf } from '../../../../renderer/src/features/users/state.ts'

const invitation = {
  ...{
    invitationId: `inv_${'0'.repeat(32)}`,
    status: 'sent',
    isExpired: false,
    expiry: '2026-04-09T09:00:00.000Z',
  },
  ...{
    createdAt: '2026-03-10T09:00:00.000Z',
    invitedBy: verbatim('Olga Owner'),
    mail: 'none',
    mailFault: null,
  },
}
const person = (state: Person['state'], more: object | null = {}): Person =>
  dashboardPeople.updatePerson.reply.parse({
    ...{
      userId: `usr_${'0'.repeat(32)}`,
      email: 'maja@clinic.example',
      firstName: 'Maja',
      lastName: 'Novák',
      clinicRole: 'Other',
    },
    ...{
      level: 'member',
      interfaceLevel: 'member',
      canManageStudies: false,
      canCreateReports: false,
      hasDashboardAccess: true,
      invitedSource: 'dashboard',
    },
    ...{
      lastLoginAt: null,
      createdAt: '2026-03-10T09:00:00.000Z',
      state,
      invitation: more && { ...invitation, ...more },
    },
    ...{ expressCustomers: [], secondFactorSince: null },
  })

describe('how a person stands', () => {
  it('is said by the account and by how the invitation ended', () => {
    expect(stateOf(person('active', null))).toBe('active')
    expect(stateOf(person('active', { status: 'accepted' }))).toBe('active')
    expect(stateOf(person('invited'))).toBe('invited')
    expect(stateOf(person('invited', { isExpired: true }))).toBe('expired')
    expect(stateOf(person('revoked', { status: 'rejected' }))).toBe('rejected')
    expect(stateOf(person('revoked', { status: 'revoked' }))).toBe('withdrawn')
    expect(stateOf(person('revoked', { status: 'accepted' }))).toBe('revoked')
    expect(stateOf(person('revoked', null))).toBe('revoked')
  })

  it('says what can be done: a link only while it can be accepted, access back only where it was taken', () => {
    expect(Object.entries(ACTIONS).filter(([, actions]) => actions.includes('link'))).toEqual([
      ['invited', ACTIONS.invited],
    ])
    expect(Object.entries(ACTIONS).filter(([, actions]) => actions.includes('reactivate'))).toEqual(
      [['revoked', ACTIONS.revoked]],
    )
  })

  it('offers another invitation to whoever has none that can be accepted', () => {
    const offered = Object.entries(ACTIONS).filter(([, actions]) => actions.includes('again'))
    expect(offered.map(([state]) => state)).toEqual(['expired', 'rejected', 'withdrawn'])
  })

  it('keeps an owner from administrators, and a person whose invitation is over from everybody', () => {
    const owner = { ...person('active', null), level: 'owner' as const }
    expect([editObstacle(owner, false), editObstacle(owner, true)]).toEqual(['owner', undefined])
    expect(editObstacle(person('active', null), false)).toBe(undefined)
    expect(editObstacle(person('revoked', { status: 'rejected' }), true)).toBe('over')
    expect(editObstacle(person('revoked', null), true)).toBe(undefined)
  })
})
