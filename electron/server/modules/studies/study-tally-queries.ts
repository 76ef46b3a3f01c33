import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import { type Area, type FacetFilter, facetsOf } from './study-facet.ts'

export interface TallyQuery extends FacetFilter {
  readonly area: Area
  /** Null: those that are nobody's. */
  readonly assignedTo?: string | null | undefined
  readonly expressCustomerIds?: readonly (string | null)[] | undefined
}

/** How many studies the filters let through, from tallies that triggers keep. */
export function tallied(db: Database, query: TallyQuery): number {
  const { area, assignedTo, expressCustomerIds } = query
  const facets = facetsOf(area, query)
  const customers = expressCustomerIds?.map((id) => id ?? '')
  if (facets.length === 0 || customers?.length === 0) return 0
  const tests = [
    `facet in (${facets.map(() => '?').join(', ')})`,
    ...(assignedTo === undefined ? [] : ['assignedTo = ?']),
    ...(customers === undefined
      ? []
      : [`expressCustomerId in (${customers.map(() => '?').join(', ')})`]),
  ]
  const values = [
    ...facets,
    ...(assignedTo === undefined ? [] : [assignedTo ?? '']),
    ...(customers ?? []),
  ]
  const text = `select ifnull(sum(studies), 0) as count from studyTallies where ${tests.join(' and ')}`
  return db.get(rawQuery<{ count: number }>(text, values))?.count ?? 0
}
