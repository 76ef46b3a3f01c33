import type { Database } from '#server/database/database.ts'
import { flag } from '#server/database/query.ts'
import type { SavedView } from '#shared/contract/dashboard-studies.ts'

// The table savedViews. Filters are encrypted, because a search may contain a patient's name.

export type SavedViewRecord = Omit<SavedView, 'owner'> & {
  readonly ownerId: string
  readonly createdAt: string
  readonly updatedAt: string
}

const selectSavedViews = ({ sql }: Database) => sql.selectFrom('savedViews').selectAll()

export function findSavedView(database: Database, savedViewId: string) {
  const row = database.get(selectSavedViews(database).where('savedViewId', '=', savedViewId))
  return row && recordOf(database, row)
}

/** A user's own views, followed by those that others share; each group sorted by name. */
export function savedViewsFor(database: Database, userId: string, list: SavedView['list']) {
  const rows = selectSavedViews(database)
    .where('list', '=', list)
    .where((is) => is.or([is('ownerId', '=', userId), is('isShared', '=', 1)]))
  return database
    .all(rows)
    .map((row) => recordOf(database, row))
    .sort(
      (a, b) =>
        Number(b.ownerId === userId) - Number(a.ownerId === userId) ||
        a.name.localeCompare(b.name, 'en', { numeric: true }),
    )
}

export function insertSavedView(database: Database, view: SavedViewRecord): void {
  database.run(database.sql.insertInto('savedViews').values(rowOf(database, view)))
}

export function updateSavedView(database: Database, view: SavedViewRecord): void {
  const { savedViewId, ...changed } = rowOf(database, view)
  database.run(
    database.sql.updateTable('savedViews').set(changed).where('savedViewId', '=', savedViewId),
  )
}

export function deleteSavedView(database: Database, savedViewId: string): void {
  database.run(database.sql.deleteFrom('savedViews').where('savedViewId', '=', savedViewId))
}

type Row =
  ReturnType<ReturnType<typeof selectSavedViews>['execute']> extends Promise<(infer R)[]>
    ? R
    : never

function recordOf({ seal }: Database, { sealedFilter, sortOrder, isShared, ...row }: Row) {
  const filter = JSON.parse(seal.open(sealedFilter, contextOf(row.savedViewId)).toString())
  return { ...row, order: sortOrder, isShared: isShared === 1, filter } as SavedViewRecord
}

const rowOf = ({ seal }: Database, { filter, order, isShared, ...view }: SavedViewRecord) => ({
  ...view,
  sortOrder: order,
  isShared: flag(isShared),
  sealedFilter: seal.seal(Buffer.from(JSON.stringify(filter)), contextOf(view.savedViewId)),
})

const contextOf = (savedViewId: string) => `saved view ${savedViewId}`
