import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { RETRY_SCHEDULES, retryDelayMs } from '#server/jobs/retry-schedules.ts'
import { Worker } from '#server/jobs/worker.ts'
import { findInstance } from '#server/modules/images/instance-queries.ts'
import { localPathOf } from '#server/modules/images/local-files.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import { ContentDigest } from './content-digest.ts'
import * as copies from './copy-queries.ts'
import { countMigrationCopies } from './migration-queries.ts'
import { advanceMigration } from './migrations.ts'
import type { ObjectStore } from './object-store.ts'
import { NoSpaceFault } from './recall-cache.ts'
import { isStoreWideFault, storeFault } from './store-fault.ts'
import type { TierConnections } from './stores.ts'
import { isCurrentTier, isS3Tier, listTiers, type S3Tier, setTierError } from './tier-queries.ts'
import { TransferRate } from './transfer-rate.ts'

const BATCH_SIZE = 200
/** Instances that are copied to one tier at the same time. */
const CONCURRENCY = 4
const RETRY_SCHEDULE = RETRY_SCHEDULES.tierCopy
const OUTAGE_SCHEDULE = RETRY_SCHEDULES.forwarding

/** A tier that could not be reached. A change of its settings ends the outage. */
interface Outage {
  readonly updatedAt: string
  /** Until when it is left alone. */
  readonly untilMs: number
  /** Failures in a row. */
  readonly failures: number
}

/**
 * Copies instances to object stores, and deletes the objects of deleted instances. An instance is
 * written, read back and compared, and only then recorded as stored, so that a crash at any step
 * leaves it waiting, and it is written again under the same key. A store that cannot be reached is
 * left alone for a while, without a failed attempt of the instances.
 */
export class Copier implements AsyncDisposable {
  readonly #context: Context
  readonly #connections: TierConnections
  readonly #worker: Worker
  readonly #outages = new Map<string, Outage>()
  readonly #rates = new Map<string, TransferRate>()

