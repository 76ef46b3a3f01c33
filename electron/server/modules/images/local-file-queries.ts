import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'

// Which image files are on this PC. A file that is to be deleted has a row in `fileRemovals` from
// the commit until its deletion is durable.

/** Marks the instances as no longer on this PC; their files are still to be deleted. */
export function markRemoved(
  database: Database,
  instances: readonly { readonly instanceId: number; readonly file: string }[],
  at: string,
): void {
  for (const { instanceId } of instances)
    database.run(
      rawQuery('update instances set localRemovedAt = ? where instanceId = ?', [at, instanceId]),
    )
  queueFileRemovals(
    database,
    instances.map(({ file }) => file),
    at,
  )
}

/**
 * Records whether the file is on this PC: a missing one was lost rather than removed.
 * @param removedAt null if it is here
 */
export const markFile = (
  database: Database,
  { instanceId, file }: { readonly instanceId: number; readonly file: string },
  removedAt: string | null,
) =>
  database.run(
    rawQuery('update instances set localRemovedAt = ? where instanceId = ? and file = ?', [
      removedAt,
      instanceId,
      file,
    ]),
  )

/** Queues files for deletion. Must be in the transaction after which no row needs them. */
export function queueFileRemovals(database: Database, files: readonly string[], at: string): void {
  for (const file of files)
    database.run(rawQuery('insert or ignore into fileRemovals values (?, ?)', [file, at]))
}

export const listFileRemovals = (database: Database, limit: number, after = ''): string[] =>
  database
    .all(
      rawQuery<{ file: string }>(
        'select file from fileRemovals where file > ? order by file limit ?',
        [after, limit],
      ),
    )
    .map(({ file }) => file)

export const isFileRemoved = (database: Database, file: string): boolean =>
  database.get(rawQuery('select 1 from fileRemovals where file = ?', [file])) !== undefined

/** Records that the files no longer exist; what was made of them is deleted after the commit. */
export function settleFileRemovals(database: Database, files: readonly string[]): void {
  for (const file of files)
    database.run(rawQuery('delete from fileRemovals where file = ?', [file]))
  if (files.length > 0) database.notify('removed files')
}

/** The file of an instance that is on this PC again. */
export interface ReturnedFile {
  readonly file: string
  readonly dataSetOffset: number
  readonly bytes: number
  readonly crc32: number
  readonly transferSyntaxUid: string
}

/**
 * Records a new local file of an instance whose file had been removed.
 * @throws ApiError not-found: the instance was deleted meanwhile, so the file must not stay
 */
export function recordReturnedFile(
  database: Database,
  instanceId: number,
  { file, dataSetOffset, bytes, crc32, transferSyntaxUid }: ReturnedFile,
): void {
  const { changes } = database.run(
    rawQuery(
      `update instances set file = ?, dataSetOffset = ?, bytes = ?, crc32 = ?, transferSyntaxUid = ?,
        localRemovedAt = null where instanceId = ?`,
      [file, dataSetOffset, bytes, crc32, transferSyntaxUid, instanceId],
    ),
  )
  if (changes === 0) throw new ApiError('not-found', message('images.none-such'))
  database.notify('returned files')
}

/**
 * The current instances of the study without a file on this PC, their bytes, and when the last one
 * went.
 */
export const sumRemoved = (database: Database, studyInstanceUid: string) =>
  database.get(
    rawQuery<{ removed: number; bytes: number; removedAt: string | null }>(
      `select count(*) as removed, total(bytes) as bytes, max(localRemovedAt) as removedAt from instances
        where studyInstanceUid = ? and localRemovedAt is not null and state = 'current'`,
      [studyInstanceUid],
    ),
  ) ?? { removed: 0, bytes: 0, removedAt: null }
