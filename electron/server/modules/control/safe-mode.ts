import type { Context } from '#server/context.ts'
import type { Parts } from '#server/parts.ts'

/**
 * Parts in which nothing that waits is ever due (`serve --safe-mode`): what an ended gateway was at
 * work on when it ended would be taken up again first, and may be what ended it. Everything goes on
 * waiting; what a person asks for is done.
 */
export function atRest(parts: Parts): Parts {
  const { store, deps } = parts
  const resting: Context = {
    ...store,
    isSafe: true,
    outbox: { ...store.outbox, due: () => [], nextDue: () => undefined },
    commitments: { ...store.commitments, due: () => [], nextDue: () => undefined },
    imageStudies: {
      ...store.imageStudies,
      receiving: () => [],
      enrichmentDue: () => [],
      nextEnrichment: () => undefined,
    },
  }
  return { ...parts, store: resting, deps: { ...deps, store: resting } }
}
