import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { matchesTerms, termsOf } from '#server/database/search-text.ts'
import type { BoundedCount } from '#shared/contract/dashboard-studies.ts'
import { listNeededAddenda } from './needed-addendum-queries.ts'
import { searchableTextsOf, searchWordsOf } from './search-index.ts'
import { type Area, type FacetFilter, facetsOf } from './study-facet.ts'
import {
  expressionsOfFilter,
  listedCustomerIds,
  matchesFilters,
  type StudyFilter,
} from './study-filter.ts'
import { countStudySequence } from './study-list-queries.ts'
import { readStudiesBySeq, type StudyRecord } from './study-queries.ts'
import { matchingStudies } from './study-search-queries.ts'
import { type SequenceRange, sequenceRangeOf } from './time-range-queries.ts'

/** Maximum count of search results; an exact count beyond it is not needed. */
const MAX_COUNTED = 1000

const NO_END = Number.MAX_SAFE_INTEGER
const ALL_TIME: SequenceRange = { above: 0, before: NO_END, isExact: true }
const ZERO_COUNT: BoundedCount = { count: 0, isMore: false }
const exactCount = (count: number): BoundedCount => ({ count, isMore: false })
const boundedCount = (count: number): BoundedCount => ({
  count: Math.min(count, MAX_COUNTED),
  isMore: count > MAX_COUNTED,
})
const sumCounts = (...counts: readonly BoundedCount[]): BoundedCount => ({
  count: counts.reduce((total, { count }) => total + count, 0),
  isMore: counts.some(({ isMore }) => isMore),
})

/**
 * Counts the studies that the filter shows, and those it hides among all search results (or without
 * a search, among all studies of the area).
 */
export function countFoundStudies(
  database: Database,
  filter: StudyFilter,
): { readonly shown: BoundedCount; readonly hidden: BoundedCount } {
  const sequenceRange = filter.madeIn ? sequenceRangeOf(database, filter.madeIn) : ALL_TIME
  if (filter.seenCustomerIds?.length === 0) return { shown: ZERO_COUNT, hidden: ZERO_COUNT }
  return termsOf(filter.search).length === 0
    ? countArea(database, filter, sequenceRange)
    : countSearched(database, filter, sequenceRange)
}

/** Counts without a search, from the tallies; with a time range, from the indexes of the list. */
function countArea(
  database: Database,
  filter: StudyFilter,
  stretch: SequenceRange | undefined,
): ReturnType<typeof countFoundStudies> {
  const { area, severities, statuses, isCancelled, assignedTo, madeIn, seenCustomerIds } = filter
  const query = {
    area,
    severity: severities,
    statuses,
    isCancelled,
    assignedTo,
    expressCustomerIds: listedCustomerIds(filter),
  }
  const all = countFromTallies(database, { area, expressCustomerIds: seenCustomerIds })
  if (filter.needsAddendum) {
    const shown = stretch
      ? listNeededAddenda(database, filter, { ...stretch, limit: NO_END }).length
      : 0
    return { shown: exactCount(shown), hidden: exactCount(all - shown) }
  }
  const countOfAnyTime = countFromTallies(database, query)
  if (!madeIn)
    return { shown: exactCount(countOfAnyTime), hidden: exactCount(all - countOfAnyTime) }
  if (stretch === undefined) return { shown: ZERO_COUNT, hidden: exactCount(all) }
  const { above, before, isExact } = stretch
  const count = (above: number, before: number, span?: StudyFilter['madeIn']) =>
    boundedCount(
      countStudySequence(database, { ...query, above, before, madeIn: span }, MAX_COUNTED + 1),
    )
  const shown = count(above, before, isExact ? undefined : madeIn)
  if (!shown.isMore) return { shown, hidden: exactCount(all - shown.count) }
  const { count: hidden, isMore } = sumCounts(
    exactCount(all - countOfAnyTime),
    count(0, above + 1),
    count(before - 1, NO_END),
  )
  return { shown, hidden: { count: hidden, isMore: isMore || !isExact } }
}

