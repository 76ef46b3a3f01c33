/** What tells that a view is in use. */
export interface KeepAwakeOptions {
  /** A sign of life to the gateway; rejects with what it answers. */
  readonly read: () => Promise<unknown>
  readonly isVisible: () => boolean
  /** One sentence, of a failure after which the view does not come back. */
  readonly endOf: (error: unknown) => string
  readonly onEnded: (sentence: string) => void
  /** @returns the way to stop */
  readonly onUse: (listener: () => void) => () => void
  readonly every: (milliseconds: number, run: () => void) => () => void
}

/** Within the least that `viewer.idleMinutes` can be, which is a minute. */
const HEARTBEAT_INTERVAL_MS = 30_000

/**
 * Keeps a view from going idle while somebody uses it: images that are in memory need no call, and
 * who looks at them for an hour is still there. Without mouse, touch or key since the last call,
 * and of a page that is not seen, nothing is said. @returns the way to stop
 */
export function keepAwake({
  read,
  isVisible,
  endOf,
  onEnded,
  onUse,
  every,
}: KeepAwakeOptions): () => void {
  let isUsed = false
  let isAsking = false
  const stopUse = onUse(() => {
    isUsed = true
  })
  const tell = async () => {
    if (!isUsed || isAsking || !isVisible()) return
    isUsed = false
    isAsking = true
    try {
      await read()
    } catch (error) {
      const sentence = endOf(error)
      if (sentence === '') isUsed = true
      else {
        stop()
        onEnded(sentence)
      }
    } finally {
      isAsking = false
    }
  }
  const stopEvery = every(HEARTBEAT_INTERVAL_MS, () => void tell())
  const stop = () => {
    stopUse()
    stopEvery()
  }
  return stop
}

const SIGNS = ['pointerdown', 'pointermove', 'wheel', 'keydown', 'touchstart'] as const

/** A person's mouse, touch or key anywhere on the page. */
export function onPageUse(listener: () => void): () => void {
  for (const sign of SIGNS)
    window.addEventListener(sign, listener, { capture: true, passive: true })
  return () => {
    for (const sign of SIGNS) window.removeEventListener(sign, listener, { capture: true })
  }
}
