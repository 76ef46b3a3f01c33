/** One page of a list call: `cursor` exactly where there is more. */
export interface RowPage<T> {
  readonly rows: readonly T[]
  readonly cursor: string | undefined
}

export interface Rows<T> {
  /** In the order of the list; another array whenever anything changed. */
  readonly rows: readonly T[]
  /** Rows at the top that wait for `showNew`. */
  readonly unseen: number
  readonly hasMore: boolean
  readonly isRead: boolean
}

/**
 * The rows of one list as they are read, page by page. No row is twice in it, and none is left out.
 */
export interface RowStore<T> {
  read(): Rows<T>
  subscribe(listener: () => void): () => void
  /** Where the page after what is here begins. */
  next(): string | undefined
  append(page: RowPage<T>): void
  /**
   * The cursor that reads the part with a row again; undefined where that is the first page. @param
   * at place of the row, from 0
   */
  partWith(at: number): string | undefined
  /**
   * A part, read again from its cursor on: rows take what is new of them, those that came or went
   * do so too.
   */
  renewPart(from: string, page: RowPage<T>): void
  /**
   * The first page, read again: rows take what is new of them. Those that came or went do so too,
   * or wait for `showNew` where `isHeld`: nothing moves under the eyes of who has scrolled down.
   */
  begin(page: RowPage<T>, isHeld: boolean): void
  showNew(): void
  /** Takes the new state of rows that are here. */
  renew(rows: readonly T[]): void
}

export function openRowStore<T>(idOf: (row: T) => string): RowStore<T> {
  let rows: readonly T[] = []
  let ids = new Set<string>()
  let cursor: string | undefined
  let isRead = false
  let held: RowPage<T> | null = null
  /** Of each part after the first: the cursor it was read with, and the row before it. */
  let parts: readonly { readonly from: string; readonly after: string }[] = []
  let shown: Rows<T> = { rows, unseen: 0, hasMore: false, isRead }
  const listeners = new Set<() => void>()
  const tell = () => {
    const unseen = held?.rows.filter((row) => !ids.has(idOf(row))).length ?? 0
    shown = { rows, unseen, hasMore: cursor !== undefined, isRead }
    for (const listener of listeners) listener()
  }

  const indexOf = (id: string) => rows.findIndex((row) => idOf(row) === id)
  const put = (next: readonly T[], after: string | undefined) => {
    rows = next
    ids = new Set(next.map(idOf))
    cursor = after
    isRead = true
  }
  const renewRows = (fresh: readonly T[]) => {
    const known = new Map(fresh.filter((row) => ids.has(idOf(row))).map((row) => [idOf(row), row]))
    if (known.size > 0) rows = rows.map((row) => known.get(idOf(row)) ?? row)
  }
  /**
   * The parts that are left once a page is read again: before a row that stands elsewhere now none
   * begins; what follows its last row it says anew.
   */
  const partsBeside = ({ rows: fresh, cursor: from }: RowPage<T>) => {
    const last = fresh.at(-1)
    const freshIds = new Set(fresh.map(idOf))
    return parts.flatMap((part) => {
      if (!freshIds.has(part.after)) return [part]
      return last !== undefined && part.after === idOf(last) && from !== undefined
        ? [{ from, after: part.after }]
        : []
    })
  }
  /**
   * What is here after the first page: from its last row on. Where that is not here, so much came
   * that what lies between is not known: the list begins anew.
   */
  const merge = (page: RowPage<T>) => {
    const pageIds = new Set(page.rows.map(idOf))
    const last = page.rows.at(-1)
    const at = last === undefined || page.cursor === undefined ? -1 : indexOf(idOf(last))
    const rest = at < 0 ? [] : rows.slice(at + 1).filter((row) => !pageIds.has(idOf(row)))
    parts = rest.length === 0 ? [] : partsBeside(page)
    put([...page.rows, ...rest], rest.length === 0 ? page.cursor : cursor)
  }

  return {
    read: () => shown,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    next: () => cursor,
    append(page) {
      const added = page.rows.filter((row) => !ids.has(idOf(row)))
      const before = rows.at(-1)
      if (cursor !== undefined && before !== undefined)
        parts = [...parts, { from: cursor, after: idOf(before) }]
      // A row that moved down while its page was read is here already: it takes its new state where
      // it stands.
      if (added.length < page.rows.length) renewRows(page.rows)
      rows = rows.concat(added)
      for (const row of added) ids.add(idOf(row))
      cursor = page.cursor
      isRead = true
      tell()
    },
    partWith(at) {
      let found: string | undefined
      for (const { from, after } of parts) {
        const begins = indexOf(after) + 1
        if (begins > at) break
        if (begins > 0) found = from
      }
      return found
    },
    renewPart(from, page) {
      const part = parts.find((one) => one.from === from)
      const begins = part === undefined ? 0 : indexOf(part.after) + 1
      const last = page.rows.at(-1)
      const ends =
        page.cursor === undefined ? rows.length - 1 : last === undefined ? -1 : indexOf(idOf(last))
      if (begins === 0 || ends < begins) renewRows(page.rows)
      else {
        const head = rows.slice(0, begins)
        const headIds = new Set(head.map(idOf))
        const fresh = page.rows.filter((row) => !headIds.has(idOf(row)))
        const freshIds = new Set(fresh.map(idOf))
        const rest = rows.slice(ends + 1).filter((row) => !freshIds.has(idOf(row)))
        parts = partsBeside(page)
        put([...head, ...fresh, ...rest], page.cursor === undefined ? undefined : cursor)
        renewRows(page.rows)
      }
      tell()
    },
    begin(page, isHeld) {
      held = null
      if (isRead && isHeld) {
        held = page
        renewRows(page.rows)
      } else merge(page)
      tell()
    },
    showNew() {
      if (held === null) return
      const page = held
      held = null
      merge(page)
      tell()
    },
    renew(fresh) {
      renewRows(fresh)
      tell()
    },
  }
}
