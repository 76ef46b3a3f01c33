import type { ExamSource } from '#shared/contract/dashboard-exams.ts'
import { useZone } from '../../api/status.ts'
import { clockText } from '../../format/dates.ts'
import { t } from '../../i18n/t.ts'
import { ToneIcon } from '../../ui/tone.tsx'
import css from './worklist.module.css'

/** How old what is shown is, and why it is not newer. */
export function SourceLine({ source: { kind, receivedAt, awaySince } }: { source: ExamSource }) {
  const zone = useZone()
  const clock = (instant: string) => clockText(instant, zone, new Date())
  const text =
    receivedAt === null || kind === 'none'
      ? t('ui.worklist.source.none')
      : kind === 'live'
        ? t('ui.worklist.source.live', { at: clock(receivedAt) })
        : awaySince === null
          ? t('ui.worklist.source.storedNow', { at: clock(receivedAt) })
          : t('ui.worklist.source.stored', { at: clock(receivedAt), since: clock(awaySince) })
  return (
    <span className={css.source} role="status">
      <ToneIcon
        tone={kind === 'live' ? 'good' : kind === 'stored' ? 'warning' : 'plain'}
        size={15}
      />
      {text}
    </span>
  )
}
