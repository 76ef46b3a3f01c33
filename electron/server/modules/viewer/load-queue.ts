const AT_ONCE = 6
/**
 * Until a picture is on the screen: page and gateway are often one PC, and somebody waits for the
 * first image, not for the last.
 */
const AT_FIRST = 2
/**
 * Beside those that are under way: what a person waits for does not wait for gigabytes that nobody
 * looks at.
 */
const MORE_IF_URGENT = 2

/**
 * Files in the order they are loaded: two at once until `speedUp`, then six, by their number; what
 * a person waits for jumps ahead, the last wish first.
 * @param load never rejects @param isWanted whether anybody waits for those that are not urgent
 */
export function loadQueue(load: (index: number) => Promise<void>, isWanted: () => boolean) {
  const waiting = new Set<number>()
  const urgent = new Map<number, Set<symbol>>()
  const loading = new Set<number>()
  let atOnce = AT_FIRST

  function next(): number | undefined {
    if (loading.size < atOnce + MORE_IF_URGENT)
      for (const index of [...urgent.keys()].reverse()) if (!loading.has(index)) return index
    if (loading.size >= atOnce || !isWanted()) return undefined
    for (const index of waiting) if (!loading.has(index)) return index
    return undefined
  }

  function go(): void {
    for (let index = next(); index !== undefined; index = next()) {
      const begun = index
      waiting.delete(begun)
      urgent.delete(begun)
      loading.add(begun)
      void load(begun).finally(() => {
        loading.delete(begun)
        go()
      })
    }
  }

  return {
    /** To be loaded when its turn comes. */
    add(index: number): void {
      waiting.add(index)
      go()
    },
    /** It is needed now. Returns what takes the wish back. */
    urge(index: number): () => void {
      if (loading.has(index)) return () => undefined
      const wish = Symbol()
      const wishes = (urgent.get(index) ?? new Set()).add(wish)
      urgent.delete(index)
      urgent.set(index, wishes)
      go()
      return () => {
        // Those of a loading that has begun are over; others may have come since.
        if (wishes.delete(wish) && wishes.size === 0 && urgent.get(index) === wishes)
          urgent.delete(index)
      }
    },
    /** There may be somebody to load for again. */
    go,
    /** The first picture is there. */
    speedUp(): void {
      atOnce = AT_ONCE
      go()
    },
  }
}
