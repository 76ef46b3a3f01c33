import type { Generated } from 'kysely'
import type { Flag } from '#server/database/query.ts'

/** Reports from draft to signed PDF, and the clinical context shown with them. */
export interface ReportTables {
  reports: {
    seq: Generated<number>
    reportId: string
    studyId: string
    userId: string
    isAddendum: Flag
    status: string
    signedAt: string | null
    isCritical: Flag | null
    sealedText: Buffer | null
    sealedSnapshot: Buffer
    createdAt: string
    updatedAt: string
    revision: Generated<number>
    textHash: string | null
    sealedSigner: Buffer | null
  }
  reportRevisions: {
    reportId: string
    revision: number
    userId: string
    windowId: string
    at: string
    sealedText: Buffer
  }
  reportPdfs: {
    reportId: string
    sealedPdf: Buffer
    sha256: string
    pages: number
    bytes: number
    createdAt: string
  }
  reportObjects: { reportId: string; kind: string; sopInstanceUid: string; createdAt: string }
  criticalResults: {
    reportId: string
    studyId: string
    openedAt: string
    communicatedAt: string | null
    sealedDetail: Buffer
  }
  criticalEscalations: { reportId: string; step: number; at: string }
  reportTemplates: {
    templateId: string
    kind: string
    ownerId: string | null
    name: string
    shortcut: string | null
    modalities: string
    sex: string | null
    ageFrom: number | null
    ageTo: number | null
    keywords: string
    text: string
    createdAt: string
    updatedAt: string
  }
  clinicalContexts: { studyId: string; state: string; askedAt: string; sealedContext: Buffer }
  contextDocuments: {
    documentId: Generated<number>
    studyId: string
    sealedName: Buffer
    sealedSource: Buffer | null
    mediaType: string
    state: string
    detail: string
    bytes: number
    sealedContent: Buffer | null
    fetchedAt: string
  }
}
