import type { ExamSource } from '#shared/contract/dashboard-exams.ts'
import { ToneIcon } from '../components/tone.tsx'
import { clockText } from '../display/dates.ts'
import { t } from '../i18n/t.ts'
import { useZone } from '../status.ts'
import css from './exams.module.css'

/** How old what is shown is, and why it is not newer. */
export function SourceLine({ source: { kind, receivedAt, awaySince } }: { source: ExamSource }) {
  const zone = useZone()
  const clock = (instant: string) => clockText(instant, zone, new Date())
  const text =
    receivedAt === null || kind === 'none'
      ? t('ui.exams.source.none')
      : kind === 'live'
        ? t('ui.exams.source.live', { at: clock(receivedAt) })
        : awaySince === null
          ? t('ui.exams.source.storedNow', { at: clock(receivedAt) })
          : t('ui.exams.source.stored', { at: clock(receivedAt), since: clock(awaySince) })
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
