import type { Database } from '#server/database/database.ts'
import { flag, rawQuery } from '#server/database/query.ts'
import {
  BY_PRESENT_NODE_CONDITION,
  OTHER_TIER_CONDITION,
} from '#server/modules/images/instance-copy-queries.ts'
import type { S3Settings, TierSettings, Verification } from '#shared/contract/tiers.ts'
import { type Message, storedOrEmpty } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'

export interface TierRecord {
  readonly tierId: string
  readonly name: string
  readonly isEnabled: boolean
  readonly isAutomatic: boolean
  readonly settings: TierSettings
  readonly storedInstances: number
  readonly storedBytes: number
  readonly lastError: Message | null
  readonly verification: Verification | null
  readonly createdAt: string
  readonly updatedAt: string
}

export type S3Tier = TierRecord & { readonly settings: S3Settings }
export const isS3Tier = (tier: TierRecord): tier is S3Tier => tier.settings.kind === 's3'

// Not built with kysely, because this is read for every image.
const SELECT_TIERS = rawQuery<Parameters<typeof recordOf>[0]>(
  'select * from tiers order by name, tierId',
  [],
)

export const listTiers = (database: Database): TierRecord[] =>
  database.all(SELECT_TIERS).map(recordOf)

export function findTier(database: Database, tierId: string): TierRecord | undefined {
  const row = database.get(
    database.sql.selectFrom('tiers').selectAll().where('tierId', '=', tierId),
  )
  return row && recordOf(row)
}

/** Whether the settings of the tier, such as its address, have not changed since it was read. */
export const isCurrentTier = (database: Database, { tierId, updatedAt }: TierRecord): boolean =>
  findTier(database, tierId)?.updatedAt === updatedAt

type EditableTier = Pick<
  TierRecord,
  'tierId' | 'name' | 'isEnabled' | 'isAutomatic' | 'settings' | 'createdAt' | 'updatedAt'
>

export const insertTier = (database: Database, tier: EditableTier) =>
  database.run(database.sql.insertInto('tiers').values(rowOf(tier)))

export const updateTier = (database: Database, tier: EditableTier) =>
  database.run(database.sql.updateTable('tiers').set(rowOf(tier)).where('tierId', '=', tier.tierId))

/** Deletes the tier with its copies and migrations; the objects stay in the store. */
export const deleteTier = (database: Database, tierId: string) =>
  database.run(database.sql.deleteFrom('tiers').where('tierId', '=', tierId))

/** Records why the tier could not be reached; null after it was. */
export const setTierError = (database: Database, tierId: string, error: Message | null) =>
  database.run(
    database.sql
      .updateTable('tiers')
      .set({ lastError: storedOrEmpty(error) })
      .where('tierId', '=', tierId)
      .where('lastError', '<>', storedOrEmpty(error)),
  )

export const setVerification = (database: Database, tierId: string, verification: Verification) =>
  database.run(
    database.sql
      .updateTable('tiers')
      .set({ verification: JSON.stringify(verification) })
      .where('tierId', '=', tierId),
  )

/** Whether objects may have been written to the tier. */
export const hasCopies = (database: Database, tierId: string): boolean =>
  database.get(
    rawQuery(`select 1 from tierCopies where tierId = ? and state <> 'waiting' limit 1`, [tierId]),
  ) !== undefined

/** Instances of which the only copy is in this tier: their file is not on this PC. */
export const countOnlyInTier = (database: Database, tierId: string): number =>
  database.get(
    rawQuery<{ count: number }>(
      `select count(*) as count from instances n
       join tierCopies c on c.instanceId = n.instanceId and c.tierId = ? and c.state = 'stored'
       where n.localRemovedAt is not null and not exists (
         select 1 from tierCopies o
         where o.instanceId = n.instanceId and o.tierId <> c.tierId and ${OTHER_TIER_CONDITION})
       and not exists (
         select 1 from instanceCopies c join destinations using (destinationId)
         where c.instanceId = n.instanceId and ${BY_PRESENT_NODE_CONDITION})`,
      [tierId],
    ),
  )?.count ?? 0

/** Records that the server of the tier, which is now another, may hold images of its studies. */
export const recordFormerStore = (database: Database, { tierId, name }: TierRecord) =>
  database.run(
    rawQuery(
      `insert or replace into formerTierStudies
       select distinct n.studyInstanceUid, ?, ? from tierCopies c join instances n using (instanceId)
       where c.tierId = ? and c.state in ('stored', 'lost')`,
      [tierId, name, tierId],
    ),
  )

const rowOf = ({ settings, isEnabled, isAutomatic, ...tier }: EditableTier) => ({
  ...{ tierId: tier.tierId, name: tier.name },
  ...{ createdAt: tier.createdAt, updatedAt: tier.updatedAt },
  kind: settings.kind,
  settings: JSON.stringify(settings),
  isEnabled: flag(isEnabled),
  isAutomatic: flag(isAutomatic),
})

function recordOf({
  kind: _,
  isEnabled,
  isAutomatic,
  settings,
  lastError,
  verification,
  ...row
}: {
  readonly tierId: string
  readonly name: string
  readonly kind: string
  readonly isEnabled: number
  readonly isAutomatic: number
  readonly settings: string
  readonly storedInstances: number
  readonly storedBytes: number
  readonly lastError: string
  readonly verification: string | null
  readonly createdAt: string
  readonly updatedAt: string
}): TierRecord {
  return {
    ...row,
    isEnabled: isEnabled === 1,
    isAutomatic: isAutomatic === 1,
    settings: JSON.parse(settings),
    lastError: messageOrNull(lastError),
    verification: verification === null ? null : JSON.parse(verification),
  }
}
