import type { Database } from '#server/database/database.ts'
import type { ViewingTables } from '#server/database/tables/viewing.ts'
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
export type LinkRecord = RecordOf<'links', LinkKind> & { readonly area: Area }

/** A row whose kind is one of these, with its session decrypted. */
type RecordOf<Table extends 'links' | 'views', Kind> = Readonly<
  Omit<ViewingTables[Table], 'kind' | 'area' | 'sealedSession'>
> & { readonly kind: Kind; readonly ephemeral: EphemeralDetail | null }

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

/**
 * A session of the viewer: one study, or what a partner gives without one; window: opened by a
 * signed-in person; else the kind of the link it was opened by.
 */
export type ViewRecord = RecordOf<'views', LinkKind | 'window'> & { readonly area: Area | null }

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
    annotations,
    ...row
  }: Omit<ViewingTables['annotations'], 'sealedAnnotations'> & {
    readonly annotations: readonly unknown[]
  },
) {
  const { studyInstanceUid, owner, revision, updatedAt } = row
  const sealedAnnotations = database.seal.seal(
    Buffer.from(JSON.stringify(annotations)),
    annotationContext(studyInstanceUid, owner),
  )
  const changed = { revision, sealedAnnotations, updatedAt }
  database.run(
    database.sql
      .insertInto('annotations')
      .values({ ...row, sealedAnnotations })
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
export type CaptureRecord = Readonly<Omit<ViewingTables['captures'], 'state'>> & {
  readonly state: (typeof CAPTURE_STATES)[number]
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
