import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Seal } from '#server/database/encryption.ts'
import type { Slice, SliceQuery, TimeKey } from '#server/database/page.ts'
import { malformedFields } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'

/**
 * What a list was asked with; `cursor` and `limit` are not part of it: the limit may change from
 * page to page.
 */
export type Filters = Readonly<Record<string, unknown>>

/**
 * Opaque cursors that cannot be changed, nor used with other filters than the page they came with.
 */
export interface CursorCodec {
  /** base64url of the position and its seal; `list` names the list, e.g. `GET /v1/express`. */
  encode(position: string, list: string, filters: Filters): string
  /** @throws ApiError malformed, naming `query.cursor` */
  decode(cursor: string, list: string, filters: Filters): string
}

const MAC_BYTES = 16
const MOST_CHARACTERS = 1000

/** `key` is a secret of the data folder: at least 32 bytes. */
export function cursorCodec(key: Buffer): CursorCodec {
  const sealOf = (position: string, list: string, filters: Filters) =>
    createHmac('sha256', key)
      .update(JSON.stringify([position, list, canonical(filters)]))
      .digest()
      .subarray(0, MAC_BYTES)
  return {
    encode: (position, list, filters) =>
      Buffer.concat([sealOf(position, list, filters), Buffer.from(position)]).toString('base64url'),
    decode(cursor, list, filters) {
      const bytes = Buffer.from(cursor, 'base64url')
      // Buffer skips what is not base64url: only what we would have written ourselves is a cursor.
      if (
        cursor.length > MOST_CHARACTERS ||
        bytes.length <= MAC_BYTES ||
        bytes.toString('base64url') !== cursor
      )
        throw badCursor()
      const position = bytes.subarray(MAC_BYTES).toString()
      if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), sealOf(position, list, filters)))
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

interface ListCall {
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly query: { readonly cursor?: string | undefined; readonly limit: number }
}

/** A page of a list of the window, its cursor sealed with what the list was asked with. */
type WindowList = <const K extends string, T>(
  key: K,
  operation: { readonly path: string },
  call: ListCall,
  read: (page: SliceQuery) => Slice<T>,
) => ReturnType<typeof listPage<K, T>>

/** Lists whose positions are the store's own texts: nobody sends it another. */
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
