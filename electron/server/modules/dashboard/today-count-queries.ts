import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import { facetOf, type StudyStatus } from '#server/modules/studies/study-facet.ts'

/** How many there are, counted up to a bound, and since when the oldest is there. */
export interface Tally {
  readonly count: number
  readonly since: string | null
}

/** Whose studies are counted: of these customers alone, or all. */
export type CustomersSeen = readonly string[] | undefined

/**
 * Counts of what waits for people. Each runs along an index and stops at `most`, so that a million
 * studies cost what ten do.
 */
export interface TodayCountsStore {
  /**
   * Studies of the reading list that stand so and are not cancelled; `before`: made before the
   * instant.
   */
  unread(of: {
    readonly statuses: readonly StudyStatus[]
    readonly severities: readonly ('stat' | 'high' | 'normal')[]
    readonly customers: CustomersSeen
    readonly before?: string
    readonly most: number
  }): Tally
  /** Reports that the person is writing. */
  drafts(userId: string, most: number): Tally
  /** Critical results that nobody was told of. */
  criticals(customers: CustomersSeen, most: number): Tally
  /** Studies whose signed report needs an addendum. */
  neededAddenda(customers: CustomersSeen, most: number): Tally
  /** Of the 2,000 reports begun last, those signed since the instant. */
  signed(since: string): number
  /**
   * Events that failed since the instant; neither tests nor worklist questions, which the partner's
   * state speaks of.
   */
  failedEvents(since: string, most: number): Tally
  /** Invitations made before the instant that nobody has answered. */
  pendingInvitations(before: string, most: number): Tally
}

const one = (text: string) => `select count(*) as count, min(at) as since from (${text} limit ?)`
// 'in_progress' word for word as the partial index has it.
const DRAFTS = one(
  `select createdAt as at from reports indexed by reportsOneDraft where status = 'in_progress' and userId = ?`,
)
const CRITICALS = one(
  'select openedAt as at from criticalResults where communicatedAt is null order by openedAt',
)
const CRITICALS_OF =
  one(`select c.openedAt as at from criticalResults c join studies s using (studyId)
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

export function todayCountsStore(db: Database): TodayCountsStore {
  const tally = (text: string, parameters: readonly unknown[]): Tally =>
    db.get(rawQuery<Tally>(text, parameters)) ?? { count: 0, since: null }

  /**
   * The first sequence number of a study that was made at the instant or later: they were made in
   * that order, but for a clock set back.
   */
  function sequenceAt(instant: string): number {
    const last =
      db.get(rawQuery<{ seq: number | null }>('select max(seq) as seq from studies', []))?.seq ?? 0
    let [low, high] = [0, last + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const at = db.get(
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
    all: string,
    ofCustomers: string,
    customers: CustomersSeen,
    most: number,
  ): Tally =>
    customers === undefined
      ? tally(all, [most])
      : tally(ofCustomers, [JSON.stringify(customers), most])

  return {
    unread({ statuses, severities, customers, before, most }) {
      const facets = statuses.flatMap((status) =>
        severities.map((severity) => facetOf(status, severity, false)),
      )
      const end = before === undefined ? Number.MAX_SAFE_INTEGER : sequenceAt(before)
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
        const found = db.get(
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
          : db.get(
              rawQuery<{ at: string }>('select createdAt as at from studies where seq = ?', [
                first,
              ]),
            )
      return { count, since: oldest?.at ?? null }
    },
    drafts: (userId, most) => tally(DRAFTS, [userId, most]),
    criticals: (customers, most) => seenTally(CRITICALS, CRITICALS_OF, customers, most),
    neededAddenda: (customers, most) =>
      seenTally(NEEDED_ADDENDA, NEEDED_ADDENDA_OF, customers, most),
    signed: (since) => db.get(rawQuery<{ count: number }>(SIGNED, [since]))?.count ?? 0,
    failedEvents: (since, most) => tally(FAILED, [most, since]),
    pendingInvitations: (before, most) => tally(INVITATIONS, [before, most]),
  }
}
