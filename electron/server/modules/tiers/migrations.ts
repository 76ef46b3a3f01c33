import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { findMovedAt } from '#server/modules/images/instance-copy-queries.ts'
import { lastInstanceId } from '#server/modules/images/instance-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { dropQueuedCopies, queueCopy, retryCopies } from './copy-queries.ts'
import * as queries from './migration-queries.ts'
import type { TierRecord } from './tier-queries.ts'
import { requireTier } from './tier-settings.ts'

/** Instances that a migration queues at once; more follow when most of them are copied. */
const BATCH_SIZE = 500

export type MigrationAction = 'pause' | 'resume' | 'cancel' | 'retry'

/**
 * Starts copying every image of the archive to an object store. Images that are only in another
 * tier are fetched from it first, so a migration from one store to another is the same.
 * @throws ApiError not-found; refused if one is under way, the tier is a PACS or off, or its copies
 *   must be verified after a change of its address
 */
export function startMigration(context: Context, tierId: string, actor: Actor): void {
  const { database, clock } = context
  database.transaction(() => {
    const tier = requireTier(database, tierId)
    if (tier.settings.kind !== 's3')
      throw new ApiError('refused', message('tiers.pacs-receives-by-forwarding'))
    if (!tier.isEnabled) throw new ApiError('refused', message('tiers.is-off', { name: tier.name }))
    if (queries.findMigration(database, tierId)?.endedAt === null)
      throw new ApiError('refused', message('tiers.migration-running'))
    requireVerified(database, tier)
    queries.insertMigration(database, tierId, lastInstanceId(database), instantOf(clock()))
    note(context, actor, 'tier.migrate', tierId, { name: tier.name })
    database.notify('tier copies')
  })
}

/**
 * What was copied to the former server of a tier would count as copied to this one.
 * @throws ApiError refused if its address has changed and its copies were not verified since
 */
function requireVerified(database: Database, { tierId, name }: TierRecord): void {
  if (findMovedAt(database, tierId) !== undefined)
    throw new ApiError('refused', message('tiers.verify-first', { name }))
}

/** @throws ApiError not-found; refused if there is nothing to change, or as `startMigration` */
export function changeMigration(
  context: Context,
  tierId: string,
  action: MigrationAction,
  actor: Actor,
): void {
  const { database, clock } = context
  database.transaction(() => {
    const tier = requireTier(database, tierId)
    if (action === 'resume' || action === 'retry') requireVerified(database, tier)
    const now = instantOf(clock())
    const migration = queries.findMigration(database, tierId)
    const isOpen = migration?.endedAt === null
    if (action === 'retry') {
      if (migration) queries.resetFailures(database, migration.migrationId)
      if (migration?.state === 'done')
        queries.setMigrationState(database, migration.migrationId, 'running', null)
      retryCopies(database, tierId, now)
    } else {
      if (!migration || !isOpen) throw new ApiError('refused', message('tiers.no-migration'))
      const { migrationId } = migration
      if (action === 'cancel') {
        dropQueuedCopies(database, migration, tier.isAutomatic)
        queries.setMigrationState(database, migrationId, 'cancelled', now)
      } else {
        const state = action === 'pause' ? 'paused' : 'running'
        queries.setMigrationState(database, migrationId, state, null)
      }
    }
    note(context, actor, 'tier.migration', tierId, { action })
    database.notify('tier copies')
  })
}

/**
 * Queues further instances of the tier's migration, or ends it when all are copied or have failed.
 * What is queued and how far the migration has come are committed together. False if nothing was
 * left to queue, or enough is queued.
 * @param keyOf the key of the object of a file
 */
export function advanceMigration(
  { database, clock }: Context,
  tierId: string,
  keyOf: (file: string) => string,
): boolean {
  return database.transaction(() => {
    const migration = queries.findMigration(database, tierId)
    if (migration?.state !== 'running') return false
    const { migrationId, throughId } = migration
    const now = instantOf(clock())
    const queued = queries.countQueuedCopies(database, migrationId, tierId)
    if (queued >= BATCH_SIZE / 2) return false
    const next = queries.listInstancesToQueue(database, migration, BATCH_SIZE)
    const counts = { done: 0, bytes: 0, failed: 0 }
    for (const instance of next) {
      if (instance.isLost) counts.failed++
      else if (instance.copyId !== null && instance.copyState !== 'stored')
        queries.addCopyToMigration(database, instance.copyId, migrationId, now)
      else if (instance.copyState === 'stored') {
        counts.done++
        counts.bytes += instance.bytes
      }
      // Earlier versions and images in quarantine stay on this PC.
      else if (instance.state === 'current')
        queueCopy(database, {
          ...{ tierId, migrationId, at: now },
          ...{ instanceId: instance.instanceId, objectKey: keyOf(instance.file) },
        })
    }
    queries.countMigrationCopies(database, migrationId, counts)
    queries.setLastQueuedInstanceId(database, migrationId, next.at(-1)?.instanceId ?? throughId)
    if (next.length === 0 && queued === 0)
      queries.setMigrationState(database, migrationId, 'done', now)
    return next.length > 0
  })
}
