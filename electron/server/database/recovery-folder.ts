import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type FolderSync, openFolderSync } from '#server/database/folder-sync.ts'
import { StorageFault, storageFault } from '#server/platform/disk-fault.ts'

const FOLDER_NAME = 'recovery'
export const GROUP_FOLDER = /^[0-9a-f]{2}$/
export const STUDY_FOLDER = /^[0-9a-f]{32}$/
export const IMAGE_FILE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.dcm$/

const open = promisify(fs.open)
const fsync = promisify(fs.fsync)
const rename = promisify(fs.rename)
const unlink = promisify(fs.unlink)

/** Image files without a row, in the same folder structure as below `images`. */
export class RecoveryFolder {
  readonly #folder: string
  readonly #images: string
  readonly #folders: FolderSync
  readonly #imageFolders: FolderSync
  readonly #uuid: () => string

  constructor(folder: string, images: string, imageFolders: FolderSync, uuid: () => string) {
    this.#folder = join(folder, FOLDER_NAME)
    this.#images = images
    this.#folders = openFolderSync(this.#folder)
    this.#imageFolders = imageFolders
    this.#uuid = uuid
  }

  /**
   * Moves a file from `images` to the recovery folder on the same file system, without replacing an
   * existing file. The file and both folders are durable when it resolves. Returns its name below
   * `recovery`. @throws StorageFault
   */
  async move(file: string): Promise<string> {
    const ownPath = this.pathOf(file)
    const to = fs.existsSync(ownPath) ? join(dirname(ownPath), `${this.#uuid()}.dcm`) : ownPath
    await relocate(join(this.#images, file), this.#imageFolders, to, this.#folders)
    return `${dirname(file)}/${basename(to)}`
  }

  /** Files in the recovery folder after `after`, sorted by name. */
  *files(after = ''): Generator<string, void, undefined> {
    for (const group of namesOf(this.#folder, GROUP_FOLDER))
      for (const study of namesOf(join(this.#folder, group), STUDY_FOLDER)) {
        if (`${group}/${study}` < dirname(after)) continue
        for (const name of namesOf(join(this.#folder, group, study), IMAGE_FILE)) {
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
   * StorageFault, also if `to` exists
   */
  putBack(file: string, to: string): Promise<void> {
    const from = this.pathOf(file)
    return relocate(from, this.#folders, join(this.#images, to), this.#imageFolders)
  }

  /** Deletes a file of the recovery folder, at the request of a person. @throws StorageFault */
  remove(file: string): Promise<void> {
    return deleteFile(this.pathOf(file))
  }
}

/** Makes the contents of a file durable. */
export async function syncFile(path: string): Promise<void> {
  const fd = await open(path, 'r+')
  await fsync(fd).finally(() => fs.closeSync(fd))
}

/** Renames a file into a folder, which is created if it is missing. */
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
    // The folder was deleted after it had been created.
    targets.forget(folder)
    await targets.make(folder)
    await move()
  }
}

/**
 * Moves a file between `images` and `recovery` without replacing an existing one. Checking first is
 * safe because only this process writes there.
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
    // The new entry is synced first, so a power failure leaves two entries rather than none.
    await targets.sync(dirname(to))
    await sources.sync(dirname(from))
  } catch (error) {
    throw storageFault('rename', error)
  }
}

/** Deletes a file; a missing file is not an error. @throws StorageFault */
export async function deleteFile(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw storageFault('unlink', error)
  }
}

/** Deletes files durably; returns those that no longer exist. */
export async function deleteDurably(
  paths: readonly string[],
  folders: FolderSync,
): Promise<ReadonlySet<string>> {
  const gone = new Set<string>()
  for (const path of paths)
    await deleteFile(path).then(
      () => gone.add(path),
      () => undefined,
    )
  for (const folder of new Set(paths.map((path) => dirname(path))))
    if (fs.existsSync(folder)) await folders.sync(folder)
  return gone
}

/** Whether the path has the format of `fileFor`, which a partially written note may violate. */
export const isImageFilePath = (file: string): boolean => {
  const [group = '', study = '', name = ''] = file.split('/')
  return GROUP_FOLDER.test(group) && STUDY_FOLDER.test(study) && IMAGE_FILE.test(name)
}

/** Sorted names; empty if the folder does not exist. */
const namesOf = (path: string, pattern: RegExp): string[] =>
  fs.existsSync(path)
    ? fs
        .readdirSync(path)
        .filter((name) => pattern.test(name))
        .sort()
    : []

/** Converts a system error into a StorageFault. @throws StorageFault */
export function withStorageFault<T>(call: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw storageFault(call, error)
  }
}
