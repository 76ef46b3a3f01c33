import { perDatabase } from '#server/database/database.ts'

/** Changes to a session that could not be written. */
export interface UnwrittenChange {
  readonly lastUsedAt?: string
  readonly lockedAt?: string
  readonly lockedBy?: 'idle' | 'person'
  readonly isOver?: true
}

/**
 * The in-memory state of sessions: listeners that are called when a session ends, and changes that
 * could not be written, until they are written or the gateway stops.
 */
export const sessionState = perDatabase((database) => {
  const listeners = new Set<() => void>()
  const unwritten = new Map<string, UnwrittenChange>()

  /** Notifies the listeners after the commit that a session ended or was locked. */
  function notifySessionClosed(): void {
    database.afterCommit(() => {
      for (const listener of listeners) listener()
    })
  }

  return {
    noteClosed: notifySessionClosed,
    /** Unwritten changes, by token hash. */
    unwritten: unwritten as ReadonlyMap<string, UnwrittenChange>,
    /**
     * Adds unwritten changes of a session; undefined clears them, because everything has been
     * written.
     */
    hold(tokenHash: string, change: UnwrittenChange | undefined): void {
      if (!change) return void unwritten.delete(tokenHash)
      unwritten.set(tokenHash, { ...unwritten.get(tokenHash), ...change })
      if (change.lockedAt !== undefined || change.isOver) notifySessionClosed()
    },
    /** Registers a listener, which must not throw. Returns the function that removes it. */
    onClosed(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
})
