import type { AnswerSource, PartnerFault } from '#shared/contract/worklist.ts'
import type { Tone } from './tones.ts'
import { words } from './words.ts'

/** Where an answer came from, for a badge. */
export const SOURCES: Record<AnswerSource, { tone: Tone; name: string; meaning: string }> = {
  live: { tone: 'good', ...words.sources.live },
  fresh: { tone: 'good', ...words.sources.fresh },
  shared: { tone: 'good', ...words.sources.shared },
  stored: { tone: 'warning', ...words.sources.stored },
  downtime: { tone: 'warning', ...words.sources.downtime },
  none: { tone: 'danger', ...words.sources.none },
}

/** Why the partner gave no list, and who can mend it. */
export const FAULTS: Record<PartnerFault, { name: string; remedy: string }> = words.faults
