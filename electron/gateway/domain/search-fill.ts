import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DomainDeps } from './audit.ts'

/** A few milliseconds of work between two turns of the event loop. */
const AT_A_TIME = 20

/**
 * Indexes the studies and images that were here before the index of words was, the newest first, and goes on where the last run ended. Until it
 * is done a search finds what is indexed. Resolves when it is done or the signal aborts.
 */
export async function fillSearch({ store }: Pick<DomainDeps, 'store'>, signal: AbortSignal): Promise<void> {
  if (store.searchFill.left() === 0) return
  let isMore = true
  while (isMore && !signal.aborted) {
    isMore = await store.database.commitSoon(() => store.searchFill.fill(AT_A_TIME))
    await nextTurn()
  }
}
