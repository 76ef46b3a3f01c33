import { opendir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import { deleteViewFile, oldestViewFiles } from './queries.ts'

/**
 * Removes what a crash left of the cache below `folder`: parts, files without a row, rows without
 * their file. How many files there are then, and of how many bytes.
 */
export async function sweptCache(
  { database }: Context,
  folder: string,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const listed = new Map(
    oldestViewFiles(database, Number.MAX_SAFE_INTEGER).map((record) => [record.file, record]),
  )
  let files = 0
  let bytes = 0
  for await (const file of filesIn(folder)) {
    const record = listed.get(file)
    const isKept =
      record !== undefined &&
      (await stat(join(folder, file)).catch(() => undefined))?.size === record.bytes
    if (!isKept) {
      await unlink(join(folder, file)).catch(() => undefined)
      continue
    }
    listed.delete(file)
    files++
    bytes += record.bytes
  }
  if (listed.size > 0)
    await database.commitSoon(() => {
      for (const { fileKey } of listed.values()) deleteViewFile(database, fileKey)
    })
  return { files, bytes }
}

/** Paths below the folder, with slashes. */
async function* filesIn(folder: string, below = ''): AsyncGenerator<string> {
  const found = await opendir(join(folder, below)).catch(() => undefined)
  if (!found) return
  for await (const entry of found) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) yield* filesIn(folder, path)
    else yield path
  }
}
