/**
 * Time that passes only when it is told to: the clock, `performance.now` and the timers of the
 * global scope. The gateway takes its clock from outside, but makes its timers with the global
 * functions, as its libraries do; Node itself (sockets, files) keeps real time.
 */
export interface VirtualTime extends Disposable {
  /** Milliseconds since 1970. */
  now(): number
  /** Moves the clock, never back. */
  moveTo(at: number): void
  /** When the next timer is due; undefined: none waits. */
  nextDue(): number | undefined
  /** Moves the clock to the next timer and runs it. */
  fireNext(): void
}

type Callback = (...values: unknown[]) => void

interface Waiting {
  readonly timer: VirtualTimer
  due: number
  order: number
}

const real = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clearTimeout: globalThis.clearTimeout,
  clearInterval: globalThis.clearInterval,
  performanceNow: performance.now,
}
/** Of the real time, whatever stands in its place. */
export const realNow = (): number => real.performanceNow.call(performance)

/** What `setTimeout` gives: as much of Node's `Timeout` as libraries use. */
class VirtualTimer {
  readonly #table: Map<VirtualTimer, Waiting>
  readonly #start: (timer: VirtualTimer) => void
  readonly callback: Callback
  readonly values: readonly unknown[]
  readonly ms: number
  readonly isRepeated: boolean

  constructor(
    {
      table,
      start,
    }: {
      readonly table: Map<VirtualTimer, Waiting>
      readonly start: (timer: VirtualTimer) => void
    },
    how: {
      readonly callback: Callback
      readonly ms: number
      readonly values: readonly unknown[]
      readonly isRepeated: boolean
    },
  ) {
    this.#table = table
    this.#start = start
    this.callback = how.callback
    this.values = how.values
    this.ms = how.ms
    this.isRepeated = how.isRepeated
    start(this)
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  hasRef(): boolean {
    return false
  }
  refresh(): this {
    this.#start(this)
    return this
  }
  close(): this {
    this.#table.delete(this)
    return this
  }
  [Symbol.toPrimitive](): number {
    return 0
  }
  [Symbol.dispose](): void {
    this.close()
  }
}

/** Takes the place of the global timers until it is disposed of. */
export function virtualTime(startsAt: number): VirtualTime {
  let now = startsAt
  let orders = 0
  const table = new Map<VirtualTimer, Waiting>()
  const start = (timer: VirtualTimer) =>
    void table.set(timer, { timer, due: now + timer.ms, order: orders++ })
  const make =
    (isRepeated: boolean) =>
    (callback: Callback, ms?: number, ...values: unknown[]) =>
      // As Node does: at least a millisecond.
      new VirtualTimer(
        { table, start },
        { callback, ms: Math.max(1, Math.trunc(Number(ms)) || 1), values, isRepeated },
      )
  const clear = (otherwise: (timer?: NodeJS.Timeout) => void) => (timer: unknown) => {
    if (timer instanceof VirtualTimer) timer.close()
    else otherwise(timer as NodeJS.Timeout)
  }
  const next = () => {
    let first: Waiting | undefined
    for (const waiting of table.values())
      if (
        !first ||
        waiting.due < first.due ||
        (waiting.due === first.due && waiting.order < first.order)
      )
        first = waiting
    return first
  }
  Object.assign(globalThis, {
    setTimeout: make(false),
    setInterval: make(true),
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(real.clearInterval),
  })
  performance.now = () => now - startsAt

  return {
    now: () => now,
    moveTo(at) {
      now = Math.max(now, at)
    },
    nextDue: () => next()?.due,
    fireNext() {
      const first = next()
      if (!first) return
      now = Math.max(now, first.due)
      if (first.timer.isRepeated) start(first.timer)
      else table.delete(first.timer)
      first.timer.callback(...first.timer.values)
    },
    [Symbol.dispose]() {
      const { performanceNow: _, ...timers } = real
      Object.assign(globalThis, timers)
      performance.now = real.performanceNow
    },
  }
}
