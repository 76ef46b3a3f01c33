import type { Database } from '#server/database/database.ts'

export interface ImageFile {
  readonly instanceId: number
  /** Below the folder of images. */
  readonly file: string
}

/** Files of the images that were received after the one with this id, in their order. */
export const imagesAfter = (database: Database, instanceId: number): ImageFile[] =>
  database.all(
    database.sql
      .selectFrom('instances')
      .select(['instanceId', 'file'])
      .where('instanceId', '>', instanceId)
      .orderBy('instanceId'),
  )

/** The id of the image that was received last; 0 if there is none. */
export const newestInstanceId = (database: Database): number =>
  database.get(
    database.sql
      .selectFrom('instances')
      .select('instanceId')
      .orderBy('instanceId', 'desc')
      .limit(1),
  )?.instanceId ?? 0

/** Files on this PC of the images that were received since then, with their sizes. */
export const imagesSince = (database: Database, at: string) =>
  database.each(
    database.sql
      .selectFrom('instances')
      .select(['file', 'bytes'])
      .where('receivedAt', '>=', at)
      .where('localRemovedAt', 'is', null),
  )
