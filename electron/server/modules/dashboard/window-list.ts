import type { Seal } from '#server/database/encryption.ts'
import type { Slice, SliceQuery } from '#server/database/page.ts'
import { cursorCodec } from '#server/http/cursor-codec.ts'
import { listPage } from '#server/http/list-page.ts'

interface ListCall {
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly query: { readonly cursor?: string | undefined; readonly limit: number }
}

/** A page of a list of the window, its cursor sealed with what the list was asked with. */
export type WindowList = <const K extends string, T>(
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
