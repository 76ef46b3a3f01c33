/** Bytes from which a body is large: that of a worklist of some thousand rows. */
export const LARGE_BYTES = 4 << 20

/** What one call holds of the leave to have a large body. */
export interface LargeBody {
  /**
   * Resolves when no other call has one; at once where this call has leave already. Rejects with
   * the reason of the signal.
   */
  take(signal: AbortSignal): Promise<void>
  /** Gives the leave back, if it was had. */
  release(): void
}

/**
 * One large body at a time, until it has been read: a partner that sends its twenty megabytes to
 * every device of the clinic in the same second is read one after the other, and who waits too long
 * is out of its budget.
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
