import { type Context, openContext } from '#server/context.ts'
import { createApiKey, revokeApiKey } from '#server/modules/api-keys/api-keys.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import type { ClinicRole, Level } from '#shared/contract/people.ts'
import { viewerUsers } from '#shared/contract/users.ts'
import type { Path } from '#shared/operation.ts'
import {
  callerOf,
  OWNER,
  type StartedGateway,
  type StartOptions,
  sessionHeaders,
  startGateway,
} from './gateway.ts'
import { type HttpAnswer, type HttpCall, httpCall } from './http-call.ts'

/** A client of the interface. */
export interface Client {
  /** The answer as it came: `send('GET /v1/express?limit=5')`. */
  send(call: Path, given?: HttpCall): Promise<HttpAnswer>
  /** The reply, read by the contract. Rejects with the problem's status and message. */
  readonly call: StartedGateway['call']
}

/** A client that sends these headers with each call. */
export const clientOf = (http: string, headers: Readonly<Record<string, string>>): Client => ({
  send(call, given = {}) {
    const [method = 'GET', path = '/'] = call.split(' ')
    return httpCall(`${http}${path}`, {
      ...given,
      method,
      headers: { ...headers, ...given.headers },
    })
  },
  call: callerOf(http, headers),
})

/** A partner's client. */
export const keyCall = (http: string, key: string): Client =>
  clientOf(http, { authorization: `Bearer ${key}` })

const KEYS = {
  /** Reaches everything. */
  partner: { description: 'Cloud RIS', isViewerEnabled: true, scope: 'all', managesPeople: true },
  /** Reaches only the studies it made. */
  self: { description: 'Reading group', isViewerEnabled: true, scope: 'self', managesPeople: true },
  /** Without the viewer area. */
  plain: {
    description: 'Dictation only',
    isViewerEnabled: false,
    scope: 'all',
    managesPeople: true,
  },
  /** As keys are made unless somebody says otherwise: it manages nobody. */
  studies: { description: 'Worklist of the RIS', isViewerEnabled: true, scope: 'all' },
  revoked: { description: 'Former partner', isViewerEnabled: true, scope: 'all' },
} as const satisfies Record<string, Parameters<typeof createApiKey>[1]>
export type KeyName = keyof typeof KEYS

/**
 * Users of the window; what `level` and `clinicRole` do not give them is set through the interface.
 */
const USERS = {
  admin: { level: 'admin', clinicRole: 'Administrative Director' },
  member: { level: 'member', clinicRole: 'Front Desk Operator' },
  manager: { level: 'member', clinicRole: 'Imaging Technologist' },
  radiologist: { level: 'member', clinicRole: 'Radiologist' },
  /** For a test that links it to a customer. */
  linked: { level: 'member', clinicRole: 'Radiologist' },
  revoked: { level: 'member', clinicRole: 'Other' },
} as const satisfies Record<string, { level: Level; clinicRole: ClinicRole }>
export type UserName = keyof typeof USERS

export interface StartedInterface extends AsyncDisposable {
  readonly started: StartedGateway
  readonly http: string
  readonly keys: Readonly<Record<KeyName, Client>>
  readonly keyIds: Readonly<Record<KeyName, string>>
  readonly userIds: Readonly<Record<UserName, string>>
  /** Signed in to the window; `revoked` was before its access was taken. */
  readonly users: Readonly<Record<UserName | 'owner', Client>>
  /** Without any authentication. */
  readonly nobody: Client
  /** Does what another part of the gateway does: reads and writes rows by a second connection. */
  withStore<T>(work: (store: Context) => T): T
}

const emailOf = (name: string) => `${name}@clinic.example`

/** The whole gateway with a key of each kind and a user of each kind. */
export async function startInterface(options: StartOptions = {}): Promise<StartedInterface> {
  const minted: Partial<Record<KeyName, { key: string; apiKeyId: string }>> = {}
  const userIds: Partial<Record<UserName, string>> = {}
  const started = await startGateway({
    partner: null,
    ...options,
    overrides: { 'http.ratePerSecond': 10_000, 'http.rateBurst': 10_000, ...options.overrides },
    async prepare(context) {
      for (const [name, key] of Object.entries(KEYS)) {
        const { apiKey, key: text } = createApiKey(context, key, 'command-line')
        minted[name as KeyName] = { key: text, apiKeyId: apiKey.apiKeyId }
      }
      revokeApiKey(context, minted.revoked?.apiKeyId ?? '', 'command-line')
      const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
      for (const [name, user] of Object.entries(USERS)) {
        const login = { email: emailOf(name), password: OWNER.password }
        const made = await people.createUser(
          { ...login, firstName: 'Una', lastName: name, ...user },
          'command-line',
        )
        userIds[name as UserName] = made.userId
      }
      await options.prepare?.(context)
    },
  })
  const { http, folder } = started
  const keys = mapped(KEYS, (name) => keyCall(http, minted[name]?.key ?? ''))
  const ids = mapped(USERS, (name) => userIds[name] ?? '')
  const users = {
    owner: clientOf(http, await sessionHeaders(http, OWNER)),
    ...Object.fromEntries(
      await Promise.all(
        Object.keys(USERS).map(async (name) => {
          const login = { email: emailOf(name), password: OWNER.password }
          return [name, clientOf(http, await sessionHeaders(http, login))] as const
        }),
      ),
    ),
  } as Record<UserName | 'owner', Client>
  const { partner } = keys
  await partner.call(viewerUsers.update, {
    params: { userId: ids.manager },
    body: { canManageStudies: true },
  })
  await partner.call(viewerUsers.revokeAccess, { body: { userId: ids.revoked } })
  return {
    started,
    http,
    keys,
    keyIds: mapped(KEYS, (name) => minted[name]?.apiKeyId ?? ''),
    userIds: ids,
    users,
    nobody: clientOf(http, {}),
    withStore(work) {
      using store = openContext({ folder, clock: Date.now, uuid: () => crypto.randomUUID() })
      return work(store)
    },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  }
}

const mapped = <K extends string, T>(table: Readonly<Record<K, unknown>>, of: (name: K) => T) =>
  Object.fromEntries((Object.keys(table) as K[]).map((name) => [name, of(name)])) as Record<K, T>

let counted = 0
/** A Study Instance UID that no other test has. */
export const newUid = (): string =>
  `1.2.826.0.1.3680043.10.999.${Date.now()}.${process.pid}.${counted++}`
/** An id of the interface that nothing has. */
export const unknownId = (kind: string): string => `${kind}_${'0'.repeat(31)}1`