function countSearched(
  database: Database,
  filter: StudyFilter,
  stretch: SequenceRange | undefined,
): ReturnType<typeof countFoundStudies> {
  const words = searchWordsOf(database)
  const terms = words.expressionsOf(filter.search)
  const { seen, shown, hidden } = expressionsOfFilter(words, filter)
  const base = [...terms.map(({ text }) => text), ...(seen === undefined ? [] : [seen])].join(
    ' AND ',
  )
  const needsComparison = terms.some((term) => !term.isExact)
  const isExamined = needsComparison || stretch?.isExact === false
  const findMatching = (match: string, part: Pick<SequenceRange, 'above' | 'before'>) =>
    matchingStudies(database, filter.area, match, part, MAX_COUNTED + 1)
  /** Only the first candidates are examined; if there are more, there may be more results. */
  const countMatches = (
    candidates: readonly number[],
    isMatch: (study: StudyRecord) => boolean = () => true,
  ): BoundedCount => {
    if (!isExamined) return boundedCount(candidates.length)
    const examined = studiesOf(database, filter, candidates.slice(0, MAX_COUNTED), needsComparison)
    return { count: examined.filter(isMatch).length, isMore: candidates.length > MAX_COUNTED }
  }

  const all = findMatching(base, ALL_TIME)
  if (filter.needsAddendum) return countNeededAddenda(database, filter, stretch, countMatches(all))
  const matchesOthers = (study: StudyRecord) => matchesFilters(study, filter)
  if (all.length <= MAX_COUNTED) {
    const studies = studiesOf(database, filter, all, needsComparison)
    const matchingCount = studies.filter(matchesOthers).length
    return { shown: exactCount(matchingCount), hidden: exactCount(studies.length - matchingCount) }
  }
  const outside = filter.madeIn ? rangesOutside(stretch) : []
  const outsideCounts = outside.map((part) =>
    countMatches(part === ALL_TIME ? all : findMatching(base, part)),
  )
  if (!stretch) return { shown: ZERO_COUNT, hidden: hiddenOf(sumCounts(...outsideCounts), true) }
  const inside = hidden(base)
  const hiddenInside =
    inside === undefined ? ZERO_COUNT : countMatches(findMatching(inside, stretch))
  return {
    shown: countMatches(findMatching([base, ...shown].join(' AND '), stretch), matchesOthers),
    hidden: hiddenOf(sumCounts(hiddenInside, ...outsideCounts), stretch.isExact),
  }
}

/** The ranges of sequence numbers outside the given range. */
const rangesOutside = (
  stretch: SequenceRange | undefined,
): readonly Pick<SequenceRange, 'above' | 'before'>[] =>
  stretch === undefined
    ? [ALL_TIME]
    : [
        { above: 0, before: stretch.above + 1 },
        { above: stretch.before - 1, before: NO_END },
      ]

/** The number of hidden studies. If the range is not exact, it may contain others at its ends. */
const hiddenOf = ({ count, isMore }: BoundedCount, isExact: boolean): BoundedCount => ({
  count: Math.min(count, MAX_COUNTED),
  isMore: isMore || count > MAX_COUNTED || !isExact,
})

function countNeededAddenda(
  database: Database,
  filter: StudyFilter,
  stretch: SequenceRange | undefined,
  total: BoundedCount,
): ReturnType<typeof countFoundStudies> {
  const needed = stretch
    ? listNeededAddenda(database, filter, { ...stretch, limit: MAX_COUNTED + 1 })
    : []
  const { length: count } = studiesOf(database, filter, needed.slice(0, MAX_COUNTED), true)
  return {
    shown: { count, isMore: needed.length > MAX_COUNTED },
    // Clamped, because while indexing is incomplete, the search of the whole area may find fewer
    // studies.
    hidden: { count: Math.max(0, total.count - count), isMore: total.isMore },
  }
}

/** Reads the studies; with `isCompared`, only those that contain the search text. */
function studiesOf(
  database: Database,
  { search }: StudyFilter,
  seqs: readonly number[],
  isCompared: boolean,
): StudyRecord[] {
  const studies = readStudiesBySeq(database, seqs)
  const terms = termsOf(search)
  return isCompared
    ? studies.filter((study) => matchesTerms(terms, searchableTextsOf(database, study)))
    : studies
}

export interface TallyQuery extends FacetFilter {
  readonly area: Area
  /** Null matches unassigned studies. */
  readonly assignedTo?: string | null | undefined
  readonly expressCustomerIds?: readonly (string | null)[] | undefined
}

/** Counts the studies that match the filters, from tallies that are maintained by triggers. */
export function countFromTallies(db: Database, query: TallyQuery): number {
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
