import type { Database } from '#server/database/database.ts'
import type { Slice } from '#server/database/page.ts'
import { rawQuery } from '#server/database/query.ts'
import { isFound, termsOf } from '#server/database/search-text.ts'
import { SEVERITIES } from '#shared/contract/values.ts'
import { neededAddenda } from './needed-addendum-queries.ts'
import { STUDY_WORDS, searchableOf, searchWordsOf } from './search-index.ts'
import type { Area } from './study-facet.ts'
import { customersShown, expressionsOfFilter, isMadeIn, type StudyFilter } from './study-filter.ts'
import { type StudyQuery, studySequence } from './study-list-queries.ts'
import { readStudiesBySeq, type StudyRecord } from './study-queries.ts'
import { type Stretch, stretchOf } from './time-range-queries.ts'

/** newest: the last made first; priority: stat, high, normal, and in each the oldest first. */
export type StudyOrder = 'newest' | 'priority'

/* The lists of the window: studies of an area by what was typed and chosen (`StudyFilter`). */

const NO_END = Number.MAX_SAFE_INTEGER
const ALL_TIME: Stretch = { above: 0, before: NO_END, isExact: true }
/** The urgent ones first. */
const BY_PRIORITY = SEVERITIES.toReversed()
/** Studies opened for one page to compare them with what was typed. */
const MOST_OPENED = 600
const OPENED_AT_ONCE = 50
/**
 * Studies with what was typed that are put in order here: where few have it, each severity by
 * itself is a search through all.
 */
const FEW = 100

/** A run of the list in one direction. */
interface Run {
  readonly filter: StudyFilter
  readonly isOldestFirst: boolean
  /** Of the last study before, as a sequence number. */
  readonly after: number | undefined
  readonly positionOf: (study: StudyRecord) => string
}

/**
 * A page, which is short or empty where much was looked at for little: `next` goes on behind what
 * was looked at. Nothing on it that was not compared as a whole where the index of words alone
 * does not say enough.
 */
export function searchStudies(
  database: Database,
  filter: StudyFilter,
  order: StudyOrder,
  after: string | undefined,
  limit: number,
): Slice<StudyRecord> {
  const terms = termsOf(filter.search)
  const stretch = filter.madeIn ? stretchOf(database, filter.madeIn) : ALL_TIME
  if (stretch === undefined || customersShown(filter)?.length === 0) return { items: [] }
  const runs = runsOf(filter, order, after)
  const isTaken = (study: StudyRecord, isCompared: boolean) =>
    !isCompared ||
    ((!filter.madeIn || isMadeIn(study, filter.madeIn)) &&
      isFound(terms, searchableOf(database, study)))
  const few = runs.length > 1 ? fewOf(database, filter, stretch, runs) : undefined
  if (few) {
    const taken = few.studies.filter((study) => isTaken(study, few.isCompared))
    const last = taken[limit - 1]
    return {
      items: taken.slice(0, limit),
      ...(last && taken.length > limit && { next: few.positionOf(last) }),
    }
  }
  const found: { readonly study: StudyRecord; readonly position: string }[] = []
  let opened = 0
  for (const run of runs) {
    const { isCompared, text } = matchOf(database, run.filter, stretch)
    const takes = (study: StudyRecord) => isTaken(study, isCompared)
    let left = withoutBefore(stretch, run)
    for (;;) {
      const wanted = limit + 1 - found.length
      const atOnce = isCompared ? Math.max(wanted, OPENED_AT_ONCE) : wanted
      const studies = readStudiesBySeq(database, candidates(database, run, left, text, atOnce))
      for (const study of studies) {
        opened += 1
        if (takes(study)) found.push({ study, position: run.positionOf(study) })
        if (found.length > limit)
          return {
            items: found.slice(0, limit).map((one) => one.study),
            next: found[limit - 1]?.position ?? '',
          }
      }
      const last = studies.at(-1)
      if (last === undefined || studies.length < atOnce) break
      if (opened >= MOST_OPENED)
        return { items: found.map((one) => one.study), next: run.positionOf(last) }
      left = withoutBefore(left, { ...run, after: last.seq })
    }
  }
  return { items: found.map((one) => one.study) }
}

