import { queryClient } from '../api/queries.ts'

/** The first screen is complete once nothing of it has been awaited for two looks. */
const IDLE_CHECK_INTERVAL_MS = 150
/** A gateway that does not answer delays what is loaded later by this at most. */
const MAX_WAIT_MS = 5000
const RETRY_DELAY_MS = 2000
/** Shown in place of a screen, or of a list, that is not there yet. */
const PLACEHOLDER = '[aria-busy="true"]:not([data-later])'
const after = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Whether a screen or its replies are awaited. */
export const isScreenAwaited = (): boolean =>
  queryClient.isFetching() > 0 || document.querySelector(PLACEHOLDER) !== null

/**
 * Loads a part of the program that the first screen does without (decision 0079): once that screen
 * and the replies it shows are there, and again and again until it succeeds.
 */
export async function loadLater<T>(load: () => Promise<T>): Promise<T> {
  for (
    let waited = 0, calm = 0;
    calm < 2 && waited < MAX_WAIT_MS;
    waited += IDLE_CHECK_INTERVAL_MS
  ) {
    await after(IDLE_CHECK_INTERVAL_MS)
    calm = isScreenAwaited() ? 0 : calm + 1
  }
  for (;;) {
    const loaded = await load().catch(() => undefined)
    if (loaded !== undefined) return loaded
    await after(RETRY_DELAY_MS)
  }
}
