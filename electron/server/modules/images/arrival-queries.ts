import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'

/** A time span; `to` is excluded. */
interface Span {
  readonly from: string
  readonly to: string
}

const COUNT_ARRIVALS = `select
  (select count(*) from instances where receivedAt >= ? and receivedAt < ?) as images,
  (select count(*) from imageStudies where lastInstanceAt >= ? and lastInstanceAt < ?
    and (instances > 0 or quarantined > 0)) as studies`
const SELECT_BYTES = `select ifnull(sum(bytes), 0) as bytes from imageStudies
  where lastInstanceAt >= ? and lastInstanceAt < ? and createdAt >= ?`
const SELECT_FIRST_ARRIVAL = 'select createdAt from imageStudies order by lastInstanceAt limit 1'

/** Number of images received in the span, and of studies whose latest image was. */
export const countArrivals = (database: Database, { from, to }: Span) =>
  database.get(
    rawQuery<{ images: number; studies: number }>(COUNT_ARRIVALS, [from, to, from, to]),
  ) as {
    images: number
    studies: number
  }

/**
 * Total size of the studies whose latest image was received in the span. Studies created before
 * `since` are excluded, because a single new image would count the entire study again.
 */
export const sumArrivedBytes = (database: Database, { from, to }: Span, since: string): number =>
  database.get(rawQuery<{ bytes: number }>(SELECT_BYTES, [from, to, since]))?.bytes ?? 0

/** When the study with the earliest latest image was created, if there is one. */
export const firstArrival = (database: Database): string | undefined =>
  database.get(rawQuery<{ createdAt: string }>(SELECT_FIRST_ARRIVAL, []))?.createdAt
