import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { isFound, termsOf } from '#server/database/search-text.ts'
import type { BoundedCount } from '#shared/contract/dashboard-studies.ts'
import { neededAddenda } from './needed-addendum-queries.ts'
import { searchableOf, searchWordsOf } from './search-index.ts'
import { type Area, type FacetFilter, facetsOf } from './study-facet.ts'
import {
  customersShown,
  expressionsOfFilter,
  isLetThrough,
  type StudyFilter,
} from './study-filter.ts'
import { countedSequence } from './study-list-queries.ts'
import { readStudiesBySeq, type StudyRecord } from './study-queries.ts'
import { matchingStudies } from './study-search-queries.ts'
import { type Stretch, stretchOf } from './time-range-queries.ts'

/** Counting of what is searched for stops here: nobody scrolls through more. */
const MOST_COUNTED = 1000

const NO_END = Number.MAX_SAFE_INTEGER
const ALL_TIME: Stretch = { above: 0, before: NO_END, isExact: true }
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

/**
 * How many studies the filter shows, and how many of what is searched for, or of the whole area,
 * its other parts hide.
 */
export function countFoundStudies(
  database: Database,
  filter: StudyFilter,
): { readonly shown: BoundedCount; readonly hidden: BoundedCount } {
  const stretch = filter.madeIn ? stretchOf(database, filter.madeIn) : ALL_TIME
  if (filter.seenCustomerIds?.length === 0) return { shown: NOTHING, hidden: NOTHING }
  return termsOf(filter.search).length === 0
    ? countArea(database, filter, stretch)
    : countSearched(database, filter, stretch)
}

/** Without a search: tallies, and for a time runs through the indexes of the list. */
function countArea(
  database: Database,
  filter: StudyFilter,
  stretch: Stretch | undefined,
): ReturnType<typeof countFoundStudies> {
  const { area, severities, statuses, isCancelled, assignedTo, madeIn, seenCustomerIds } = filter
  const query = {
    area,
    severity: severities,
    statuses,
    isCancelled,
    assignedTo,
    expressCustomerIds: customersShown(filter),
  }
  const all = tallied(database, { area, expressCustomerIds: seenCustomerIds })
  if (filter.needsAddendum) {
    const shown = stretch
      ? neededAddenda(database, filter, { ...stretch, limit: NO_END }).length
      : 0
    return { shown: exactly(shown), hidden: exactly(all - shown) }
  }
  const ofAnyTime = tallied(database, query)
  if (!madeIn) return { shown: exactly(ofAnyTime), hidden: exactly(all - ofAnyTime) }
  if (stretch === undefined) return { shown: NOTHING, hidden: exactly(all) }
  const { above, before, isExact } = stretch
  const count = (above: number, before: number, span?: StudyFilter['madeIn']) =>
    bounded(countedSequence(database, { ...query, above, before, madeIn: span }, MOST_COUNTED + 1))
  const shown = count(above, before, isExact ? undefined : madeIn)
  if (!shown.isMore) return { shown, hidden: exactly(all - shown.count) }
  const { count: hidden, isMore } = sum(
    exactly(all - ofAnyTime),
    count(0, above + 1),
    count(before - 1, NO_END),
  )
  return { shown, hidden: { count: hidden, isMore: isMore || !isExact } }
}

function countSearched(
  database: Database,
  filter: StudyFilter,
  stretch: Stretch | undefined,
): ReturnType<typeof countFoundStudies> {
  const words = searchWordsOf(database)
  const typed = words.expressionsOf(filter.search)
  const { seen, shown, hidden } = expressionsOfFilter(words, filter)
  const base = [...typed.map(({ text }) => text), ...(seen === undefined ? [] : [seen])].join(
    ' AND ',
  )
  const isCompared = typed.some((term) => !term.isExact)
  const isLooked = isCompared || stretch?.isExact === false
  const matching = (match: string, part: Pick<Stretch, 'above' | 'before'>) =>
    matchingStudies(database, filter.area, match, part, MOST_COUNTED + 1)
  /** Where there are more candidates than are looked at, there may be more. */
  const counted = (
    candidates: readonly number[],
    takes: (study: StudyRecord) => boolean = () => true,
  ): BoundedCount => {
    if (!isLooked) return bounded(candidates.length)
    const looked = studiesOf(database, filter, candidates.slice(0, MOST_COUNTED), isCompared)
    return { count: looked.filter(takes).length, isMore: candidates.length > MOST_COUNTED }
  }

  const all = matching(base, ALL_TIME)
  if (filter.needsAddendum) return countNeeded(database, filter, stretch, counted(all))
  const isThrough = (study: StudyRecord) => isLetThrough(study, filter)
  if (all.length <= MOST_COUNTED) {
    const studies = studiesOf(database, filter, all, isCompared)
    const through = studies.filter(isThrough).length
    return { shown: exactly(through), hidden: exactly(studies.length - through) }
  }
  const outside = filter.madeIn ? outsideOf(stretch) : []
  const outsideCounts = outside.map((part) =>
    counted(part === ALL_TIME ? all : matching(base, part)),
  )
  if (!stretch) return { shown: NOTHING, hidden: hiddenOf(sum(...outsideCounts), true) }
  const inside = hidden(base)
  const hiddenInside = inside === undefined ? NOTHING : counted(matching(inside, stretch))
  return {
    shown: counted(matching([base, ...shown].join(' AND '), stretch), isThrough),
    hidden: hiddenOf(sum(hiddenInside, ...outsideCounts), stretch.isExact),
  }
}

/** The parts of all time that are outside the stretch. */
const outsideOf = (stretch: Stretch | undefined): readonly Pick<Stretch, 'above' | 'before'>[] =>
  stretch === undefined
    ? [ALL_TIME]
    : [
        { above: 0, before: stretch.above + 1 },
        { above: stretch.before - 1, before: NO_END },
      ]

/** At the ends of a time that is not exact there may be others. */
const hiddenOf = ({ count, isMore }: BoundedCount, isExact: boolean): BoundedCount => ({
  count: Math.min(count, MOST_COUNTED),
  isMore: isMore || count > MOST_COUNTED || !isExact,
})

function countNeeded(
  database: Database,
  filter: StudyFilter,
  stretch: Stretch | undefined,
  total: BoundedCount,
): ReturnType<typeof countFoundStudies> {
  const needed = stretch
    ? neededAddenda(database, filter, { ...stretch, limit: MOST_COUNTED + 1 })
    : []
  const { length: count } = studiesOf(database, filter, needed.slice(0, MOST_COUNTED), true)
  return {
    shown: { count, isMore: needed.length > MOST_COUNTED },
    // While rows are still being indexed, the search of the whole area finds less.
    hidden: { count: Math.max(0, total.count - count), isMore: total.isMore },
  }
}

/** The studies; with `isCompared`, those of them that have what was typed. */
function studiesOf(
  database: Database,
  { search }: StudyFilter,
  seqs: readonly number[],
  isCompared: boolean,
): StudyRecord[] {
  const studies = readStudiesBySeq(database, seqs)
  const terms = termsOf(search)
  return isCompared
    ? studies.filter((study) => isFound(terms, searchableOf(database, study)))
    : studies
}

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
