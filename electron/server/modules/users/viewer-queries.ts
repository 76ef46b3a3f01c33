import type { Database } from '#server/database/database.ts'

// What ends in the viewer with a user's access or with a session: rows of the tables links and
// views, which the module viewer owns.

/** No link that is for this user opens from now on. */
export const revokeLinksOf = (database: Database, userId: string, revokedAt: string) =>
  database.run(
    database.sql
      .updateTable('links')
      .set({ revokedAt })
      .where('userId', '=', userId)
      .where('usedAt', 'is', null)
      .where('revokedAt', 'is', null),
  )

/** Ends the views that are for this user, or only those opened from the window. */
export function deleteViewsOf(database: Database, userId: string, kind?: 'window') {
  const ofUser = database.sql.deleteFrom('views').where('userId', '=', userId)
  database.run(kind === undefined ? ofUser : ofUser.where('kind', '=', kind))
}

/**
 * Ends the views that the session of the window opened, and those of the user's windows of which no
 * session is known.
 */
export const deleteViewsOfSession = (
  database: Database,
  { sessionId, userId }: { readonly sessionId: string; readonly userId: string },
) =>
  database.run(
    database.sql
      .deleteFrom('views')
      .where((of) =>
        of.or([
          of('sessionId', '=', sessionId),
          of.and({ userId, kind: 'window' }).and(of('sessionId', 'is', null)),
        ]),
      ),
  )
