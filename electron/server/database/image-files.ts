import { hash } from 'node:crypto'
import fs from 'node:fs'
import { opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { CopyJournal } from '#server/database/copy-journal.ts'
import { syncFolder } from '#server/database/data-directory.ts'
import { FilesInUse } from '#server/database/files-in-use.ts'
import { type FolderSync, openFolderSync } from '#server/database/folder-sync.ts'
import { isEqualRest, Part, type PartFile } from '#server/database/part-file.ts'
import type { StartRecall } from '#server/database/recall.ts'
import {
  deleteDurably,
  deleteFile,
  GROUP_FOLDER,
  IMAGE_FILE,
  moveInto,
  RecoveryFolder,
  STUDY_FOLDER,
  syncFile,
  withStorageFault,
} from '#server/database/recovery-folder.ts'
import { openSpareFiles } from '#server/database/spare-files.ts'
import { storageFault } from '#server/platform/disk-fault.ts'

export type { PartFile } from '#server/database/part-file.ts'
export { StorageFault } from '#server/platform/disk-fault.ts'

const SPOOL_FOLDER = 'spool'
const IMAGES_FOLDER = 'images'
const SPARES_FOLDER = 'spare'
const PART_SUFFIX = '.part'
/**
 * Exists while images may be in transit. If it is left from an earlier run, that run did not shut
 * down cleanly.
 */
const IN_USE_FILE = '.open'
/** Its modification time is when `images` was last scanned. */
const LAST_SCAN_FILE = '.swept'
/**
 * Exists after an older database was restored; its modification time is the last start. Rows of
 * earlier files may have been lost with the newer database.
 */
const RESTORED_FILE = '.restored'
/** Exists until rows and files were compared after a restore. */
const COMPARE_FILE = '.compare'
/**
 * PC clocks are sometimes set back, so a folder that changed this long before the last scan is
 * scanned again.
 */
const CLOCK_MARGIN_MS = 24 * 60 * 60_000
const open = promisify(fs.open)
const rename = promisify(fs.rename)

/**
 * Path of an instance's file below `images`, with forward slashes. It contains no text received
 * from the network.
 */
export function fileFor(studyInstanceUid: string, uuid: string): string {
  const study = hash('sha256', studyInstanceUid).slice(0, 32)
  return `${study.slice(0, 2)}/${study}/${uuid}.dcm`
}

/** Whether the data folder holds any image. */
export function hasImages(folder: string): boolean {
  const images = join(folder, IMAGES_FOLDER)
  return (
    fs.existsSync(images) &&
    fs
      .readdirSync(images, { recursive: true, encoding: 'utf8' })
      .some((path) => path.endsWith('.dcm'))
  )
}

/**
 * Records that an older database replaces the current one. Images that it does not know must not be
 * swept, because their senders were told that they are stored.
 */
export function markRestored(folder: string): void {
  const images = join(folder, IMAGES_FOLDER)
  // When restoring on another PC, the image files are copied afterwards.
  if (!fs.existsSync(images)) fs.mkdirSync(images, { mode: 0o700 })
  for (const marker of [RESTORED_FILE, COMPARE_FILE])
    fs.writeFileSync(join(images, marker), '', { mode: 0o600 })
  syncFolder(images)
}

/**
 * The image files of the data folder; nothing is created or read before the first call. No other code
 * accesses the folders `spool`, `spare`, `images` and `recovery`.
 */
export class ImageFiles {
  /** Files in `images` whose rows are about to be committed; they are no orphans. */
  readonly arriving = new Set<string>()
  readonly inUse = new FilesInUse()
  readonly recovery: RecoveryFolder
  readonly copies: CopyJournal
  /** Fetches files that were removed from this PC; undefined while no tier is open. */
  recall: StartRecall | undefined
  readonly #folder: string
  readonly #uuid: () => string
  readonly #spool: string
  readonly #images: string
  readonly #imageFolders: FolderSync
  readonly #spares: ReturnType<typeof openSpareFiles>
  /** Number of files being received. */
  #receiving = 0

  constructor(folder: string, uuid: () => string) {
    this.#folder = folder
    this.#uuid = uuid
    this.#spool = join(folder, SPOOL_FOLDER)
    this.#images = join(folder, IMAGES_FOLDER)
    this.#imageFolders = openFolderSync(this.#images)
    this.recovery = new RecoveryFolder(folder, this.#images, this.#imageFolders, uuid)
    this.copies = new CopyJournal(this.#spool, uuid)
    this.#spares = openSpareFiles(join(folder, SPARES_FOLDER), uuid)
  }

  /**
   * Deletes the unfinished spool files of an earlier run. Called at start, before the first
   * `begin`. `wasInterrupted`: the earlier run did not call `close`. @throws StorageFault
   */
  sweep(): { readonly parts: number; readonly wasInterrupted: boolean } {
    return withStorageFault('sweep', () => {
      this.#prepare()
      this.#spares.sweep()
      const parts = [this.#spool, this.#images].flatMap((each) =>
        fs
          .readdirSync(each)
          .flatMap((name) => (name.endsWith(PART_SUFFIX) ? [join(each, name)] : [])),
      )
      for (const part of parts) fs.rmSync(part, { force: true })
      // Rewritten so that its time comes from the same clock as those of the images: the file
      // system's.
      if (this.isImportingOrphans()) fs.writeFileSync(join(this.#images, RESTORED_FILE), '\n')
      const wasInterrupted = fs.existsSync(join(this.#images, IN_USE_FILE))
      fs.closeSync(fs.openSync(join(this.#images, IN_USE_FILE), 'w', 0o600))
      syncFolder(this.#images)
      return { parts: parts.length, wasInterrupted }
    })
  }

  /** A new file in the spool. If it cannot be created, the first call on it reports the error. */
  begin(): PartFile {
    const path = join(this.#spool, `${this.#uuid()}${PART_SUFFIX}`)
    // Not awaited, because data can arrive in the meantime.
    this.#receiving++
    return new Part(path, this.#spareAt(path) ?? this.#opened(path), {
      move: (from, file) => this.#place(from, file),
      sync: (file) => this.#imageFolders.sync(dirname(this.pathOf(file))),
      isAlone: () => this.#receiving === 1,
      onClosed: () => {
        this.#receiving--
      },
      pathOf: (file) => this.pathOf(file),
    })
  }

  /**
   * Makes the contents and the name of a stored file durable; for files of an earlier run this is
   * unknown. @throws StorageFault
   */
  async secure(file: string): Promise<void> {
    try {
      await syncFile(this.pathOf(file))
      await this.#imageFolders.sync(dirname(this.pathOf(file)))
    } catch (error) {
      throw storageFault('fsync', error)
    }
  }

  /** Absolute path of a stored file. */
  pathOf(file: string): string {
    return join(this.#images, file)
  }

  /** Deletes a stored file; a missing file is not an error. @throws StorageFault */
  remove(file: string): Promise<void> {
    return deleteFile(this.pathOf(file))
  }

  /** Deletes stored files durably. Returns those that no longer exist; one that is in use stays. */
  async removeDurably(files: readonly string[]): Promise<string[]> {
    const deleted = await deleteDurably(
      files.map((file) => this.pathOf(file)),
      this.#imageFolders,
    )
    return files.filter((file) => deleted.has(this.pathOf(file)))
  }

  /**
   * Whether two files are identical from their offsets on. False if the stored file cannot be read.
   * @throws StorageFault if the part file cannot be read
   */
  async sameDataSet(
    part: PartFile,
    partOffset: number,
    file: string,
    fileOffset: number,
  ): Promise<boolean> {
    if (!(part instanceof Part))
      throw new TypeError('Only a file that was begun here can be compared')
    return this.#compared(file, async (kept) => {
      if (part.bytes - partOffset !== fs.fstatSync(kept).size - fileOffset) return false
      return part.isSame(partOffset, kept, fileOffset)
    })
  }

  /** As `sameDataSet`, for any file. @throws if `path` cannot be read */
  async sameBytes(
    path: string,
    offset: number,
    file: string,
    fileOffset: number,
  ): Promise<boolean> {
    const fd = await open(path, 'r')
    try {
      return await this.#compared(file, (kept) => isEqualRest(fd, offset, kept, fileOffset))
    } finally {
      fs.closeSync(fd)
    }
  }

  /** Space on the image disk, as available to an unprivileged account. @throws StorageFault */
  space(): { readonly freeBytes: number; readonly totalBytes: number } {
    return withStorageFault('statfs', () => {
      const { bavail, blocks, bsize } = fs.statfsSync(
        fs.existsSync(this.#images) ? this.#images : this.#folder,
      )
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
    })
  }

  /** Whether files can be created in both the spool and the images folder. */
  isWritable(): boolean {
    try {
      this.#prepare()
      for (const each of [this.#spool, this.#images]) {
        const probe = join(each, `${this.#uuid()}${PART_SUFFIX}`)
        fs.closeSync(fs.openSync(probe, 'wx', 0o600))
        fs.unlinkSync(probe)
      }
      return true
    } catch {
      return false
    }
  }

  /**
   * Marks a clean shutdown after all transfers have ended, so that the next start need not check
   * for interrupted ones.
   */
  close(): void {
    this.#spares.close()
    try {
      fs.unlinkSync(join(this.#images, IN_USE_FILE))
    } catch {
      // If the marker remains, the next start only checks the newest images.
    }
  }

  /**
   * Finds files in `images` that are not `known`: the process crashed between the rename and the
   * commit, or the database is older than the files. Files being received count as known, so this
   * may run while images arrive. Only folders that changed since the last complete scan are read,
   * unless `newestId`, the highest instance id the database has assigned, is lower than at that
   * scan: then the database is an older copy and every folder is read. Files from before a restore
   * by the gateway (`markRestored`) are left to `restoredOrphans`.
   */
  async *orphans(known: (file: string) => boolean, newestId: number): AsyncGenerator<string> {
    const marker = join(this.#images, LAST_SCAN_FILE)
    const startedAt = Date.now()
    const scannedAt = modifiedAt(marker)
    const isOlderDatabase = newestId < newestIdIn(marker)
    // A time in the future was written while the clock was wrong.
    const since = scannedAt > startedAt || isOlderDatabase ? 0 : scannedAt - CLOCK_MARGIN_MS
    const restoredAt = modifiedAt(join(this.#images, RESTORED_FILE))
    const isSpared = (file: string) => restoredAt > 0 && modifiedAt(this.pathOf(file)) <= restoredAt
    for await (const study of this.#studies()) {
      if (modifiedAt(this.pathOf(study)) < since) continue
      for await (const file of this.#filesOf(study))
        if (!this.arriving.has(file) && !known(file) && !isSpared(file)) yield file
    }
    try {
      fs.writeFileSync(marker, String(newestId), { mode: 0o600 })
      fs.utimesSync(marker, new Date(startedAt), new Date(startedAt))
    } catch {
      // There are no images yet, or no disk space; the next scan then reads more folders.
    }
  }

  /**
   * Stored files from before a restore that are not `known`, oldest first within each study. None
   * after `finishOrphanImport`.
   */
  async *restoredOrphans(known: (file: string) => boolean): AsyncGenerator<string> {
    const restoredAt = modifiedAt(join(this.#images, RESTORED_FILE))
    if (restoredAt === 0) return
    for await (const study of this.#studies()) {
      const unknown: string[] = []
      for await (const file of this.#filesOf(study))
        if (!this.arriving.has(file) && !known(file)) unknown.push(file)
      const restored = unknown
        .map((file) => ({ file, at: modifiedAt(this.pathOf(file)) }))
        .filter(({ at }) => at <= restoredAt)
      for (const { file } of restored.sort((a, b) => a.at - b.at)) yield file
    }
  }

  /** Whether images that arrived after the backup may lack rows: until `finishOrphanImport`. */
  isImportingOrphans(): boolean {
    return fs.existsSync(join(this.#images, RESTORED_FILE))
  }

  /**
   * Records that every such file has a row. From now on a file without one is left over from a
   * crash.
   */
  finishOrphanImport(): void {
    fs.rmSync(join(this.#images, RESTORED_FILE), { force: true })
  }

  /** Whether rows are to be compared with the files: after a restore, until `finishComparison`. */
  mustCompare(): boolean {
    return fs.existsSync(join(this.#images, COMPARE_FILE))
  }

  finishComparison(): void {
    fs.rmSync(join(this.#images, COMPARE_FILE), { force: true })
  }

  #prepare(): void {
    for (const each of [this.#spool, this.#images])
      if (!fs.existsSync(each)) fs.mkdirSync(each, { mode: 0o700 })
  }

  /**
   * A spare file is used only if nothing else is being received; otherwise there is enough other
   * work while a new file is created.
   */
  #spareAt(path: string): Promise<number> | undefined {
    const spare = this.#receiving === 1 ? this.#spares.take() : undefined
    if (!spare) return undefined
    try {
      fs.renameSync(spare.path, path)
      return Promise.resolve(spare.fd)
    } catch {
      // A new file is created below, and a failure there is reported.
      this.#spares.drop(spare)
      return undefined
    }
  }

  async #opened(path: string): Promise<number> {
    try {
      return await open(path, 'wx+', 0o600)
    } catch {
      // If the cause is not a missing folder, the second attempt fails the same way.
      this.#prepare()
      return open(path, 'wx+', 0o600)
    }
  }

  /**
   * A synchronous rename is faster than a thread, unless threads are working in the folder, which
   * would block the event loop.
   */
  #place(from: string, file: string): Promise<void> {
    const to = this.pathOf(file)
    return moveInto(this.#imageFolders, dirname(to), async () => {
      if (this.#receiving === 1) fs.renameSync(from, to)
      else await rename(from, to)
    })
  }

  /** Study folders below `images`. */
  async *#studies(): AsyncGenerator<string> {
    for await (const group of namesIn(this.#images, GROUP_FOLDER))
      for await (const study of namesIn(join(this.#images, group), STUDY_FOLDER))
        yield `${group}/${study}`
  }

  async *#filesOf(study: string): AsyncGenerator<string> {
    for await (const name of namesIn(this.pathOf(study), IMAGE_FILE)) yield `${study}/${name}`
  }

  /** Compares with a stored file; false if it cannot be opened. */
  async #compared(file: string, isSame: (storedFd: number) => Promise<boolean>): Promise<boolean> {
    let storedFd: number
    try {
      storedFd = fs.openSync(this.pathOf(file), 'r')
    } catch {
      return false
    }
    try {
      return await isSame(storedFd)
    } finally {
      fs.closeSync(storedFd)
    }
  }
}

/** Milliseconds since 1970; 0 if the file does not exist. */
const modifiedAt = (path: string): number =>
  fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Highest instance id at the last scan; 0 if it was not recorded, as in earlier versions. */
const newestIdIn = (marker: string): number =>
  fs.existsSync(marker) ? Number(fs.readFileSync(marker)) || 0 : 0

async function* namesIn(path: string, pattern: RegExp): AsyncGenerator<string> {
  if (!fs.existsSync(path)) return
  for await (const { name } of await opendir(path)) if (pattern.test(name)) yield name
}
