import { hash } from 'node:crypto'
import { type FileHandle, mkdir, open, opendir, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { instantOf } from '#server/platform/clock.ts'
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

/** A sentence: there is no room for it. */
export class NoRoom extends Error {}

/**
 * A file that a view uses: it stays as long as there is room, and its owner is told when it goes.
 */
export interface CacheHold {
  readonly path: string
  readonly bytes: number
  /** It was looked at now. */
  touch(): void
  release(): void
}

/** A file that is being written. */
export interface CachePart {
  readonly path: string
  readonly handle: FileHandle
}

export type KnownFile = Pick<
  ViewFileRecord,
  'fileKey' | 'studyInstanceUid' | 'etag' | 'lastModified'
>

interface Held {
  readonly fileKey: string
  readonly file: string
  readonly bytes: number
  readonly owners: Set<() => void>
  /** It has a row. */
  isListed: boolean
  /** It is about to have one: until then nobody else knows it. */
  isPending: boolean
}

export const fileKeyOf = (identity: string) => hash('sha256', identity)

export type ViewCache = ReturnType<typeof openViewCache>

/**
 * Files of partners on disk, below `cache/views`, within `viewer.cacheGigabytes`: those that no
 * view has open go first, the one not used for longest before the others; then those of open views.
 * It is never more than a cache: a crash may cost any of it.
 * @param limits bytes of all files together, where they are not those of the settings, and of one
 *   file that was deflated
 */
export function openViewCache(
  context: Context,
  limits: { readonly cacheBytes?: number; readonly inflatedBytes?: number } = {},
) {
  const { database, settings, clock, uuid } = context
  const folder = join(context.folder, 'cache', 'views')
  const pathOf = (file: string) => join(folder, file)
  /** In the order of their last use. */
  const holds = new Map<string, Held>()
  /** Rows that are about to go. */
  const leaving = new Set<string>()
  const pending = new Set<Promise<unknown>>()
  let used = 0
  let listed = 0
  let heldListed = 0
  const ready = sweptCache(database, folder).then((found) => {
    used = found.bytes
    listed = found.files
  })
  ready.catch(() => undefined)
  const quota = () => limits.cacheBytes ?? settings.get('viewer.cacheGigabytes') * GIGABYTE
  const background = (work: Promise<unknown>) => {
    const ended = work.catch(() => undefined).finally(() => pending.delete(ended))
    pending.add(ended)
  }
  const removed = (file: string) => unlink(pathOf(file)).catch(() => undefined)

  /** The row first: a file without a row is swept at the next start. */
  function unlist(fileKey: string, file: string): void {
    listed--
    leaving.add(file)
    background(
      database
        .commitSoon(
          () => findViewFile(database, fileKey)?.file === file && deleteViewFile(database, fileKey),
        )
        .then(() => removed(file))
        .finally(() => leaving.delete(file)),
    )
  }

  function evictHeld(held: Held): void {
    holds.delete(held.file)
    used -= held.bytes
    if (held.isListed) {
      heldListed--
      unlist(held.fileKey, held.file)
    } else background(removed(held.file))
    for (const evicted of held.owners) evicted()
  }

  function makeRoom(bytes: number, most: number): boolean {
    const fits = () => used + bytes <= most
    for (let limit = 100; !fits() && listed > heldListed; limit *= 4) {
      const oldest = oldestViewFiles(database, limit)
      for (const { fileKey, file, bytes: freed } of oldest) {
        if (holds.has(file) || leaving.has(file)) continue
        used -= freed
        unlist(fileKey, file)
        if (fits()) return true
      }
      if (oldest.length < limit) break
    }
    for (const held of holds.values()) {
      if (fits()) break
      evictHeld(held)
    }
    return fits()
  }

  /** What nobody holds stays as long as its row. */
  function letGo(held: Held): void {
    if (held.owners.size > 0 || held.isPending || holds.get(held.file) !== held) return
    holds.delete(held.file)
    if (held.isListed) heldListed--
    else {
      used -= held.bytes
      background(removed(held.file))
    }
  }

  function holdOf(held: Held, evicted: () => void): CacheHold {
    held.owners.add(evicted)
    return {
      path: pathOf(held.file),
      bytes: held.bytes,
      touch() {
        if (holds.get(held.file) !== held) return
        holds.delete(held.file)
        holds.set(held.file, held)
      },
      release() {
        if (held.owners.delete(evicted)) letGo(held)
      },
    }
  }

  /** Its name and bytes are made durable before its row tells other views of it. */
  async function list(held: Held, handle: FileHandle, known: KnownFile): Promise<void> {
    const { file, bytes } = held
    const now = instantOf(clock())
    try {
      await handle.datasync().finally(() => handle.close())
      await database.commitSoon(() => {
        if (holds.get(file) !== held) return
        const before = findViewFile(database, known.fileKey)
        putViewFile(database, { ...known, file, bytes, usedAt: now, createdAt: now })
        held.isListed = true
        heldListed++
        listed++
        if (before) forget(before)
      })
    } finally {
      held.isPending = false
      letGo(held)
    }
  }

  /** Another file took its place. */
  function forget({ file, bytes }: ViewFileRecord): void {
    listed--
    const held = holds.get(file)
    if (held) {
      held.isListed = false
      heldListed--
    } else {
      used -= bytes
      background(removed(file))
    }
  }

  return {
    /** What an earlier run left was looked through: nothing is asked before. */
    ready,
    /** The copy of an earlier view: to be asked about before it is shown. */
    known: (fileKey: string) => {
      const record = findViewFile(database, fileKey)
      return record && !leaving.has(record.file) && (record.etag ?? record.lastModified) !== null
        ? record
        : undefined
    },
    /** @param evicted it had to make room. Undefined: it is gone. */
    hold({ fileKey, file, bytes }: ViewFileRecord, evicted: () => void): CacheHold | undefined {
      const now = instantOf(clock())
      let held = holds.get(file)
      if (!held) {
        if (leaving.has(file) || findViewFile(database, fileKey)?.file !== file) return undefined
        held = { fileKey, file, bytes, owners: new Set(), isListed: true, isPending: false }
        holds.set(file, held)
        heldListed++
        background(database.commitSoon(() => noteViewFileUse(database, fileKey, now)))
      }
      return holdOf(held, evicted)
    },
    /** Bytes that one file may have. */
    mostBytes: () => Math.min(MOST_BYTES, quota()),
    /** Bytes that a deflated one may be inflated to. */
    mostInflatedBytes: () => Math.min(limits.inflatedBytes ?? MOST_INFLATED, quota()),
    /** Makes room. @throws NoRoom */
    demandRoom(bytes: number): void {
      const { freeBytes } = context.imageFiles.space()
      const kept = settings.get('intake.stopGigabytes') * GIGABYTE
      if (!makeRoom(bytes, quota()))
        throw new NoRoom(
          'It is larger than the disk space for images of partners: raise viewer.cacheGigabytes.',
        )
      if (freeBytes - bytes >= kept) return
      throw new NoRoom(
        'The disk of the gateway is nearly full: no images of partners are fetched until there is room.',
      )
    },
    async begin(): Promise<CachePart> {
      const path = pathOf(`${uuid()}.part`)
      return { path, handle: await inFolder(path, () => open(path, 'wx+', 0o600)) }
    },
    /**
     * The part is whole; it is closed and takes the place of what was known. @throws what the disk
     * says
     */
    async keep(part: CachePart, bytes: number, known: KnownFile, evicted: () => void) {
      const name = uuid()
      const file = `${name.slice(0, 2)}/${name}.dcm`
      await inFolder(pathOf(file), () => rename(part.path, pathOf(file)))
      makeRoom(bytes, quota())
      const held: Held = {
        fileKey: known.fileKey,
        file,
        bytes,
        owners: new Set(),
        isListed: false,
        isPending: true,
      }
      holds.set(file, held)
      used += bytes
      const hold = holdOf(held, evicted)
      background(list(held, part.handle, known))
      return hold
    },
    async discard({ path, handle }: CachePart): Promise<void> {
      await handle.close().catch(() => undefined)
      await unlink(path).catch(() => undefined)
    },
    async [Symbol.asyncDispose]() {
      await ready.catch(() => undefined)
      while (pending.size > 0) await Promise.all(pending)
    },
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
