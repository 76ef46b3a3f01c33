import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { facetsOf } from './study-facet.ts'
import { listedCustomerIds, type StudyFilter } from './study-filter.ts'

// The table neededAddenda: studies whose signed report needs an addendum. It is maintained by
// triggers; the rule is defined in the migration `0018-needed-addenda`.

/**
 * When the images of the study were corrected after its report was signed; null if no addendum is
 * needed.
 * @param seq sequence number of the study
 */
export const addendumNeededSince = (database: Database, seq: number): string | null =>
  database.get(rawQuery<{ since: string }>('select since from neededAddenda where seq = ?', [seq]))
    ?.since ?? null

/** A range of the list, by sequence numbers (exclusive). */
export interface SequencePage {
  readonly above: number
  readonly before: number
  readonly isOldestFirst?: boolean
  readonly limit: number
}

/**
 * Sequence numbers of the studies that match the filter except for its search text, in the order of
 * the list.
 */
export function listNeededAddenda(db: Database, filter: StudyFilter, part: SequencePage): number[] {
  const { text, parameters } = neededAddendaStatement(filter, part)
  return db.all(rawQuery<{ seq: number }>(text, parameters)).map(({ seq }) => seq)
}

/**
 * Reads the table in the order of the list instead of scanning all studies; exported so that a test
 * can check the query plan.
 */
export function neededAddendaStatement(
  filter: StudyFilter,
  { above, before, isOldestFirst = false, limit }: SequencePage,
) {
  const { area, severities, statuses, isCancelled, assignedTo, madeIn } = filter
  const customers = listedCustomerIds(filter)
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
