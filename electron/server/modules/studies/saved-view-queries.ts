import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { flag } from '#server/database/flag.ts'
import type { SavedView } from '#shared/contract/dashboard-studies.ts'

/**
 * A filter of a list under a name; sealed at rest, because what is searched for may name a patient.
 */
export type SavedViewRecord = Pick<
  SavedView,
  'savedViewId' | 'list' | 'area' | 'name' | 'filter' | 'order' | 'isShared'
> & {
  readonly ownerId: string
  readonly createdAt: string
  readonly updatedAt: string
}

export interface SavedViewsStore {
  get(savedViewId: string): SavedViewRecord | undefined
  /** A person's own, then those that others share; each by name. */
  listFor(userId: string, list: SavedViewRecord['list']): SavedViewRecord[]
  insert(view: SavedViewRecord): void
  update(view: SavedViewRecord): void
  remove(savedViewId: string): void
}

export function savedViewsStore(db: Database, seal: Seal): SavedViewsStore {
  const every = db.sql.selectFrom('savedViews').selectAll()
  type Stored = ReturnType<(typeof every)['execute']> extends Promise<(infer Row)[]> ? Row : never
  const recordOf = ({ sealedFilter, sortOrder, isShared, ...row }: Stored) =>
    ({
      ...row,
      order: sortOrder,
      isShared: isShared === 1,
      filter: JSON.parse(seal.open(sealedFilter, contextOf(row.savedViewId)).toString()),
    }) as SavedViewRecord
  const rowOf = ({ filter, order, isShared, ...view }: SavedViewRecord) => ({
    ...view,
    sortOrder: order,
    isShared: flag(isShared),
    sealedFilter: seal.seal(Buffer.from(JSON.stringify(filter)), contextOf(view.savedViewId)),
  })
  const byName = (a: SavedViewRecord, b: SavedViewRecord) =>
    a.name.localeCompare(b.name, 'en', { numeric: true })

  return {
    get(savedViewId) {
      const row = db.get(every.where('savedViewId', '=', savedViewId))
      return row && recordOf(row)
    },
    listFor(userId, list) {
      const ofList = every.where('list', '=', list)
      const mine = db.all(ofList.where('ownerId', '=', userId)).map(recordOf)
      const shared = db
        .all(ofList.where('isShared', '=', 1).where('ownerId', '<>', userId))
        .map(recordOf)
      return [...mine.sort(byName), ...shared.sort(byName)]
    },
    insert: (view) => void db.run(db.sql.insertInto('savedViews').values(rowOf(view))),
    update(view) {
      const { savedViewId, ...changed } = rowOf(view)
      db.run(db.sql.updateTable('savedViews').set(changed).where('savedViewId', '=', savedViewId))
    },
    remove: (savedViewId) =>
      void db.run(db.sql.deleteFrom('savedViews').where('savedViewId', '=', savedViewId)),
  }
}

const contextOf = (savedViewId: string) => `saved view ${savedViewId}`
