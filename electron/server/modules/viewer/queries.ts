import type { Database } from '#server/database/database.ts'
import type {
  EphemeralDetail,
  LinkRecord,
  ViewingTables,
  ViewRecord,
} from '#server/database/tables/viewing.ts'
import type { HangingProtocols } from '#shared/contract/hanging-protocols.ts'
import type { CAPTURE_STATES } from '#shared/contract/viewing.ts'
import { type Message, storedOrEmpty } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'

export type {
  EphemeralDetail,
  LinkRecord,
  ViewRecord,
} from '#server/database/tables/viewing.ts'

// The tables links, views, viewFiles, captures and hangingProtocols.

const linkContext = (tokenHash: string) => `link ${tokenHash}`

export function insertLink(database: Database, { ephemeral, ...link }: LinkRecord) {
  const sealedSession = sealEphemeral(database, ephemeral, linkContext(link.tokenHash))
  database.run(database.sql.insertInto('links').values({ ...link, sealedSession }))
}

/** Finds a link, even if it was used, has expired or was revoked. */
export function findLink(database: Database, tokenHash: string): LinkRecord | undefined {
  const row = database.get(
    database.sql.selectFrom('links').selectAll().where('tokenHash', '=', tokenHash),
  )
  if (!row) return undefined
  const { sealedSession, ...link } = row
  const ephemeral = openEphemeral(database, sealedSession, linkContext(tokenHash))
  return { ...link, ephemeral } as LinkRecord
}

/** Redeems a link; returns false if it is not valid at `now`. */
export const redeemLink = (database: Database, tokenHash: string, now: string) =>
  database.run(
    database.sql
      .updateTable('links')
      .set({ usedAt: now })
      .where('tokenHash', '=', tokenHash)
      .where('usedAt', 'is', null)
      .where('revokedAt', 'is', null)
      .where('expiresAt', '>', now),
  ).changes > 0

/** Deletes links that expired before the instant and returns how many there were. */
export const purgeLinks = (database: Database, before: string) =>
  database.run(database.sql.deleteFrom('links').where('expiresAt', '<', before)).changes

const viewContext = (viewId: string) => `view ${viewId}`

export function insertView(database: Database, { ephemeral, ...view }: ViewRecord) {
  const sealedSession = sealEphemeral(database, ephemeral, viewContext(view.viewId))
  database.run(database.sql.insertInto('views').values({ ...view, sealedSession }))
}

export function findView(database: Database, viewId: string): ViewRecord | undefined {
  const row = database.get(
    database.sql.selectFrom('views').selectAll().where('viewId', '=', viewId),
  )
  if (!row) return undefined
  const { sealedSession, ...view } = row
  const ephemeral = openEphemeral(database, sealedSession, viewContext(viewId))
  return { ...view, ephemeral } as ViewRecord
}

export const noteViewUse = (database: Database, viewId: string, at: string) =>
  database.run(
    database.sql.updateTable('views').set({ lastUsedAt: at }).where('viewId', '=', viewId),
  )

export const deleteView = (database: Database, viewId: string) =>
  database.run(database.sql.deleteFrom('views').where('viewId', '=', viewId))

/**
 * Deletes views that ended before `now` or were last used before `idleSince`, and returns their
 * IDs.
 */
export const purgeViews = (database: Database, now: string, idleSince: string) =>
  database
    .all(
      database.sql
        .deleteFrom('views')
        .where((of) => of.or([of('expiresAt', '<=', now), of('lastUsedAt', '<=', idleSince)]))
        .returning('viewId'),
    )
    .map(({ viewId }) => viewId)

const sealEphemeral = (
  { seal }: Database,
  ephemeral: EphemeralDetail | null,
  context: string,
): Buffer | null =>
  ephemeral === null ? null : seal.seal(Buffer.from(JSON.stringify(ephemeral)), context)

const openEphemeral = (
  { seal }: Database,
  sealed: Buffer | null,
  context: string,
): EphemeralDetail | null =>
  sealed === null ? null : JSON.parse(seal.open(sealed, context).toString())

/**
 * A cached file that was downloaded from a partner for the viewer, in `cache/views` of the data
 * folder.
 */
