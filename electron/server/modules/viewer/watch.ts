/** Something that changes, for whoever waits for its next change. */
export interface Watch {
  changed(): void
  /** @throws the signal's reason */
  next(signal: AbortSignal): Promise<void>
}

export function openWatch(): Watch {
  const waiting = new Set<() => void>()
  return {
    changed() {
      const told = [...waiting]
      waiting.clear()
      for (const tell of told) tell()
    },
    next: (signal) =>
      new Promise<void>((resolve, reject) => {
        const tell = () => {
          signal.removeEventListener('abort', abort)
          resolve()
        }
        const abort = () => {
          waiting.delete(tell)
          reject(signal.reason)
        }
        if (signal.aborted) return reject(signal.reason)
        signal.addEventListener('abort', abort, { once: true })
        waiting.add(tell)
      }),
  }
}
