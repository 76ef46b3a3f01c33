import type { AuditDetail } from './audit-entry.ts'
import type { AuditStore } from './audit-queries.ts'

/** The actor named in an audit entry. */
export type Actor =
  | 'gateway'
  | 'command-line'
  | `user:${string}`
  | `api-key:${string}`
  | `device:${string}`
export const userActor = (userId: string): Actor => `user:${userId}`
export const keyActor = (apiKeyId: string): Actor => `api-key:${apiKeyId}`
export const deviceActor = (deviceId: string): Actor => `device:${deviceId}`

/** Appends an audit entry. Must be called in the transaction that makes the change. */
export function note(
  { audit }: { readonly audit: AuditStore },
  actor: Actor,
  action: string,
  target: string,
  detail: AuditDetail = {},
): void {
  audit.append({ actor, action, target, detail })
}

/** The fields that differ, each with its values before and after. */
export function differences<T extends object>(
  before: T,
  after: T,
): Record<string, { before: T[keyof T]; after: T[keyof T] }> {
  const keys = Object.keys(after) as (keyof T & string)[]
  return Object.fromEntries(
    keys
      .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
      .map((key) => [key, { before: before[key], after: after[key] }]),
  )
}
