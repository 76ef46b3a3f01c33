import type { Context } from '#server/context.ts'
import type { Clock } from '#server/platform/clock.ts'

/** What the rules of this floor stand on. */
export interface DomainDeps {
  readonly store: Context
  readonly clock: Clock
  /** A new UUID v4. */
  readonly uuid: () => string
}

/** Who does something, as the audit trail says it. */
export type Actor = 'gateway' | 'command-line' | `user:${string}` | `api-key:${string}`
export const userActor = (userId: string): Actor => `user:${userId}`
export const keyActor = (apiKeyId: string): Actor => `api-key:${apiKeyId}`

/** The audit row beside every change: one transaction holds both (design.md §4.6). */
export function note(
  { audit }: Pick<Context, 'audit'>,
  actor: Actor,
  action: string,
  target: string,
  detail: Parameters<Context['audit']['append']>[0]['detail'] = {},
): void {
  audit.append({ actor, action, target, detail })
}

/** The fields that differ, each with its value before and after. */
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
