import { hash } from 'node:crypto'
import fs from 'node:fs'
import { opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { CopyNotes } from '#server/database/copy-notes.ts'
import { syncFolder } from '#server/database/data-directory.ts'
import { type FolderSync, openFolderSync } from '#server/database/folder-sync.ts'
import { isSameRest, Part, type PartFile } from '#server/database/part-file.ts'
import {
  faulty,
  GROUP,
  KEPT_FILE,
  moveInto,
  RecoveryFolder,
  removed,
  STUDY_FOLDER,
  syncFile,
} from '#server/database/recovery-folder.ts'
import { openSpareFiles } from '#server/database/spare-files.ts'
import { storageFault } from '#server/platform/disk-fault.ts'

export type { PartFile } from '#server/database/part-file.ts'
export { StorageFault } from '#server/platform/disk-fault.ts'

const SPOOL = 'spool'
const IMAGES = 'images'
const SPARES = 'spare'
const PART = '.part'
/**
 * Is there while images may be on their way; one of an earlier run says that it did not end by
 * itself.
 */
const OPEN = '.open'
/** Its time is when `images` was last looked through. */
const SWEPT = '.swept'
/**
 * Is there since an older database was put back; its time is the last start: rows of files from
 * before it may be lost with the newer one.
 */
const RESTORED = '.restored'
/**
 * Clocks of PCs are set back; a folder that changed this long before the last look is looked
 * through again.
 */
const MARGIN_MS = 24 * 60 * 60_000
const open = promisify(fs.open)
const rename = promisify(fs.rename)

/**
 * Path of an instance's file below `images`, with slashes: nothing that came from the network is a
 * part of it.
 */
export function fileFor(studyInstanceUid: string, uuid: string): string {
  const study = hash('sha256', studyInstanceUid).slice(0, 32)
  return `${study.slice(0, 2)}/${study}/${uuid}.dcm`
}

/** Whether the data folder holds any image. */
export function hasImages(folder: string): boolean {
  const images = join(folder, IMAGES)
  return (
    fs.existsSync(images) &&
    fs
      .readdirSync(images, { recursive: true, encoding: 'utf8' })
      .some((path) => path.endsWith('.dcm'))
  )
}

/**
 * An older database takes the place of the one of now: images that it does not know, and that their
 * senders believe kept, are not to be swept.
 */
export function noteRestored(folder: string): void {
  const images = join(folder, IMAGES)
  // On another PC they are fetched afterwards.
  if (!fs.existsSync(images)) fs.mkdirSync(images, { mode: 0o700 })
  fs.writeFileSync(join(images, RESTORED), '', { mode: 0o600 })
  syncFolder(images)
}

/**
 * The files of the data folder; nothing is made or read before the first call. The only code that
 * touches the folders `spool`, `spare`, `images` and `recovery`.
 */
export class ImageFiles {
  /**
   * Files in `images` that are about to have a row: they count as known while orphans are looked
   * for.
   */
  readonly arriving = new Set<string>()
  readonly recovery: RecoveryFolder
  readonly copies: CopyNotes
  readonly #folder: string
  readonly #uuid: () => string
  readonly #spool: string
  readonly #images: string
  readonly #imageFolders: FolderSync
  readonly #spares: ReturnType<typeof openSpareFiles>
  /** Files that are being received now. */
  #receiving = 0

  constructor(folder: string, uuid: () => string) {
    this.#folder = folder
    this.#uuid = uuid
    this.#spool = join(folder, SPOOL)
    this.#images = join(folder, IMAGES)
    this.#imageFolders = openFolderSync(this.#images)
    this.recovery = new RecoveryFolder(folder, this.#images, this.#imageFolders, uuid)
    this.copies = new CopyNotes(this.#spool, uuid)
    this.#spares = openSpareFiles(join(folder, SPARES), uuid)
  }

  /**
   * For the start, before the first `begin`: deletes what an earlier run left unfinished in the
   * spool. `wasCutOff`: that run did not `close`. @throws StorageFault
   */
  sweep(): { readonly parts: number; readonly wasCutOff: boolean } {
    return faulty('sweep', () => {
      this.#prepare()
      this.#spares.sweep()
      const parts = [this.#spool, this.#images].flatMap((each) =>
        fs.readdirSync(each).flatMap((name) => (name.endsWith(PART) ? [join(each, name)] : [])),
      )
      for (const part of parts) fs.rmSync(part, { force: true })
      // Written anew, so that its time and those of the images are of one clock: that of the file
      // system.
      if (this.isAdopting()) fs.writeFileSync(join(this.#images, RESTORED), '\n')
      const wasCutOff = fs.existsSync(join(this.#images, OPEN))
      fs.closeSync(fs.openSync(join(this.#images, OPEN), 'w', 0o600))
      syncFolder(this.#images)
      return { parts: parts.length, wasCutOff }
    })
  }

  /** A new file in the spool. Where it cannot be made, its first call says so. */
  begin(): PartFile {
    const path = join(this.#spool, `${this.#uuid()}${PART}`)
    // Not awaited: the first bytes can come meanwhile.
    this.#receiving++
    return new Part(path, this.#spareAt(path) ?? this.#opened(path), {
      move: (from, file) => this.#place(from, file),
      sync: (file) => this.#imageFolders.sync(dirname(this.pathOf(file))),
      isAlone: () => this.#receiving === 1,
      over: () => {
        this.#receiving--
      },
      pathOf: (file) => this.pathOf(file),
    })
  }

  /**
   * Makes a kept file durable, its bytes and its name: of one that an earlier run left it is not
   * known. @throws StorageFault
   */
  async secure(file: string): Promise<void> {
    try {
      await syncFile(this.pathOf(file))
      await this.#imageFolders.sync(dirname(this.pathOf(file)))
    } catch (error) {
      throw storageFault('fsync', error)
    }
  }

  /** Absolute path of a kept file. */
  pathOf(file: string): string {
    return join(this.#images, file)
  }

  /** Deletes a kept file; one that is gone already is no fault. @throws StorageFault */
  remove(file: string): Promise<void> {
    return removed(this.pathOf(file))
  }

  /**
   * Whether two files hold the same bytes from their offset on. False where the kept file cannot be
   * read. @throws StorageFault where the part cannot
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

  /** As `sameDataSet`, of any file. @throws where `path` cannot be read */
  async sameBytes(
    path: string,
    offset: number,
    file: string,
    fileOffset: number,
  ): Promise<boolean> {
    const fd = await open(path, 'r')
    try {
      return await this.#compared(file, (kept) => isSameRest(fd, offset, kept, fileOffset))
    } finally {
      fs.closeSync(fd)
    }
  }

  /**
   * Of the disk that holds the images, for whoever is not its administrator. @throws StorageFault
   */
  space(): { readonly freeBytes: number; readonly totalBytes: number } {
    return faulty('statfs', () => {
      const { bavail, blocks, bsize } = fs.statfsSync(
        fs.existsSync(this.#images) ? this.#images : this.#folder,
      )
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
    })
  }

  /** Whether a file can be made in both folders now. */
  isWritable(): boolean {
    try {
      this.#prepare()
      for (const each of [this.#spool, this.#images]) {
        const probe = join(each, `${this.#uuid()}${PART}`)
        fs.closeSync(fs.openSync(probe, 'wx', 0o600))
        fs.unlinkSync(probe)
      }
      return true
    } catch {
      return false
    }
  }

  /** The end of a run whose transfers are over: the next one has nothing to prove. */
  close(): void {
    this.#spares.close()
    try {
      fs.unlinkSync(join(this.#images, OPEN))
    } catch {
      // The next start looks through the newest images, no more.
    }
  }

  /**
   * Files in `images` that are not `known`: a crash came between the rename and the row, or the
   * database is older than the files. What is being received counts as known, so this may run while
   * images arrive. Only folders that changed since the last complete scan are read, unless
   * `newestId`, the highest instance id the database has given out, is lower than at that scan:
   * then the database is an older copy, and every folder is read. Files from before a restore by
   * the gateway (`noteRestored`) are left to `unadopted`.
   */
  async *orphans(known: (file: string) => boolean, newestId: number): AsyncGenerator<string> {
    const marker = join(this.#images, SWEPT)
    const startedAt = Date.now()
    const lookedAt = modifiedAt(marker)
    const isOlderDatabase = newestId < newestIdIn(marker)
    // A time that is still to come was written by a clock that was wrong.
    const since = lookedAt > startedAt || isOlderDatabase ? 0 : lookedAt - MARGIN_MS
    const restoredAt = modifiedAt(join(this.#images, RESTORED))
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
      // There are no images yet, or no room: the next look takes longer.
    }
  }

  /**
   * Kept files from before an older database was put back that are not `known`, of each study the
   * oldest first. None once `allAdopted`.
   */
  async *unadopted(known: (file: string) => boolean): AsyncGenerator<string> {
    const restoredAt = modifiedAt(join(this.#images, RESTORED))
    if (restoredAt === 0) return
    for await (const study of this.#studies()) {
      const unknown: string[] = []
      for await (const file of this.#filesOf(study))
        if (!this.arriving.has(file) && !known(file)) unknown.push(file)
      const spared = unknown
        .map((file) => ({ file, at: modifiedAt(this.pathOf(file)) }))
        .filter(({ at }) => at <= restoredAt)
      for (const { file } of spared.sort((a, b) => a.at - b.at)) yield file
    }
  }

  /** Whether images that came after the backup may be without their rows: until `allAdopted`. */
  isAdopting(): boolean {
    return fs.existsSync(join(this.#images, RESTORED))
  }

  /** Each of them has its row: from now on a file without one is what a crash left. */
  allAdopted(): void {
    fs.rmSync(join(this.#images, RESTORED), { force: true })
  }

  #prepare(): void {
    for (const each of [this.#spool, this.#images])
      if (!fs.existsSync(each)) fs.mkdirSync(each, { mode: 0o700 })
  }

  /** Where others are received too, there is enough to do while a new file is made. */
  #spareAt(path: string): Promise<number> | undefined {
    const spare = this.#receiving === 1 ? this.#spares.take() : undefined
    if (!spare) return undefined
    try {
      fs.renameSync(spare.path, path)
      return Promise.resolve(spare.fd)
    } catch {
      // Made anew below, which says what is wrong.
      this.#spares.drop(spare)
      return undefined
    }
  }

  async #opened(path: string): Promise<number> {
    try {
      return await open(path, 'wx+', 0o600)
    } catch {
      // Where it is not for the lack of a folder, the second call meets the same fault.
      this.#prepare()
      return open(path, 'wx+', 0o600)
    }
  }

  /**
   * Quicker than handing it to a thread, unless threads are at work in the folder: then the event
   * loop would wait for them.
   */
  #place(from: string, file: string): Promise<void> {
    const to = this.pathOf(file)
    return moveInto(this.#imageFolders, dirname(to), async () => {
      if (this.#receiving === 1) fs.renameSync(from, to)
      else await rename(from, to)
    })
  }

  /** Folders of studies below `images`. */
  async *#studies(): AsyncGenerator<string> {
    for await (const group of namesIn(this.#images, GROUP))
      for await (const study of namesIn(join(this.#images, group), STUDY_FOLDER))
        yield `${group}/${study}`
  }

  async *#filesOf(study: string): AsyncGenerator<string> {
    for await (const name of namesIn(this.pathOf(study), KEPT_FILE)) yield `${study}/${name}`
  }

  /** Compares with a kept file; false where that cannot be opened. */
  async #compared(file: string, isSame: (kept: number) => Promise<boolean>): Promise<boolean> {
    let kept: number
    try {
      kept = fs.openSync(this.pathOf(file), 'r')
    } catch {
      return false
    }
    try {
      return await isSame(kept)
    } finally {
      fs.closeSync(kept)
    }
  }
}

/** Ms since 1970; 0 of what is not there. */
const modifiedAt = (path: string): number =>
  fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/**
 * Highest instance id at the last scan; 0 where it was not written down, as by earlier versions.
 */
const newestIdIn = (marker: string): number =>
  fs.existsSync(marker) ? Number(fs.readFileSync(marker)) || 0 : 0

async function* namesIn(path: string, pattern: RegExp): AsyncGenerator<string> {
  if (!fs.existsSync(path)) return
  for await (const { name } of await opendir(path)) if (pattern.test(name)) yield name
}
