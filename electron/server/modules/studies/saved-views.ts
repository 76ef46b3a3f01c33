import { setImmediate as nextTurn } from 'node:timers/promises'
import { type DomainDeps, differences, note } from '#server/modules/audit/audit.ts'
import { personOf } from '#server/modules/reports/report-people.ts'
import { actorOf, isAllowed, type UserCaller } from '#server/modules/users/caller.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { BoundedCount, NewSavedView, SavedView } from '#shared/contract/dashboard-studies.ts'
import { ApiError } from '#shared/errors.ts'
import type { SavedViewRecord } from './saved-view-queries.ts'
import type { StudyLists } from './study-lists.ts'
import { refused } from './study-references.ts'

export interface SavedViewsDeps extends DomainDeps {
  readonly lists: Pick<StudyLists, 'counts'>
}

export type SavedViewPatch = {
  readonly [K in 'name' | 'filter' | 'order' | 'isShared']?: NewSavedView[K] | undefined
}

/** Filters of the lists that a person keeps under a name, for themselves or for everybody. */
export interface SavedViews {
  /**
   * One's own by name, then those that others share; each with how many studies it shows to whoever
   * asks.
   */
  list(
    caller: UserCaller,
    list: SavedView['list'],
  ): Promise<(SavedView & { shown: BoundedCount })[]>
  /** @throws ApiError refused: the name is taken, or there are too many */
  add(caller: UserCaller, view: NewSavedView): SavedView
  /**
   * @throws ApiError not-found; not-permitted: another person shares it; refused: the name is taken
   */
  change(caller: UserCaller, savedViewId: string, patch: SavedViewPatch): SavedView
  /** @throws ApiError not-found; not-permitted: another person shares it */
  remove(caller: UserCaller, savedViewId: string): void
}

/** Of a person and list: more tabs than these nobody finds again. */
const MOST_OF_A_LIST = 50

export function openSavedViews(deps: SavedViewsDeps): SavedViews {
  const { store, clock, uuid, lists } = deps
  const { database, savedViews } = store

  const view = ({
    ownerId,
    createdAt: _,
    updatedAt: __,
    ...record
  }: SavedViewRecord): SavedView => ({
    ...record,
    owner: personOf(deps, ownerId),
  })
  const ownOf = (ownerId: string, list: SavedView['list']) =>
    savedViews.listFor(ownerId, list).filter((one) => one.ownerId === ownerId)

  function changeable(caller: UserCaller, savedViewId: string): SavedViewRecord {
    const record = savedViews.get(savedViewId)
    const isOwn = record?.ownerId === caller.user.userId
    if (!record || !(isOwn || record.isShared))
      throw new ApiError('not-found', 'There is no such view.')
    if (!isOwn && !isAllowed(caller, 'manageGateway'))
      throw new ApiError(
        'not-permitted',
        'Only whoever made a shared view, an owner or an admin may change it: save one of your own.',
      )
    return record
  }

  /** @throws ApiError refused */
  function demandFree({ savedViewId, ownerId, list, name }: SavedViewRecord): void {
    const others = ownOf(ownerId, list).filter((other) => other.savedViewId !== savedViewId)
    if (others.some((other) => other.name.toLowerCase() === name.toLowerCase()))
      throw refused('body.name', 'must not be that of another view of the list')
    if (others.length >= MOST_OF_A_LIST)
      throw refused(
        'body.name',
        `cannot be kept: there are ${MOST_OF_A_LIST} views. Remove one first`,
      )
  }

  return {
    async list(caller, list) {
      const shown: (SavedView & { shown: BoundedCount })[] = []
      for (const record of savedViews.listFor(caller.user.userId, list)) {
        shown.push({
          ...view(record),
          shown: lists.counts(caller, { ...record.filter, area: record.area }).shown,
        })
        // A count of what is searched for opens some thousand rows, and devices wait meanwhile.
        await nextTurn()
      }
      return shown
    },

    add: (caller, given) =>
      database.transaction(() => {
        const now = instantOf(clock())
        const record: SavedViewRecord = {
          savedViewId: uuid(),
          ownerId: caller.user.userId,
          ...given,
          createdAt: now,
          updatedAt: now,
        }
        demandFree(record)
        savedViews.insert(record)
        const { list, area, name, isShared } = record
        note(deps.store, actorOf(caller), 'saved-view.add', record.savedViewId, {
          list,
          area,
          name,
          isShared,
        })
        return view(record)
      }),

    change: (caller, savedViewId, patch) =>
      database.transaction(() => {
        const before = changeable(caller, savedViewId)
        const given = Object.fromEntries(
          Object.entries(patch).filter(([, value]) => value !== undefined),
        )
        const after: SavedViewRecord = { ...before, ...given }
        const changes = differences(before, after)
        if (Object.keys(changes).length === 0) return view(before)
        demandFree(after)
        const changed = { ...after, updatedAt: instantOf(clock()) }
        savedViews.update(changed)
        note(deps.store, actorOf(caller), 'saved-view.change', savedViewId, {
          name: after.name,
          fields: Object.keys(changes),
        })
        return view(changed)
      }),

    remove: (caller, savedViewId) =>
      database.transaction(() => {
        const { list, name, isShared } = changeable(caller, savedViewId)
        savedViews.remove(savedViewId)
        note(deps.store, actorOf(caller), 'saved-view.remove', savedViewId, {
          list,
          name,
          isShared,
        })
      }),
  }
}
