import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { facetOf, type StudyStatus } from '#server/modules/studies/study-facet.ts'

/** A count up to a limit, and when the oldest counted item was created. */
export interface CountSince {
  readonly count: number
  readonly since: string | null
}

/** The customers whose studies are counted; `undefined` for all studies. */
export type VisibleCustomers = readonly string[] | undefined

// Each query uses an index and stops at `most` rows, so that its cost does not grow with the data.

const boundedCountSql = (text: string) =>
  `select count(*) as count, min(at) as since from (${text} limit ?)`
// The condition `status = 'in_progress'` must match that of the partial index literally.
const COUNT_DRAFTS = boundedCountSql(
  `select createdAt as at from reports indexed by reportsOneDraft where status = 'in_progress' and userId = ?`,
)
const NOT_ESCALATED_CONDITION =
  'not exists (select 1 from criticalEscalations e where e.reportId = c.reportId)'
const COUNT_ALL_CRITICALS = boundedCountSql(
  `select openedAt as at from criticalResults c where communicatedAt is null and ${NOT_ESCALATED_CONDITION} order by openedAt`,
)
const COUNT_VISIBLE_CRITICALS =
  boundedCountSql(`select c.openedAt as at from criticalResults c join studies s using (studyId)
  where c.communicatedAt is null and s.expressCustomerId in (select value from json_each(?))
  and ${NOT_ESCALATED_CONDITION} order by c.openedAt`)
const COUNT_ALL_ESCALATED = boundedCountSql(
  `select e.at from criticalResults c join criticalEscalations e on e.reportId = c.reportId and e.step = 1
  where c.communicatedAt is null order by c.openedAt`,
)
const COUNT_VISIBLE_ESCALATED =
  boundedCountSql(`select e.at from criticalResults c join studies s using (studyId)
  join criticalEscalations e on e.reportId = c.reportId and e.step = 1
  where c.communicatedAt is null and s.expressCustomerId in (select value from json_each(?)) order by c.openedAt`)
const COUNT_ALL_ADDENDA = boundedCountSql('select since as at from neededAddenda order by since')
const COUNT_VISIBLE_ADDENDA =
  boundedCountSql(`select n.since as at from neededAddenda n join studies s using (seq)
  where s.expressCustomerId in (select value from json_each(?)) order by n.since`)
const COUNT_SIGNED_REPORTS =
  'select count(*) as count from (select signedAt from reports order by seq desc limit 2000) where signedAt >= ?'
const COUNT_FAILED_EVENTS = `select count(*) as count, min(at) as since from (
  select createdAt as at, type, isTest from events indexed by eventsByState where state = 'failed' order by seq desc limit ?)
  where at >= ? and isTest = 0 and type <> 'modality_worklist.requested'`
const COUNT_INVITATIONS = boundedCountSql(
  `select createdAt as at from invitations where status = 'sent' and createdAt < ?`,
)

/**
 * Counts studies of the reading list that have one of the statuses and severities and are not
 * cancelled; with `before`, only those that were created before that time.
 */
export function countUnreadStudies(
  database: Database,
  {
    statuses,
    severities,
    customers,
    before,
    limit,
  }: {
    readonly statuses: readonly StudyStatus[]
    readonly severities: readonly ('stat' | 'high' | 'normal')[]
    readonly customers: VisibleCustomers
    readonly before?: string
    readonly limit: number
  },
): CountSince {
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
    if (count >= limit) break
    const text = `select count(*) as count, min(seq) as first from (
          select seq from studies indexed by ${index} where ${where} and seq < ? order by seq limit ?)`
    const found = database.get(
      rawQuery<{ count: number; first: number | null }>(text, [
        ...values,
        BigInt(end),
        limit - count,
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

/** Reports that the user is writing. */
export const countDrafts = (database: Database, userId: string, limit: number): CountSince =>
  runCount(database, COUNT_DRAFTS, [userId, limit])

/** Critical results that have been neither communicated nor escalated. */
export const countOpenCriticalResults = (
  database: Database,
  customers: VisibleCustomers,
  limit: number,
): CountSince =>
  countVisible(database, COUNT_ALL_CRITICALS, COUNT_VISIBLE_CRITICALS, customers, limit)

/** Critical results that were escalated; `since` is the time of the first escalation. */
export const countEscalatedResults = (
  database: Database,
  customers: VisibleCustomers,
  limit: number,
): CountSince =>
  countVisible(database, COUNT_ALL_ESCALATED, COUNT_VISIBLE_ESCALATED, customers, limit)

/** Studies whose signed report needs an addendum. */
export const countNeededAddenda = (
  database: Database,
  customers: VisibleCustomers,
  limit: number,
): CountSince => countVisible(database, COUNT_ALL_ADDENDA, COUNT_VISIBLE_ADDENDA, customers, limit)

/** Number of reports signed since the given time, among the 2,000 most recently created ones. */
export const countSignedReports = (database: Database, since: string): number =>
  database.get(rawQuery<{ count: number }>(COUNT_SIGNED_REPORTS, [since]))?.count ?? 0

/**
 * Events that failed since the given time, without test events and worklist requests. Failed
 * worklist requests are part of the partner's status.
 */
export const countFailedEvents = (database: Database, since: string, limit: number): CountSince =>
  runCount(database, COUNT_FAILED_EVENTS, [limit, since])

/** Unanswered invitations that were created before the given time. */
export const countPendingInvitations = (
  database: Database,
  before: string,
  limit: number,
): CountSince => runCount(database, COUNT_INVITATIONS, [before, limit])

const runCount = (database: Database, text: string, parameters: readonly unknown[]): CountSince =>
  database.get(rawQuery<CountSince>(text, parameters)) ?? { count: 0, since: null }

/**
 * The sequence number of the first study that was created at or after the given time. Studies are
 * numbered in the order of creation, unless the clock was set back.
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

const countVisible = (
  database: Database,
  all: string,
  ofCustomers: string,
  customers: VisibleCustomers,
  limit: number,
): CountSince =>
  customers === undefined
    ? runCount(database, all, [limit])
    : runCount(database, ofCustomers, [JSON.stringify(customers), limit])
