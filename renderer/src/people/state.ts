import type { Person } from '#shared/contract/dashboard-people.ts'
import type { Tone } from '../display/tones.ts'
import type { words } from './words.ts'

export type PersonState = keyof typeof words.states

/** How a person stands, in the window's words: an invitation that is over says how it ended. */
export function stateOf({ state, invitation }: Person): PersonState {
  if (state === 'invited') return invitation?.isExpired ? 'expired' : 'invited'
  if (state === 'active') return 'active'
  if (invitation?.status === 'rejected') return 'rejected'
  return invitation?.status === 'revoked' ? 'withdrawn' : 'revoked'
}

export const TONES: Record<PersonState, Tone> = {
  active: 'good',
  invited: 'info',
  expired: 'warning',
  rejected: 'plain',
  withdrawn: 'plain',
  revoked: 'plain',
}

/** What can be done about a person in each state. */
export const ACTIONS: Record<PersonState, readonly ('edit' | 'link' | 'withdraw' | 'revoke' | 'reactivate')[]> = {
  active: ['edit', 'revoke'],
  invited: ['edit', 'link', 'withdraw'],
  expired: ['edit'],
  rejected: [],
  withdrawn: [],
  revoked: ['edit', 'reactivate'],
}
