import type { PaneState } from '../pane.ts'
import { EMPTY_PANE_STATE } from './pane-display.ts'

/** Small parts that are made anew each time they are read. */
const COMPARED_BY_VALUE: ReadonlySet<keyof PaneState> = new Set([
  'window',
  'edges',
  'volume',
  'slab',
])

/** The state of a pane; listeners are notified only if a value has changed. */
export function openPaneState() {
  const listeners = new Set<() => void>()
  let state = EMPTY_PANE_STATE
  const hasChanged = (patch: Partial<PaneState>, name: keyof PaneState) =>
    state[name] !== patch[name] &&
    !(COMPARED_BY_VALUE.has(name) && JSON.stringify(state[name]) === JSON.stringify(patch[name]))
  return {
    state: (): PaneState => state,
    set(patch: Partial<PaneState>): void {
      if (!(Object.keys(patch) as (keyof PaneState)[]).some((name) => hasChanged(patch, name)))
        return
      state = { ...state, ...patch }
      for (const listener of listeners) listener()
    },
    /** As `set`; listeners are notified by the next `set`. */
    setQuietly(patch: Partial<PaneState>): void {
      state = { ...state, ...patch }
    },
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    forgetListeners: () => listeners.clear(),
  }
}
