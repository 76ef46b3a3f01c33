import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type FolderSync, openFolderSync } from '#server/database/folder-sync.ts'
import { StorageFault, storageFault } from '#server/platform/disk-fault.ts'

const RECOVERY = 'recovery'
export const GROUP = /^[0-9a-f]{2}$/
export const STUDY_FOLDER = /^[0-9a-f]{32}$/
export const KEPT_FILE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.dcm$/

const open = promisify(fs.open)
const fsync = promisify(fs.fsync)
const rename = promisify(fs.rename)
const unlink = promisify(fs.unlink)

/** Image files that no row names, in the folders they had below `images`. */
export class RecoveryFolder {
  readonly #folder: string
  readonly #images: string
  readonly #folders: FolderSync
  readonly #imageFolders: FolderSync
  readonly #uuid: () => string

  constructor(folder: string, images: string, imageFolders: FolderSync, uuid: () => string) {
    this.#folder = join(folder, RECOVERY)
    this.#images = images
    this.#folders = openFolderSync(this.#folder)
    this.#imageFolders = imageFolders
    this.#uuid = uuid
  }

  /**
   * Moves a file from `images` to the recovery folder, which is on the same file system. Never
   * replaces a file. The file and both folders are durable when it resolves. Returns its name below
   * `recovery`. @throws StorageFault
   */
  async move(file: string): Promise<string> {
    const own = this.pathOf(file)
    const to = fs.existsSync(own) ? join(dirname(own), `${this.#uuid()}.dcm`) : own
    await relocate(join(this.#images, file), this.#imageFolders, to, this.#folders)
    return `${dirname(file)}/${basename(to)}`
  }

  /** Files in the recovery folder, in the order of their names, those after `after`. */
  *files(after = ''): Generator<string, void, undefined> {
    for (const group of namesOf(this.#folder, GROUP))
      for (const study of namesOf(join(this.#folder, group), STUDY_FOLDER)) {
        if (`${group}/${study}` < dirname(after)) continue
        for (const name of namesOf(join(this.#folder, group, study), KEPT_FILE)) {
          const file = `${group}/${study}/${name}`
          if (file > after) yield file
        }
      }
  }

  /** Absolute path of a file in the recovery folder. */
  pathOf(file: string): string {
    return join(this.#folder, file)
  }

  /**
   * Moves a file from the recovery folder to `images/<to>`, as durably as `move`. @throws
   * StorageFault, also where `to` is there already
   */
  putBack(file: string, to: string): Promise<void> {
    const from = this.pathOf(file)
    return relocate(from, this.#folders, join(this.#images, to), this.#imageFolders)
  }

  /**
   * Deletes a file of the recovery folder: only where a person has decided so. @throws StorageFault
   */
  remove(file: string): Promise<void> {
    return removed(this.pathOf(file))
  }
}

/** Makes the bytes of a file durable. */
export async function syncFile(path: string): Promise<void> {
  const fd = await open(path, 'r+')
  await fsync(fd).finally(() => fs.closeSync(fd))
}

/** Renames into a folder that is made where it is not there yet. */
export async function moveInto(
  targets: FolderSync,
  folder: string,
  move: () => Promise<void>,
): Promise<void> {
  await targets.make(folder)
  try {
    await move()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    // Somebody has removed the folder since it was made.
    targets.forget(folder)
    await targets.make(folder)
    await move()
  }
}

/**
 * Between `images` and `recovery`: never onto a file that is there. This process is the only one
 * that writes there, so looking first is enough.
 */
async function relocate(
  from: string,
  sources: FolderSync,
  to: string,
  targets: FolderSync,
): Promise<void> {
  try {
    await syncFile(from)
    if (fs.existsSync(to)) throw new StorageFault('failed', 'A file of this name is there already.')
    await moveInto(targets, dirname(to), () => rename(from, to))
    // The new name first: after a power failure between the two there are two names, not none.
    await targets.sync(dirname(to))
    await sources.sync(dirname(from))
  } catch (error) {
    throw storageFault('rename', error)
  }
}

/** Deletes a file; one that is gone already is no fault. @throws StorageFault */
export async function removed(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw storageFault('unlink', error)
  }
}

/** Whether it is a path as `fileFor` makes them: a note that was written in part names no other. */
export const isKeptFile = (file: string): boolean => {
  const [group = '', study = '', name = ''] = file.split('/')
  return GROUP.test(group) && STUDY_FOLDER.test(study) && KEPT_FILE.test(name)
}

/** In order; none where there is no such folder. */
const namesOf = (path: string, pattern: RegExp): string[] =>
  fs.existsSync(path)
    ? fs
        .readdirSync(path)
        .filter((name) => pattern.test(name))
        .sort()
    : []

/** @throws StorageFault in place of the error of the system */
export function faulty<T>(call: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw storageFault(call, error)
  }
}
