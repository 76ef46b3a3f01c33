import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'

/** What a list call asks for. */
export interface PageQuery {
  readonly cursor?: string | undefined
  /** 1 to 100 rows. */
  readonly limit: number
}

/** A page of a list: `cursor` exactly when `hasMore`. */
export interface PageOf<T> {
  items: T[]
  hasMore: boolean
  cursor?: string
}

/**
 * Part of a list of the interface; `next` is the position the following part begins after, where
 * there is one (http/cursor-codec seals it).
 */
export interface Slice<T> {
  readonly items: T[]
  readonly next?: string
}

/** Which part of a list is asked for. */
export interface SliceQuery {
  /** `next` of the part before. */
  readonly after?: string | undefined
  /** 1 to 100 rows. */
  readonly limit: number
}

/** The row after which a list goes on, newest first by (`createdAt`, id). */
export interface TimeKey {
  readonly createdAt: string
  readonly id: string
}

/** The slice of `rows`, which were read with a limit of `limit + 1`. */
export function sliceOf<T>(
  rows: readonly T[],
  limit: number,
  positionOf: (row: T) => string | number,
): Slice<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return rows.length <= limit || last === undefined
    ? { items }
    : { items, next: String(positionOf(last)) }
}

/**
 * A page of `rows`, which were read with a limit of `limit + 1`. `keyOf` is what the next page
 * begins after.
 */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => string | number,
): PageOf<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  if (rows.length <= limit || last === undefined) return { items, hasMore: false }
  return {
    items,
    hasMore: true,
    cursor: Buffer.from(JSON.stringify(keyOf(last))).toString('base64url'),
  }
}

/**
 * The numeric key inside a cursor, `undefined` for the first page. @throws ApiError malformed,
 * naming `query.cursor`
 */
export function numberAfter(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const key = readCursor(cursor)
  if (typeof key === 'number' && Number.isSafeInteger(key)) return key
  throw badCursor()
}

function readCursor(cursor: string): unknown {
  const bytes = Buffer.from(cursor, 'base64url')
  // Buffer skips what is not base64: only what we would have written ourselves is a cursor.
  if (cursor.length > 200 || bytes.toString('base64url') !== cursor) throw badCursor()
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw badCursor()
  }
}

/** The refusal of a cursor that no earlier page gave. */
export const badCursor = () =>
  new ApiError('malformed', message('http.foreign-cursor'), {
    errors: [{ path: 'query.cursor', message: message('http.cursor-of-earlier-page') }],
  })
