import { type AnswerSource, PARTNER_FAULTS, type PartnerFault } from '#shared/contract/worklist.ts'
import { textGroups, textsOf } from '../i18n/t.ts'
import type { Tone } from './tones.ts'

/** Where an answer came from, for a badge. */
export const SOURCES: Record<AnswerSource, { tone: Tone; name: string; meaning: string }> = {
  live: { tone: 'good', ...textsOf('ui.format.sources.live', 'name', 'meaning') },
  fresh: { tone: 'good', ...textsOf('ui.format.sources.fresh', 'name', 'meaning') },
  shared: { tone: 'good', ...textsOf('ui.format.sources.shared', 'name', 'meaning') },
  stored: { tone: 'warning', ...textsOf('ui.format.sources.stored', 'name', 'meaning') },
  downtime: { tone: 'warning', ...textsOf('ui.format.sources.downtime', 'name', 'meaning') },
  none: { tone: 'danger', ...textsOf('ui.format.sources.none', 'name', 'meaning') },
}

/** Why the partner gave no list, and what to do about it. */
export const FAULTS: Readonly<Record<PartnerFault, { name: string; remedy: string }>> = textGroups(
  'ui.format.faults',
  PARTNER_FAULTS,
  'name',
  'remedy',
)
