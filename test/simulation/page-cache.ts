import { copyFileSync, existsSync, rmSync, statSync, truncateSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * What a power failure takes along, in this process: the bytes of image files that were not synced,
 * names in image folders that were not synced, and group commits whose log was not. Everything else
 * counts as durable: `test/crash/power-loss.test.ts` has the rest.
 */
export interface PageCache {
  /** A descriptor was given out. */
  opened(fd: number, path: string): void
  wrote(fd: number): void
  synced(fd: number): void
  renamed(from: string, to: string): void
  made(folder: string): void
  removed(path: string): void
  /** Before a commit that does not sync the log. */
  beforeRelaxedCommit(database: string): void
  /** The log was synced, or a commit did it. */
  logSynced(): void
  /** All of it is on the disk. */
  clear(): void
  /** Takes from the copy of a data folder what its disk does not have. */
  dropFrom(copy: string, folder: string): void
}

const isImage = (path: string): boolean => /\/(images|spool|spare)\//.test(path)
const isImageFolder = (path: string): boolean =>
  /\/images(\/[0-9a-f]{2}(\/[0-9a-f]{32})?)?$/.test(path)

export function pageCache(): PageCache {
  const open = new Map<number, string>()
  /** Image files with bytes that were not synced. */
  const dirty = new Set<string>()
  /** Names below `images` that were not synced. */
  const names = new Set<string>()
  let log:
    | { readonly copy: string; readonly database: string; readonly changed: bigint }
    | undefined

  const changedAt = (database: string): bigint => statSync(database, { bigint: true }).mtimeNs
  function forgetLog(): void {
    if (log) rmSync(log.copy, { force: true })
    log = undefined
  }

  return {
    opened: (fd, path) => void open.set(fd, path),
    wrote(fd) {
      const path = open.get(fd)
      if (path !== undefined && isImage(path)) dirty.add(path)
    },
    synced(fd) {
      const path = open.get(fd)
      if (path === undefined) return
      dirty.delete(path)
      for (const name of names) if (dirname(name) === path) names.delete(name)
    },
    renamed(from, to) {
      for (const [fd, path] of open) if (path === from) open.set(fd, to)
      if (dirty.delete(from)) dirty.add(to)
      if (isImageFolder(dirname(to))) names.add(to)
    },
    made(folder) {
      if (isImageFolder(folder)) names.add(folder)
    },
    removed(path) {
      dirty.delete(path)
      names.delete(path)
    },
    beforeRelaxedCommit(database) {
      const wal = `${database}-wal`
      if (log || !existsSync(wal)) return
      // Beside the data folder, which may be copied at any moment.
      log = { copy: `${dirname(database)}.wal`, database, changed: changedAt(database) }
      copyFileSync(wal, log.copy)
    },
    logSynced: forgetLog,
    clear() {
      for (const each of [open, dirty, names]) each.clear()
      forgetLog()
    },
    dropFrom(copy, folder) {
      const inCopy = (path: string) => join(copy, path.slice(folder.length))
      // The bytes that were synced before are not told from the others: an image is synced once.
      for (const path of dirty) if (existsSync(inCopy(path))) truncateSync(inCopy(path), 0)
      for (const path of names) rmSync(inCopy(path), { recursive: true, force: true })
      // A checkpoint syncs the log before it writes to the database.
      if (log && changedAt(log.database) === log.changed)
        copyFileSync(log.copy, join(copy, `${basename(log.database)}-wal`))
    },
  }
}
