/** What the watch is told, and what it asks. Instants and times are milliseconds. */
interface IdleWatchOptions {
  readonly now: () => number
  readonly limit: number
  /** Another window of this browser is told of use here. */
  readonly tell: (at: number) => void
  readonly onIdle: () => void
}

interface IdleWatch {
  /** Somebody did something in this window. */
  used(): void
  /** Or in another one. */
  usedElsewhere(at: number): void
  /** To be called every few seconds, and when the page is looked at again. */
  look(): void
  /** When somebody last did something in any window. */
  lastUse(): number
}

/** Not each movement of the mouse is told. */
const USE_BROADCAST_INTERVAL_MS = 3000

/**
 * Watches for use in any window of this browser. After a PC has slept the first movement of the
 * mouse is no use any more: the time is compared before it counts.
 */
export function openIdleWatch({ now, limit, tell, onIdle }: IdleWatchOptions): IdleWatch {
  let last = now()
  let lastBroadcast = last
  let isIdle = false
  const checkIdle = () => {
    if (isIdle || now() - last < limit) return
    isIdle = true
    onIdle()
  }
  return {
    look: checkIdle,
    lastUse: () => last,
    used() {
      checkIdle()
      if (isIdle) return
      last = now()
      if (last - lastBroadcast < USE_BROADCAST_INTERVAL_MS) return
      lastBroadcast = last
      tell(last)
    },
    usedElsewhere(at) {
      // Of a clock that was set back, or of a message that is from later than now: not trusted
      // beyond this moment.
      if (!isIdle) last = Math.max(last, Math.min(at, now()))
    },
  }
}
