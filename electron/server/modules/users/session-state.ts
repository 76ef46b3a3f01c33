import { perDatabase } from '#server/database/database.ts'

/** What the disk did not take of a session. */
export interface UnwrittenUse {
  readonly lastUsedAt?: string
  readonly lockedAt?: string
  readonly lockedBy?: 'idle' | 'person'
  readonly isOver?: true
}

/**
 * What is kept of sessions in memory: what is called when one ends, and, until it can be written or
 * the gateway ends, what could not be written.
 */
export const sessionState = perDatabase((database) => {
  const listeners = new Set<() => void>()
  const unwritten = new Map<string, UnwrittenUse>()

  /** Calls the listeners, after the commit: some session was ended or locked. */
  function noteClosed(): void {
    database.afterCommit(() => {
      for (const listener of listeners) listener()
    })
  }

  return {
    noteClosed,
    /** By token hash. */
    unwritten: unwritten as ReadonlyMap<string, UnwrittenUse>,
    /** Adds to what is unwritten of a session; undefined: all of it is written now. */
    hold(tokenHash: string, change: UnwrittenUse | undefined): void {
      if (!change) return void unwritten.delete(tokenHash)
      unwritten.set(tokenHash, { ...unwritten.get(tokenHash), ...change })
      if (change.lockedAt !== undefined || change.isOver) noteClosed()
    },
    /** The listener must not throw. Returns what stops it. */
    onClosed(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
})
