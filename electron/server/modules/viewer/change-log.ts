interface Entry<T> {
  readonly version: number
  readonly value: T
}

/**
 * Values by key in the order of their last change: whoever has read up to a version reads on from
 * there, and each key's present value alone.
 */
export interface ChangeLog<T> {
  put(key: string, value: T): void
  remove(key: string): void
  get(key: string): T | undefined
  values(): Iterable<T>
  readonly size: number
  /** At most so many that changed after the version, and the version that is then read. */
  since(version: number, limit: number): { readonly values: T[]; readonly version: number }
}

export function changeLog<T>(): ChangeLog<T> {
  const entries = new Map<string, Entry<T>>()
  let order: { readonly version: number; readonly key: string }[] = []
  let version = 0

  /** Of the first change after it. */
  function indexAfter(after: number): number {
    let low = 0
    let high = order.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((order[middle]?.version ?? 0) <= after) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    put(key, value) {
      entries.set(key, { version: ++version, value })
      order.push({ version, key })
      // What was put again lies there twice.
      if (order.length > 2 * entries.size + 1000)
        order = order.filter((change) => entries.get(change.key)?.version === change.version)
    },
    remove: (key) => void entries.delete(key),
    get: (key) => entries.get(key)?.value,
    *values() {
      for (const { value } of entries.values()) yield value
    },
    get size() {
      return entries.size
    },
    since(after, limit) {
      const values: T[] = []
      let read = after
      for (let index = indexAfter(after); index < order.length && values.length < limit; index++) {
        const change = order[index]
        if (!change) break
        read = change.version
        const entry = entries.get(change.key)
        if (entry?.version === change.version) values.push(entry.value)
      }
      return { values, version: read }
    },
  }
}
