import { hash } from 'node:crypto'
import fs from 'node:fs'
import { opendir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { syncFolder } from '#server/database/data-directory.ts'
import { type FolderSync, openFolderSync } from '#server/database/folder-sync.ts'
import { isSameRest, Part, type PartFile } from '#server/database/part-file.ts'
import { openSpareFiles } from '#server/database/spare-files.ts'
import { StorageFault, storageFault } from '#server/platform/disk-fault.ts'

export type { PartFile } from '#server/database/part-file.ts'
export { StorageFault } from '#server/platform/disk-fault.ts'

const SPOOL = 'spool'
const IMAGES = 'images'
const SPARES = 'spare'
/** Image files that no row names, in the folders they had below `images`. */
const RECOVERY = 'recovery'
const PART = '.part'
/** Lists files of copies that are being written. */
const COPIES = '.copies'
/** The same list, once all of them are complete and their rows may be committed. */
const COMPLETE = '.complete'
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
const GROUP = /^[0-9a-f]{2}$/
const STUDY_FOLDER = /^[0-9a-f]{32}$/
const KEPT_FILE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.dcm$/

const open = promisify(fs.open)
const fsync = promisify(fs.fsync)
const rename = promisify(fs.rename)
const unlink = promisify(fs.unlink)

/**
 * The only code that touches the folders `spool`, `spare`, `images` and `recovery` of the data
 * folder.
 */
export interface ImageFiles {
  /**
   * For the start, before the first `begin`: deletes what an earlier run left unfinished in the
   * spool. `wasCutOff`: that run did not `close`. @throws StorageFault
   */
  sweep(): { readonly parts: number; readonly wasCutOff: boolean }
  /** A new file in the spool. That it cannot be made is told by the first call of it. */
  begin(): PartFile
  /**
   * Makes a kept file durable, its bytes and its name: of one that an earlier run left it is not
   * known. @throws StorageFault
   */
  secure(file: string): Promise<void>
  /**
   * Notes durably which files in `images` the gateway is about to make itself, of what is here
   * already: without their rows they are no images that anybody sent. Returns the name of the note.
   * @throws StorageFault
   */
  noteCopies(files: readonly string[]): string
  /**
   * Records durably that all copies of the note are complete, right before their rows are
   * committed. From here on a missing row may mean that the database is an older one. Returns the
   * new name of the note. @throws StorageFault
   */
  completeCopies(note: string): string
  /**
   * Notes that runs before this one left; `isComplete`: of copies whose rows may have been
   * committed.
   */
  notedCopies(): {
    readonly note: string
    readonly files: readonly string[]
    readonly isComplete: boolean
  }[]
  /** Deletes the note. @throws StorageFault */
  forgetCopies(note: string): void
  /** Absolute path of a kept file. */
  pathOf(file: string): string
  /** Deletes a kept file; one that is gone already is no fault. @throws StorageFault */
  remove(file: string): Promise<void>
  /**
   * Whether two files hold the same bytes from their offset on. False where the kept file cannot be
   * read. @throws StorageFault where the part cannot
   */
  sameDataSet(
    part: PartFile,
    partOffset: number,
    file: string,
    fileOffset: number,
  ): Promise<boolean>
  /** As `sameDataSet`, of any file. @throws where `path` cannot be read */
  sameBytes(path: string, offset: number, file: string, fileOffset: number): Promise<boolean>
  /**
   * Of the disk that holds the images, for whoever is not its administrator. @throws StorageFault
   */
  space(): { readonly freeBytes: number; readonly totalBytes: number }
  /** Whether a file can be made in both folders now. */
  isWritable(): boolean
  /**
   * Files in `images` that are not `known`: a crash came between the rename and the row, or the
   * database is older than the files. What is being received counts as known, so this may run while
   * images arrive. Only folders that changed since the last complete scan are read, unless
   * `newestId`, the highest instance id the database has given out, is lower than at that scan:
   * then the database is an older copy, and every folder is read. Files from before a restore by
   * the gateway (`noteRestored`) are left to `unadopted`.
   */
  orphans(known: (file: string) => boolean, newestId: number): AsyncIterable<string>
  /**
   * Moves a file from `images` to the recovery folder, which is on the same file system. Never
   * replaces a file. The file and both folders are durable when it resolves. Returns its name below
   * `recovery`. @throws StorageFault
   */
  recover(file: string): Promise<string>
  /** Files in the recovery folder, in the order of their names, those after `after`. */
  recovered(after?: string): IterableIterator<string>
  /** Absolute path of a file in the recovery folder. */
  recoveredPath(file: string): string
  /**
   * Moves a file from the recovery folder to `images/<to>`, as durably as `recover`. @throws
   * StorageFault, also where `to` is there already
   */
  putBack(file: string, to: string): Promise<void>
  /**
   * Deletes a file of the recovery folder: only where a person has decided so. @throws StorageFault
   */
  removeRecovered(file: string): Promise<void>
  /**
   * Kept files from before an older database was put back that are not `known`, of each study the
   * oldest first. None once `allAdopted`.
   */
  unadopted(known: (file: string) => boolean): AsyncIterable<string>
  /** Whether images that came after the backup may be without their rows: until `allAdopted`. */
  isAdopting(): boolean
  /** Each of them has its row: from now on a file without one is what a crash left. */
  allAdopted(): void
  /** The end of a run whose transfers are over: the next one has nothing to prove. */
  close(): void
}

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

/** The files of the data folder; nothing is made or read before the first call. */
export function imageFiles(folder: string, uuid: () => string): ImageFiles {
  const spool = join(folder, SPOOL)
  const images = join(folder, IMAGES)
  const folders = openFolderSync(images)
  const recovery = join(folder, RECOVERY)
  const recoveryFolders = openFolderSync(recovery)
  let received = 0
  const spares = openSpareFiles(join(folder, SPARES), uuid)
  const pathOf = (file: string) => join(images, file)
  const recoveredPath = (file: string) => join(recovery, file)

  function prepare(): void {
    for (const each of [spool, images])
      if (!fs.existsSync(each)) fs.mkdirSync(each, { mode: 0o700 })
  }

  /** Where others are received too, there is enough to do while a new file is made. */
  function spareAt(path: string): Promise<number> | undefined {
    const spare = received === 1 ? spares.take() : undefined
    if (!spare) return undefined
    try {
      fs.renameSync(spare.path, path)
      return Promise.resolve(spare.fd)
    } catch {
      // Made anew below, which says what is wrong.
      spares.drop(spare)
      return undefined
    }
  }

  async function opened(path: string): Promise<number> {
    try {
      return await open(path, 'wx+', 0o600)
    } catch {
      // Where it is not for the lack of a folder, the second call meets the same fault.
      prepare()
      return open(path, 'wx+', 0o600)
    }
  }

  /** Folders of studies, and the files in one, below `images`. */
  async function* studies(): AsyncGenerator<string> {
    for await (const group of namesIn(images, GROUP))
      for await (const study of namesIn(join(images, group), STUDY_FOLDER))
        yield `${group}/${study}`
  }
  async function* filesOf(study: string): AsyncGenerator<string> {
    for await (const name of namesIn(pathOf(study), KEPT_FILE)) yield `${study}/${name}`
  }

  /**
   * Quicker than handing it to a thread, unless threads are at work in the folder: then the event
   * loop would wait for them.
   */
  async function renamed(from: string, to: string): Promise<void> {
    if (received === 1) fs.renameSync(from, to)
    else await rename(from, to)
  }

  /** Renames into a folder that is made where it is not there yet. */
  async function moveInto(
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

  /** Compares with a kept file; false where that cannot be opened. */
  async function compared(
    file: string,
    isSame: (kept: number) => Promise<boolean>,
  ): Promise<boolean> {
    let kept: number
    try {
      kept = fs.openSync(pathOf(file), 'r')
    } catch {
      return false
    }
    try {
      return await isSame(kept)
    } finally {
      fs.closeSync(kept)
    }
  }

  /**
   * Between `images` and `recovery`: never onto a file that is there. This process is the only one
   * that writes there, so looking first is enough.
   */
  async function relocate(
    from: string,
    to: string,
    { sources, targets }: Record<'sources' | 'targets', FolderSync>,
  ): Promise<void> {
    try {
      const fd = await open(from, 'r+')
      await fsync(fd).finally(() => fs.closeSync(fd))
      if (fs.existsSync(to))
        throw new StorageFault('failed', 'A file of this name is there already.')
      await moveInto(targets, dirname(to), () => rename(from, to))
      // The new name first: after a power failure between the two there are two names, not none.
      await targets.sync(dirname(to))
      await sources.sync(dirname(from))
    } catch (error) {
      throw storageFault('rename', error)
    }
  }

  return {
    sweep: () =>
      faulty('sweep', () => {
        prepare()
        spares.sweep()
        const parts = [spool, images].flatMap((each) =>
          fs.readdirSync(each).flatMap((name) => (name.endsWith(PART) ? [join(each, name)] : [])),
        )
        for (const part of parts) fs.rmSync(part, { force: true })
        // Written anew, so that its time and those of the images are of one clock: that of the file
        // system.
        if (fs.existsSync(join(images, RESTORED))) fs.writeFileSync(join(images, RESTORED), '\n')
        const wasCutOff = fs.existsSync(join(images, OPEN))
        fs.closeSync(fs.openSync(join(images, OPEN), 'w', 0o600))
        syncFolder(images)
        return { parts: parts.length, wasCutOff }
      }),
    begin() {
      const path = join(spool, `${uuid()}${PART}`)
      // Not awaited: the first bytes can come meanwhile.
      received++
      return new Part(path, spareAt(path) ?? opened(path), {
        move: (from, file) =>
          moveInto(folders, dirname(pathOf(file)), () => renamed(from, pathOf(file))),
        sync: (file) => folders.sync(dirname(pathOf(file))),
        isAlone: () => received === 1,
        over() {
          received--
        },
        pathOf,
      })
    },
    async secure(file) {
      try {
        const fd = await open(pathOf(file), 'r+')
        await fsync(fd).finally(() => fs.closeSync(fd))
        await folders.sync(dirname(pathOf(file)))
      } catch (error) {
        throw storageFault('fsync', error)
      }
    },
    noteCopies: (files) =>
      faulty('write', () => {
        prepare()
        const note = `${uuid()}${COPIES}`
        const fd = fs.openSync(join(spool, note), 'wx', 0o600)
        try {
          fs.writeFileSync(fd, files.join('\n'))
          fs.fsyncSync(fd)
        } finally {
          fs.closeSync(fd)
        }
        syncFolder(spool)
        return note
      }),
    completeCopies: (note) =>
      faulty('rename', () => {
        const complete = `${note.slice(0, -COPIES.length)}${COMPLETE}`
        fs.renameSync(join(spool, note), join(spool, complete))
        syncFolder(spool)
        return complete
      }),
    notedCopies: () =>
      faulty('read', () => {
        const names = fs.existsSync(spool) ? fs.readdirSync(spool) : []
        const notes = names.filter((name) => name.endsWith(COPIES) || name.endsWith(COMPLETE))
        return notes.map((note) => ({
          note,
          files: fs.readFileSync(join(spool, note), 'utf8').split('\n').filter(isKeptFile),
          isComplete: note.endsWith(COMPLETE),
        }))
      }),
    forgetCopies: (note) =>
      faulty('unlink', () => {
        fs.rmSync(join(spool, note), { force: true })
        syncFolder(spool)
      }),
    pathOf,
    remove: (file) => removed(pathOf(file)),
    async sameDataSet(part, partOffset, file, fileOffset) {
      if (!(part instanceof Part))
        throw new TypeError('Only a file that was begun here can be compared')
      return compared(file, async (kept) => {
        if (part.bytes - partOffset !== fs.fstatSync(kept).size - fileOffset) return false
        return part.isSame(partOffset, kept, fileOffset)
      })
    },
    async sameBytes(path, offset, file, fileOffset) {
      const fd = await open(path, 'r')
      try {
        return await compared(file, (kept) => isSameRest(fd, offset, kept, fileOffset))
      } finally {
        fs.closeSync(fd)
      }
    },
    space: () =>
      faulty('statfs', () => {
        const { bavail, blocks, bsize } = fs.statfsSync(fs.existsSync(images) ? images : folder)
        return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
      }),
    isWritable() {
      try {
        prepare()
        for (const each of [spool, images]) {
          const probe = join(each, `${uuid()}${PART}`)
          fs.closeSync(fs.openSync(probe, 'wx', 0o600))
          fs.unlinkSync(probe)
        }
        return true
      } catch {
        return false
      }
    },
    close() {
      spares.close()
      try {
        fs.unlinkSync(join(images, OPEN))
      } catch {
        // The next start looks through the newest images, no more.
      }
    },
    async *orphans(known, newestId) {
      const marker = join(images, SWEPT)
      const startedAt = Date.now()
      const lookedAt = modifiedAt(marker)
      const isOlderDatabase = newestId < newestIdIn(marker)
      // A time that is still to come was written by a clock that was wrong.
      const since = lookedAt > startedAt || isOlderDatabase ? 0 : lookedAt - MARGIN_MS
      const restoredAt = modifiedAt(join(images, RESTORED))
      const isSpared = (file: string) => restoredAt > 0 && modifiedAt(pathOf(file)) <= restoredAt
      for await (const study of studies()) {
        if (modifiedAt(pathOf(study)) < since) continue
        for await (const file of filesOf(study)) if (!known(file) && !isSpared(file)) yield file
      }
      try {
        fs.writeFileSync(marker, String(newestId), { mode: 0o600 })
        fs.utimesSync(marker, new Date(startedAt), new Date(startedAt))
      } catch {
        // There are no images yet, or no room: the next look takes longer.
      }
    },
    async recover(file) {
      const own = recoveredPath(file)
      const to = fs.existsSync(own) ? join(dirname(own), `${uuid()}.dcm`) : own
      await relocate(pathOf(file), to, { sources: folders, targets: recoveryFolders })
      return `${dirname(file)}/${basename(to)}`
    },
    *recovered(after = '') {
      for (const group of namesOf(recovery, GROUP))
        for (const study of namesOf(join(recovery, group), STUDY_FOLDER)) {
          if (`${group}/${study}` < dirname(after)) continue
          for (const name of namesOf(join(recovery, group, study), KEPT_FILE)) {
            const file = `${group}/${study}/${name}`
            if (file > after) yield file
          }
        }
    },
    recoveredPath,
    putBack: (file, to) =>
      relocate(recoveredPath(file), pathOf(to), { sources: recoveryFolders, targets: folders }),
    removeRecovered: (file) => removed(recoveredPath(file)),
    async *unadopted(known) {
      const restoredAt = modifiedAt(join(images, RESTORED))
      if (restoredAt === 0) return
      for await (const study of studies()) {
        const unknown: string[] = []
        for await (const file of filesOf(study)) if (!known(file)) unknown.push(file)
        const spared = unknown
          .map((file) => ({ file, at: modifiedAt(pathOf(file)) }))
          .filter(({ at }) => at <= restoredAt)
        for (const { file } of spared.sort((a, b) => a.at - b.at)) yield file
      }
    },
    isAdopting: () => fs.existsSync(join(images, RESTORED)),
    allAdopted: () => fs.rmSync(join(images, RESTORED), { force: true }),
  }
}

/** Deletes a file; one that is gone already is no fault. @throws StorageFault */
async function removed(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw storageFault('unlink', error)
  }
}

/** Whether it is a path as `fileFor` makes them: a note that was written in part names no other. */
const isKeptFile = (file: string): boolean => {
  const [group = '', study = '', name = ''] = file.split('/')
  return GROUP.test(group) && STUDY_FOLDER.test(study) && KEPT_FILE.test(name)
}

/** Ms since 1970; 0 of what is not there. */
const modifiedAt = (path: string): number =>
  fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/**
 * Highest instance id at the last scan; 0 where it was not written down, as by earlier versions.
 */
const newestIdIn = (marker: string): number =>
  fs.existsSync(marker) ? Number(fs.readFileSync(marker)) || 0 : 0

/** In order; none where there is no such folder. */
const namesOf = (path: string, pattern: RegExp): string[] =>
  fs.existsSync(path)
    ? fs
        .readdirSync(path)
        .filter((name) => pattern.test(name))
        .sort()
    : []

async function* namesIn(path: string, pattern: RegExp): AsyncGenerator<string> {
  if (!fs.existsSync(path)) return
  for await (const { name } of await opendir(path)) if (pattern.test(name)) yield name
}

function faulty<T>(call: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw storageFault(call, error)
  }
}
