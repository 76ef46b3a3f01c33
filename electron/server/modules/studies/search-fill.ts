import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'

/** A few milliseconds of work between two turns of the event loop. */
const AT_A_TIME = 20

/**
 * Fills the indexes with the studies and images that are older than these are, and goes on where
 * the last run ended: the index of words, the newest first, and the studies with a mismatch of
 * identity. Until it is done a list finds what is indexed. Resolves when it is done or the signal
 * aborts.
 */
export async function fillSearch(
  { imageStudies, searchFill, database }: Context,
  signal: AbortSignal,
): Promise<void> {
  const fillings = [
    {
      isNeeded: () => imageStudies.isUncompared(),
      fill: () => imageStudies.compareUncompared(AT_A_TIME),
    },
    { isNeeded: () => searchFill.left() > 0, fill: () => searchFill.fill(AT_A_TIME) },
  ]
  for (const { isNeeded, fill } of fillings) {
    let isMore = isNeeded()
    while (isMore && !signal.aborted) {
      isMore = await database.commitSoon(fill)
      await nextTurn()
    }
  }
}
