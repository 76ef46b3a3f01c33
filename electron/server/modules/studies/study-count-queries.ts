import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import { isFound, termsOf } from '#server/database/search-text.ts'
import { type Stretch, stretchOf } from '#server/database/time-range.ts'
import { neededAddenda } from '#server/modules/reports/needed-addendum-queries.ts'
import type { BoundedCount } from '#shared/contract/dashboard-studies.ts'
import { type SearchIndex, STUDY_WORDS } from './search-index.ts'
import { type Area, type FacetFilter, facetsOf } from './study-facet.ts'
import {
  customersShown,
  expressionsOfFilter,
  isLetThrough,
  type StudyFilter,
} from './study-filter.ts'
import { countedSequence } from './study-list-queries.ts'
import type { StudyRecord } from './study-queries.ts'

/** Counting of what is searched for stops here: nobody scrolls through more. */
const MOST_COUNTED = 1000

export interface StudyCounts {
  /**
   * How many studies the filter shows, and how many of what is searched for, or of the whole area,
   * its other parts hide.
   */
  counts(filter: StudyFilter): { readonly shown: BoundedCount; readonly hidden: BoundedCount }
}

const NO_END = Number.MAX_SAFE_INTEGER
const NOTHING: BoundedCount = { count: 0, isMore: false }
const exactly = (count: number): BoundedCount => ({ count, isMore: false })
const bounded = (count: number): BoundedCount => ({
  count: Math.min(count, MOST_COUNTED),
  isMore: count > MOST_COUNTED,
})
const sum = (...counts: readonly BoundedCount[]): BoundedCount => ({
  count: counts.reduce((total, { count }) => total + count, 0),
  isMore: counts.some(({ isMore }) => isMore),
})

export function studyCounts(
  db: Database,
  index: SearchIndex,
  read: (seqs: readonly number[]) => StudyRecord[],
): StudyCounts {
  /** Without a search: tallies, and for a time runs through the indexes of the list. */
  function ofArea(
    filter: StudyFilter,
    stretch: Stretch | undefined,
  ): ReturnType<StudyCounts['counts']> {
    const { area, severities, statuses, isCancelled, assignedTo, madeIn, seenCustomerIds } = filter
    const query = {
      area,
      severity: severities,
      statuses,
      isCancelled,
      assignedTo,
      expressCustomerIds: customersShown(filter),
    }
    const all = tallied(db, { area, expressCustomerIds: seenCustomerIds })
    if (filter.needsAddendum) {
      const shown = stretch ? neededAddenda(db, filter, { ...stretch, limit: NO_END }).length : 0
      return { shown: exactly(shown), hidden: exactly(all - shown) }
    }
    const ofAnyTime = tallied(db, query)
    if (!madeIn) return { shown: exactly(ofAnyTime), hidden: exactly(all - ofAnyTime) }
    if (stretch === undefined) return { shown: NOTHING, hidden: exactly(all) }
    const { above, before, isExact } = stretch
    const count = (above: number, before: number, span?: StudyFilter['madeIn']) =>
      bounded(countedSequence(db, { ...query, above, before, madeIn: span }, MOST_COUNTED + 1))
    const shown = count(above, before, isExact ? undefined : madeIn)
    if (!shown.isMore) return { shown, hidden: exactly(all - shown.count) }
    const { count: hidden, isMore } = sum(
      exactly(all - ofAnyTime),
      count(0, above + 1),
      count(before - 1, NO_END),
    )
    return { shown, hidden: { count: hidden, isMore: isMore || !isExact } }
  }

  function ofSearch(
    filter: StudyFilter,
    stretch: Stretch | undefined,
  ): ReturnType<StudyCounts['counts']> {
    const { words } = index
    const typed = words.expressionsOf(filter.search)
    const { seen, shown, hidden } = expressionsOfFilter(words, filter)
    const base = [...typed.map(({ text }) => text), ...(seen === undefined ? [] : [seen])].join(
      ' AND ',
    )
    const { above, before, isExact } = stretch ?? { above: 0, before: 0, isExact: true }
    const isCompared = typed.some((term) => !term.isExact)
    const terms = termsOf(filter.search)

    const seqs = (match: string, above: number, before: number) =>
      db
        .all(
          rawQuery<{ seq: number }>(matchSql(filter), [
            match,
            BigInt(above),
            BigInt(before),
            MOST_COUNTED + 1,
          ]),
        )
        .map(({ seq }) => seq)
    const found = (candidates: readonly number[]) =>
      read(candidates).filter((study) => isFound(terms, index.ofStudy(study)))
    /** Where there are more candidates than are looked at, there may be more. */
    const counted = (
      candidates: readonly number[],
      takes: (study: StudyRecord) => boolean = () => true,
    ): BoundedCount => {
      if (!isCompared && isExact) return bounded(candidates.length)
      const isMore = candidates.length > MOST_COUNTED
      const looked = isMore ? candidates.slice(0, MOST_COUNTED) : candidates
      return { count: (isCompared ? found(looked) : read(looked)).filter(takes).length, isMore }
    }

    const all = seqs(base, 0, NO_END)
    if (filter.needsAddendum) {
      const total = counted(all)
      const needed = stretch
        ? neededAddenda(db, filter, { ...stretch, limit: MOST_COUNTED + 1 })
        : []
      const shown = {
        count: found(needed.slice(0, MOST_COUNTED)).length,
        isMore: needed.length > MOST_COUNTED,
      }
      // While rows are still being indexed, the search of the whole area finds less.
      return {
        shown,
        hidden: { count: Math.max(0, total.count - shown.count), isMore: total.isMore },
      }
    }
    if (all.length <= MOST_COUNTED) {
      const studies = isCompared ? found(all) : read(all)
      const through = studies.filter((study) => isLetThrough(study, filter)).length
      return { shown: exactly(through), hidden: exactly(studies.length - through) }
    }
    const inside = hidden(base)
    const hiddenInside =
      stretch && inside !== undefined ? counted(seqs(inside, above, before)) : NOTHING
    const isWhole = !filter.madeIn
    const outside = isWhole
      ? NOTHING
      : stretch === undefined
        ? counted(all)
        : sum(counted(seqs(base, 0, above + 1)), counted(seqs(base, before - 1, NO_END)))
    const showing = stretch
      ? counted(seqs([base, ...shown].join(' AND '), above, before), (study) =>
          isLetThrough(study, filter),
        )
      : NOTHING
    const hiding = sum(hiddenInside, outside)
    return {
      shown: showing,
      // At the ends of a time that is not exact there may be others.
      hidden: {
        count: Math.min(hiding.count, MOST_COUNTED),
        isMore: hiding.isMore || hiding.count > MOST_COUNTED || !isExact,
      },
    }
  }

  return {
    counts(filter) {
      const stretch = filter.madeIn
        ? stretchOf(db, filter.madeIn)
        : { above: 0, before: NO_END, isExact: true }
      if (filter.seenCustomerIds?.length === 0) return { shown: NOTHING, hidden: NOTHING }
      return termsOf(filter.search).length === 0
        ? ofArea(filter, stretch)
        : ofSearch(filter, stretch)
    },
  }
}

const matchSql = ({ area }: StudyFilter): string =>
  `select rowid as seq from ${STUDY_WORDS[area]} where ${STUDY_WORDS[area]} match ? and rowid > ? and rowid < ? order by rowid desc limit ?`

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
