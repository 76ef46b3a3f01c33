/** Pictures that are loaded at once: a browser has six connections to the gateway for everything. */
const MAX_CONCURRENT = 2

const waiting = new Set<() => void>()
let loadingCount = 0

/** A place in the queue. */
export interface QueueSlot {
  /** Gives it up while it waits; a picture that is being loaded stays. */
  leave(): void
  /** The picture is there, or is not wanted any more. */
  end(): void
}

function next(): void {
  for (const start of waiting) {
    if (loadingCount >= MAX_CONCURRENT) return
    waiting.delete(start)
    loadingCount += 1
    start()
  }
}

/** Calls `start` when a picture may be loaded, in the order of the calls. */
export function takeTurn(start: () => void): QueueSlot {
  let isOver = false
  const leave = () => {
    if (waiting.delete(start)) isOver = true
  }
  waiting.add(start)
  next()
  return {
    leave,
    end() {
      leave()
      if (isOver) return
      isOver = true
      loadingCount -= 1
      next()
    },
  }
}