export type ViewFileRecord = NonNullable<ReturnType<typeof findViewFile>>

export const findViewFile = (database: Database, fileKey: string) =>
  database.get(database.sql.selectFrom('viewFiles').selectAll().where('fileKey', '=', fileKey))

/** Inserts a file, or replaces the one with the same key. */
export const putViewFile = (database: Database, record: ViewFileRecord) =>
  database.run(
    database.sql
      .insertInto('viewFiles')
      .values(record)
      .onConflict((old) => old.column('fileKey').doUpdateSet(record)),
  )

export const noteViewFileUse = (database: Database, fileKey: string, usedAt: string) =>
  database.run(database.sql.updateTable('viewFiles').set({ usedAt }).where('fileKey', '=', fileKey))

/** Returns whether it existed. */
export const deleteViewFile = (database: Database, fileKey: string) =>
  database.run(database.sql.deleteFrom('viewFiles').where('fileKey', '=', fileKey)).changes > 0

/** The least recently used files first. */
export const oldestViewFiles = (database: Database, limit: number) =>
  database.all(
    database.sql
      .selectFrom('viewFiles')
      .selectAll()
      .orderBy('usedAt')
      .orderBy('fileKey')
      .limit(limit),
  )

/** A secondary capture in the archive, and the state of its upload. */
export type CaptureRecord = Readonly<Omit<ViewingTables['captures'], 'state' | 'lastError'>> & {
  readonly state: (typeof CAPTURE_STATES)[number]
  /** The last error; null if there was none. */
  readonly lastError: Message | null
}

export const insertCapture = (database: Database, { lastError, ...capture }: CaptureRecord) =>
  database.run(
    database.sql.insertInto('captures').values({ ...capture, lastError: storedOrEmpty(lastError) }),
  )

export function findCapture(database: Database, captureId: string): CaptureRecord | undefined {
  const row = database.get(
    database.sql.selectFrom('captures').selectAll().where('captureId', '=', captureId),
  )
  return row && captureOf(row)
}

const captureOf = ({ lastError, ...row }: ViewingTables['captures']) =>
  ({ ...row, lastError: messageOrNull(lastError) }) as CaptureRecord

/** Updates the state of the upload. */
export function updateCapture(
  database: Database,
  {
    captureId,
    state,
    urls,
    uploaded,
    attempts,
    nextAt,
    lastError: error,
    updatedAt,
  }: CaptureRecord,
) {
  const lastError = storedOrEmpty(error)
  const changed = { state, urls, uploaded, attempts, nextAt, lastError, updatedAt }
  database.run(database.sql.updateTable('captures').set(changed).where('captureId', '=', captureId))
}

/** The captures of a study, newest first. */
export const capturesOfStudy = (database: Database, studyInstanceUid: string) =>
  database
    .all(
      database.sql
        .selectFrom('captures')
        .selectAll()
        .where('studyInstanceUid', '=', studyInstanceUid)
        .orderBy('createdAt', 'desc')
        .orderBy('captureId'),
    )
    .map(captureOf)

const protocolsContext = (userId: string) => `hanging protocols ${userId}`

/** The hanging protocols of a user; undefined if none were saved. */
export function findHangingProtocols(
  database: Database,
  userId: string,
): HangingProtocols | undefined {
  const row = database.get(
    database.sql.selectFrom('hangingProtocols').selectAll().where('userId', '=', userId),
  )
  if (!row) return undefined
  const json = database.seal.open(row.sealedProtocols, protocolsContext(userId)).toString()
  return { revision: row.revision, protocols: JSON.parse(json) }
}

/** Replaces the hanging protocols of a user. */
export function putHangingProtocols(
  database: Database,
  userId: string,
  { revision, protocols }: HangingProtocols,
  updatedAt: string,
): void {
  const sealedProtocols = database.seal.seal(
    Buffer.from(JSON.stringify(protocols)),
    protocolsContext(userId),
  )
  const changed = { revision, sealedProtocols, updatedAt }
  database.run(
    database.sql
      .insertInto('hangingProtocols')
      .values({ userId, ...changed })
      .onConflict((old) => old.column('userId').doUpdateSet(changed)),
  )
}
