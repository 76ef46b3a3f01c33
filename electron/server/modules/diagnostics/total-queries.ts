import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { countFromTallies } from '#server/modules/studies/study-count-queries.ts'

/** How much the gateway keeps. */
export interface Totals {
  /** Of the reading list, and of the viewer. */
  readonly scribeStudies: number
  readonly viewerStudies: number
  readonly reports: number
  /** Instances of studies, those set aside left out, and their bytes. */
  readonly instances: number
  readonly instanceBytes: number
}

// Parts are read along a key, so that each is small and none is read twice.
const REPORTS =
  'select count(*) as count, max(seq) as last from (select seq from reports where seq > ? order by seq limit ?)'
const IMAGES = `select ifnull(sum(instances), 0) as count, ifnull(sum(bytes), 0) as bytes, max(studyInstanceUid) as last from (
  select studyInstanceUid, instances, bytes from imageStudies where studyInstanceUid > ? order by studyInstanceUid limit ?)`
/** Rows of a part: some milliseconds. */
const [REPORTS_AT_ONCE, STUDIES_AT_ONCE] = [20_000, 1000]

/**
 * Counts everything, in parts between which the event loop turns: devices must not wait for a
 * count.
 */
export async function totalsOf(db: Database): Promise<Totals> {
  let reports = 0
  for (let after = 0; ; ) {
    const part = db.get(
      rawQuery<{ count: number; last: number | null }>(REPORTS, [BigInt(after), REPORTS_AT_ONCE]),
    )
    reports += part?.count ?? 0
    if (typeof part?.last !== 'number') break
    after = part.last
    await nextTurn()
  }
  let [instances, instanceBytes] = [0, 0]
  for (let after = ''; ; ) {
    const part = db.get(
      rawQuery<{ count: number; bytes: number; last: string | null }>(IMAGES, [
        after,
        STUDIES_AT_ONCE,
      ]),
    )
    instances += part?.count ?? 0
    instanceBytes += part?.bytes ?? 0
    if (typeof part?.last !== 'string') break
    after = part.last
    await nextTurn()
  }
  return {
    scribeStudies: countFromTallies(db, { area: 'scribe' }),
    viewerStudies: countFromTallies(db, { area: 'viewer' }),
    reports,
    instances,
    instanceBytes,
  }
}
