import type { Database } from '#server/database/database.ts'

// The table userIdentities: accounts of people at an identity provider.

/** Who a person is at a provider (OpenID Connect Core 1.0 §5.7). */
export interface ProviderIdentity {
  readonly issuer: string
  readonly subject: string
}

export const userIdOfIdentity = (database: Database, { issuer, subject }: ProviderIdentity) =>
  database.get(
    database.sql
      .selectFrom('userIdentities')
      .select('userId')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject),
  )?.userId

export const identityOfUser = (database: Database, userId: string) =>
  database.get(database.sql.selectFrom('userIdentities').selectAll().where('userId', '=', userId))

export const insertIdentity = (
  database: Database,
  identity: NonNullable<ReturnType<typeof identityOfUser>>,
) => database.run(database.sql.insertInto('userIdentities').values(identity))
