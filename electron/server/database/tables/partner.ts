import type { Generated } from 'kysely'
import type { Flag } from '#server/database/query.ts'

/** Endpoints, and the requests in both directions. */
export interface PartnerTables {
  endpoints: {
    endpointId: string
    url: string
    events: string
    apiKeyId: string | null
    allowsPlaintext: Flag
    createdAt: string
    updatedAt: string
    disabledAt: string | null
    name: Generated<string>
    fileHosts: Generated<string>
    budgets: Generated<string>
    disabledReason: string | null
  }
  endpointSecrets: {
    secretId: Generated<number>
    endpointId: string
    sealed: Buffer
    createdAt: string
  }
  events: {
    seq: Generated<number>
    eventId: string
    type: string
    endpointId: string | null
    subject: string
    studyInstanceUid: string | null
    state: string
    outcome: string
    attempts: number
    notes: number
    tookMs: number
    sealedRequest: Buffer | null
    owner: string
    effect: string
    isTest: Flag
    createdAt: string
    updatedAt: string
  }
  eventAttempts: {
    seq: number
    attempt: number
    at: string
    outcome: string
    httpStatus: number | null
    tookMs: number
    bytes: number
    sealedDetail: Buffer
    sealedResponse: Buffer | null
  }
  outbox: {
    outboxId: Generated<number>
    kind: string
    subject: string
    sealedPayload: Buffer | null
    state: string
    attempts: number
    notBefore: string
    lastError: string | null
    createdAt: string
    updatedAt: string
    /** Rows of one lane are sent in order; null if the order does not matter. */
    lane: string | null
  }
  idempotencyKeys: {
    keyHash: string
    bodyHash: string
    status: number
    sealedBody: Buffer
    createdAt: string
  }
}
