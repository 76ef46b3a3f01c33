import { setImmediate as nextTurn } from 'node:timers/promises'
import { differences, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { refused } from '#server/modules/studies/study-references.ts'
import { actorOf, isAllowed, type UserCaller } from '#server/modules/users/caller.ts'
import { namedUserOf } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { BoundedCount, NewSavedView, SavedView } from '#shared/contract/dashboard-studies.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import * as queries from './queries.ts'
import { countStudies } from './service.ts'

// Filters of the study lists that a user saves under a name, for themselves or for everyone.

/** Maximum number of views per user and list; more tabs would not be usable. */
const MAX_VIEWS_PER_LIST = 50

/**
 * A user's own views by name, followed by those that others share, each with the number of studies
 * that it shows to the user.
 */
export async function listSavedViews(
  context: Context,
  caller: UserCaller,
  list: SavedView['list'],
) {
  const views: (SavedView & { shown: BoundedCount })[] = []
  for (const record of queries.savedViewsFor(context.database, caller.user.userId, list)) {
    const asked = { ...record.filter, area: record.area }
    const { shown } = countStudies(context, caller, asked)
    views.push({ ...viewOf(context, record), shown })
    // Counting the results of a search decrypts thousands of rows; yield so that devices do not
    // have to wait.
    await nextTurn()
  }
  return views
}

/**
 * Saves a view.
 * @throws ApiError refused: the name is taken, or there are too many views
 */
export function addSavedView(context: Context, caller: UserCaller, given: NewSavedView): SavedView {
  const { database, clock, uuid } = context
  return database.transaction(() => {
    const now = instantOf(clock())
    const owner = { savedViewId: uuid(), ownerId: caller.user.userId }
    const record = { ...owner, ...given, createdAt: now, updatedAt: now }
    checkNameAndCount(context, record)
    queries.insertSavedView(database, record)
    const { list, area, name, isShared } = record
    const detail = { list, area, name, isShared }
    note(context, actorOf(caller), 'saved-view.add', record.savedViewId, detail)
    return viewOf(context, record)
  })
}

/**
 * Changes the given fields of a view.
 * @throws ApiError not-found; not-permitted: the view belongs to another user; refused: the name is
 *   taken
 */
export function changeSavedView(
  context: Context,
  caller: UserCaller,
  savedViewId: string,
  patch: {
    readonly [K in 'name' | 'filter' | 'order' | 'isShared']?: NewSavedView[K] | undefined
  },
): SavedView {
  const { database, clock } = context
  return database.transaction(() => {
    const before = requireChangeable(context, caller, savedViewId)
    const given = Object.entries(patch).filter(([, value]) => value !== undefined)
    const after = { ...before, ...Object.fromEntries(given) }
    const fields = Object.keys(differences(before, after))
    if (fields.length === 0) return viewOf(context, before)
    checkNameAndCount(context, after)
    const changed = { ...after, updatedAt: instantOf(clock()) }
    queries.updateSavedView(database, changed)
    const detail = { name: after.name, fields }
    note(context, actorOf(caller), 'saved-view.change', savedViewId, detail)
    return viewOf(context, changed)
  })
}

/**
 * Removes a view.
 * @throws ApiError not-found; not-permitted: the view belongs to another user
 */
export function removeSavedView(context: Context, caller: UserCaller, savedViewId: string): void {
  context.database.transaction(() => {
    const { list, name, isShared } = requireChangeable(context, caller, savedViewId)
    queries.deleteSavedView(context.database, savedViewId)
    const detail = { list, name, isShared }
    note(context, actorOf(caller), 'saved-view.remove', savedViewId, detail)
  })
}

const viewOf = (
  store: Context,
  { ownerId, createdAt: _, updatedAt: __, ...record }: queries.SavedViewRecord,
): SavedView => ({ ...record, owner: namedUserOf(store.database, ownerId) })

function requireChangeable({ database }: Context, caller: UserCaller, savedViewId: string) {
  const record = queries.findSavedView(database, savedViewId)
  const isOwn = record?.ownerId === caller.user.userId
  if (!record || !(isOwn || record.isShared))
    throw new ApiError('not-found', message('studies.no-view'))
  if (!isOwn && !isAllowed(caller, 'manageGateway'))
    throw new ApiError('not-permitted', message('studies.view-of-another'))
  return record
}

/** @throws ApiError refused: the name is taken, or there are too many views */
function checkNameAndCount(
  { database }: Context,
  { savedViewId, ownerId, list, name }: queries.SavedViewRecord,
): void {
  const others = queries
    .savedViewsFor(database, ownerId, list)
    .filter((other) => other.ownerId === ownerId && other.savedViewId !== savedViewId)
  if (others.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    throw refused('body.name', message('studies.view-name-taken'))
  if (others.length >= MAX_VIEWS_PER_LIST)
    throw refused('body.name', message('studies.views-full', { most: MAX_VIEWS_PER_LIST }))
}
