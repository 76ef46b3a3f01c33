import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'

/** The file of an instance from which a thumbnail is rendered. */
export interface ThumbnailSource {
  readonly instanceId: number
  readonly file: string
  readonly crc32: number
  readonly localRemovedAt: string | null
}

const CURRENT_IMAGES = `instances where studyInstanceUid = ? and state = 'current' and image is not null`
const LARGEST_SERIES = `select seriesInstanceUid from ${CURRENT_IMAGES}
  group by seriesInstanceUid order by count(*) desc, seriesInstanceUid limit 1`
// Instance numbers are text and may be missing; images without one are in the order of arrival.
const SELECT_THUMBNAIL_SOURCES = `select instanceId, file, crc32, localRemovedAt from (
    select instanceId, file, crc32, localRemovedAt, count(*) over () as count,
      row_number() over (order by cast(instanceNumber as integer), instanceId) as place
    from ${CURRENT_IMAGES} and seriesInstanceUid = ?)
  where place in (count / 2 + 1, 1, count) order by place <> count / 2 + 1, place`

/** The middle, first and last image of a series, in this order. */
export const listThumbnailSources = (
  database: Database,
  studyInstanceUid: string,
  seriesInstanceUid: string,
): ThumbnailSource[] =>
  database.all(
    rawQuery<ThumbnailSource>(SELECT_THUMBNAIL_SOURCES, [studyInstanceUid, seriesInstanceUid]),
  )

/** The series of a study with the most images, if it has any. */
export const findLargestSeries = (
  database: Database,
  studyInstanceUid: string,
): string | undefined =>
  database.get(rawQuery<{ seriesInstanceUid: string }>(LARGEST_SERIES, [studyInstanceUid]))
    ?.seriesInstanceUid
