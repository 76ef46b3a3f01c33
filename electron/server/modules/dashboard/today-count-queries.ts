import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { facetOf, type StudyStatus } from '#server/modules/studies/study-facet.ts'

/** How many there are, counted up to a bound, and since when the oldest is there. */
export interface Tally {
  readonly count: number
  readonly since: string | null
}

/** Whose studies are counted: of these customers alone, or all. */
export type CustomersSeen = readonly string[] | undefined

// Counts of what waits for people. Each runs along an index and stops at `most`, so that a million
// studies cost what ten do.

const one = (text: string) => `select count(*) as count, min(at) as since from (${text} limit ?)`
// 'in_progress' word for word as the partial index has it.
const DRAFTS = one(
  `select createdAt as at from reports indexed by reportsOneDraft where status = 'in_progress' and userId = ?`,
)
const UNESCALATED = 'not exists (select 1 from criticalEscalations e where e.reportId = c.reportId)'
const CRITICALS = one(
  `select openedAt as at from criticalResults c where communicatedAt is null and ${UNESCALATED} order by openedAt`,
)
const CRITICALS_OF =
  one(`select c.openedAt as at from criticalResults c join studies s using (studyId)
  where c.communicatedAt is null and s.expressCustomerId in (select value from json_each(?))
  and ${UNESCALATED} order by c.openedAt`)
const ESCALATED = one(
  `select e.at from criticalResults c join criticalEscalations e on e.reportId = c.reportId and e.step = 1
  where c.communicatedAt is null order by c.openedAt`,
)
const ESCALATED_OF = one(`select e.at from criticalResults c join studies s using (studyId)
  join criticalEscalations e on e.reportId = c.reportId and e.step = 1
  where c.communicatedAt is null and s.expressCustomerId in (select value from json_each(?)) order by c.openedAt`)
const NEEDED_ADDENDA = one('select since as at from neededAddenda order by since')
const NEEDED_ADDENDA_OF = one(`select n.since as at from neededAddenda n join studies s using (seq)
  where s.expressCustomerId in (select value from json_each(?)) order by n.since`)
const SIGNED =
  'select count(*) as count from (select signedAt from reports order by seq desc limit 2000) where signedAt >= ?'
const FAILED = `select count(*) as count, min(at) as since from (
  select createdAt as at, type, isTest from events indexed by eventsByState where state = 'failed' order by seq desc limit ?)
  where at >= ? and isTest = 0 and type <> 'modality_worklist.requested'`
const INVITATIONS = one(
  `select createdAt as at from invitations where status = 'sent' and createdAt < ?`,
)

/**
 * Studies of the reading list that stand so and are not cancelled; `before`: made before the
 * instant.
 */
export function countUnreadStudies(
  database: Database,
  {
    statuses,
    severities,
    customers,
    before,
    most,
  }: {
    readonly statuses: readonly StudyStatus[]
    readonly severities: readonly ('stat' | 'high' | 'normal')[]
    readonly customers: CustomersSeen
    readonly before?: string
    readonly most: number
  },
): Tally {
  const facets = statuses.flatMap((status) =>
    severities.map((severity) => facetOf(status, severity, false)),
  )
  const end = before === undefined ? Number.MAX_SAFE_INTEGER : sequenceAt(database, before)
  const runs =
    customers === undefined
      ? facets.map((facet) => ({
          index: 'studiesByFacet',
          where: 'facet = ?',
          values: [facet],
        }))
      : customers.flatMap((customer) =>
          facets.map((facet) => ({
            index: 'studiesByCustomer',
            where: 'expressCustomerId is ? and facet = ?',
            values: [customer, facet],
          })),
        )
  let count = 0
  let first: number | undefined
  for (const { index, where, values } of runs) {
    if (count >= most) break
    const text = `select count(*) as count, min(seq) as first from (
          select seq from studies indexed by ${index} where ${where} and seq < ? order by seq limit ?)`
    const found = database.get(
      rawQuery<{ count: number; first: number | null }>(text, [
        ...values,
        BigInt(end),
        most - count,
      ]),
    )
    count += found?.count ?? 0
    const seq = found?.first ?? null
    if (seq !== null && (first === undefined || seq < first)) first = seq
  }
  const oldest =
    first === undefined
      ? undefined
      : database.get(
          rawQuery<{ at: string }>('select createdAt as at from studies where seq = ?', [first]),
        )
  return { count, since: oldest?.at ?? null }
}

/** Reports that the person is writing. */
export const countDrafts = (database: Database, userId: string, most: number): Tally =>
  tally(database, DRAFTS, [userId, most])

/** Critical results that nobody was told of, and that have not been escalated. */
export const countOpenCriticalResults = (
  database: Database,
  customers: CustomersSeen,
  most: number,
): Tally => seenTally(database, CRITICALS, CRITICALS_OF, customers, most)

/** Critical results that nobody was told of in time; `since`: when the first was escalated. */
export const countEscalatedResults = (
  database: Database,
  customers: CustomersSeen,
  most: number,
): Tally => seenTally(database, ESCALATED, ESCALATED_OF, customers, most)

/** Studies whose signed report needs an addendum. */
export const countNeededAddenda = (
  database: Database,
  customers: CustomersSeen,
  most: number,
): Tally => seenTally(database, NEEDED_ADDENDA, NEEDED_ADDENDA_OF, customers, most)

/** Of the 2,000 reports begun last, those signed since the instant. */
export const countSignedReports = (database: Database, since: string): number =>
  database.get(rawQuery<{ count: number }>(SIGNED, [since]))?.count ?? 0

/**
 * Events that failed since the instant; neither tests nor worklist questions, which the partner's
 * state speaks of.
 */
export const countFailedEvents = (database: Database, since: string, most: number): Tally =>
  tally(database, FAILED, [most, since])

/** Invitations made before the instant that nobody has answered. */
export const countPendingInvitations = (database: Database, before: string, most: number): Tally =>
  tally(database, INVITATIONS, [before, most])

const tally = (database: Database, text: string, parameters: readonly unknown[]): Tally =>
  database.get(rawQuery<Tally>(text, parameters)) ?? { count: 0, since: null }

/**
 * The first sequence number of a study that was made at the instant or later: they were made in
 * that order, but for a clock set back.
 */
function sequenceAt(database: Database, instant: string): number {
  const last =
    database.get(rawQuery<{ seq: number | null }>('select max(seq) as seq from studies', []))
      ?.seq ?? 0
  let [low, high] = [0, last + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const at = database.get(
      rawQuery<{ createdAt: string }>(
        'select createdAt from studies where seq >= ? order by seq limit 1',
        [middle],
      ),
    )
    if (at === undefined || at.createdAt >= instant) high = middle
    else low = middle + 1
  }
  return low
}

const seenTally = (
  database: Database,
  all: string,
  ofCustomers: string,
  customers: CustomersSeen,
  most: number,
): Tally =>
  customers === undefined
    ? tally(database, all, [most])
    : tally(database, ofCustomers, [JSON.stringify(customers), most])
