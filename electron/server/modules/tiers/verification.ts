import { existsSync } from 'node:fs'
import type { Context } from '#server/context.ts'
import { unmarkMoved } from '#server/modules/images/instance-copy-queries.ts'
import { findInstance } from '#server/modules/images/instance-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import type { Verification } from '#shared/contract/tiers.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { ContentDigest } from './content-digest.ts'
import {
  type CopyRecord,
  listCopiesByKey,
  recordCopyLost,
  recordCopyVerified,
} from './copy-queries.ts'
import type { ObjectStore } from './object-store.ts'
import { isMissingObject, storeFault } from './store-fault.ts'
import type { TierConnections } from './stores.ts'
import { isCurrentTier, isS3Tier, setVerification, type TierRecord } from './tier-queries.ts'

const BATCH_SIZE = 500
const CONCURRENCY = 4

/** An object that is not as recorded. */
export interface ObjectFault {
  readonly key: string
  readonly found: 'missing' | 'changed'
}

/** Objects that are listed in the result of the command. */
const MAX_FAULTS = 1000

interface RunningVerification {
  /** The tier as it was at the start. */
  readonly tier: TierRecord
  result: Verification
  readonly faults: ObjectFault[]
  readonly stopController: AbortController
  readonly ended: Promise<Verification>
}

/** Compares the objects in a store with what is recorded of them. One at a time for each tier. */
export class Verifications implements AsyncDisposable {
  readonly #context: Context
  readonly #connections: TierConnections
  readonly #running = new Map<string, RunningVerification>()

  constructor(context: Context, connections: TierConnections) {
    this.#context = context
    this.#connections = connections
  }

  /** The running verification of a tier. */
  of(tierId: string): Verification | undefined {
    return this.#running.get(tierId)?.result
  }

  /**
   * @param isQuick compares keys and lengths with the list of the store; otherwise every object is
   * read and its checksum compared
   * @throws ApiError refused: the tier is no object store, or a verification is running
   */
  start(tier: TierRecord, isQuick: boolean): void {
    this.#begin(tier, isQuick)
  }

  /** As `start`, to the end. */
  async run(tier: TierRecord, isQuick: boolean) {
    const { faults, ended } = this.#begin(tier, isQuick)
    return { verification: await ended, faults }
  }

