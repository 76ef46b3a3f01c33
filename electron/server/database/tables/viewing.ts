import type { Made } from './made.ts'

/** Images in the viewer: links to it, open views, and what is made there. */
export interface ViewingTables {
  links: Made & {
    tokenHash: string
    kind: string
    area: string
    studyId: string | null
    userId: string | null
    sealedSession: Buffer | null
    createdAt: string
    expiresAt: string
    usedAt: string | null
    revokedAt: string | null
  }
  views: Made & {
    viewId: string
    tokenHash: string
    kind: string
    area: string | null
    studyId: string | null
    studyInstanceUid: string | null
    userId: string | null
    sessionId: string | null
    sealedSession: Buffer | null
    createdAt: string
    lastUsedAt: string
    expiresAt: string
  }
  viewFiles: {
    fileKey: string
    studyInstanceUid: string
    file: string
    bytes: number
    etag: string | null
    lastModified: string | null
    usedAt: string
    createdAt: string
  }
  annotations: {
    studyInstanceUid: string
    owner: string
    revision: number
    sealedAnnotations: Buffer
    updatedAt: string
  }
  captures: {
    captureId: string
    studyId: string | null
    studyInstanceUid: string
    sopInstanceUid: string
    seriesInstanceUid: string
    ofSopInstanceUid: string
    ofSeriesInstanceUid: string
    apiKeyId: string | null
    userId: string | null
    state: string
    urls: number
    uploaded: number
    attempts: number
    nextAt: string | null
    lastError: string
    createdAt: string
    updatedAt: string
  }
}
