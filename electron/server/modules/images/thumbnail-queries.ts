import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'

/** The file of an instance whose picture stands for others. */
export interface PicturedFile {
  readonly file: string
  readonly crc32: number
}

const CURRENT_IMAGES = `instances where studyInstanceUid = ? and state = 'current' and image is not null`
const LARGEST_SERIES = `select seriesInstanceUid from ${CURRENT_IMAGES}
  group by seriesInstanceUid order by count(*) desc, seriesInstanceUid limit 1`
// Instance numbers are text, and may be missing: then the order in which they came decides.
const MIDDLE = `select file, crc32 from (
    select file, crc32, count(*) over () as count,
      row_number() over (order by cast(instanceNumber as integer), instanceId) as place
    from ${CURRENT_IMAGES} and seriesInstanceUid = ?)
  where place = count / 2 + 1`

/** The image in the middle of a series; undefined where the series has no images. */
export const findMiddleImage = (
  database: Database,
  studyInstanceUid: string,
  seriesInstanceUid: string,
): PicturedFile | undefined =>
  database.get(rawQuery<PicturedFile>(MIDDLE, [studyInstanceUid, seriesInstanceUid]))

/** The series of a study with the most images; undefined where none has any. */
export const findLargestSeries = (
  database: Database,
  studyInstanceUid: string,
): string | undefined =>
  database.get(rawQuery<{ seriesInstanceUid: string }>(LARGEST_SERIES, [studyInstanceUid]))
    ?.seriesInstanceUid
