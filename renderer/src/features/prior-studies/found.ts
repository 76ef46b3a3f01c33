import type { dashboardDestinations, PriorRetrieval } from '#shared/contract/destinations.ts'
import type { ReplyOf } from '#shared/operation.ts'
import type { Tone } from '../../format/tones.ts'

/** What was found, and where: a study is fetched from the system that named it. */
export interface PriorSearchResult extends ReplyOf<typeof dashboardDestinations.findPriors> {
  readonly destinationId: string
}

export const RETRIEVAL_TONES = {
  running: 'info',
  done: 'good',
  failed: 'danger',
} as const satisfies Record<PriorRetrieval['state'], Tone>
