import type { Database } from '#server/database/database.ts'

export type JobSignals = ReturnType<typeof openJobSignals>

/** Wakes the workers of a queue when work was added to it. */
export function openJobSignals(database: Database) {
  const listeners = new Map<string, Set<() => void>>()
  return {
    /** Calls the listeners of the queue once the open transaction has committed. */
    added(queue: string): void {
      database.afterCommit(() => {
        for (const listener of listeners.get(queue) ?? []) listener()
      })
    },
    /** The listener must not throw. Returns what stops it. */
    onAdded(queue: string, listener: () => void): () => void {
      const known = listeners.get(queue) ?? new Set()
      listeners.set(queue, known)
      const own = () => listener()
      known.add(own)
      return () => void known.delete(own)
    },
  }
}
