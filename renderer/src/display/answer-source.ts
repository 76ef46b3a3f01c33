import type { AnswerSource, PartnerFault } from '#shared/contract/worklist.ts'
import type { Tone } from './tones.ts'

/** Where an answer came from, for a badge. */
export const SOURCES: Record<AnswerSource, { tone: Tone; name: string; meaning: string }> = {
  live: { tone: 'good', name: 'Live', meaning: 'The partner was asked for this query.' },
  fresh: { tone: 'good', name: 'Fresh', meaning: 'The partner’s answer from a few seconds ago was used again.' },
  shared: { tone: 'good', name: 'Shared', meaning: 'Another query was asking the same; both used its answer.' },
  stored: { tone: 'warning', name: 'Stored', meaning: 'The partner could not be asked: its last good answer was used.' },
  downtime: { tone: 'warning', name: 'Downtime', meaning: 'Downtime mode is on: the partner’s last good answer was used.' },
  none: { tone: 'danger', name: 'No answer', meaning: 'There was no answer of the partner to use.' },
}

/** Why the partner gave no list, and who can mend it. */
export const FAULTS: Record<PartnerFault, { name: string; remedy: string }> = {
  'no-endpoint': { name: 'no partner is set up', remedy: 'An administrator enters the partner’s address on the Partner screen.' },
  unreachable: {
    name: 'the partner could not be reached',
    remedy: 'Check this PC’s network, then ask the partner’s support. Until then downtime mode can serve the last good answer.',
  },
  timeout: {
    name: 'the partner did not answer in time',
    remedy: 'Ask again. If it stays slow, tell the partner’s support when it happened.',
  },
  status: { name: 'the partner answered with an error', remedy: 'Tell the partner’s support the time and the webhook id below.' },
  oversize: {
    name: 'the partner’s answer was too large',
    remedy: 'Ask for fewer days, or ask the partner’s support why the list is so long.',
  },
  invalid: { name: 'the partner’s answer could not be read', remedy: 'Tell the partner’s support the time and the webhook id below.' },
  refused: { name: 'the partner refused this device', remedy: 'Ask the partner’s support to authorise this AE title and address.' },
  'circuit-open': {
    name: 'the partner failed several times in a row and is not asked for a moment',
    remedy: 'The gateway tries again by itself within a minute.',
  },
  'forbidden-address': {
    name: 'the partner’s address may not be called',
    remedy: 'An administrator allows plain http or a private address on the Partner screen, if it is meant.',
  },
}
