import type { Database } from '#server/database/database.ts'
import type { Area } from '#server/modules/studies/study-facet.ts'
import type { CAPTURE_STATES } from '#shared/contract/viewing.ts'

// The tables links, views, annotations, viewFiles and captures.

/**
 * viewer: a viewer study; reroute: viewer and dictation; viewer-only: a scribe study without
 * dictation; ephemeral: no study.
 */
export type LinkKind = 'viewer' | 'reroute' | 'viewer-only' | 'ephemeral'

/** What a partner gave for a viewer session without a study. */
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
  /** Of an ephemeral session; encrypted. */
  readonly ephemeral: EphemeralDetail | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly usedAt: string | null
  /** When the access of whom it is for was taken away. */
  readonly revokedAt: string | null
}

const linkContext = (tokenHash: string) => `link ${tokenHash}`

export function insertLink(database: Database, { ephemeral, ...link }: LinkRecord) {
  const sealedSession = sealEphemeral(database, ephemeral, linkContext(link.tokenHash))
  database.run(database.sql.insertInto('links').values({ ...link, sealedSession }))
}

/** The link, also one that was used, has expired or was revoked. */
export function findLink(database: Database, tokenHash: string): LinkRecord | undefined {
  const row = database.get(
    database.sql.selectFrom('links').selectAll().where('tokenHash', '=', tokenHash),
  )
  if (!row) return undefined
  const { sealedSession, ...link } = row
  const ephemeral = openEphemeral(database, sealedSession, linkContext(tokenHash))
  return { ...link, ephemeral } as LinkRecord
}

/** Uses the link up; false where it could not be followed at `now`. */
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

/** Deletes links that expired before the instant. */
export const purgeLinks = (database: Database, before: string) =>
  database.run(database.sql.deleteFrom('links').where('expiresAt', '<', before)).changes

/** A session of the viewer: one study, or what a partner gives without one. */
export interface ViewRecord {
  readonly viewId: string
  /** SHA-256 of its cookie's token, in hex. */
  readonly tokenHash: string
  /** window: opened by a signed-in person; else the kind of the link it was opened by. */
  readonly kind: LinkKind | 'window'
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
  /** Of an ephemeral session; encrypted. */
  readonly ephemeral: EphemeralDetail | null
  readonly createdAt: string
  readonly lastUsedAt: string
  /** Absolute end, whatever the use. */
  readonly expiresAt: string
}

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
 * Deletes views that ended before `now` or were last used before `idleSince`; returns their ids.
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

const annotationContext = (studyInstanceUid: string, owner: string) =>
  `annotations ${studyInstanceUid} ${owner}`

/**
 * What the owner has drawn on the study. It is encrypted: a text that somebody writes into an image
 * may name the patient.
 */
export function findAnnotations(database: Database, studyInstanceUid: string, owner: string) {
  const row = database.get(
    annotationsOf(database, studyInstanceUid, owner).select(['revision', 'sealedAnnotations']),
  )
  if (!row) return undefined
  const context = annotationContext(studyInstanceUid, owner)
  const annotations: unknown[] = JSON.parse(
    database.seal.open(row.sealedAnnotations, context).toString(),
  )
  return { revision: row.revision, annotations }
}

/** Of the last save, without decrypting it; 0 where there is none. */
export const annotationRevision = (database: Database, studyInstanceUid: string, owner: string) =>
  database.get(annotationsOf(database, studyInstanceUid, owner).select('revision'))?.revision ?? 0

const annotationsOf = ({ sql }: Database, studyInstanceUid: string, owner: string) =>
  sql
    .selectFrom('annotations')
    .where('studyInstanceUid', '=', studyInstanceUid)
    .where('owner', '=', owner)

/** Replaces what this owner had. */
export function putAnnotations(
  database: Database,
  {
    studyInstanceUid,
    owner,
    revision,
    annotations,
    updatedAt,
  }: {
    readonly studyInstanceUid: string
    readonly owner: string
    /** From 1; grows by one at each save. */
    readonly revision: number
    readonly annotations: readonly unknown[]
    readonly updatedAt: string
  },
) {
  const sealedAnnotations = database.seal.seal(
    Buffer.from(JSON.stringify(annotations)),
    annotationContext(studyInstanceUid, owner),
  )
  const changed = { revision, sealedAnnotations, updatedAt }
  database.run(
    database.sql
      .insertInto('annotations')
      .values({ studyInstanceUid, owner, ...changed })
      .onConflict((old) => old.columns(['studyInstanceUid', 'owner']).doUpdateSet(changed)),
  )
}

