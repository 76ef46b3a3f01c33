import type { Database } from '#server/database/database.ts'
import type { Slice } from '#server/database/page.ts'
import { rawQuery } from '#server/database/query.ts'
import { matchesTerms, termsOf } from '#server/database/search-text.ts'
import { SEVERITIES } from '#shared/contract/values.ts'
import { listNeededAddenda } from './needed-addendum-queries.ts'
import { STUDY_WORDS, searchableTextsOf, searchWordsOf } from './search-index.ts'
import type { Area } from './study-facet.ts'
import {
  expressionsOfFilter,
  isCreatedIn,
  listedCustomerIds,
  type StudyFilter,
} from './study-filter.ts'
import { type StudyQuery, studySequence } from './study-list-queries.ts'
import { readStudiesBySeq, type StudyRecord } from './study-queries.ts'
import { type SequenceRange, sequenceRangeOf } from './time-range-queries.ts'

/**
 * newest: newest first; priority: by severity (STAT, high, normal), and oldest first within each.
 */
export type StudyOrder = 'newest' | 'priority'

/* The study lists of the window, by search text and filters (`StudyFilter`). */

const NO_END = Number.MAX_SAFE_INTEGER
const ALL_TIME: SequenceRange = { above: 0, before: NO_END, isExact: true }
/** The most urgent first. */
const SEVERITIES_BY_PRIORITY = SEVERITIES.toReversed()
/**
 * Maximum number of studies decrypted for one page in order to compare them with the search text.
 */
const MAX_DECRYPTED = 600
const DECRYPTED_PER_READ = 50
/**
 * Up to this many search results are sorted by priority in memory. With few results, a search per
 * severity would be slow.
 */
const MAX_SORTED_MATCHES = 100

/** A part of the list that is read in one direction. */
interface Run {
  readonly filter: StudyFilter
  readonly isOldestFirst: boolean
  /** Sequence number of the last study on the previous page. */
  readonly after: number | undefined
  readonly positionOf: (study: StudyRecord) => string
}

/**
 * Returns a page of search results. A page may be short or empty if many studies were examined for
 * few results; `next` continues after the last examined study. Where the word index is not
 * sufficient, each result has been compared with the full text.
 */
export function searchStudies(
  database: Database,
  filter: StudyFilter,
  order: StudyOrder,
  after: string | undefined,
  limit: number,
): Slice<StudyRecord> {
  const terms = termsOf(filter.search)
  const sequenceRange = filter.madeIn ? sequenceRangeOf(database, filter.madeIn) : ALL_TIME
  if (sequenceRange === undefined || listedCustomerIds(filter)?.length === 0) return { items: [] }
  const runs = runsOf(filter, order, after)
  const matchesSearch = (study: StudyRecord, isCompared: boolean) =>
    !isCompared ||
    ((!filter.madeIn || isCreatedIn(study, filter.madeIn)) &&
      matchesTerms(terms, searchableTextsOf(database, study)))
  const sorted = runs.length > 1 ? sortedResults(database, filter, sequenceRange, runs) : undefined
  if (sorted) {
    const matching = sorted.studies.filter((study) => matchesSearch(study, sorted.isCompared))
    const last = matching[limit - 1]
    return {
      items: matching.slice(0, limit),
      ...(last && matching.length > limit && { next: sorted.positionOf(last) }),
    }
  }
  const found: { readonly study: StudyRecord; readonly position: string }[] = []
  let decrypted = 0
  for (const run of runs) {
    const { isCompared, text } = matchOf(database, run.filter, sequenceRange)
    const isMatch = (study: StudyRecord) => matchesSearch(study, isCompared)
    let remaining = afterCursor(sequenceRange, run)
    for (;;) {
      const wanted = limit + 1 - found.length
      const batchSize = isCompared ? Math.max(wanted, DECRYPTED_PER_READ) : wanted
      const studies = readStudiesBySeq(
        database,
        candidates(database, run, remaining, text, batchSize),
      )
      for (const study of studies) {
        decrypted += 1
        if (isMatch(study)) found.push({ study, position: run.positionOf(study) })
        if (found.length > limit)
          return {
            items: found.slice(0, limit).map((one) => one.study),
            next: found[limit - 1]?.position ?? '',
          }
      }
      const last = studies.at(-1)
      if (last === undefined || studies.length < batchSize) break
      if (decrypted >= MAX_DECRYPTED)
        return { items: found.map((one) => one.study), next: run.positionOf(last) }
      remaining = afterCursor(remaining, { ...run, after: last.seq })
    }
  }
  return { items: found.map((one) => one.study) }
}