  #begin(tier: TierRecord, isQuick: boolean): RunningVerification {
    if (!isS3Tier(tier)) throw new ApiError('refused', message('tiers.pacs-not-verified'))
    if (this.#running.has(tier.tierId))
      throw new ApiError('refused', message('tiers.verification-running'))
    const stopController = new AbortController()
    const result: Verification = {
      ...{ state: 'running', isQuick, checked: 0, total: tier.storedInstances },
      ...{ missing: 0, changed: 0, repaired: 0, fault: null },
      ...{ startedAt: instantOf(this.#context.clock()), endedAt: null },
    }
    const store = this.#connections.storeOf(tier)
    const running: RunningVerification = {
      ...{ tier, result, stopController: stopController, faults: [] },
      ended: store.then((opened) => this.#run(opened, running)),
    }
    this.#running.set(tier.tierId, running)
    return running
  }

  async #run(store: ObjectStore, running: RunningVerification): Promise<Verification> {
    const { tierId } = running.tier
    const { signal } = running.stopController
    const { database, clock, feed } = this.#context
    const end = (endState: Verification['state'], fault: Message | null) => {
      const endedAt = instantOf(clock())
      const state =
        endState === 'done' && !isCurrentTier(database, running.tier) ? 'stopped' : endState
      const ended = { ...running.result, state, fault, endedAt }
      database.transaction(() => {
        setVerification(database, tierId, ended)
        // What the server does not have is marked as lost; all else counts again.
        if (state === 'done' && !ended.isQuick) unmarkMoved(database, tierId)
      })
      return ended
    }
    try {
      const check = running.result.isQuick ? this.#checkList : this.#checkContent
      await check(tierId, store, running, signal)
      return end(signal.aborted ? 'stopped' : 'done', null)
    } catch (error) {
      const fault = storeFault(error)
      if (!signal.aborted && fault.code === 'tiers.internal-error')
        reportError(this.#context, error)
      return end(signal.aborted ? 'stopped' : 'failed', signal.aborted ? null : fault)
    } finally {
      this.#running.delete(tierId)
      feed.noteStatus()
    }
  }

  /** Both lists are in the order of the keys, so that they are compared as they are read. */
  #checkList = async (
    tierId: string,
    store: ObjectStore,
    running: RunningVerification,
    signal: AbortSignal,
  ): Promise<void> => {
    const copies = this.#copies(tierId)
    let copy = copies.next().value
    for await (const { key, bytes } of store.list(signal)) {
      while (copy && copy.objectKey < key) {
        this.#note(running, copy, 'missing')
        copy = copies.next().value
      }
      if (copy?.objectKey !== key) continue
      this.#note(running, copy, bytes === copy.bytes ? 'listed' : 'changed')
      copy = copies.next().value
    }
    for (; copy; copy = copies.next().value) this.#note(running, copy, 'missing')
  }

  #checkContent = async (
    tierId: string,
    store: ObjectStore,
    running: RunningVerification,
    signal: AbortSignal,
  ): Promise<void> => {
    const copies = this.#copies(tierId)
    const one = async () => {
      for (const copy of copies) {
        signal.throwIfAborted()
        const digest = new ContentDigest(0)
        try {
          await store.readInto(digest, copy.objectKey, copy.encryption, signal)
        } catch (error) {
          if (!isMissingObject(error)) throw error
          this.#note(running, copy, 'missing')
          continue
        }
        this.#note(running, copy, copy.sha256?.equals(digest.sha256()) ? 'same' : 'changed')
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, one))
  };

  *#copies(tierId: string): Generator<CopyRecord, undefined> {
    for (let after = ''; ; ) {
      const batch = listCopiesByKey(this.#context.database, tierId, after, BATCH_SIZE)
      yield* batch
      const last = batch.at(-1)
      if (!last) return undefined
      after = last.objectKey
    }
  }

  /** A copy that is missing or changed is made again if the file is on this PC. */
  #note(
    running: RunningVerification,
    { copyId, instanceId, objectKey }: CopyRecord,
    found: 'listed' | 'same' | 'missing' | 'changed',
  ): void {
    const { database, clock, imageFiles } = this.#context
    // What a server has that the tier no longer is says nothing.
    if (!isCurrentTier(database, running.tier)) {
      running.stopController.abort()
      return
    }
    const now = instantOf(clock())
    running.result = { ...running.result, checked: running.result.checked + 1 }
    if (found === 'same') recordCopyVerified(database, copyId, now)
    if (found === 'same' || found === 'listed') return
    const instance = findInstance(database, instanceId)
    const hasLocalFile = instance !== undefined && existsSync(imageFiles.pathOf(instance.file))
    database.transaction(() => {
      const why = message(found === 'missing' ? 'tiers.object-missing' : 'tiers.copy-differs')
      recordCopyLost(database, copyId, why, hasLocalFile ? now : null)
      if (hasLocalFile) database.notify('tier copies')
    })
    const { result, faults } = running
    if (faults.length < MAX_FAULTS) faults.push({ key: objectKey, found })
    running.result = {
      ...result,
      [found]: result[found] + 1,
      repaired: result.repaired + (hasLocalFile ? 1 : 0),
    }
  }

  /** Stops the verification of a tier; what it has found stays recorded. */
  async stop(tierId: string): Promise<void> {
    const running = this.#running.get(tierId)
    running?.stopController.abort()
    await running?.ended
  }

  async [Symbol.asyncDispose]() {
    await Promise.all([...this.#running.keys()].map((tierId) => this.stop(tierId)))
  }
}
