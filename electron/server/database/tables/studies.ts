import type { Generated, GeneratedAlways } from 'kysely'
import type { Flag } from '#server/database/query.ts'

/** Studies, the organizations they belong to, and saved views. */
export interface StudyTables {
  expressCustomers: CreatorColumns & {
    seq: Generated<number>
    expressCustomerId: string
    name: string
    nameFolded: string
    isActive: Flag
    sealedMetadata: Buffer | null
    createdAt: string
    updatedAt: string
  }
  customerUsers: { expressCustomerId: string; userId: string; createdAt: string }
  organizations: CreatorColumns & {
    orgId: string
    name: string
    sealedMetadata: Buffer | null
    createdAt: string
    updatedAt: string
  }
  studies: CreatorColumns & {
    seq: Generated<number>
    studyId: string
    area: string
    studyInstanceUid: string
    studyDescription: string
    descriptionFolded: string
    severity: string
    status: string
    cancelledAt: string | null
    facet: GeneratedAlways<number>
    assignedTo: string | null
    expressCustomerId: string | null
    sealedDetail: Buffer | null
    createdAt: string
    updatedAt: string
  }
  savedViews: {
    savedViewId: string
    ownerId: string
    list: string
    area: string
    name: string
    sortOrder: string
    isShared: Flag
    sealedFilter: Buffer
    createdAt: string
    updatedAt: string
  }
  /** The index of queries for images. The row number is that of `imageStudyNumbers`. */
  retrievalStudies: {
    number: Generated<number>
    patientKey: Buffer
    /** `YYYYMMDD` or ''. */
    studyDate: string
    /** JSON: strings. */
    modalities: string
  }
  /** Triggers on `retrievalStudies` maintain these rows. */
  retrievalModalities: { modality: string; studyDate: string; number: number }
  searchFill: { what: string; below: number }
}

/** The creator of a row. */
export interface CreatorColumns {
  createdByApiKeyId: string | null
  createdByUserId: string | null
}
