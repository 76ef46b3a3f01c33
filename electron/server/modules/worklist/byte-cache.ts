/** A value and the bytes it is taken to hold. */
interface Entry<V> {
  readonly value: V
  readonly bytes: number
  readonly until: number
}

/**
 * Least recently used values leave first; bounded in bytes, because what is kept differs a
 * thousandfold in size.
 */
export interface ByteCache<V> {
  /** The value, unless its time is over. */
  get(key: string): V | undefined
  /** @param until milliseconds since 1970; a value larger than half the cache is not kept */
  set(key: string, value: V, bytes: number, until?: number): void
  /** Forgets the values whose key satisfies the condition. */
  forget(condition: (key: string) => boolean): void
  readonly bytes: number
}

export function byteCache<V>(mostBytes: number, clock: () => number): ByteCache<V> {
  const entries = new Map<string, Entry<V>>()
  let newest = ''
  let held = 0
  const remove = (key: string) => {
    held -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (!entry) return undefined
      if (entry.until <= clock()) {
        remove(key)
        return undefined
      }
      if (key !== newest) {
        // A Map keeps the order of insertion: the first is the least recently used.
        entries.delete(key)
        entries.set(key, entry)
        newest = key
      }
      return entry.value
    },
    set(key, value, bytes, until = Number.POSITIVE_INFINITY) {
      remove(key)
      if (bytes > mostBytes / 2) return
      entries.set(key, { value, bytes, until })
      newest = key
      held += bytes
      for (const oldest of entries.keys()) {
        if (held <= mostBytes) return
        remove(oldest)
      }
    },
    forget(condition) {
      for (const key of [...entries.keys()]) if (condition(key)) remove(key)
    },
    get bytes() {
      return held
    },
  }
}
