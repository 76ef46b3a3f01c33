import { hash } from 'node:crypto'
import { type FileHandle, mkdir, open, opendir, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { instantOf } from '#server/platform/clock.ts'
import { message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import { OpenFiles } from './open-files.ts'
import {
  deleteViewFile,
  findViewFile,
  noteViewFileUse,
  oldestViewFiles,
  putViewFile,
  type ViewFileRecord,
} from './queries.ts'

const GIGABYTE = 1e9
/** Maximum size of a file; sufficient for a long enhanced multi-frame run. */
const MAX_FILE_BYTES = 4 * 1024 ** 3
/** Maximum inflated size; deflated data sets contain mostly text and uniform pixels. */
const MAX_INFLATED_BYTES = 1024 ** 3

/** There is not enough space for a file. */
export class NotEnoughSpaceError extends MessageError {}
/** Other images needed the space of a file before it was read; it has to be downloaded again. */
export class EvictedError extends Error {}

/** A file that is being written. */
export interface CachePart {
  readonly path: string
  readonly handle: FileHandle
}

export type KnownFile = Pick<
  ViewFileRecord,
  'fileKey' | 'studyInstanceUid' | 'etag' | 'lastModified'
>

/** A file that is in use by views. */
interface HeldFile {
  readonly fileKey: string
  readonly file: string
  readonly bytes: number
  /** The eviction callback of each view that uses it. */
  readonly owners: Set<() => void>
  /** Whether it has a row in the database. */
  isListed: boolean
  /** Whether its row is about to be inserted; until then other views cannot find it. */
  isPending: boolean
}

/** The use of a file by a view. The file is kept as long as there is enough space. */
export type CacheLease = Awaited<ReturnType<ViewCache['keep']>>

export const fileKeyOf = (identity: string) => hash('sha256', identity)

/**
 * A cache of partners' files on disk, in `cache/views`, limited by `viewer.cacheGigabytes`. Files
 * that no view uses are evicted first, in least recently used order, followed by files of open
 * views. A crash may lose any of them.
 */
export class ViewCache implements AsyncDisposable {
  /** Open files for reading frames, of the cache and of the archive. */
  readonly openFiles = new OpenFiles()
  /**
   * Resolves when the files of an earlier run have been checked; the cache must not be used before.
   */
  readonly ready: Promise<void>
  readonly #context: Context
  readonly #database: Database
  readonly #folder: string
  readonly #cacheBytes: number | undefined
  readonly #inflatedBytes: number
  readonly #unsubscribe: () => void
  /** In the order of their last use. */
  readonly #held = new Map<string, HeldFile>()
  /** Files whose rows are about to be deleted. */
  readonly #beingDeleted = new Set<string>()
  readonly #pending = new Set<Promise<unknown>>()
  #used = 0
  #listed = 0
  #heldListed = 0

  /**
   * @param cacheBytes size limit of all files, instead of the setting
   * @param inflatedBytes size limit of an inflated file
   */
  constructor(context: Context, cacheBytes?: number, inflatedBytes = MAX_INFLATED_BYTES) {
    this.#context = context
    this.#database = context.database
    this.#folder = join(context.folder, 'cache', 'views')
    this.#cacheBytes = cacheBytes
    this.#inflatedBytes = inflatedBytes
    this.ready = sweepCache(context.database, this.#folder).then(({ bytes, files }) => {
      this.#used = bytes
      this.#listed = files
    })
    this.ready.catch(() => undefined)
    this.#unsubscribe = this.#database.subscribe('removed files', () =>
      this.openFiles.dropDeleted(),
    )
  }

  /** The copy of an earlier view, which has to be validated with its host before it is shown. */
  known(fileKey: string): ViewFileRecord | undefined {
    const record = findViewFile(this.#database, fileKey)
    const isKnown =
      record &&
      !this.#beingDeleted.has(record.file) &&
      (record.etag ?? record.lastModified) !== null
    return isKnown ? record : undefined
  }

  /**
   * Uses a file; undefined if it no longer exists.
   * @param evicted called when the file is evicted
   */
  hold({ fileKey, file, bytes }: ViewFileRecord, evicted: () => void): CacheLease | undefined {
    const database = this.#database
    let held = this.#held.get(file)
    if (!held) {
      if (this.#beingDeleted.has(file) || findViewFile(database, fileKey)?.file !== file)
        return undefined
      held = { fileKey, file, bytes, owners: new Set(), isListed: true, isPending: false }
      this.#held.set(file, held)
      this.#heldListed++
      const now = instantOf(this.#context.clock())
      this.#inBackground(database.commitSoon(() => noteViewFileUse(database, fileKey, now)))
    }
    return this.#holdOf(held, evicted)
  }

  /** Maximum size of a file in bytes. */
  maxFileBytes(): number {
    return Math.min(MAX_FILE_BYTES, this.#quota())
  }

  /** Maximum inflated size of a deflated file in bytes. */
  maxInflatedBytes(): number {
    return Math.min(this.#inflatedBytes, this.#quota())
  }

  /**
   * Makes room for `bytes` more bytes.
   * @throws NotEnoughSpaceError
   */
  requireRoom(bytes: number): void {
    const { imageFiles, settings } = this.#context
    const { freeBytes } = imageFiles.space()
    if (!this.#makeRoom(bytes)) throw new NotEnoughSpaceError(message('viewer.larger-than-cache'))
    if (freeBytes - bytes < settings.get('intake.stopGigabytes') * GIGABYTE)
      throw new NotEnoughSpaceError(message('viewer.no-room-for-images'))
  }

  async begin(): Promise<CachePart> {
    const path = this.#pathOf(`${this.#context.uuid()}.part`)
    return { path, handle: await withFolder(path, () => open(path, 'wx+', 0o600)) }
  }

  /**
   * Closes a complete part and moves it into the cache, in place of an earlier copy.
   * @param evicted see `hold`
   * @throws errors of the disk
   */
  async keep(part: CachePart, bytes: number, known: KnownFile, evicted: () => void) {
    const name = this.#context.uuid()
    const file = `${name.slice(0, 2)}/${name}.dcm`
    const path = this.#pathOf(file)
    await withFolder(path, () => rename(part.path, path))
    this.#makeRoom(bytes)
    const { fileKey } = known
    const held: HeldFile = {
      ...{ fileKey, file, bytes, owners: new Set(), isListed: false, isPending: true },
    }
    this.#held.set(file, held)
    this.#used += bytes
    const hold = this.#holdOf(held, evicted)
    this.#inBackground(this.#list(held, part.handle, known))
    return hold
  }

  async discard({ path, handle }: CachePart): Promise<void> {
    await handle.close().catch(() => undefined)
    await unlink(path).catch(() => undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe()
    this.openFiles.close()
    await this.ready.catch(() => undefined)
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  #pathOf(file: string): string {
    return join(this.#folder, file)
  }

  #quota(): number {
    return this.#cacheBytes ?? this.#context.settings.get('viewer.cacheGigabytes') * GIGABYTE
  }

  #inBackground(work: Promise<unknown>): void {
    const ended = work.catch(() => undefined).finally(() => this.#pending.delete(ended))
    this.#pending.add(ended)
  }

  #remove(file: string): void {
    this.#inBackground(unlink(this.#pathOf(file)))
  }

  #holdOf(held: HeldFile, evicted: () => void) {
    const path = this.#pathOf(held.file)
    const owner = () => evicted()
    held.owners.add(owner)
    return {
      path,
      bytes: held.bytes,
      /** Marks the file as most recently used. */
      touch: (): void => {
        if (this.#held.get(held.file) !== held) return
        this.#held.delete(held.file)
        this.#held.set(held.file, held)
      },
      release: (): void => {
        this.openFiles.drop(path)
        if (held.owners.delete(owner)) this.#release(held)
      },
    }
  }

  /** Releases a file that no view uses; it is kept as long as it has a row. */
  #release(held: HeldFile): void {
    const { file, bytes, owners, isPending, isListed } = held
    if (owners.size > 0 || isPending || this.#held.get(file) !== held) return
    this.#held.delete(file)
    if (isListed) {
      this.#heldListed--
      return
    }
    this.#used -= bytes
    this.#remove(file)
  }

  #makeRoom(bytes: number): boolean {
    const quotaBytes = this.#quota()
    const fits = () => this.#used + bytes <= quotaBytes
    for (let limit = 100; !fits() && this.#listed > this.#heldListed; limit *= 4) {
      const oldest = oldestViewFiles(this.#database, limit)
      for (const { fileKey, file, bytes: freed } of oldest) {
        if (this.#held.has(file) || this.#beingDeleted.has(file)) continue
        this.#used -= freed
        this.#unlist(fileKey, file)
        if (fits()) return true
      }
      if (oldest.length < limit) break
    }
    for (const held of this.#held.values()) {
      if (fits()) break
      this.#evict(held)
    }
    return fits()
  }

  #evict({ file, fileKey, bytes, owners, isListed }: HeldFile): void {
    this.#held.delete(file)
    this.#used -= bytes
    if (isListed) {
      this.#heldListed--
      this.#unlist(fileKey, file)
    } else this.#remove(file)
    for (const evicted of owners) evicted()
    this.openFiles.drop(this.#pathOf(file))
  }

  /** Deletes the row before the file, because a file without a row is removed at the next start. */
  #unlist(fileKey: string, file: string): void {
    const database = this.#database
    this.#listed--
    this.#beingDeleted.add(file)
    this.#inBackground(
      database
        .commitSoon(
          () => findViewFile(database, fileKey)?.file === file && deleteViewFile(database, fileKey),
        )
        .then(() => unlink(this.#pathOf(file)).catch(() => undefined))
        .finally(() => this.#beingDeleted.delete(file)),
    )
  }

  /** Makes the file durable before its row lets other views find it. */
  async #list(held: HeldFile, handle: FileHandle, known: KnownFile): Promise<void> {
    const { file, bytes } = held
    const now = instantOf(this.#context.clock())
    try {
      await handle.datasync().finally(() => handle.close())
      await this.#database.commitSoon(() => {
        if (this.#held.get(file) !== held) return
        const before = findViewFile(this.#database, known.fileKey)
        putViewFile(this.#database, { ...known, file, bytes, usedAt: now, createdAt: now })
        held.isListed = true
        this.#heldListed++
        this.#listed++
        if (before) this.#unlistReplaced(before)
      })
    } finally {
      held.isPending = false
      this.#release(held)
    }
  }

  #unlistReplaced({ file, bytes }: ViewFileRecord): void {
    this.#listed--
    const held = this.#held.get(file)
    if (held) {
      held.isListed = false
      this.#heldListed--
      return
    }
    this.#used -= bytes
    this.#remove(file)
  }
}

/** Runs `work`, and creates the folder of the path if it does not exist. */
async function withFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    return await work()
  }
}

/**
 * Removes the leftovers of a crash from the cache: parts, files without a row, and rows without a
 * file. Returns the number and size of the remaining files.
 */
async function sweepCache(database: Database, folder: string) {
  const records = oldestViewFiles(database, Number.MAX_SAFE_INTEGER)
  const listed = new Map(records.map((record) => [record.file, record]))
  let files = 0
  let bytes = 0
  for await (const file of filesIn(folder)) {
    const record = listed.get(file)
    const path = join(folder, file)
    if (record && (await stat(path).catch(() => undefined))?.size === record.bytes) {
      listed.delete(file)
      files++
      bytes += record.bytes
    } else await unlink(path).catch(() => undefined)
  }
  if (listed.size > 0)
    await database.commitSoon(() => {
      for (const { fileKey } of listed.values()) deleteViewFile(database, fileKey)
    })
  return { files, bytes }
}

/** Paths relative to the folder, with slashes. */
async function* filesIn(folder: string, below = ''): AsyncGenerator<string> {
  const found = await opendir(join(folder, below)).catch(() => undefined)
  if (!found) return
  for await (const entry of found) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) yield* filesIn(folder, path)
    else yield path
  }
}
