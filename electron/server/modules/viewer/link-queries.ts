import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import type { Area } from '#server/modules/studies/study-facet.ts'

/**
 * viewer: a viewer study; reroute: viewer and dictation; viewer-only: a scribe study without
 * dictation; ephemeral: no study.
 */
export type LinkKind = 'viewer' | 'reroute' | 'viewer-only' | 'ephemeral'

/** What a partner gave for a viewer session without a study (interface-choices §1.3). */
export interface EphemeralDetail {
  readonly retrievalId: string
  /** Echoed in `ephemeral.access_requested`; absent when it was not given. */
  readonly options?: Readonly<Record<string, unknown>> | undefined
  readonly hangingProtocol?:
    | { readonly layout: string; readonly viewportAssignments: readonly (string | null)[] }
    | undefined
}

/** A URL given out that opens the viewer once; its token is kept as SHA-256 in hex only. */
export interface LinkRecord {
  readonly tokenHash: string
  readonly kind: LinkKind
  readonly area: Area
  /** Null for an ephemeral session. */
  readonly studyId: string | null
  /** Whom it opens the viewer for; for viewer-only links, who is noted in the audit trail. */
  readonly userId: string | null
  readonly createdByApiKeyId: string | null
  readonly createdByUserId: string | null
  /** Of an ephemeral session; sealed at rest. */
  readonly ephemeral: EphemeralDetail | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly usedAt: string | null
  /** When the access of whom it is for was taken away. */
  readonly revokedAt: string | null
}

export interface LinksStore {
  insert(link: LinkRecord): void
  /** The link, also one that was used, has expired or was revoked. */
  find(tokenHash: string): LinkRecord | undefined
  /** Uses the link up; false where it could not be followed at `now`. */
  redeem(tokenHash: string, now: string): boolean
  /** No link that is for this user opens from now on. */
  revokeOf(userId: string, now: string): void
  /** Forgets links that expired before the instant. */
  purge(before: string): number
}

export function linksStore(db: Database, seal: Seal): LinksStore {
  const change = db.sql.updateTable('links')
  return {
    insert({ ephemeral, ...link }) {
      const sealedSession =
        ephemeral === null
          ? null
          : seal.seal(Buffer.from(JSON.stringify(ephemeral)), contextOf(link.tokenHash))
      db.run(db.sql.insertInto('links').values({ ...link, sealedSession }))
    },
    find(tokenHash) {
      const row = db.get(db.sql.selectFrom('links').selectAll().where('tokenHash', '=', tokenHash))
      if (!row) return undefined
      const { sealedSession, ...link } = row
      const ephemeral =
        sealedSession === null
          ? null
          : JSON.parse(seal.open(sealedSession, contextOf(tokenHash)).toString())
      return { ...link, ephemeral } as LinkRecord
    },
    redeem(tokenHash, now) {
      const live = change
        .where('usedAt', 'is', null)
        .where('revokedAt', 'is', null)
        .where('expiresAt', '>', now)
      return db.run(live.set({ usedAt: now }).where('tokenHash', '=', tokenHash)).changes > 0
    },
    revokeOf: (userId, now) =>
      void db.run(
        change
          .set({ revokedAt: now })
          .where('userId', '=', userId)
          .where('usedAt', 'is', null)
          .where('revokedAt', 'is', null),
      ),
    purge: (before) => db.run(db.sql.deleteFrom('links').where('expiresAt', '<', before)).changes,
  }
}

const contextOf = (tokenHash: string) => `link ${tokenHash}`
