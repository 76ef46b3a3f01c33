import type { EventOutcome, EventSummary } from '#shared/contract/events.ts'
import { t, textsOf } from '../i18n/t.ts'
import type { Tone } from './tones.ts'

const TONES: Readonly<Partial<Record<EventOutcome, Tone>>> = {
  none: 'plain',
  accepted: 'good',
  'circuit-open': 'warning',
}
const outcome = (name: EventOutcome) => ({
  tone: TONES[name] ?? 'danger',
  ...textsOf(`ui.format.event.outcomes.${name}`, 'name', 'sentence', 'remedy'),
})

/** How one call ended, in words: what happened, and who mends it how. */
export const OUTCOMES: Record<
  EventOutcome,
  { readonly tone: Tone; readonly name: string; readonly sentence: string; readonly remedy: string }
> = {
  none: outcome('none'),
  accepted: outcome('accepted'),
  'no-endpoint': outcome('no-endpoint'),
  unreachable: outcome('unreachable'),
  timeout: outcome('timeout'),
  status: outcome('status'),
  oversize: outcome('oversize'),
  invalid: outcome('invalid'),
  refused: outcome('refused'),
  'circuit-open': outcome('circuit-open'),
  'forbidden-address': outcome('forbidden-address'),
}

/** How an event stands, for a badge: its own state, and how its last call ended. */
export function eventBadge(
  event: Pick<EventSummary, 'state' | 'outcome' | 'attempts' | 'notes' | 'kind'>,
): {
  readonly tone: Tone
  readonly name: string
  readonly meaning: string
} {
  const ended = OUTCOMES[event.outcome]
  const why = `${ended.sentence} ${ended.remedy}`.trim()
  switch (event.state) {
    case 'waiting':
      return event.outcome === 'none' || event.outcome === 'accepted'
        ? { tone: 'info', ...textsOf('ui.format.event.standings.waiting', 'name', 'meaning') }
        : {
            tone: 'warning',
            name: t('ui.format.event.standings.again', { outcome: ended.name }),
            meaning: why,
          }
    case 'done':
      return event.notes > 0
        ? { tone: 'warning', ...textsOf('ui.format.event.standings.inPart', 'name', 'meaning') }
        : { tone: 'good', name: OUTCOMES.accepted.name, meaning: OUTCOMES.accepted.sentence }
    case 'failed':
      // Work went on without the answer.
      return {
        tone: event.kind === 'soft' ? 'warning' : ended.tone,
        name: ended.name,
        meaning: why,
      }
    case 'dropped':
      return { tone: 'plain', ...textsOf('ui.format.event.standings.dropped', 'name', 'meaning') }
  }
}
