import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { ErasurePreview } from '#shared/contract/erasure.ts'
import type { Backups } from './backups.ts'

/**
 * Folders of the data folder with an earlier database: replaced by a restore, damaged, or of a newer
 * version. They stay until a person deletes them.
 */
const KEPT_COPY_NAME = /^(?:replaced|damaged|newer)-/

/** The copies of the database that contain what was stored when they were made. */
export async function listKeptCopies(
  { folder }: Context,
  backups: Backups,
): Promise<ErasurePreview['backups']> {
  const { backups: made } = await backups.state()
  const asideCopies = await Promise.all(
    (await readdir(folder))
      .filter((name) => KEPT_COPY_NAME.test(name))
      .map(async (name) => {
        const file = await stat(join(folder, name, DATABASE_FILE)).catch(() => undefined)
        return file && { name, madeAt: instantOf(file.mtimeMs), expiresAt: null }
      }),
  )
  return [
    ...made.map(({ name, madeAt, keptUntil }) => ({ name, madeAt, expiresAt: keptUntil })),
    ...asideCopies.filter((each) => each !== undefined),
  ]
}
