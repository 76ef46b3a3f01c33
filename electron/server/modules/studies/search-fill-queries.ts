import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { computeMissingMismatches, hasUncomputedMismatch } from './image-study-queries.ts'
import { indexForRetrieval } from './retrieval-index-queries.ts'
import { indexImageWords, indexStudyWords } from './search-index.ts'
import { readStudiesBySeq } from './study-queries.ts'

/*
 * Adds studies and images that are older than an index to it, in batches, newest first: the word
 * index, and the index of queries for images.
 */

type IndexName = 'studies' | 'images' | 'retrieval'
/** The studies of both areas share one sequence. */
const STUDIES = 'select seq as number from studies where seq < ? order by seq desc limit ?'
const SELECT_IMAGE_STUDIES =
  'select number, studyInstanceUid from imageStudyNumbers where number < ? order by number desc limit ?'

/** Indexes a batch and returns the indexed row numbers in descending order. */
const fillBatch: Readonly<
  Record<IndexName, (database: Database, below: number, count: number) => number[]>
> = {
  studies(database, below, count) {
    const numbers = database
      .all(rawQuery<{ number: number }>(STUDIES, [below, count]))
      .map(({ number }) => number)
    for (const study of readStudiesBySeq(database, numbers)) indexStudyWords(database, study)
    return numbers
  },
  images(database, below, count) {
    const rows = database.all(
      rawQuery<{ number: number; studyInstanceUid: string }>(SELECT_IMAGE_STUDIES, [below, count]),
    )
    for (const { studyInstanceUid } of rows) indexImageWords(database, studyInstanceUid)
    return rows.map(({ number }) => number)
  },
  retrieval(database, below, count) {
    const rows = database.all(
      rawQuery<{ number: number; studyInstanceUid: string }>(SELECT_IMAGE_STUDIES, [below, count]),
    )
    for (const { studyInstanceUid } of rows) indexForRetrieval(database, studyInstanceUid)
    return rows.map(({ number }) => number)
  },
}

/** Whether older studies are still being added to the index of queries for images. */
export const isIndexingForRetrieval = (database: Database): boolean =>
  fillTasks(database).some(({ what }) => what !== 'studies')

/** An upper bound of the number of rows that are not indexed yet; 0 when indexing is complete. */
export const countUnindexed = (database: Database): number =>
  fillTasks(database).reduce((total, { below }) => total + below - 1, 0)

/**
 * Indexes the next `count` rows and records the progress, in one transaction. Returns whether there
 * are more.
 */
export const fillSearchIndex = (database: Database, count: number): boolean =>
  database.transaction(() => {
    const [task] = fillTasks(database)
    if (!task) return false
    const numbers = fillBatch[task.what](database, task.below, count)
    const lowest = numbers.at(-1)
    if (lowest === undefined || numbers.length < count)
      database.run(database.sql.deleteFrom('searchFill').where('what', '=', task.what))
    else
      database.run(
        database.sql.updateTable('searchFill').set({ below: lowest }).where('what', '=', task.what),
      )
    return fillTasks(database).length > 0
  })

const fillTasks = (database: Database) =>
  database.all(database.sql.selectFrom('searchFill').selectAll().orderBy('what', 'desc')) as {
    what: IndexName
    below: number
  }[]

/** Rows per transaction: a few milliseconds of work before yielding to the event loop. */
const ROWS_PER_TURN = 20

/**
 * Completes the word index and the mismatch flags for studies and images that are older than these,
 * newest first, and resumes where the last run ended. Until it is complete, searches find only what
 * is indexed. Resolves when it is complete or the signal is aborted.
 */
export async function fillSearch({ database }: Context, signal: AbortSignal): Promise<void> {
  const tasks = [
    {
      isNeeded: () => hasUncomputedMismatch(database),
      fill: () => computeMissingMismatches(database, ROWS_PER_TURN),
    },
    {
      isNeeded: () => countUnindexed(database) > 0,
      fill: () => fillSearchIndex(database, ROWS_PER_TURN),
    },
  ]
  for (const { isNeeded, fill } of tasks) {
    let hasMore = isNeeded()
    while (hasMore && !signal.aborted) {
      hasMore = await database.commitSoon(fill)
      await nextTurn()
    }
  }
}
