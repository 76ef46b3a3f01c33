import { randomUUID } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { insertApiKey } from '#server/modules/api-keys/queries.ts'
import type { ApiKeyCaller, UserCaller } from '#server/modules/users/caller.ts'
import { insertUser, type UserRecord, updateUser } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hashToken } from '#server/platform/token.ts'
import { type ExpressCustomerId, idFromUuid } from '#shared/ids.ts'

const AT = '2026-03-10T08:00:00.000Z'

/** A key in the store, as a caller. */
export function newKey(
  store: Context,
  more: Partial<Pick<ApiKeyCaller, 'scope' | 'isViewerEnabled' | 'managesPeople'>> = {},
): ApiKeyCaller {
  const { scope = 'all', isViewerEnabled = true, managesPeople = true } = more
  const apiKeyId = randomUUID()
  const unused = {
    lastUsedAt: null,
    revokedAt: null,
    rotatedAt: null,
    oldKeyHash: null,
    oldLast4: null,
    oldExpiresAt: null,
  }
  const keyHash = hashToken(apiKeyId)
  const rights = {
    isViewerEnabled,
    managesPeople,
    scope,
    dicomweb: 'none',
    eventAccess: 'none',
    seesClinicEvents: false,
    managesEndpoints: false,
  } as const
  insertApiKey(store.database, {
    apiKeyId,
    keyHash,
    last4: '0000',
    description: 'RIS',
    ...rights,
    createdAt: AT,
    ...unused,
  })
  return { kind: 'api-key', apiKeyId, ...rights }
}

/** A user in the store. */
export function newUser(store: Context, more: Partial<UserRecord> = {}): UserRecord {
  const userId = idFromUuid('usr', randomUUID())
  const user: UserRecord = {
    userId,
    email: `${userId}@clinic.example`,
    firstName: 'Una',
    lastName: 'Malá',
    middleName: null,
    suffix1: null,
    suffix2: null,
    phoneNumber: null,
    npiNumber: null,
    level: 'member',
    interfaceLevel: more.level ?? 'member',
    clinicRole: 'Radiologist',
    canManageStudies: false,
    canCreateReports: true,
    hasDashboardAccess: true,
    passwordHash: 'none',
    invitedSource: 'dashboard',
    createdAt: AT,
    updatedAt: AT,
    lastLoginAt: null,
    deactivatedAt: null,
    ...more,
  }
  insertUser(store.database, user)
  return user
}

/** The user at the window. */
export const atTheWindow = (
  user: UserRecord,
  customerIds: readonly ExpressCustomerId[] = [],
): UserCaller => ({
  kind: 'user',
  user: { ...user, customerIds },
})

export function revoke(store: Context, user: UserRecord): void {
  updateUser(store.database, { ...user, deactivatedAt: instantOf(Date.parse(AT)) })
}
