import { setTimeout as sleep } from 'node:timers/promises'
import { openContext } from '#server/context.ts'
import { acquireLock } from '#server/database/lock.ts'
import { Copier } from '#server/modules/tiers/copier.ts'
import { findMigration } from '#server/modules/tiers/migration-queries.ts'
import { startMigration } from '#server/modules/tiers/migrations.ts'
import { TierConnections } from '#server/modules/tiers/stores.ts'
import { listTiers } from '#server/modules/tiers/tier-queries.ts'
import { addTier } from '#server/modules/tiers/tier-settings.ts'
import { NewTier } from '#shared/contract/tiers.ts'

/**
 * Run as its own process, with a data folder and a tier as JSON: adds the tier unless it is there,
 * migrates the archive to it, and ends when the migration is done.
 */
const [folder = '', tier = ''] = process.argv.slice(2)
if (!acquireLock(folder)) throw new Error('The folder is locked')
const context = openContext({ folder })
const { database } = context
if (listTiers(database).length === 0) {
  const { tierId } = addTier(context, NewTier.parse(JSON.parse(tier)), 'command-line')
  startMigration(context, tierId, 'command-line')
}
const tierId = listTiers(database)[0]?.tierId ?? ''
const connections = new TierConnections(context, () => false)
const copier = new Copier(context, connections)
while (findMigration(database, tierId)?.state !== 'done') await sleep(10)
await copier[Symbol.asyncDispose]()
await connections[Symbol.asyncDispose]()
context[Symbol.dispose]()
