import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { facetsOf } from './study-facet.ts'
import { customersShown, type StudyFilter } from './study-filter.ts'

// The table neededAddenda: studies whose signed report needs an addendum. Triggers write it; the
// rule is in the migration `0018-needed-addenda`.

/**
 * When the images of the study with this sequence number were corrected after its report was
 * signed; null where no addendum is needed.
 */
export const addendumNeededSince = (database: Database, seq: number): string | null =>
  database.get(rawQuery<{ since: string }>('select since from neededAddenda where seq = ?', [seq]))
    ?.since ?? null

/** A part of the list, by sequence numbers. */
export interface NeededPart {
  readonly above: number
  readonly before: number
  readonly isOldestFirst?: boolean
  readonly limit: number
}

/**
 * Sequence numbers of those that every part of the filter but the search lets through, in the order
 * of the list.
 */
export function neededAddenda(db: Database, filter: StudyFilter, part: NeededPart): number[] {
  const { text, parameters } = neededStatement(filter, part)
  return db.all(rawQuery<{ seq: number }>(text, parameters)).map(({ seq }) => seq)
}

/** The table is walked in the order of the list, not all studies; the tests look at the plan. */
export function neededStatement(
  filter: StudyFilter,
  { above, before, isOldestFirst = false, limit }: NeededPart,
) {
  const { area, severities, statuses, isCancelled, assignedTo, madeIn } = filter
  const customers = customersShown(filter)
  const facets = facetsOf(area, { statuses, severity: severities, isCancelled })
  const tests: readonly (readonly [text: string, ...values: unknown[]])[] = [
    ['n.seq > ? and n.seq < ?', BigInt(above), BigInt(before)],
    ['s.facet in (select value from json_each(?))', JSON.stringify(facets)],
    ...(assignedTo === undefined ? [] : [['s.assignedTo is ?', assignedTo] as const]),
    ...(customers
      ? [
          [
            `(${customers.map(() => 's.expressCustomerId is ?').join(' or ') || 'false'})`,
            ...customers,
          ] as const,
        ]
      : []),
    ...(madeIn?.since ? [['s.createdAt >= ?', madeIn.since] as const] : []),
    ...(madeIn?.until ? [['s.createdAt < ?', madeIn.until] as const] : []),
  ]
  const text = `select n.seq from neededAddenda n cross join studies s on s.seq = n.seq
    where ${tests.map(([test]) => test).join(' and ')} order by n.seq ${isOldestFirst ? 'asc' : 'desc'} limit ?`
  return { text, parameters: [...tests.flatMap(([, ...some]) => some), BigInt(limit)] }
}
