import type { Person } from '#shared/contract/dashboard-people.ts'
import type { Tone } from '../../format/tones.ts'

export type UserState = 'active' | 'invited' | 'expired' | 'rejected' | 'withdrawn' | 'revoked'

/** How a person stands, in the window's words: an invitation that is over says how it ended. */
export function stateOf({ state, invitation }: Person): UserState {
  if (state === 'invited') return invitation?.isExpired ? 'expired' : 'invited'
  if (state === 'active') return 'active'
  if (invitation?.status === 'rejected') return 'rejected'
  return invitation?.status === 'revoked' ? 'withdrawn' : 'revoked'
}

export const TONES: Record<UserState, Tone> = {
  active: 'good',
  invited: 'info',
  expired: 'warning',
  rejected: 'plain',
  withdrawn: 'plain',
  revoked: 'plain',
}

/** What can be done about a person in each state. */
export const ACTIONS: Record<UserState, readonly PersonAction[]> = {
  active: ['edit', 'revoke'],
  invited: ['edit', 'link', 'withdraw'],
  expired: ['again', 'edit'],
  rejected: ['again'],
  withdrawn: ['again'],
  revoked: ['edit', 'reactivate'],
}
export type PersonAction = 'edit' | 'again' | 'link' | 'withdraw' | 'revoke' | 'reactivate'

/**
 * Why this person's record may not be changed; undefined where it may. Only an owner changes an
 * owner.
 */
export function editObstacle(person: Person, isOwner: boolean): 'owner' | 'over' | undefined {
  if (person.level === 'owner' && !isOwner) return 'owner'
  return ACTIONS[stateOf(person)].includes('edit') ? undefined : 'over'
}
