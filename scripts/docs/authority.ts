import { WINDOW_OPERATIONS } from '#gateway/dashboard/authority.ts'
import { accessOf, PARTNER_ACCESS } from '#gateway/http/callers.ts'
import type { Access } from '#gateway/http/sessions.ts'
import { interfaceOperations } from '#shared/contract/interface.ts'
import { table, yesNo } from './markdown.ts'

type Kind = 'member' | 'limited' | 'manager'
const WHO: Readonly<Record<Access, readonly Kind[]>> = {
  public: ['member', 'limited', 'manager'],
  'signed-in': ['member', 'limited', 'manager'],
  confirmed: ['member', 'limited', 'manager'],
  'every-patient': ['member', 'manager'],
  manage: ['manager'],
  'manage-confirmed': ['manager'],
}
const RECENT: readonly Access[] = ['confirmed', 'manage-confirmed']
const code = (text: string) => `\`${text}\``

/** Every operation of the window that changes something or takes more than a session. */
export const windowAuthorityTable = (): string =>
  table(
    ['operation', 'call', 'any key', 'member', 'member with customers', 'owner, administrator', 'recent sign-in'],
    WINDOW_OPERATIONS.filter(({ operation, access }) => operation.method !== 'GET' || access !== 'signed-in')
      .filter(({ access }) => access !== 'public')
      .map(({ name, operation, access }) => [
        code(name),
        code(`${operation.method} ${operation.path}`),
        'No',
        ...(['member', 'limited', 'manager'] as const).map((kind) => yesNo(WHO[access].includes(kind))),
        RECENT.includes(access) ? 'Yes' : '',
      ]),
  )

const KEYS = [
  { isViewerEnabled: false, managesPeople: false },
  { isViewerEnabled: true, managesPeople: false },
  { isViewerEnabled: false, managesPeople: true },
  { isViewerEnabled: true, managesPeople: true },
] as const

/** Every operation of the interface that changes something. */
export const interfaceAuthorityTable = (): string =>
  table(
    ['call', 'key', 'key, viewer', 'key, people', 'key, viewer and people'],
    interfaceOperations()
      .filter(({ operation }) => operation.method !== 'GET')
      .map(({ operation }) => [
        code(`${operation.method} ${operation.path}`),
        ...KEYS.map((key) => yesNo(PARTNER_ACCESS[accessOf(operation)]({ kind: 'api-key', apiKeyId: '', scope: 'all', ...key }))),
      ]),
  )
