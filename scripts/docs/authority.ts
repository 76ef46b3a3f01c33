import { interfaceOperations, windowOperations } from '#shared/contract/operations.ts'
import type { PartnerAccess, WindowAccess } from '#shared/operation.ts'
import { PARTNER_ACCESS } from '../../electron/server/http/partner-authentication.ts'
import { table, yesNo } from './markdown.ts'

type Kind = 'member' | 'limited' | 'manager'
const WHO: Readonly<Record<WindowAccess, readonly Kind[]>> = {
  public: ['member', 'limited', 'manager'],
  'signed-in': ['member', 'limited', 'manager'],
  confirmed: ['member', 'limited', 'manager'],
  'every-patient': ['member', 'manager'],
  manage: ['manager'],
  'manage-confirmed': ['manager'],
}
const RECENT: readonly WindowAccess[] = ['confirmed', 'manage-confirmed']
const code = (text: string) => `\`${text}\``

/** Every operation of the window that changes something or takes more than a session. */
export const windowAuthorityTable = (): string =>
  table(
    [
      'operation',
      'call',
      'member',
      'member with customers',
      'owner, administrator',
      'recent sign-in',
    ],
    windowOperations()
      .filter(
        ({ operation: { method, access } }) =>
          access !== 'public' && (method !== 'GET' || access !== 'signed-in'),
      )
      .map(({ name, operation: { method, path, access } }) => [
        code(name),
        code(`${method} ${path}`),
        ...(['member', 'limited', 'manager'] as const).map((kind) =>
          yesNo(WHO[access].includes(kind)),
        ),
        RECENT.includes(access) ? 'Yes' : '',
      ]),
  )

const isAllowed = (key: (typeof KEYS)[number], access: PartnerAccess): boolean =>
  PARTNER_ACCESS[access]({ kind: 'api-key', apiKeyId: '', scope: 'all', ...key })
const KEYS = [
  { isViewerEnabled: false, managesPeople: false },
  { isViewerEnabled: true, managesPeople: false },
  { isViewerEnabled: false, managesPeople: true },
  { isViewerEnabled: true, managesPeople: true },
  { isViewerEnabled: false, eventAccess: 'without-bodies' },
  { isViewerEnabled: false, managesEndpoints: true },
] as const

/** Every operation of the interface that changes something. */
export const interfaceAuthorityTable = (): string =>
  table(
    [
      'call',
      ...['key', 'key, viewer', 'key, people', 'key, viewer and people'],
      ...['key, events', 'key, endpoints'],
    ],
    interfaceOperations()
      .filter(({ operation }) => operation.method !== 'GET')
      .map(({ operation }) => [
        code(`${operation.method} ${operation.path}`),
        ...KEYS.map((key) => yesNo(isAllowed(key, operation.access))),
      ]),
  )
