import type { Generated } from 'kysely'

/** What a partner answered, and what devices were told of it. */
export interface WorklistTables {
  documents: { hash: string; sealed: Buffer; byteLength: number; keptAt: string }
  answers: {
    callingAe: string
    dateStart: string
    dateEnd: string
    /** Empty: the answer was not narrowed to a modality. */
    modality: string
    documentHash: string
    receivedAt: string
    items: number
  }
  inspections: {
    inspectionId: Generated<number>
    at: string
    origin: string
    deviceName: string
    callingAeTitle: string
    calledAeTitle: string
    remoteAddress: string
    source: string
    status: string
    errorComment: string
    fault: string | null
    sent: number
    filtered: number
    withheld: number
    tookMs: number
    partnerMs: number | null
    sentence: string
    repeats: Generated<number>
    lastAt: string | null
    transferSyntax: string
    answerHash: string | null
    verdictHash: string | null
    sealedDetail: Buffer
  }
  closedSteps: {
    studyInstanceUid: string
    scheduledProcedureStepId: string
    closedAt: string
    sealedReason: Buffer
  }
}
