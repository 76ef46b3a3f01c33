import type { Actor } from '#server/audit-log/audit.ts'
import { hasSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import type { CStoreScp } from '#server/dicom/dimse/service.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import type { IsFetching } from '#server/modules/images/image-receiver.ts'
import { findMovedAt } from '#server/modules/images/instance-copy-queries.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import type { StudyCompletion } from '#server/modules/images/study-completion.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { IsOwnListener } from '#server/webhooks/address.ts'
import type { Migration, NewTier, Tier, TierTest } from '#shared/contract/tiers.ts'
import { runConnectionTest, testStore } from './connection-test.ts'
import { Copier } from './copier.ts'
import { countCopies, queueCopy } from './copy-queries.ts'
import { findMigration } from './migration-queries.ts'
import { changeMigration, type MigrationAction, startMigration } from './migrations.ts'
import { PacsRetrieval } from './pacs-retrieval.ts'
import { RecallCache } from './recall-cache.ts'
import { recordRecall } from './recall-queries.ts'
import { Recalls } from './recalls.ts'
import { secretNameOf, TierConnections } from './stores.ts'
import { isS3Tier, listTiers, type TierRecord } from './tier-queries.ts'
import { addTier, changeTier, removeTier, requireTier } from './tier-settings.ts'
import { TierSources } from './tier-sources.ts'
import { Verifications } from './verification.ts'

/** The tiers behind the local folder: object stores and PACS. */
export class Tiers implements AsyncDisposable {
  readonly #context: Context
  readonly #connections: TierConnections
  readonly #copier: Copier
  readonly #recalls: Recalls
  readonly verifications: Verifications
  readonly #pacs: PacsRetrieval

  constructor(
    context: Context,
    isOwn: IsOwnListener,
    forwarding: Forwarding,
    receiver: CStoreScp,
    completion: Pick<StudyCompletion, 'associationClosed'>,
  ) {
    this.#context = context
    this.#connections = new TierConnections(context, isOwn)
    const cache = new RecallCache(context)
    const connections = this.#connections
    this.#copier = new Copier(context, connections)
    this.#pacs = new PacsRetrieval(context, connections, forwarding, receiver, completion, cache)
    const sources = new TierSources(context, connections, this.#pacs)
    this.#recalls = new Recalls(context, sources, cache)
    this.verifications = new Verifications(context, this.#connections)
    context.imageFiles.recall = (instanceId) => this.#recalls.start(instanceId)
  }

  /** Whether images from this caller were requested from a PACS. */
  expects: IsFetching = (...instance) => this.#pacs.expects(...instance)

  /**
   * Counts files that a tier has returned as fetched ones, also those of the study that nobody asked
   * for, in the transaction that records them.
   */
  noteReturned(instances: readonly InstanceRecord[]): void {
    const { database, clock } = this.#context
    for (const { instanceId, studyInstanceUid, bytes } of instances)
      if (this.#pacs.isMoving(studyInstanceUid))
        recordRecall(database, instanceId, bytes, instantOf(clock()))
  }

  list = (): Tier[] => listTiers(this.#context.database).map((tier) => this.#shown(tier))

  add(wanted: NewTier, actor: Actor): Tier {
    return this.#shown(addTier(this.#context, wanted, actor))
  }

  update(tierId: string, wanted: NewTier, actor: Actor): Tier {
    return this.#shown(changeTier(this.#context, tierId, wanted, actor))
  }

  async remove(tierId: string, actor: Actor): Promise<void> {
    await this.verifications.stop(tierId)
    removeTier(this.#context, tierId, actor)
    this.#connections.forget(tierId)
  }

  async test(tierId: string): Promise<TierTest> {
    const tier = requireTier(this.#context.database, tierId)
    const result = await runConnectionTest(this.#context, async () =>
      isS3Tier(tier)
        ? testStore(this.#context, await this.#connections.storeOf(tier), tier.settings.encryption)
        : this.#pacs.test(tier),
    )
    if (result.success) this.#copier.retry(tierId)
    return result
  }

  migrate(tierId: string, actor: Actor): Tier {
    startMigration(this.#context, tierId, actor)
    return this.#find(tierId)
  }

  changeMigration(tierId: string, action: MigrationAction, actor: Actor): Tier {
    changeMigration(this.#context, tierId, action, actor)
    if (action === 'retry' || action === 'resume') this.#copier.retry(tierId)
    return this.#find(tierId)
  }

  verify(tierId: string, isQuick: boolean): Tier {
    this.verifications.start(requireTier(this.#context.database, tierId), isQuick)
    return this.#find(tierId)
  }

  async stopVerification(tierId: string): Promise<Tier> {
    await this.verifications.stop(tierId)
    return this.#find(tierId)
  }

  /** Queues a received image for the automatic tiers, in the transaction that stores it. */
  enqueue({ instanceId, file, state }: InstanceRecord): void {
    const { database, clock } = this.#context
    if (state !== 'current') return
    for (const tier of listTiers(database)) {
      if (!isS3Tier(tier) || !tier.isAutomatic || !tier.isEnabled) continue
      const objectKey = `${tier.settings.prefix}${file}`
      const at = instantOf(clock())
      queueCopy(database, { tierId: tier.tierId, instanceId, migrationId: null, objectKey, at })
      database.notify('tier copies')
    }
  }

  #find = (tierId: string): Tier => this.#shown(requireTier(this.#context.database, tierId))

  #shown(tier: TierRecord): Tier {
    const { database } = this.#context
    const { storedInstances, storedBytes, ...shown } = tier
    const migration = findMigration(database, tier.tierId)
    return {
      ...shown,
      ...countCopies(database, tier.tierId),
      stored: { instances: storedInstances, bytes: storedBytes },
      mustBeVerified: findMovedAt(database, tier.tierId) !== undefined,
      hasSecret: hasSecret(this.#context, secretNameOf(tier.tierId)),
      verification: this.verifications.of(tier.tierId) ?? tier.verification,
      migration: migration ? this.#progress(migration) : null,
    }
  }

  #progress({
    tierId,
    throughId: _,
    queuedId: __,
    ...migration
  }: NonNullable<ReturnType<typeof findMigration>>): Migration {
    const isRunning = migration.state === 'running'
    const bytesPerSecond = isRunning ? this.#copier.bytesPerSecond(tierId) : null
    const bytesLeft = Math.max(0, migration.totalBytes - migration.doneBytes)
    const secondsLeft = bytesPerSecond === null ? null : Math.ceil(bytesLeft / bytesPerSecond)
    return { ...migration, bytesPerSecond, secondsLeft }
  }

  /** Resolves when no copy is due. */
  settled(): Promise<void> {
    return this.#copier.settled()
  }

  async [Symbol.asyncDispose]() {
    this.#context.imageFiles.recall = undefined
    await this.verifications[Symbol.asyncDispose]()
    await this.#copier[Symbol.asyncDispose]()
    await this.#recalls[Symbol.asyncDispose]()
    await this.#connections[Symbol.asyncDispose]()
  }
}
