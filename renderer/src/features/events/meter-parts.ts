import type { EventOutcome, MeterRow } from '#shared/contract/events.ts'
import { OUTCOMES } from '../../format/event-outcomes.ts'
import type { Tone } from '../../format/tones.ts'
import { t } from '../../i18n/t.ts'

/** A part of all calls of an event. */
interface MeterPart {
  readonly name: string
  readonly tone: Tone
  readonly count: number
}

/**
 * How the calls of an event ended: as agreed, with something left out, then each failure, the
 * commonest first. Empty parts are left out.
 */
export function partsOf({
  accepted,
  withNotes,
  byOutcome,
}: Pick<MeterRow, 'accepted' | 'withNotes' | 'byOutcome'>): readonly MeterPart[] {
  const failures = (Object.entries(byOutcome) as [EventOutcome, number][])
    .filter(([outcome]) => outcome !== 'accepted' && outcome !== 'none')
    .sort(([, a], [, b]) => b - a)
    .map(
      ([outcome, count]): MeterPart => ({
        name: OUTCOMES[outcome].name.toLowerCase(),
        tone: OUTCOMES[outcome].tone,
        count,
      }),
    )
  const parts: readonly MeterPart[] = [
    { name: t('ui.events.meter.clean'), tone: 'good', count: Math.max(0, accepted - withNotes) },
    { name: t('ui.events.meter.withNotes'), tone: 'warning', count: withNotes },
    ...failures,
  ]
  return parts.filter(({ count }) => count > 0)
}
