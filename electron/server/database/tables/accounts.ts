import type { Generated } from 'kysely'
import type { Flag } from '#server/database/query.ts'

/** Users, sessions, workstations and API keys. */
export interface AccountTables {
  users: PersonColumns & {
    interfaceLevel: Generated<string>
    passwordHash: string | null
    createdAt: string
    updatedAt: string
    lastLoginAt: string | null
    deactivatedAt: string | null
  }
  invitations: PersonColumns & {
    invitationId: string
    status: string
    inviterId: string | null
    invitedByApiKeyId: string | null
    tokenHash: string
    expiry: string | null
    createdAt: string
    updatedAt: string
  }
  signInAttempts: {
    accountHash: string
    failures: number
    lastAt: string
    blockedUntil: string | null
  }
  sessions: {
    tokenHash: string
    sessionId: string
    userId: string
    createdAt: string
    lastUsedAt: string
    expiresAt: string
    browser: string
    address: string
    workstationId: string | null
    lockedAt: string | null
    wrongPasswords: number
    confirmedAt: string | null
    sealedIdToken: Buffer | null
  }
  userIdentities: { userId: string; issuer: string; subject: string; linkedAt: string }
  passwordChanges: { userId: string; at: string }
  secondFactors: {
    userId: string
    sealedSecret: Buffer | null
    since: string | null
    lastStep: number | null
    sealedPending: Buffer | null
    pendingAt: string | null
  }
  secondFactorCodes: { userId: string; codeHash: string; usedAt: string | null }
  workstations: {
    workstationId: string
    tokenHash: string
    name: string
    code: string
    address: string
    browser: string
    askedAt: string
    refusedAt: string | null
    approvedAt: string | null
    approvedByUserId: string | null
    lastSeenAt: string | null
  }
  signInLinks: {
    tokenHash: string
    kind: string
    userId: string | null
    createdAt: string
    expiresAt: string
    usedAt: string | null
  }
  apiKeys: {
    apiKeyId: string
    keyHash: string
    last4: string
    description: string
    isViewerEnabled: Flag
    scope: string
    managesPeople: Generated<Flag>
    dicomweb: Generated<string>
    eventAccess: Generated<string>
    seesClinicEvents: Generated<Flag>
    managesEndpoints: Generated<Flag>
    createdAt: string
    lastUsedAt: string | null
    revokedAt: string | null
    rotatedAt: string | null
    oldKeyHash: string | null
    oldLast4: string | null
    oldExpiresAt: string | null
  }
}

/** Columns shared by users and invitations. */
interface PersonColumns {
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
  middleName: string | null
  suffix1: string | null
  suffix2: string | null
  phoneNumber: string | null
  npiNumber: string | null
  invitedSource: Generated<string>
}
