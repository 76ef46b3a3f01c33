/**
 * Work that must not overlap, by key: each piece begins when the one before it has ended, however
 * it ended.
 */
export interface Turns {
  /** Resolves or rejects as `work` does. */
  take<T>(key: string, work: () => Promise<T>): Promise<T>
}

export function openTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return {
    take(key, work) {
      const before = last.get(key)
      const turn = before ? before.then(work, work) : work()
      last.set(key, turn)
      const leave = () => {
        if (last.get(key) === turn) last.delete(key)
      }
      turn.then(leave, leave)
      return turn
    },
  }
}
