import { randomBytes, X509Certificate } from 'node:crypto'
import { type Actor, differences, note } from '#server/audit-log/audit.ts'
import { deleteSecret, hasSecret, storeSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { findDestination } from '#server/modules/forwarding/destination-queries.ts'
import { markMoved, unmarkMoved } from '#server/modules/images/instance-copy-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { admitStoreUrl } from '#server/webhooks/address.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { NewTier, PacsSettings, TierSettings } from '#shared/contract/tiers.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { countDeletions } from './copy-queries.ts'
import { findMigration, setMigrationState } from './migration-queries.ts'
import { customerKeyNameOf, secretNameOf } from './stores.ts'
import * as queries from './tier-queries.ts'

// Adding, changing and removing tiers. Every change is audited, without the secrets.

/** @throws ApiError not-found */
export function requireTier(database: Database, tierId: string): queries.TierRecord {
  const tier = queries.findTier(database, tierId)
  if (!tier) throw new ApiError('not-found', message('tiers.none-such'))
  return tier
}

/** @throws ApiError refused, malformed: what is wrong with the settings */
export const addTier = (context: Context, wanted: NewTier, actor: Actor): queries.TierRecord =>
  context.database.transaction(() => {
    const { database, clock, uuid } = context
    const now = instantOf(clock())
    const tierId = uuid()
    const { secret, ...tier } = wanted
    check(context, undefined, wanted)
    queries.insertTier(database, { ...tier, tierId, createdAt: now, updatedAt: now })
    storeSecrets(context, tierId, wanted.settings, secret, actor)
    note(context, actor, 'tier.add', tierId, auditedSettingsOf(wanted))
    return requireTier(database, tierId)
  })

/** @throws ApiError as `addTier`; not-found */
export const changeTier = (
  context: Context,
  tierId: string,
  wanted: NewTier,
  actor: Actor,
): queries.TierRecord =>
  context.database.transaction(() => {
    const { database, clock } = context
    const before = requireTier(database, tierId)
    check(context, before, wanted)
    const { secret, ...tier } = wanted
    const { createdAt } = before
    // Connections are opened anew when this time has changed.
    const updatedAt = instantOf(Math.max(clock(), Date.parse(before.updatedAt) + 1))
    queries.updateTier(database, { ...tier, tierId, createdAt, updatedAt })
    queries.setTierError(database, tierId, null)
    // A tier that could not be reached is tried again now.
    database.notify('tier copies')
    // A secret must not be sent to another server than the one it was entered for.
    const hasOtherOrigin = originOf(before.settings) !== originOf(wanted.settings)
    // Whether the other server has the objects is not known until they are verified.
    const isOtherServer = serverOf(before.settings) !== serverOf(wanted.settings)
    if (isOtherServer && queries.hasCopies(database, tierId)) {
      markMoved(database, tierId, updatedAt)
      queries.recordFormerStore(database, before)
      // What was copied to the former server would count as copied to this one.
      const migration = findMigration(database, tierId)
      if (migration?.state === 'running')
        setMigrationState(database, migration.migrationId, 'paused', null)
    }
    storeSecrets(
      context,
      tierId,
      wanted.settings,
      hasOtherOrigin ? (secret ?? null) : secret,
      actor,
    )
    const waiting = isOtherServer ? countDeletions(database, tierId) : 0
    const detail = {
      ...differences(auditedSettingsOf(before), auditedSettingsOf(wanted)),
      ...(waiting > 0 && { objectsNotDeleted: waiting }),
    }
    if (Object.keys(detail).length > 0) note(context, actor, 'tier.update', tierId, detail)
    return requireTier(database, tierId)
  })

/**
 * @throws ApiError not-found; refused if it holds images that are nowhere else, or is in use and
 *   objects are still to be deleted from it
 */
export const removeTier = (context: Context, tierId: string, actor: Actor): void =>
  context.database.transaction(() => {
    const { database } = context
    const tier = requireTier(database, tierId)
    const count = queries.countOnlyInTier(database, tierId)
    if (count > 0)
      throw new ApiError('refused', message('tiers.holds-only-copy', { name: tier.name, count }))
    const waiting = countDeletions(database, tierId)
    if (waiting > 0 && tier.isEnabled)
      throw new ApiError(
        'refused',
        message('tiers.deletions-waiting', { name: tier.name, count: waiting }),
      )
    queries.deleteTier(database, tierId)
    unmarkMoved(database, tierId)
    deleteSecret(context, secretNameOf(tierId))
    deleteSecret(context, customerKeyNameOf(tierId))
    const left = waiting > 0 ? { objectsNotDeleted: waiting } : {}
    note(context, actor, 'tier.remove', tierId, { ...auditedSettingsOf(tier), ...left })
  })

function storeSecrets(
  context: Context,
  tierId: string,
  settings: TierSettings,
  secret: string | null | undefined,
  actor: Actor,
): void {
  const name = secretNameOf(tierId)
  const isDeleted = secret === null && deleteSecret(context, name)
  if (typeof secret === 'string' && secret !== '') storeSecret(context, name, secret)
  if (isDeleted || (typeof secret === 'string' && secret !== ''))
    note(context, actor, 'tier.secret', tierId, { secret: isDeleted ? 'forgotten' : 'set' })
  // The key is kept when the encryption is changed, because earlier objects need it.
  const usesCustomerKey = settings.kind === 's3' && settings.encryption === 'sse-c'
  if (usesCustomerKey && !hasSecret(context, customerKeyNameOf(tierId)))
    storeSecret(context, customerKeyNameOf(tierId), randomBytes(32).toString('base64'))
}

function check(context: Context, before: queries.TierRecord | undefined, wanted: NewTier): void {
  const { database } = context
  const { settings, name } = wanted
  const others = queries.listTiers(database).filter(({ tierId }) => tierId !== before?.tierId)
  if (others.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    throw refused('name', message('tiers.name-taken', { name }))
  if (wanted.isAutomatic && settings.kind !== 's3')
    throw refused('isAutomatic', message('tiers.pacs-receives-by-forwarding'))
  if (before && isMoved(before.settings, settings) && queries.hasCopies(database, before.tierId))
    throw refused('settings', message('tiers.holds-copies', { name: before.name }))
  if (before?.isEnabled && serverOf(before.settings) !== serverOf(settings)) {
    const count = countDeletions(database, before.tierId)
    if (count > 0)
      throw refused(
        'settings',
        message('tiers.deletions-before-move', { name: before.name, count }),
      )
  }
  if (settings.kind === 'pacs') checkDestination(database, settings.destinationId)
  else checkServer(settings)
  if (settings.kind === 's3' && others.some((other) => isSameBucket(other.settings, settings)))
    throw refused('settings.prefix', message('tiers.bucket-taken'))
}

function checkServer(settings: Exclude<TierSettings, PacsSettings>): void {
  checkAddress(settings.kind === 's3' ? settings.endpoint : settings.url)
  const isKeySent = settings.kind === 's3' && settings.encryption === 'sse-c'
  if (isKeySent && !settings.endpoint.startsWith('https:'))
    throw refused('settings.encryption', message('tiers.key-needs-tls'))
  if (settings.certificate !== null && !isCertificate(settings.certificate))
    throw new ApiError('malformed', message('tiers.certificate-unreadable'), {
      errors: [{ path: 'body.settings.certificate', message: message('values.pem') }],
    })
}

function checkDestination(database: Database, destinationId: string): void {
  const destination = findDestination(database, destinationId)
  if (!destination) throw refused('settings.destinationId', message('destinations.none-such'))
  if (!destination.hasPriors)
    throw refused('settings.destinationId', message('tiers.destination-without-retrieval'))
}

function checkAddress(address: string): void {
  try {
    admitStoreUrl(address)
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    throw refused('settings', message('tiers.address-refused', { why: error.detail }))
  }
}

/** Whether what is stored in the tier would no longer be found. */
const isMoved = (before: TierSettings, after: TierSettings) =>
  before.kind === 's3' &&
  !(after.kind === 's3' && before.bucket === after.bucket && before.prefix === after.prefix)

const isSameBucket = (one: TierSettings, other: TierSettings) =>
  one.kind === 's3' &&
  other.kind === 's3' &&
  one.endpoint === other.endpoint &&
  one.bucket === other.bucket &&
  one.prefix === other.prefix

const originOf = (settings: TierSettings) =>
  settings.kind === 'pacs'
    ? settings.destinationId
    : new URL(settings.kind === 's3' ? settings.endpoint : settings.url).origin

/** A reverse proxy may have several stores below different paths. */
const serverOf = (settings: TierSettings) =>
  settings.kind === 's3'
    ? originOf(settings) + new URL(settings.endpoint).pathname.replace(/\/+$/, '')
    : originOf(settings)

const refused = (path: string, explanation: Message) =>
  new ApiError('refused', explanation, { errors: [{ path: `body.${path}`, message: explanation }] })

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem)
    return true
  } catch {
    return false
  }
}

const auditedSettingsOf = ({
  name,
  isEnabled,
  isAutomatic,
  settings,
}: Pick<NewTier, 'name' | 'isEnabled' | 'isAutomatic' | 'settings'>) => ({
  name,
  isEnabled,
  isAutomatic,
  ...settings,
})
