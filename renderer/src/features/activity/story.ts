import type { AssociationSummary } from '#shared/contract/dashboard-activity.ts'
import { bytesText } from '../../format/amounts.ts'
import type { Tone } from '../../format/tones.ts'
import { t, textsOf } from '../../i18n/t.ts'

const END_TONES = {
  open: 'info',
  released: 'good',
  aborted: 'warning',
  rejected: 'danger',
  lost: 'warning',
} as const satisfies Record<AssociationSummary['how'], Tone>

/** What a device did on its connection, one thing after another, without how it ended. */
export function connectionEvents({
  counts,
  how,
}: Pick<AssociationSummary, 'counts' | 'how'>): readonly string[] {
  if (how === 'rejected') return [t('ui.activity.story.rejected')]
  const { echoes, queries, exams, instances, bytes, steps, commitments, failures } = counts
  const events = [
    echoes > 0 && t('ui.activity.story.echoes', { count: echoes }),
    queries > 0 && t('ui.activity.story.queries', { count: queries, exams }),
    steps > 0 && t('ui.activity.story.steps', { count: steps }),
    instances > 0 && t('ui.activity.story.instances', { count: instances, size: bytesText(bytes) }),
    commitments > 0 && t('ui.activity.story.commitments', { count: commitments }),
    failures > 0 && t('ui.activity.story.failures', { count: failures }),
  ].filter((part) => part !== false)
  if (events.length > 0) return events
  return [how === 'open' ? t('ui.activity.story.connected') : t('ui.activity.story.nothing')]
}

/** How it ended, for a badge. */
export function endOf({ how, counts }: Pick<AssociationSummary, 'counts' | 'how'>): {
  readonly tone: Tone
  readonly name: string
  readonly meaning: string
} {
  if (how === 'released' && counts.failures > 0)
    return {
      tone: 'warning',
      name: t('ui.activity.endedInFailure'),
      meaning: t('ui.activity.endedInFailureMeaning'),
    }
  return { tone: END_TONES[how], ...textsOf(`ui.activity.ends.${how}`, 'name', 'meaning') }
}

/** Milliseconds it lasted; null where its end is not known. */
export const associationDurationMs = ({
  openedAt,
  endedAt,
}: Pick<AssociationSummary, 'openedAt' | 'endedAt'>): number | null =>
  endedAt === null ? null : Math.max(0, Date.parse(endedAt) - Date.parse(openedAt))
