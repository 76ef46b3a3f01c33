import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'

/** The parameters of a list request. */
export interface PageQuery {
  readonly cursor?: string | undefined
  /** 1 to 100 rows. */
  readonly limit: number
}

/** A page of a list; `cursor` is set exactly when `hasMore` is true. */
export interface PageOf<T> {
  items: T[]
  hasMore: boolean
  cursor?: string
}

/**
 * A part of a list of the interface. `next` is the position after which the next part starts, if
 * there is one (http/pagination.ts encodes it).
 */
export interface Slice<T> {
  readonly items: T[]
  readonly next?: string
}

/** Selects a part of a list. */
export interface SliceQuery {
  /** `next` of the preceding part. */
  readonly after?: string | undefined
  /** 1 to 100 rows. */
  readonly limit: number
}

/** The sort key of a row, newest first by (`createdAt`, id). */
export interface TimeKey {
  readonly createdAt: string
  readonly id: string
}

/** Builds a slice from `rows`, which were read with a limit of `limit + 1`. */
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
 * Builds a page from `rows`, which were read with a limit of `limit + 1`. `keyOf` returns the
 * position from which the next page continues.
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
 * Decodes the numeric key of a cursor; `undefined` for the first page. @throws ApiError malformed,
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
  // Buffer ignores characters that are not base64, so only an exact round trip is accepted.
  if (cursor.length > 200 || bytes.toString('base64url') !== cursor) throw badCursor()
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw badCursor()
  }
}

/** The error for a cursor that was not issued by an earlier page. */
export const badCursor = () =>
  new ApiError('malformed', message('http.foreign-cursor'), {
    errors: [{ path: 'query.cursor', message: message('http.cursor-of-earlier-page') }],
  })
