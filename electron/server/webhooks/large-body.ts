/** Size in bytes from which a body is large; that of a worklist of several thousand rows. */
export const LARGE_BYTES = 4 << 20

/** The permission of one request to hold a large body in memory. */
export interface LargeBody {
  /**
   * Resolves when no other request holds the permission, or immediately if this one does. Rejects
   * with the reason of the signal.
   */
  take(signal: AbortSignal): Promise<void>
  /** Returns the permission, if it is held. */
  release(): void
}

/**
 * Permits one large body at a time until it has been read. If a partner sends twenty megabytes to
 * every device of the clinic at once, the bodies are read one after the other, and requests that
 * wait too long exceed their budget.
 */
export function openLargeBodies(): () => LargeBody {
  let last: Promise<void> = Promise.resolve()
  return () => {
    let release: (() => void) | undefined
    return {
      async take(signal) {
        if (release) return
        const before = last
        const over = Promise.withResolvers<void>()
        last = before.then(() => over.promise)
        release = () => over.resolve()
        const aborted = Promise.withResolvers<never>()
        const abort = () => aborted.reject(signal.reason)
        signal.addEventListener('abort', abort, { once: true })
        try {
          await Promise.race([before, aborted.promise])
        } finally {
          signal.removeEventListener('abort', abort)
        }
      },
      release: () => release?.(),
    }
  }
}
