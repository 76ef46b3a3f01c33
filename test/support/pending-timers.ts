interface FakeClock {
  readonly timerHeap?: {
    readonly timers: readonly { readonly delay: number; readonly func: unknown }[]
  }
}

/**
 * The timers that `vi.useFakeTimers()` holds, each by its delay and the beginning of its function.
 */
export function pendingTimers(): string[] {
  const clock = Reflect.get(setTimeout, 'clock') as FakeClock | undefined
  if (!clock?.timerHeap)
    throw new Error('There are no fake timers, or they are not those of Vitest 5')
  return clock.timerHeap.timers.map(
    ({ delay, func }) => `${delay} ms: ${String(func).slice(0, 200)}`,
  )
}
