import type { ExamSource } from '#shared/contract/dashboard-exams.ts'
import { ToneIcon } from '../components/tone.tsx'
import { clockText } from '../display/dates.ts'
import { useZone } from '../status.ts'
import css from './exams.module.css'
import { words } from './words.ts'

/** How old what is shown is, and why it is not newer. */
export function SourceLine({ source: { kind, receivedAt, awaySince } }: { source: ExamSource }) {
  const zone = useZone()
  const clock = (instant: string) => clockText(instant, zone, new Date())
  const text =
    receivedAt === null || kind === 'none'
      ? words.source.none
      : kind === 'live'
        ? words.source.live(clock(receivedAt))
        : awaySince === null
          ? words.source.storedNow(clock(receivedAt))
          : words.source.stored(clock(receivedAt), clock(awaySince))
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
