import type { Context } from '#server/context.ts'
import * as people from '#server/modules/users/people.ts'
import * as sessions from '#server/modules/users/sessions.ts'
import { bound } from './bound.ts'

/** scrypt at a small part of its cost: what is tested is not the time. */
export const LIGHT = { logN: 7, r: 8, p: 1 }

/** The accounts of a store, with their sessions and links. */
export const peopleOf = (store: Context) => ({
  ...people.openAccounts(store, LIGHT),
  ...bound(people, store),
  ...bound(sessions, store),
})