/** The sequence numbers of a run, in its order. */
function candidates(
  database: Database,
  { filter, isOldestFirst }: Run,
  stretch: SequenceRange,
  match: string | undefined,
  limit: number,
): number[] {
  if (filter.needsAddendum)
    return listNeededAddenda(database, filter, { ...stretch, isOldestFirst, limit })
  if (match !== undefined)
    return matchingStudies(database, filter.area, match, stretch, limit, isOldestFirst)
  const { area, severities, statuses, isCancelled, assignedTo, madeIn } = filter
  const query: StudyQuery = {
    ...{ area, statuses, isCancelled, assignedTo, isOldestFirst, limit },
    ...{ severity: severities, expressCustomerIds: listedCustomerIds(filter) },
    // A scan in one direction needs only one bound.
    ...((isOldestFirst || stretch.above > 0) && { above: stretch.above }),
    ...{ before: stretch.before, madeIn: stretch.isExact ? undefined : madeIn },
  }
  return studySequence(database, query)
}

/**
 * All results of the runs, in order; undefined if there are too many, or there is no search text.
 */
function sortedResults(
  database: Database,
  filter: StudyFilter,
  stretch: SequenceRange,
  runs: readonly Run[],
) {
  const { text, isCompared } = matchOf(database, filter, stretch)
  const [first] = runs
  if (text === undefined || !first) return undefined
  const seqs = candidates(database, { ...first, filter }, stretch, text, MAX_SORTED_MATCHES + 1)
  if (seqs.length > MAX_SORTED_MATCHES) return undefined
  const runIndexOf = ({ severity }: StudyRecord) =>
    runs.findIndex((run) => run.filter.severities?.includes(severity))
  const studies = readStudiesBySeq(database, seqs)
    .map((study) => ({ study, run: runIndexOf(study) }))
    .filter(({ study, run }) => run >= 0 && study.seq > (runs[run]?.after ?? 0))
    .sort((a, b) => a.run - b.run || a.study.seq - b.study.seq)
    .map(({ study }) => study)
  return {
    studies,
    isCompared,
    positionOf: (study: StudyRecord) => runs[runIndexOf(study)]?.positionOf(study) ?? '',
  }
}

/**
 * The FTS5 expression of a filter with a search text; undefined without one. `isCompared` is set if
 * results have to be compared with the full text.
 */
function matchOf(
  database: Database,
  filter: StudyFilter,
  { isExact }: Pick<SequenceRange, 'isExact'>,
): { readonly text: string | undefined; readonly isCompared: boolean } {
  const words = searchWordsOf(database)
  const terms = words.expressionsOf(filter.search)
  if (terms.length === 0) return { text: undefined, isCompared: false }
  // There are few of them, so each is compared.
  if (filter.needsAddendum) return { text: undefined, isCompared: true }
  const { seen, shown } = expressionsOfFilter(words, filter)
  const text = [
    ...terms.map((term) => term.text),
    ...(seen === undefined ? [] : [seen]),
    ...shown,
  ].join(' AND ')
  return { text, isCompared: !isExact || terms.some((term) => !term.isExact) }
}

/** Sequence numbers of the studies of an area, within a range, that match the FTS5 expression. */
export function matchingStudies(
  database: Database,
  area: Area,
  match: string,
  { above, before }: Pick<SequenceRange, 'above' | 'before'>,
  limit: number,
  isOldestFirst = false,
): number[] {
  const words = STUDY_WORDS[area]
  // FTS5 returns rows in ascending or descending order of rowid without sorting.
  const text = `select rowid as seq from ${words} where ${words} match ? and rowid > ? and rowid < ?
    order by rowid ${isOldestFirst ? 'asc' : 'desc'} limit ?`
  const values = [match, BigInt(above), BigInt(before), limit]
  return database.all(rawQuery<{ seq: number }>(text, values)).map(({ seq }) => seq)
}

const afterCursor = (
  stretch: SequenceRange,
  { isOldestFirst, after }: Pick<Run, 'isOldestFirst' | 'after'>,
): SequenceRange => {
  if (after === undefined) return stretch
  return isOldestFirst
    ? { ...stretch, above: Math.max(stretch.above, after) }
    : { ...stretch, before: Math.min(stretch.before, after) }
}

/** A position in the priority order consists of the rank of the severity and a sequence number. */
function runsOf(filter: StudyFilter, order: StudyOrder, after: string | undefined): Run[] {
  if (order === 'newest') {
    const positionOf = ({ seq }: StudyRecord) => String(seq)
    return [
      {
        filter,
        isOldestFirst: false,
        after: after === undefined ? undefined : Number(after),
        positionOf,
      },
    ]
  }
  const [rank = 0, seq] = after === undefined ? [] : after.split(' ').map(Number)
  return SEVERITIES_BY_PRIORITY.flatMap((severity, at) => {
    if (at < rank || filter.severities?.includes(severity) === false) return []
    const positionOf = (study: StudyRecord) => `${at} ${study.seq}`
    return [
      {
        filter: { ...filter, severities: [severity] },
        isOldestFirst: true,
        after: at === rank ? seq : undefined,
        positionOf,
      },
    ]
  })
}
