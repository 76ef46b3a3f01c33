import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { countFromTallies } from '#server/modules/studies/study-count-queries.ts'

/** Totals of the stored objects. */
export interface Totals {
  /** Studies for reporting and for the viewer. */
  readonly scribeStudies: number
  readonly viewerStudies: number
  readonly reports: number
  /** Instances of studies and their size, without quarantined ones. */
  readonly instances: number
  readonly instanceBytes: number
}

// Rows are read in batches along a key, so that each query is short and no row is read twice.
const COUNT_REPORTS =
  'select count(*) as count, max(seq) as last from (select seq from reports where seq > ? order by seq limit ?)'
const COUNT_IMAGES = `select ifnull(sum(instances), 0) as count, ifnull(sum(bytes), 0) as bytes, max(studyInstanceUid) as last from (
  select studyInstanceUid, instances, bytes from imageStudies where studyInstanceUid > ? order by studyInstanceUid limit ?)`
/** Rows per batch, which takes a few milliseconds. */
const [REPORTS_PER_BATCH, STUDIES_PER_BATCH] = [20_000, 1000]

/**
 * Counts everything in batches between which the event loop can run, so that devices need not wait.
 */
export async function totalsOf(db: Database): Promise<Totals> {
  let reports = 0
  for (let after = 0; ; ) {
    const part = db.get(
      rawQuery<{ count: number; last: number | null }>(COUNT_REPORTS, [
        BigInt(after),
        REPORTS_PER_BATCH,
      ]),
    )
    reports += part?.count ?? 0
    if (typeof part?.last !== 'number') break
    after = part.last
    await nextTurn()
  }
  let [instances, instanceBytes] = [0, 0]
  for (let after = ''; ; ) {
    const part = db.get(
      rawQuery<{ count: number; bytes: number; last: string | null }>(COUNT_IMAGES, [
        after,
        STUDIES_PER_BATCH,
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
