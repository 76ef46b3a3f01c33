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
/** An enhanced multi-frame of a long run is below it. */
const MOST_BYTES = 4 * 1024 ** 3
/** A deflated data set holds little more than text and flat pixels. */
const MOST_INFLATED = 1024 ** 3

/** There is no room for it. */
export class NoRoom extends MessageError {}

/** A file that is being written. */
export interface CachePart {
  readonly path: string
  readonly handle: FileHandle
}

export type KnownFile = Pick<
  ViewFileRecord,
  'fileKey' | 'studyInstanceUid' | 'etag' | 'lastModified'
>

/** A file that views use. */
interface HeldFile {
  readonly fileKey: string
  readonly file: string
  readonly bytes: number
  /** What each view that uses it does when it has to make room. */
  readonly owners: Set<() => void>
  /** It has a row. */
  isListed: boolean
  /** It is about to have one: until then nobody else knows it. */
  isPending: boolean
}

/** A use of a file by a view: it stays as long as there is room. */
export type CacheHold = Awaited<ReturnType<ViewCache['keep']>>

export const fileKeyOf = (identity: string) => hash('sha256', identity)

/**
 * Files of partners on disk, below `cache/views`, within `viewer.cacheGigabytes`: those that no
 * view has open are deleted first, the one not used for longest before the others; then those of
 * open views. It is never more than a cache: a crash may cost any of it.
 */
export class ViewCache implements AsyncDisposable {
  /** Files that frames are read from: those of the cache and of the archive. */
  readonly openFiles = new OpenFiles()
  /** What an earlier run left was looked through: nothing is asked before. */
  readonly ready: Promise<void>
  readonly #context: Context
  readonly #database: Database
  readonly #folder: string
  readonly #cacheBytes: number | undefined
  readonly #inflatedBytes: number
  /** In the order of their last use. */
  readonly #held = new Map<string, HeldFile>()
  /** Files whose rows are about to be deleted. */
  readonly #leaving = new Set<string>()
  readonly #pending = new Set<Promise<unknown>>()
  #used = 0
  #listed = 0
  #heldListed = 0

  /**
   * @param cacheBytes of all files together, where it is not that of the settings
   * @param inflatedBytes of one file that was deflated
   */
  constructor(context: Context, cacheBytes?: number, inflatedBytes = MOST_INFLATED) {
    this.#context = context
    this.#database = context.database
    this.#folder = join(context.folder, 'cache', 'views')
    this.#cacheBytes = cacheBytes
    this.#inflatedBytes = inflatedBytes
    this.ready = sweptCache(context.database, this.#folder).then(({ bytes, files }) => {
      this.#used = bytes
      this.#listed = files
    })
    this.ready.catch(() => undefined)
  }

  /** The copy of an earlier view: its host is asked about it before it is shown. */
  known(fileKey: string): ViewFileRecord | undefined {
    const record = findViewFile(this.#database, fileKey)
    const isKnown =
      record && !this.#leaving.has(record.file) && (record.etag ?? record.lastModified) !== null
    return isKnown ? record : undefined
  }

  /** @param evicted it had to make room. Undefined: it is gone. */
  hold({ fileKey, file, bytes }: ViewFileRecord, evicted: () => void): CacheHold | undefined {
    const database = this.#database
    let held = this.#held.get(file)
    if (!held) {
      if (this.#leaving.has(file) || findViewFile(database, fileKey)?.file !== file)
        return undefined
      held = { fileKey, file, bytes, owners: new Set(), isListed: true, isPending: false }
      this.#held.set(file, held)
      this.#heldListed++
      const now = instantOf(this.#context.clock())
      this.#inBackground(database.commitSoon(() => noteViewFileUse(database, fileKey, now)))
    }
    return this.#holdOf(held, evicted)
  }

  /** Bytes that one file may have. */
  mostBytes(): number {
    return Math.min(MOST_BYTES, this.#quota())
  }

  /** Bytes that a deflated one may be inflated to. */
  mostInflatedBytes(): number {
    return Math.min(this.#inflatedBytes, this.#quota())
  }

  /** Makes room. @throws NoRoom */
  demandRoom(bytes: number): void {
    const { imageFiles, settings } = this.#context
    const { freeBytes } = imageFiles.space()
    if (!this.#makeRoom(bytes)) throw new NoRoom(message('viewer.larger-than-cache'))
    if (freeBytes - bytes < settings.get('intake.stopGigabytes') * GIGABYTE)
      throw new NoRoom(message('viewer.no-room-for-images'))
  }

  async begin(): Promise<CachePart> {
    const path = this.#pathOf(`${this.#context.uuid()}.part`)
    return { path, handle: await inFolder(path, () => open(path, 'wx+', 0o600)) }
  }

  /**
   * The part is whole; it is closed and takes the place of what was known. @param evicted as `hold`
   * @throws what the disk says
   */
  async keep(part: CachePart, bytes: number, known: KnownFile, evicted: () => void) {
    const name = this.#context.uuid()
    const file = `${name.slice(0, 2)}/${name}.dcm`
    const path = this.#pathOf(file)
    await inFolder(path, () => rename(part.path, path))
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
      /** It was looked at now. */
      touch: (): void => {
        if (this.#held.get(held.file) !== held) return
        this.#held.delete(held.file)
        this.#held.set(held.file, held)
      },
      release: (): void => {
        this.openFiles.drop(path)
        if (held.owners.delete(owner)) this.#letGo(held)
      },
    }
  }

  /** What nobody holds stays as long as its row. */
  #letGo(held: HeldFile): void {
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
    const most = this.#quota()
    const fits = () => this.#used + bytes <= most
    for (let limit = 100; !fits() && this.#listed > this.#heldListed; limit *= 4) {
      const oldest = oldestViewFiles(this.#database, limit)
      for (const { fileKey, file, bytes: freed } of oldest) {
        if (this.#held.has(file) || this.#leaving.has(file)) continue
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

  /** The row first: a file without a row is removed at the next start. */
  #unlist(fileKey: string, file: string): void {
    const database = this.#database
    this.#listed--
    this.#leaving.add(file)
    this.#inBackground(
      database
        .commitSoon(
          () => findViewFile(database, fileKey)?.file === file && deleteViewFile(database, fileKey),
        )
        .then(() => unlink(this.#pathOf(file)).catch(() => undefined))
        .finally(() => this.#leaving.delete(file)),
    )
  }

  /** Its name and bytes are made durable before other views know it by its row. */
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
        if (before) this.#forgetReplaced(before)
      })
    } finally {
      held.isPending = false
      this.#letGo(held)
    }
  }

  #forgetReplaced({ file, bytes }: ViewFileRecord): void {
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

/** Makes the folder of the path where there is none yet. */
async function inFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    return await work()
  }
}

/**
 * Removes what a crash left of the cache below `folder`: parts, files without a row, rows without
 * their file. How many files there are then, and of how many bytes.
 */
async function sweptCache(database: Database, folder: string) {
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