/** The sequence numbers of a run, in its order. */
function candidates(
  database: Database,
  { filter, isOldestFirst }: Run,
  stretch: Stretch,
  match: string | undefined,
  limit: number,
): number[] {
  if (filter.needsAddendum)
    return neededAddenda(database, filter, { ...stretch, isOldestFirst, limit })
  if (match !== undefined)
    return matchingStudies(database, filter.area, match, stretch, limit, isOldestFirst)
  const { area, severities, statuses, isCancelled, assignedTo, madeIn } = filter
  const query: StudyQuery = {
    ...{ area, statuses, isCancelled, assignedTo, isOldestFirst, limit },
    ...{ severity: severities, expressCustomerIds: customersShown(filter) },
    // What is read in one direction needs no end in the other.
    ...((isOldestFirst || stretch.above > 0) && { above: stretch.above }),
    ...{ before: stretch.before, madeIn: stretch.isExact ? undefined : madeIn },
  }
  return studySequence(database, query)
}

/**
 * All that the runs would find, in their order; undefined where it is more than a few, or nothing
 * was typed.
 */
function fewOf(database: Database, filter: StudyFilter, stretch: Stretch, runs: readonly Run[]) {
  const { text, isCompared } = matchOf(database, filter, stretch)
  const [first] = runs
  if (text === undefined || !first) return undefined
  const seqs = candidates(database, { ...first, filter }, stretch, text, FEW + 1)
  if (seqs.length > FEW) return undefined
  const runOf = ({ severity }: StudyRecord) =>
    runs.findIndex((run) => run.filter.severities?.includes(severity))
  const studies = readStudiesBySeq(database, seqs)
    .map((study) => ({ study, run: runOf(study) }))
    .filter(({ study, run }) => run >= 0 && study.seq > (runs[run]?.after ?? 0))
    .sort((a, b) => a.run - b.run || a.study.seq - b.study.seq)
    .map(({ study }) => study)
  return {
    studies,
    isCompared,
    positionOf: (study: StudyRecord) => runs[runOf(study)]?.positionOf(study) ?? '',
  }
}

/**
 * The FTS5 expression of a filter with a search; undefined without one. `isCompared`: what it lets
 * through is compared as a whole.
 */
function matchOf(
  database: Database,
  filter: StudyFilter,
  { isExact }: Pick<Stretch, 'isExact'>,
): { readonly text: string | undefined; readonly isCompared: boolean } {
  const words = searchWordsOf(database)
  const terms = words.expressionsOf(filter.search)
  if (terms.length === 0) return { text: undefined, isCompared: false }
  // Those are few: each is compared.
  if (filter.needsAddendum) return { text: undefined, isCompared: true }
  const { seen, shown } = expressionsOfFilter(words, filter)
  const text = [
    ...terms.map((term) => term.text),
    ...(seen === undefined ? [] : [seen]),
    ...shown,
  ].join(' AND ')
  return { text, isCompared: !isExact || terms.some((term) => !term.isExact) }
}

/** Sequence numbers of the studies of the area in the stretch that the FTS5 expression matches. */
export function matchingStudies(
  database: Database,
  area: Area,
  match: string,
  { above, before }: Pick<Stretch, 'above' | 'before'>,
  limit: number,
  isOldestFirst = false,
): number[] {
  const words = STUDY_WORDS[area]
  // FTS5 gives its rows by falling or rising rowid without sorting.
  const text = `select rowid as seq from ${words} where ${words} match ? and rowid > ? and rowid < ?
    order by rowid ${isOldestFirst ? 'asc' : 'desc'} limit ?`
  const values = [match, BigInt(above), BigInt(before), limit]
  return database.all(rawQuery<{ seq: number }>(text, values)).map(({ seq }) => seq)
}

const withoutBefore = (
  stretch: Stretch,
  { isOldestFirst, after }: Pick<Run, 'isOldestFirst' | 'after'>,
): Stretch => {
  if (after === undefined) return stretch
  return isOldestFirst
    ? { ...stretch, above: Math.max(stretch.above, after) }
    : { ...stretch, before: Math.min(stretch.before, after) }
}

/** A position of the list by priority is the rank of the severity and a sequence number. */
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
  return BY_PRIORITY.flatMap((severity, at) => {
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
