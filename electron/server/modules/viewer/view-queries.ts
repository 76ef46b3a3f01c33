import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { Area } from '#server/modules/studies/study-facet.ts'
import type { EphemeralDetail, LinkKind } from './link-queries.ts'

/** window: opened by a signed-in person; else the kind of the link it was opened by. */
export type ViewKind = LinkKind | 'window'

/**
 * A session of the viewer: one study, or what a partner gives without one (interface-choices §6 row
 * 22).
 */
export interface ViewRecord {
  readonly viewId: string
  /** SHA-256 of its cookie's token, in hex. */
  readonly tokenHash: string
  readonly kind: ViewKind
  /** Null where only the archive has the study: no area has a row of it. */
  readonly area: Area | null
  readonly studyId: string | null
  /** Null for an ephemeral session. */
  readonly studyInstanceUid: string | null
  /**
   * Whom it is for: of a reroute link or the window who is at work, of a viewer-only link who is
   * noted; null where the link names nobody.
   */
  readonly userId: string | null
  /** Who made the link; of the window `userId`. */
  readonly createdByApiKeyId: string | null
  readonly createdByUserId: string | null
  /**
   * Of the window's session that opened it, which it is locked and ends with; null where a link
   * did.
   */
  readonly sessionId: string | null
  /** Of an ephemeral session; sealed at rest. */
  readonly ephemeral: EphemeralDetail | null
  readonly createdAt: string
  readonly lastUsedAt: string
  /** Absolute end, whatever the use. */
  readonly expiresAt: string
}

export interface ViewsStore {
  insert(view: ViewRecord): void
  get(viewId: string): ViewRecord | undefined
  noteUse(viewId: string, at: string): void
  /** Who opened the study, as far as its views are kept: each person once, with the last use. */
  openedBy(studyInstanceUid: string): { readonly userId: string; readonly at: string }[]
  /** Whether it was there. */
  remove(viewId: string): boolean
  /** Ends the views that are for this user, or those of the kind; how many there were. */
  removeOf(userId: string, kind?: ViewKind): number
  /**
   * Ends those that the session of the window opened, and those of the user's windows of which no
   * session is known.
   */
  removeOfSession(session: { readonly sessionId: string; readonly userId: string }): number
  /**
   * Forgets views that ended before `now`, or were last used before `idleSince`; which they were.
   */
  purge(now: string, idleSince: string): string[]
}

const OPENED_BY = `select userId, max(lastUsedAt) as at from views
  where studyInstanceUid = ? and userId is not null group by userId order by at`

export function viewsStore(db: Database, seal: Seal): ViewsStore {
  const remove = db.sql.deleteFrom('views')
  return {
    insert({ ephemeral, ...view }) {
      const sealedSession =
        ephemeral === null
          ? null
          : seal.seal(Buffer.from(JSON.stringify(ephemeral)), contextOf(view.viewId))
      db.run(db.sql.insertInto('views').values({ ...view, sealedSession }))
    },
    get(viewId) {
      const row = db.get(db.sql.selectFrom('views').selectAll().where('viewId', '=', viewId))
      if (!row) return undefined
      const { sealedSession, ...view } = row
      const ephemeral =
        sealedSession === null
          ? null
          : JSON.parse(seal.open(sealedSession, contextOf(viewId)).toString())
      return { ...view, ephemeral } as ViewRecord
    },
    noteUse: (viewId, at) =>
      void db.run(db.sql.updateTable('views').set({ lastUsedAt: at }).where('viewId', '=', viewId)),
    openedBy: (studyInstanceUid) => db.all(rawQuery(OPENED_BY, [studyInstanceUid])),
    remove: (viewId) => db.run(remove.where('viewId', '=', viewId)).changes > 0,
    removeOf(userId, kind) {
      const ofUser = remove.where('userId', '=', userId)
      return db.run(kind === undefined ? ofUser : ofUser.where('kind', '=', kind)).changes
    },
    removeOfSession: ({ sessionId, userId }) =>
      db.run(
        remove.where((of) =>
          of.or([
            of('sessionId', '=', sessionId),
            of.and({ userId, kind: 'window' }).and(of('sessionId', 'is', null)),
          ]),
        ),
      ).changes,
    purge: (now, idleSince) =>
      db
        .all(
          remove
            .where((of) => of.or([of('expiresAt', '<=', now), of('lastUsedAt', '<=', idleSince)]))
            .returning('viewId'),
        )
        .map(({ viewId }) => viewId),
  }
}

const contextOf = (viewId: string) => `view ${viewId}`
