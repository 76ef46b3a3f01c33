import type { TimeKey } from '#server/database/page.ts'

/** The reply of a list call: `cursor` exactly when `hasMore`. */
export const listPage = <const K extends string, T>(
  key: K,
  items: readonly T[],
  next: string | undefined,
) =>
  ({
    [key]: [...items],
    hasMore: next !== undefined,
    ...(next !== undefined && { cursor: next }),
  }) as { [P in K]: T[] } & {
    hasMore: boolean
    cursor?: string
  }

/** A row's place in a list by time as one text. */
export const printTimeKey = (key: TimeKey | undefined): string | undefined =>
  key && `${key.createdAt} ${key.id}`

/** The place in a text that `printTimeKey` printed; undefined is the beginning. */
export function readTimeKey(text: string | undefined): TimeKey | undefined {
  if (text === undefined) return undefined
  const [createdAt = '', id = ''] = text.split(' ')
  return { createdAt, id }
}
