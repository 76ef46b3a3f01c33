import type { Database } from '#server/database/database.ts'

// Ends what a user has open in the viewer when their access or session ends. The tables links and
// views are owned by the module viewer.

/** Revokes the unused links for this user. */
export const revokeLinksOf = (database: Database, userId: string, revokedAt: string) =>
  database.run(
    database.sql
      .updateTable('links')
      .set({ revokedAt })
      .where('userId', '=', userId)
      .where('usedAt', 'is', null)
      .where('revokedAt', 'is', null),
  )

/** Ends the views of this user, or with `kind` only those opened from the window. */
export function deleteViewsOf(database: Database, userId: string, kind?: 'window') {
  const ofUser = database.sql.deleteFrom('views').where('userId', '=', userId)
  database.run(kind === undefined ? ofUser : ofUser.where('kind', '=', kind))
}

/**
 * Ends the views that a session of the window opened, and those of the user's windows whose session
 * is unknown.
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