  constructor(context: Context, connections: TierConnections) {
    this.#context = context
    this.#connections = connections
    this.#worker = new Worker(
      context,
      () => this.#nextDue(),
      (signal) => this.#round(signal),
      'tier copies',
    )
    this.#worker.wake()
  }

  #tiers = (): S3Tier[] =>
    listTiers(this.#context.database).filter(
      (tier): tier is S3Tier => isS3Tier(tier) && tier.isEnabled,
    )

  #nextDue(): string | undefined {
    const { database } = this.#context
    return this.#tiers()
      .flatMap((tier) => {
        const due = copies.nextCopyDueAt(database, tier.tierId)
        const until = instantOf(this.#outageOf(tier)?.untilMs ?? 0)
        return due === undefined ? [] : [due > until ? due : until]
      })
      .sort()[0]
  }

  async #round(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#tiers().map((tier) => this.#copyTo(tier, signal)))
  }

  async #copyTo(tier: S3Tier, signal: AbortSignal): Promise<void> {
    const { database, clock, feed } = this.#context
    const { tierId } = tier
    const store = await this.#connections.storeOf(tier)
    while (!signal.aborted && (this.#outageOf(tier)?.untilMs ?? 0) <= clock()) {
      const hasAdvanced = advanceMigration(this.#context, tierId, (file) => store.keyOf(file))
      const due = copies.listDueCopies(database, tierId, instantOf(clock()), BATCH_SIZE)
      if ((due.length === 0 && !hasAdvanced) || !isCurrentTier(database, tier)) return
      if (due.length > 0) await this.#copyAll(tier, store, due, signal)
      // Skipping images that are already copied involves no I/O, so yield to the event loop.
      else await nextTurn()
      feed.noteStatus()
    }
  }

  async #copyAll(
    tier: S3Tier,
    store: ObjectStore,
    due: readonly copies.DueCopy[],
    closing: AbortSignal,
  ): Promise<void> {
    const { database } = this.#context
    const outage = new AbortController()
    const signal = AbortSignal.any([closing, outage.signal])
    const waiting = due.values()
    const one = async () => {
      for (const copy of waiting) {
        if (signal.aborted || !isCurrentTier(database, tier)) return
        using _kept = this.#context.imageFiles.inUse.keep([copy.instanceId])
        try {
          await (copy.state === 'deleting'
            ? this.#delete(tier, store, copy, signal)
            : this.#copy(tier, store, copy, signal))
          this.#noteReached(tier.tierId)
        } catch (error) {
          if (signal.aborted) return
          if (affectsAllCopies(error)) outage.abort()
          this.#noteFailure(tier, copy, error)
        }
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, one))
  }

  async #copy(
    tier: S3Tier,
    store: ObjectStore,
    { copyId, instanceId, migrationId, objectKey }: copies.DueCopy,
    signal: AbortSignal,
  ): Promise<void> {
    const { database, clock } = this.#context
    const { tierId, settings } = tier
    const wanted = findInstance(database, instanceId)
    if (!wanted) return
    const path = await localPathOf(this.#context, wanted)
    // Fetched from a PACS, its encoding may have changed.
    const instance = findInstance(database, instanceId) ?? wanted
    const written = new ContentDigest(instance.dataSetOffset)
    await store.writeFile(objectKey, path, instance.bytes, written, signal)
    const isIntact = written.matches(instance)
    const sha256 = written.sha256()
    if (!isIntact) {
      await store.remove(objectKey, signal)
      throw new CopyFault(message('tiers.local-file-changed'))
    }
    const read = new ContentDigest(instance.dataSetOffset)
    await store.readInto(read, objectKey, settings.encryption, signal)
    if (!read.sha256().equals(sha256)) throw new CopyFault(message('tiers.copy-differs'))
    const { bytes } = instance
    const stored = { bytes, sha256, encryption: settings.encryption, at: instantOf(clock()) }
    const isKnown = await database.commitSoon(() => {
      // Written to a server that the tier no longer is: the copy stays queued.
      if (!isCurrentTier(database, tier)) return true
      const isStored = copies.recordCopyStored(database, copyId, stored)
      if (isStored && migrationId !== null)
        countMigrationCopies(database, migrationId, { done: 1, bytes })
      return copies.hasCopy(database, tierId, instanceId)
    })
    // The migration was cancelled while the object was written.
    if (!isKnown) await store.remove(objectKey, signal)
    this.#rateOf(tierId).add(clock(), bytes)
  }

  async #delete(
    tier: S3Tier,
    store: ObjectStore,
    copy: copies.DueCopy,
    signal: AbortSignal,
  ): Promise<void> {
    const { database } = this.#context
    await store.remove(copy.objectKey, signal)
    if (isCurrentTier(database, tier)) copies.deleteCopy(database, copy.copyId)
  }

  #outageOf({ tierId, updatedAt }: S3Tier): Outage | undefined {
    const outage = this.#outages.get(tierId)
    return outage?.updatedAt === updatedAt ? outage : undefined
  }

  #noteReached(tierId: string): void {
    this.#outages.delete(tierId)
    setTierError(this.#context.database, tierId, null)
  }

  #noteFailure(tier: S3Tier, copy: copies.DueCopy, error: unknown): void {
    const { database, clock } = this.#context
    const { tierId, updatedAt } = tier
    const why = reasonOf(error)
    if (why.isInternal) reportError(this.#context, error)
    if (affectsAllCopies(error)) {
      const failures = (this.#outageOf(tier)?.failures ?? 0) + 1
      const untilMs = clock() + retryDelayMs(OUTAGE_SCHEDULE, failures)
      this.#outages.set(tierId, { updatedAt, untilMs, failures })
      setTierError(database, tierId, why.message)
      return
    }
    const schedule = copy.state === 'deleting' ? OUTAGE_SCHEDULE : RETRY_SCHEDULE
    const wait = retryDelayMs(schedule, copy.attempts + 1)
    const nextAt = wait === undefined ? null : instantOf(clock() + wait)
    database.transaction(() => {
      copies.postponeCopy(database, copy.copyId, { nextAt, error: why.message, isCounted: true })
      if (nextAt === null && copy.migrationId !== null && copy.state === 'waiting')
        countMigrationCopies(database, copy.migrationId, { failed: 1 })
    })
  }

  #rateOf(tierId: string): TransferRate {
    const rate = this.#rates.get(tierId) ?? new TransferRate()
    this.#rates.set(tierId, rate)
    return rate
  }

  /** Bytes per second of the last minute; null while nothing is copied. */
  bytesPerSecond(tierId: string): number | null {
    return this.#rates.get(tierId)?.perSecond(this.#context.clock()) ?? null
  }

  /** Tries a tier again now that could not be reached. */
  retry(tierId: string): void {
    this.#outages.delete(tierId)
    this.#worker.wake()
  }

  /** Resolves when nothing is due. */
  settled(): Promise<void> {
    return this.#worker.settled()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#worker[Symbol.asyncDispose]()
  }
}

/** Whether no other copy needs to be tried now. */
const affectsAllCopies = (error: unknown) =>
  error instanceof NoSpaceFault || (!isMissingFile(error) && isStoreWideFault(error))

/** The local file was removed since it was looked for, or is not there. */
const isMissingFile = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** A copy that is not what it should be. */
class CopyFault extends MessageError {}

function reasonOf(error: unknown): { readonly message: Message; readonly isInternal: boolean } {
  if (isMissingFile(error))
    return { message: message('tiers.local-file-missing'), isInternal: false }
  if (error instanceof NoSpaceFault)
    return { message: message('tiers.no-space'), isInternal: false }
  const reason = storeFault(error)
  return { message: reason, isInternal: reason.code === 'tiers.internal-error' }
}
