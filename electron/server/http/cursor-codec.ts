import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '#shared/errors.ts'

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

const badCursor = () => {
  const message =
    'must be a cursor given with an earlier page of this list, asked with the same filters'
  return new ApiError('malformed', `query.cursor: ${message}`, {
    errors: [{ path: 'query.cursor', message }],
  })
}
