import type { EventOutcome, EventSummary } from '#shared/contract/events.ts'
import type { Tone } from './tones.ts'

/** How one call ended, in words: what happened, and who mends it how. */
export const OUTCOMES: Record<
  EventOutcome,
  { readonly tone: Tone; readonly name: string; readonly sentence: string; readonly remedy: string }
> = {
  none: { tone: 'plain', name: 'Not sent yet', sentence: 'It has not been sent yet.', remedy: '' },
  accepted: { tone: 'good', name: 'Accepted', sentence: 'The partner gave an answer that could be used.', remedy: '' },
  'no-endpoint': {
    tone: 'danger',
    name: 'No endpoint',
    sentence: 'No endpoint takes this event.',
    remedy: 'On the Partner screen, add an endpoint for it or enable the one there.',
  },
  unreachable: {
    tone: 'danger',
    name: 'Not reached',
    sentence: 'The partner could not be reached.',
    remedy: 'Check this PC’s network, name server and firewall, and the certificate of the partner; then ask the partner’s support.',
  },
  timeout: {
    tone: 'danger',
    name: 'Too slow',
    sentence: 'The partner did not answer in time.',
    remedy:
      'If it stays slow, tell the partner’s support when it happened; the time it has can be changed for its endpoint on the Partner screen.',
  },
  status: {
    tone: 'danger',
    name: 'Error',
    sentence: 'The partner answered with an error.',
    remedy: 'Tell the partner’s support the event’s id, the time and the status below. With 401 or 403 compare the signing secret.',
  },
  oversize: {
    tone: 'danger',
    name: 'Too large',
    sentence: 'The partner’s answer was larger than is taken.',
    remedy: 'Ask the partner’s support to send less, or addresses in place of contents.',
  },
  invalid: {
    tone: 'danger',
    name: 'Not readable',
    sentence: 'The partner’s answer is not in the agreed form.',
    remedy: 'Show the partner’s support the answer below; the dry run says what is wrong with it.',
  },
  refused: {
    tone: 'danger',
    name: 'Refused',
    sentence: 'The partner understood the event and refused it.',
    remedy: 'Its reason is below. Ask the partner’s support to allow it.',
  },
  'circuit-open': {
    tone: 'warning',
    name: 'Not asked',
    sentence: 'The partner had failed several times in a row, so it was not asked for a moment.',
    remedy: 'The gateway tries again by itself within a minute. The failures before this one say why.',
  },
  'forbidden-address': {
    tone: 'danger',
    name: 'Address not allowed',
    sentence: 'The address may not be called.',
    remedy: 'Correct the endpoint’s address on the Partner screen, or allow plain http or a private address there if that is meant.',
  },
}

/** How an event stands, for a badge: its own state, and how its last call ended. */
export function standingOf(event: Pick<EventSummary, 'state' | 'outcome' | 'attempts' | 'notes' | 'kind'>): {
  readonly tone: Tone
  readonly name: string
  readonly meaning: string
} {
  const outcome = OUTCOMES[event.outcome]
  const why = `${outcome.sentence} ${outcome.remedy}`.trim()
  switch (event.state) {
    case 'waiting':
      return event.outcome === 'none' || event.outcome === 'accepted'
        ? { tone: 'info', name: 'Waiting', meaning: 'It is about to be sent.' }
        : { tone: 'warning', name: `${outcome.name}, tried again`, meaning: why }
    case 'done':
      return event.notes > 0
        ? { tone: 'warning', name: 'Accepted in part', meaning: 'The answer was used, but parts of it were left out.' }
        : { tone: 'good', name: OUTCOMES.accepted.name, meaning: OUTCOMES.accepted.sentence }
    case 'failed':
      // Work went on without the answer.
      return { tone: event.kind === 'soft' ? 'warning' : outcome.tone, name: outcome.name, meaning: why }
    case 'dropped':
      return {
        tone: 'plain',
        name: 'Given up',
        meaning: 'A person decided that it is not sent any more. The audit trail says who and why.',
      }
  }
}
