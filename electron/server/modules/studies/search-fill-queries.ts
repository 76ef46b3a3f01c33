import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { SearchIndex } from './search-index.ts'
import type { StudiesStore } from './study-queries.ts'

/**
 * Studies and images that were here before the index of words was: they are indexed in portions,
 * the newest first.
 */
export interface SearchFillStore {
  /** How many rows at most are not indexed yet: 0 when it is done. */
  left(): number
  /**
   * Indexes so many rows more, in one transaction that says how far it came. Whether there are
   * more.
   */
  fill(count: number): boolean
}

type What = 'studies' | 'images'
/** Studies of both areas are one order of creation. */
const STUDIES = 'select seq as number from studies where seq < ? order by seq desc limit ?'
const IMAGES =
  'select number, studyInstanceUid from imageStudyNumbers where number < ? order by number desc limit ?'

export function searchFillStore(
  db: Database,
  index: SearchIndex,
  studies: Pick<StudiesStore, 'bySeq'>,
): SearchFillStore {
  const tasks = () =>
    db.all(db.sql.selectFrom('searchFill').selectAll().orderBy('what', 'desc')) as {
      what: What
      below: number
    }[]

  /** Row numbers that were indexed, falling. */
  const indexed: Readonly<Record<What, (below: number, count: number) => number[]>> = {
    studies(below, count) {
      const numbers = db
        .all(rawQuery<{ number: number }>(STUDIES, [below, count]))
        .map(({ number }) => number)
      for (const study of studies.bySeq(numbers)) index.keepStudy(study)
      return numbers
    },
    images(below, count) {
      const rows = db.all(
        rawQuery<{ number: number; studyInstanceUid: string }>(IMAGES, [below, count]),
      )
      for (const { studyInstanceUid } of rows) index.keepImages(studyInstanceUid)
      return rows.map(({ number }) => number)
    },
  }

  return {
    left: () => tasks().reduce((total, { below }) => total + below - 1, 0),
    fill: (count) =>
      db.transaction(() => {
        const [task] = tasks()
        if (!task) return false
        const numbers = indexed[task.what](task.below, count)
        const lowest = numbers.at(-1)
        if (lowest === undefined || numbers.length < count)
          db.run(db.sql.deleteFrom('searchFill').where('what', '=', task.what))
        else
          db.run(
            db.sql.updateTable('searchFill').set({ below: lowest }).where('what', '=', task.what),
          )
        return tasks().length > 0
      }),
  }
}
