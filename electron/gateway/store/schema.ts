import type { Generated } from 'kysely'

/** Tables as kysely sees them: columns are named as the contract names the fields. Instants and days are text, JSON is text. */
export interface Schema {
  settings: { key: string; value: string; updatedAt: string }
  auditEntries: { seq: number; at: string; actor: string; action: string; target: string; sealedDetail: Buffer; hash: Buffer }
  auditHead: { id: 1; sealed: Buffer }
  devices: {
    deviceId: string
    aeTitle: string
    address: string | null
    name: string
    modality: string | null
    isEnabled: Flag
    characterSet: string | null
    stationMode: string
    alwaysSendCharacterSet: Flag
    daysBack: number | null
    daysForward: number | null
    maxRows: number | null
    createdAt: string
    updatedAt: string
    lastSeenAt: string | null
    lastAddress: string | null
  }
  callers: {
    aeTitle: string
    address: string
    calledAeTitle: string
    attempts: number
    firstAt: string
    lastAt: string
    services: string
  }
  users: {
    userId: string
    email: string
    emailKey: string
    firstName: string
    lastName: string
    level: string
    clinicRole: string
    canManageStudies: Flag
    canCreateReports: Flag
    hasDashboardAccess: Flag
    passwordHash: string
    createdAt: string
    updatedAt: string
    lastLoginAt: string | null
    deactivatedAt: string | null
  }
  signInAttempts: { accountHash: string; failures: number; lastAt: string; blockedUntil: string | null }
  sessions: { tokenHash: string; userId: string; createdAt: string; lastUsedAt: string; expiresAt: string }
  signInLinks: { tokenHash: string; kind: string; userId: string | null; createdAt: string; expiresAt: string; usedAt: string | null }
  apiKeys: {
    apiKeyId: string
    keyHash: string
    last4: string
    description: string
    isViewerEnabled: Flag
    scope: string
    createdAt: string
    lastUsedAt: string | null
    revokedAt: string | null
  }
  endpoints: {
    endpointId: string
    url: string
    events: string
    apiKeyId: string | null
    allowsPlaintext: Flag
    createdAt: string
    updatedAt: string
    disabledAt: string | null
  }
  endpointSecrets: { secretId: Generated<number>; endpointId: string; sealed: Buffer; createdAt: string }
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
    transferSyntax: string
    answerHash: string | null
    verdictHash: string | null
    sealedDetail: Buffer
  }
  closedSteps: { studyInstanceUid: string; scheduledProcedureStepId: string; closedAt: string; sealedReason: Buffer }
  downtime: { id: 1; since: string; until: string; userId: string; userName: string; sealedReason: Buffer }
}

/** STRICT tables have no boolean. */
export type Flag = 0 | 1
export const flag = (on: boolean): Flag => (on ? 1 : 0)
