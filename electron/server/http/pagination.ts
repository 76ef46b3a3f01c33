import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Seal } from '#server/database/encryption.ts'
import type { Slice, SliceQuery, TimeKey } from '#server/database/page.ts'
import { malformedFields } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'

/**
 * The filters of a list request, without `cursor` and `limit`; the limit may change from page to
 * page.
 */
export type Filters = Readonly<Record<string, unknown>>

/** Opaque, tamper-proof cursors that are only valid with the filters of the page they came with. */
export interface CursorCodec {
  /**
   * Returns base64 of the position and its MAC; `list` identifies the list, e.g. `GET
   * /v1/express`.
   */
  encode(position: string, list: string, filters: Filters): string
  /** @throws ApiError malformed, naming `query.cursor` */
  decode(cursor: string, list: string, filters: Filters): string
}

const MAC_BYTES = 16
const MAX_CURSOR_LENGTH = 1000

/** `key`: a secret of the data folder, at least 32 bytes. */
export function cursorCodec(key: Buffer): CursorCodec {
  const macOf = (position: string, list: string, filters: Filters) =>
    createHmac('sha256', key)
      .update(JSON.stringify([position, list, canonical(filters)]))
      .digest()
      .subarray(0, MAC_BYTES)
  return {
    encode: (position, list, filters) =>
      Buffer.concat([macOf(position, list, filters), Buffer.from(position)]).toString('base64'),
    decode(given, list, filters) {
      // A `+` that was not percent-encoded arrives as a space.
      const cursor = given.replaceAll(' ', '+')
      const bytes = Buffer.from(cursor, 'base64')
      // Buffer ignores characters that are not base64, so only an exact round trip is accepted.
      if (
        cursor.length > MAX_CURSOR_LENGTH ||
        bytes.length <= MAC_BYTES ||
        bytes.toString('base64') !== cursor
      )
        throw badCursor()
      const position = bytes.subarray(MAC_BYTES).toString()
      if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(position, list, filters)))
        throw badCursor()
      return position
    },
  }
}

const canonical = (filters: Filters): unknown[] =>
  Object.keys(filters)
    .filter((name) => name !== 'cursor' && name !== 'limit' && filters[name] !== undefined)
    .sort()
    .map((name) => [name, filters[name]])

const badCursor = () =>
  malformedFields({ path: 'query.cursor', message: message('http.bad-cursor') })

/** The reply of a list operation; `cursor` is set exactly when `hasMore` is true. */
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

/** Encodes the position in a list sorted by time as text. */
export const encodeTimeKey = (key: TimeKey | undefined): string | undefined =>
  key && `${key.createdAt} ${key.id}`

/** Decodes a text of `encodeTimeKey`; undefined means the beginning. */
export function decodeTimeKey(text: string | undefined): TimeKey | undefined {
  if (text === undefined) return undefined
  const [createdAt = '', id = ''] = text.split(' ')
  return { createdAt, id }
}

interface ListCall {
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly query: { readonly cursor?: string | undefined; readonly limit: number }
}

/** Builds a page of a window list, with its cursor sealed together with the filters. */
type WindowList = <const K extends string, T>(
  key: K,
  operation: { readonly path: string },
  call: ListCall,
  read: (page: SliceQuery) => Slice<T>,
) => ReturnType<typeof listPage<K, T>>

/**
 * For lists whose positions are texts produced by the queries; the seal ensures that no other text
 * is accepted.
 */
export function windowList(seal: Pick<Seal, 'keyFor'>): WindowList {
  const cursors = cursorCodec(seal.keyFor('cursors of the window'))
  return (key, { path }, { params, query }, read) => {
    const { cursor, limit, ...filters } = query
    const asked = { ...params, ...filters }
    const { items, next } = read({
      after: cursor === undefined ? undefined : cursors.decode(cursor, path, asked),
      limit,
    })
    return listPage(key, items, next === undefined ? undefined : cursors.encode(next, path, asked))
  }
}