/** Deletes what this owner has drawn on any study. */
export const deleteAnnotationsOf = (database: Database, owner: string) =>
  database.run(database.sql.deleteFrom('annotations').where('owner', '=', owner))

/**
 * A file that was fetched from a partner for the viewer and is kept for a while, below
 * `cache/views` of the data folder.
 */
export type ViewFileRecord = NonNullable<ReturnType<typeof findViewFile>>

/** @param fileKey SHA-256 in hex of its URL without the signature, which differs in each URL */
export const findViewFile = (database: Database, fileKey: string) =>
  database.get(database.sql.selectFrom('viewFiles').selectAll().where('fileKey', '=', fileKey))

/** Replaces the one of that key. */
export const putViewFile = (database: Database, record: ViewFileRecord) =>
  database.run(
    database.sql
      .insertInto('viewFiles')
      .values(record)
      .onConflict((old) => old.column('fileKey').doUpdateSet(record)),
  )

export const noteViewFileUse = (database: Database, fileKey: string, usedAt: string) =>
  database.run(database.sql.updateTable('viewFiles').set({ usedAt }).where('fileKey', '=', fileKey))

/** Whether it was there. */
export const deleteViewFile = (database: Database, fileKey: string) =>
  database.run(database.sql.deleteFrom('viewFiles').where('fileKey', '=', fileKey)).changes > 0

/** The one not used for longest first. */
export const oldestViewFiles = (database: Database, limit: number) =>
  database.all(
    database.sql
      .selectFrom('viewFiles')
      .selectAll()
      .orderBy('usedAt')
      .orderBy('fileKey')
      .limit(limit),
  )

/** A secondary capture that is in the archive, and its way to the partner. */
export interface CaptureRecord {
  readonly captureId: string
  /** Null where only the archive has the study: then nobody takes it. */
  readonly studyId: string | null
  readonly studyInstanceUid: string
  /** Its own. */
  readonly sopInstanceUid: string
  readonly seriesInstanceUid: string
  /** What it is a capture of. */
  readonly ofSopInstanceUid: string
  readonly ofSeriesInstanceUid: string
  /** Whose endpoint is asked where it goes; null: the clinic's. */
  readonly apiKeyId: string | null
  /** Who made it; null where the link names nobody. */
  readonly userId: string | null
  /** waiting: for its next try; kept: in the archive alone, since nobody takes it. */
  readonly state: (typeof CAPTURE_STATES)[number]
  /** How many URLs the partner gave at the last try, and how many of them have it. */
  readonly urls: number
  readonly uploaded: number
  readonly attempts: number
  readonly nextAt: string | null
  /** One sentence, of no patient and no URL; empty where nothing failed. */
  readonly lastError: string
  readonly createdAt: string
  readonly updatedAt: string
}

export const insertCapture = (database: Database, capture: CaptureRecord) =>
  database.run(database.sql.insertInto('captures').values(capture))

export const findCapture = (database: Database, captureId: string) =>
  database.get(
    database.sql.selectFrom('captures').selectAll().where('captureId', '=', captureId),
  ) as CaptureRecord | undefined

/** Writes how far its upload is. */
export function updateCapture(
  database: Database,
  { captureId, state, urls, uploaded, attempts, nextAt, lastError, updatedAt }: CaptureRecord,
) {
  const changed = { state, urls, uploaded, attempts, nextAt, lastError, updatedAt }
  database.run(database.sql.updateTable('captures').set(changed).where('captureId', '=', captureId))
}

/** Newest first. */
export const capturesOfStudy = (database: Database, studyInstanceUid: string) =>
  database.all(
    database.sql
      .selectFrom('captures')
      .selectAll()
      .where('studyInstanceUid', '=', studyInstanceUid)
      .orderBy('createdAt', 'desc')
      .orderBy('captureId'),
  ) as CaptureRecord[]
