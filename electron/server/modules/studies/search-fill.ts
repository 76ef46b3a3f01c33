import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DomainDeps } from '#server/modules/audit/audit.ts'

/** A few milliseconds of work between two turns of the event loop. */
const AT_A_TIME = 20

/**
 * Fills the indexes with the studies and images that are older than these are, and goes on where
 * the last run ended: the index of words, the newest first, and the studies with a mismatch of
 * identity. Until it is done a list finds what is indexed. Resolves when it is done or the signal
 * aborts.
 */
export async function fillSearch(
  { store }: Pick<DomainDeps, 'store'>,
  signal: AbortSignal,
): Promise<void> {
  const fillings = [
    {
      isNeeded: () => store.imageStudies.isUncompared(),
      fill: () => store.imageStudies.compareUncompared(AT_A_TIME),
    },
    { isNeeded: () => store.searchFill.left() > 0, fill: () => store.searchFill.fill(AT_A_TIME) },
  ]
  for (const { isNeeded, fill } of fillings) {
    let isMore = isNeeded()
    while (isMore && !signal.aborted) {
      isMore = await store.database.commitSoon(fill)
      await nextTurn()
    }
  }
}
