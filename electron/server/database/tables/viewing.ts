import type { Made } from './studies.ts'

/** Images in the viewer: links to it, open views, and what is made there. */
export interface ViewingTables {
  links: Made & {
    tokenHash: string
    kind: string
    area: string
    /** Null for an ephemeral session. */
    studyId: string | null
    /** Whom it opens the viewer for; for viewer-only links, who is noted in the audit trail. */
    userId: string | null
    sealedSession: Buffer | null
    createdAt: string
    expiresAt: string
    usedAt: string | null
    /** When the access of whom it is for was taken away. */
    revokedAt: string | null
  }
  views: Made & {
    viewId: string
    /** SHA-256 of its cookie's token, in hex. */
    tokenHash: string
    kind: string
    /** Null where only the archive has the study: no area has a row of it. */
    area: string | null
    studyId: string | null
    /** Null for an ephemeral session. */
    studyInstanceUid: string | null
    /**
     * Whom it is for: of a reroute link or the window who is at work, of a viewer-only link who is
     * noted; null where the link names nobody.
     */
    userId: string | null
    /**
     * Of the window's session that opened it, which it is locked and ends with; null where a link
     * did.
     */
    sessionId: string | null
    sealedSession: Buffer | null
    createdAt: string
    lastUsedAt: string
    /** Absolute end, whatever the use. */
    expiresAt: string
  }
  viewFiles: {
    /** SHA-256 in hex of its URL without the signature, which differs in each URL. */
    fileKey: string
    studyInstanceUid: string
    /** Path below `cache/views`. */
    file: string
    bytes: number
    /** What the host is asked with whether the file is still the same (RFC 9110 §13.1). */
    etag: string | null
    lastModified: string | null
    usedAt: string
    createdAt: string
  }
  annotations: {
    studyInstanceUid: string
    owner: string
    /** From 1; grows by one at each save. */
    revision: number
    sealedAnnotations: Buffer
    updatedAt: string
  }
  captures: {
    captureId: string
    /** Null where only the archive has the study: then nobody takes it. */
    studyId: string | null
    studyInstanceUid: string
    /** Its own. */
    sopInstanceUid: string
    seriesInstanceUid: string
    /** What it is a capture of. */
    ofSopInstanceUid: string
    ofSeriesInstanceUid: string
    /** Whose endpoint is asked where it goes; null: the clinic's. */
    apiKeyId: string | null
    /** Who made it; null where the link names nobody. */
    userId: string | null
    /** waiting: for its next try; kept: in the archive alone, since nobody takes it. */
    state: string
    /** How many URLs the partner gave at the last try, and how many of them have it. */
    urls: number
    uploaded: number
    attempts: number
    nextAt: string | null
    /** One sentence, of no patient and no URL; empty where nothing failed. */
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

/** What a partner gave for a viewer session without a study. */
export interface EphemeralDetail {
  readonly retrievalId: string
  /** Echoed in `ephemeral.access_requested`; absent when it was not given. */
  readonly options?: Readonly<Record<string, unknown>> | undefined
  readonly hangingProtocol?:
    | { readonly layout: string; readonly viewportAssignments: readonly (string | null)[] }
    | undefined
}

/** A row whose kind is one of these, with its session decrypted. */
type RecordOf<Table extends 'links' | 'views', Kind> = Readonly<
  Omit<ViewingTables[Table], 'kind' | 'area' | 'sealedSession'>
> & { readonly kind: Kind; readonly ephemeral: EphemeralDetail | null }

/** A URL given out that opens the viewer once; its token is kept as SHA-256 in hex only. */
export type LinkRecord = RecordOf<'links', LinkKind> & { readonly area: Area }

/**
 * A session of the viewer: one study, or what a partner gives without one; window: opened by a
 * signed-in person; else the kind of the link it was opened by.
 */
export type ViewRecord = RecordOf<'views', LinkKind | 'window'> & { readonly area: Area | null }
