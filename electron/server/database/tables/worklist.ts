import type { Generated } from 'kysely'

/** Worklist answers of partners, and the queries of devices they were sent for. */
export interface WorklistTables {
  documents: { hash: string; sealed: Buffer; byteLength: number; keptAt: string }
  answers: {
    callingAe: string
    dateStart: string
    dateEnd: string
    /** Empty if the answer was not restricted to a modality. */
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
