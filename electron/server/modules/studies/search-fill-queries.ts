import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { compareUncompared, isAnyUncompared } from './image-study-queries.ts'
import { keepImageWords, keepStudyWords } from './search-index.ts'
import { readStudiesBySeq } from './study-queries.ts'

/*
 * Studies and images that were here before the index of words was: they are indexed in portions,
 * the newest first.
 */

type What = 'studies' | 'images'
/** Studies of both areas are one order of creation. */
const STUDIES = 'select seq as number from studies where seq < ? order by seq desc limit ?'
const IMAGES =
  'select number, studyInstanceUid from imageStudyNumbers where number < ? order by number desc limit ?'

/** Row numbers that were indexed, falling. */
const fillPortion: Readonly<
  Record<What, (database: Database, below: number, count: number) => number[]>
> = {
  studies(database, below, count) {
    const numbers = database
      .all(rawQuery<{ number: number }>(STUDIES, [below, count]))
      .map(({ number }) => number)
    for (const study of readStudiesBySeq(database, numbers)) keepStudyWords(database, study)
    return numbers
  },
  images(database, below, count) {
    const rows = database.all(
      rawQuery<{ number: number; studyInstanceUid: string }>(IMAGES, [below, count]),
    )
    for (const { studyInstanceUid } of rows) keepImageWords(database, studyInstanceUid)
    return rows.map(({ number }) => number)
  },
}

/** How many rows at most are not indexed yet: 0 when it is done. */
export const countUnindexed = (database: Database): number =>
  fillTasks(database).reduce((total, { below }) => total + below - 1, 0)

/**
 * Indexes so many rows more, in one transaction that says how far it came. Whether there are
 * more.
 */
export const fillSearchIndex = (database: Database, count: number): boolean =>
  database.transaction(() => {
    const [task] = fillTasks(database)
    if (!task) return false
    const numbers = fillPortion[task.what](database, task.below, count)
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
    what: What
    below: number
  }[]

/** A few milliseconds of work between two turns of the event loop. */
const AT_A_TIME = 20

/**
 * Fills the indexes with the studies and images that are older than these are, and goes on where
 * the last run ended: the index of words, the newest first, and the studies with a mismatch of
 * identity. Until it is done a list finds what is indexed. Resolves when it is done or the signal
 * aborts.
 */
export async function fillSearch({ database }: Context, signal: AbortSignal): Promise<void> {
  const fillings = [
    {
      isNeeded: () => isAnyUncompared(database),
      fill: () => compareUncompared(database, AT_A_TIME),
    },
    {
      isNeeded: () => countUnindexed(database) > 0,
      fill: () => fillSearchIndex(database, AT_A_TIME),
    },
  ]
  for (const { isNeeded, fill } of fillings) {
    let isMore = isNeeded()
    while (isMore && !signal.aborted) {
      isMore = await database.commitSoon(fill)
      await nextTurn()
    }
  }
}
