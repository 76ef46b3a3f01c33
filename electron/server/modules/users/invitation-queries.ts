import type { Database } from '#server/database/database.ts'
import { flag } from '#server/database/flag.ts'
import type { InvitationStatus } from '#shared/contract/users.ts'
import { emailKeyOf, PERSON_FLAGS, type PersonFields, type TimeKey } from './user-queries.ts'

/**
 * An invitation (interface.md, Scribe invitation); it carries the user's fields as they were while
 * it was open.
 */
export interface InvitationRecord extends PersonFields {
  readonly invitationId: string
  readonly userId: string
  readonly status: InvitationStatus
  readonly invitedSource: 'dashboard' | 'api'
  /** The user who invited; null through the interface. */
  readonly inviterId: string | null
  readonly invitedByApiKeyId: string | null
  /** SHA-256 in hex of the link's token, which is not kept. */
  readonly tokenHash: string
  /** Null: never. */
  readonly expiry: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** Filters of the interface's list call; what is absent does not filter. */
export interface InvitationFilters {
  readonly status?: readonly InvitationStatus[] | undefined
  /** Whether an invitation that is still `sent` is past its expiry at `now`. */
  readonly expired?: boolean | undefined
  readonly userId?: string | undefined
  /** Made at this instant or later. */
  readonly from?: string | undefined
  /** Made before this instant. */
  readonly before?: string | undefined
}

export interface InvitationsStore {
  get(invitationId: string): InvitationRecord | undefined
  byTokenHash(tokenHash: string): InvitationRecord | undefined
  /** The user's newest. */
  ofUser(userId: string): InvitationRecord | undefined
  /** The one of the address that can still be accepted at `now`. */
  pendingByEmail(email: string, now: string): InvitationRecord | undefined
  /** At most `limit` rows after the key, newest first. */
  page(
    filters: InvitationFilters,
    now: string,
    after: TimeKey | undefined,
    limit: number,
  ): InvitationRecord[]
  insert(invitation: InvitationRecord): void
  update(invitation: InvitationRecord): void
}

export function invitationsStore(db: Database): InvitationsStore {
  const every = db.sql.selectFrom('invitations').selectAll()
  const first = (row: StoredInvitation | undefined) => row && invitationOf(row)
  return {
    get: (invitationId) => first(db.get(every.where('invitationId', '=', invitationId))),
    byTokenHash: (tokenHash) => first(db.get(every.where('tokenHash', '=', tokenHash))),
    ofUser: (userId) =>
      first(
        db.get(
          every
            .where('userId', '=', userId)
            .orderBy('createdAt', 'desc')
            .orderBy('invitationId', 'desc')
            .limit(1),
        ),
      ),
    pendingByEmail: (email, now) =>
      first(
        db.get(
          every
            .where('emailKey', '=', emailKeyOf(email))
            .where('status', '=', 'sent')
            .where((of) => of.or([of('expiry', 'is', null), of('expiry', '>', now)]))
            .limit(1),
        ),
      ),
    page({ status, expired, userId, from, before }, now, after, limit) {
      let query = every.orderBy('createdAt', 'desc').orderBy('invitationId', 'desc').limit(limit)
      if (after)
        query = query.where((of) =>
          of(of.refTuple('createdAt', 'invitationId'), '<', of.tuple(after.createdAt, after.id)),
        )
      if (status) query = query.where('status', 'in', status)
      if (expired === true) query = query.where('status', '=', 'sent').where('expiry', '<=', now)
      if (expired === false)
        query = query.where((of) =>
          of.or([of('status', '<>', 'sent'), of('expiry', 'is', null), of('expiry', '>', now)]),
        )
      if (userId !== undefined) query = query.where('userId', '=', userId)
      if (from !== undefined) query = query.where('createdAt', '>=', from)
      if (before !== undefined) query = query.where('createdAt', '<', before)
      return db.all(query).map(invitationOf)
    },
    insert: (invitation) => void db.run(db.sql.insertInto('invitations').values(rowOf(invitation))),
    update(invitation) {
      const { invitationId, createdAt: _, ...changed } = rowOf(invitation)
      db.run(
        db.sql.updateTable('invitations').set(changed).where('invitationId', '=', invitationId),
      )
    },
  }
}

type StoredInvitation = { [K in keyof InvitationRecord]: unknown }

const rowOf = (invitation: InvitationRecord) => ({
  ...invitation,
  emailKey: emailKeyOf(invitation.email),
  canManageStudies: flag(invitation.canManageStudies),
  canCreateReports: flag(invitation.canCreateReports),
  hasDashboardAccess: flag(invitation.hasDashboardAccess),
})

function invitationOf(row: StoredInvitation & { emailKey?: unknown }): InvitationRecord {
  const { emailKey: _, ...invitation } = row
  return {
    ...invitation,
    ...Object.fromEntries(PERSON_FLAGS.map((name) => [name, row[name] === 1])),
  } as InvitationRecord
}
