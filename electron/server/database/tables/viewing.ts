import type { CreatorColumns } from './studies.ts'

/** Viewer links, open views, and what users create in the viewer. */
export interface ViewingTables {
  links: CreatorColumns & {
    tokenHash: string
    kind: string
    area: string
    /** Null for an ephemeral session. */
    studyId: string | null
    /**
     * The user the link opens the viewer for; for a viewer-only link, the user named in the audit
     * log.
     */
    userId: string | null
    sealedSession: Buffer | null
    createdAt: string
    expiresAt: string
    usedAt: string | null
    /** When the access of that user was revoked. */
    revokedAt: string | null
  }
  views: CreatorColumns & {
    viewId: string
    /** SHA-256 of the token in its cookie, in hex. */
    tokenHash: string
    kind: string
    /** Null if only the archive has the study, so that it has no row in any area. */
    area: string | null
    studyId: string | null
    /** Null for an ephemeral session. */
    studyInstanceUid: string | null
    /**
     * The user of a reroute link or of the window; for a viewer-only link the user named in the
     * audit log; null if the link names no user.
     */
    userId: string | null
    /**
     * The window session that opened the view and with which it is locked and ends; null if a link
     * opened it.
     */
    sessionId: string | null
    sealedSession: Buffer | null
    createdAt: string
    lastUsedAt: string
    /** Absolute expiry, regardless of use. */
    expiresAt: string
  }
  viewFiles: {
    /** SHA-256 in hex of the URL without its signature, which differs in each URL. */
    fileKey: string
    studyInstanceUid: string
    /** Path below `cache/views`. */
    file: string
    bytes: number
    /** Validators for a conditional request to the host (RFC 9110 §13.1). */
    etag: string | null
    lastModified: string | null
    usedAt: string
    createdAt: string
  }
  annotations: {
    studyInstanceUid: string
    owner: string
    /** Starts at 1 and increases with each save. */
    revision: number
    sealedAnnotations: Buffer
    updatedAt: string
  }
  hangingProtocols: {
    userId: string
    /** Starts at 1 and increases with each save. */
    revision: number
    sealedProtocols: Buffer
    updatedAt: string
  }
  captures: {
    captureId: string
    /** Null if only the archive has the study; the capture is then not uploaded. */
    studyId: string | null
    studyInstanceUid: string
    /** UIDs of the capture itself. */
    sopInstanceUid: string
    seriesInstanceUid: string
    /** UIDs of the captured image. */
    ofSopInstanceUid: string
    ofSeriesInstanceUid: string
    /** The API key whose endpoint is asked for the upload URLs; null for the clinic's endpoint. */
    apiKeyId: string | null
    /** The creator; null if the link names no user. */
    userId: string | null
    /** waiting: for the next attempt; kept: only in the archive, because no partner takes it. */
    state: string
    /** Number of URLs received at the last attempt, and number of uploads completed. */
    urls: number
    uploaded: number
    attempts: number
    nextAt: string | null
    /** One sentence without patient data or URL; empty if no attempt failed. */
    lastError: string
    createdAt: string
    updatedAt: string
  }
}

/**
 * viewer: a viewer study; reroute: viewer and dictation; viewer-only: a scribe study without
 * dictation; ephemeral: no study.
 */
export type LinkKind = 'viewer' | 'reroute' | 'viewer-only' | 'ephemeral'
type Area = 'viewer' | 'scribe'

/** The partner's details of a viewer session without a study. */
export interface EphemeralDetail {
  readonly retrievalId: string
  /** Echoed in `ephemeral.access_requested`; absent if none were given. */
  readonly options?: Readonly<Record<string, unknown>> | undefined
  readonly hangingProtocol?:
    | { readonly layout: string; readonly viewportAssignments: readonly (string | null)[] }
    | undefined
}

/** A row of one of these kinds, with its session decrypted. */
type RecordOf<Table extends 'links' | 'views', Kind> = Readonly<
  Omit<ViewingTables[Table], 'kind' | 'area' | 'sealedSession'>
> & { readonly kind: Kind; readonly ephemeral: EphemeralDetail | null }

/** A URL that opens the viewer once. Only the SHA-256 of its token is stored, in hex. */
export type LinkRecord = RecordOf<'links', LinkKind> & { readonly area: Area }

/**
 * A viewer session for one study, or for what a partner provides without one. `window`: opened by a
 * signed-in user; otherwise the kind of the link that opened it.
 */
export type ViewRecord = RecordOf<'views', LinkKind | 'window'> & { readonly area: Area | null }
