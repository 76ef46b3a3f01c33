import type { Generated } from 'kysely'
import type { Flag } from '#server/database/query.ts'

export interface CorrectionTables {
  corrections: {
    correctionId: string
    kind: string
    cause: string
    fromStudyInstanceUid: string
    toStudyInstanceUid: string
    instances: number
    sealedDetails: Buffer
    userId: string
    at: string
    /** The correction that this one undoes. */
    undoes: string | null
    undoneAt: Generated<string | null>
    undoneBy: Generated<string | null>
    undoneWith: Generated<string | null>
  }
  correctedInstances: { originalId: number; correctedId: number; correctionId: string }
  rejectionNotes: {
    correctionId: string
    studyInstanceUid: string
    sopInstanceUid: string
    createdAt: string
  }
  correctionNotices: {
    noticeId: Generated<number>
    correctionId: string
    kind: string
    subject: string

    isUndo: Flag
    sealedDetails: Buffer
    state: string
    createdAt: string
    doneAt: Generated<string | null>
    doneBy: Generated<string>
    sealedNote: Generated<Buffer | null>
  }
}
