import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'

/* What arrived in a span of time, counted along the indexes by time. */

/** `to` excluded. */
interface Span {
  readonly from: string
  readonly to: string
}

const ARRIVED = `select
  (select count(*) from instances where receivedAt >= ? and receivedAt < ?) as images,
  (select count(*) from imageStudies where lastInstanceAt >= ? and lastInstanceAt < ?
    and (instances > 0 or quarantined > 0)) as studies`
const BYTES = `select ifnull(sum(bytes), 0) as bytes from imageStudies
  where lastInstanceAt >= ? and lastInstanceAt < ? and createdAt >= ?`
const FIRST = 'select createdAt from imageStudies order by lastInstanceAt limit 1'

/** Images that arrived in the span, and studies whose last image so far did. */
export const countArrivals = (database: Database, { from, to }: Span) =>
  database.get(rawQuery<{ images: number; studies: number }>(ARRIVED, [from, to, from, to])) as {
    images: number
    studies: number
  }

/**
 * Bytes of the studies whose last image so far arrived in the span. One that began before `since`
 * is left out: an image that is added to it would count all of it again.
 */
export const sumArrivedBytes = (database: Database, { from, to }: Span, since: string): number =>
  database.get(rawQuery<{ bytes: number }>(BYTES, [from, to, since]))?.bytes ?? 0

/** When the study began to arrive that was completed first; undefined without a study. */
export const firstArrival = (database: Database): string | undefined =>
  database.get(rawQuery<{ createdAt: string }>(FIRST, []))?.createdAt
