import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Context } from '#server/context.ts'
import { fileFor } from '#server/database/image-files.ts'
import type { PartFile } from '#server/database/part-file.ts'
import type { Recall } from '#server/database/recall.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { findInstance, type InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { recordReturnedFile } from '#server/modules/images/local-file-queries.ts'
import { readChecksum } from '#server/modules/images/stored-object.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { NoSpaceFault, type RecallCache } from './recall-cache.ts'
import { recordRecall } from './recall-queries.ts'
import { storeFault } from './store-fault.ts'
import type { FileSource, TierSources } from './tier-sources.ts'

/** Files that are fetched at the same time. */
const MAX_RUNNING_RECALLS = 16
/** How long a file that was fetched is kept at least, so that whoever asked for it can open it. */
const MIN_KEPT_MS = 5000

/** Bytes of a file that are held in memory: being written, or waiting to be. */
const MAX_HELD_BYTES = 4 << 20

/** A file that is being fetched, and who waits for its bytes. */
class RunningRecall implements Recall {
  readonly done: Promise<void>
  readonly #listeners = new Set<() => void>()
  path = ''
  bytes = 0
  isVerified = false

  constructor(run: (recall: RunningRecall) => Promise<void>) {
    this.done = run(this)
    // Whoever waits for it gets the error.
    this.done.catch(() => undefined)
  }

  grown(path: string, bytes: number): void {
    this.path = path
    this.bytes = bytes
    this.isVerified = false
    this.#tell()
  }

  /** The bytes of a source that failed are not those of the next one. */
  failed(): void {
    this.grown('', 0)
  }

  verified(): void {
    this.isVerified = true
    this.#tell()
  }

  onGrown(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/**
 * Fetches the files of instances that were removed from this PC. Requests for the same file share
 * one fetch. The bytes can be read while they arrive; the row names the new file only when it is
 * complete, compared with the checksum of its copy, and durable.
 */
export class Recalls implements AsyncDisposable {
  readonly #context: Context
  readonly #sources: TierSources
  readonly #cache: RecallCache
  readonly #running = new Map<number, RunningRecall>()
  /**
   * Instances of which a source sent a part and then failed. They are shown only when they are
   * complete, so that the next request receives the fault and not another part.
   */
  readonly #brokenOff = new Set<number>()
  readonly #waiting: (() => void)[] = []
  readonly #closing = new AbortController()
  #active = 0

  constructor(context: Context, sources: TierSources, cache: RecallCache) {
    this.#context = context
    this.#sources = sources
    this.#cache = cache
  }

  start(instanceId: number): Recall {
    const running = this.#running.get(instanceId)
    if (running) return running
    const kept = this.#context.imageFiles.inUse.keep([instanceId])
    const recall = new RunningRecall(async (self) => {
      try {
        await this.#turn()
        try {
          await this.#fetch(instanceId, self)
        } finally {
          this.#active--
          this.#waiting.shift()?.()
        }
      } finally {
        this.#running.delete(instanceId)
        setTimeout(() => kept[Symbol.dispose](), MIN_KEPT_MS).unref()
      }
    })
    this.#running.set(instanceId, recall)
    return recall
  }

  async #turn(): Promise<void> {
    while (this.#active >= MAX_RUNNING_RECALLS)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#active++
  }

  /** Tries the tiers that have the instance one after the other. */
  async #fetch(instanceId: number, recall: RunningRecall): Promise<void> {
    const { signal } = this.#closing
    const faults: { readonly tier: string; readonly why: Message }[] = []
    const instance = findInstance(this.#context.database, instanceId)
    if (!instance) throw new ApiError('not-found', message('images.none-such'))
    if (instance.localRemovedAt === null) return
    for (const source of this.#sources.of(instance)) {
      try {
        await this.#fetchFrom(source, instance, recall, signal)
        this.#sources.noteReached(source)
        this.#brokenOff.delete(instanceId)
        return
      } catch (error) {
        const isGone = findInstance(this.#context.database, instanceId) === undefined
        if (recall.bytes > 0 && !isGone) this.#brokenOff.add(instanceId)
        recall.failed()
        signal.throwIfAborted()
        if (error instanceof NoSpaceFault || isGone) throw error
        const why = storeFault(error)
        if (why.code === 'tiers.internal-error') reportError(this.#context, error)
        this.#sources.noteFailure(source, why)
        faults.push({ tier: source.tierName, why })
      }
    }
    const [first] = faults
    throw new ApiError(
      'unavailable',
      first
        ? message('tiers.not-fetched', { tier: first.tier, why: first.why })
        : message('images.file-elsewhere'),
    )
  }

  async #fetchFrom(
    source: FileSource,
    instance: InstanceRecord,
    recall: RunningRecall,
    signal: AbortSignal,
  ): Promise<void> {
    const { bytes, instanceId } = instance
    const release = await this.#cache.reserve(bytes)
    try {
      if (source.kind === 'object') await this.#fetchObject(source, instance, recall, signal)
      else await source.retrieve(signal)
      const { database, clock } = this.#context
      await database.commitSoon(() => recordRecall(database, instanceId, bytes, instantOf(clock())))
    } finally {
      release()
    }
  }

  async #fetchObject(
    source: FileSource & { readonly kind: 'object' },
    instance: InstanceRecord,
    recall: RunningRecall,
    signal: AbortSignal,
  ): Promise<void> {
    const { database, imageFiles, uuid } = this.#context
    const part = imageFiles.begin()
    const file = fileFor(instance.studyInstanceUid, uuid())
    imageFiles.arriving.add(file)
    try {
      const isShown = !this.#brokenOff.has(instance.instanceId)
      const writable = writableOf(part, () => {
        if (isShown) recall.grown(part.path, part.bytes)
      })
      await pipeline(source.read(signal), writable)
      if (isShown) recall.verified()
      // The row may describe another encoding, which a PACS returned after the copy was made.
      const { dataSetOffset, transferSyntaxUid } = await readFileMeta(part.path)
      const { bytes, crc32 } = await readChecksum(part.path, dataSetOffset)
      await part.finish()
      await part.place(file)
      await part.secure()
      const returned = { file, dataSetOffset, transferSyntaxUid, bytes, crc32 }
      await database.commitSoon(() => recordReturnedFile(database, instance.instanceId, returned))
    } catch (error) {
      await part.discard()
      throw error
    } finally {
      imageFiles.arriving.delete(file)
    }
  }

  async [Symbol.asyncDispose]() {
    this.#closing.abort()
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done))
  }
}

/**
 * Writes the chunks that arrive during a write together: a write for each of them takes longer than
 * a fast store needs to send them.
 */
const writableOf = (part: PartFile, onWritten: () => void) =>
  new Writable({
    highWaterMark: MAX_HELD_BYTES,
    writev(chunks, done) {
      part
        .write(chunks.map(({ chunk }) => chunk as Buffer))
        .then(onWritten)
        .then(() => done(), done)
    },
  })
