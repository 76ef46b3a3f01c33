import { useZone } from '../api/status.ts'
import { agoText, clockText, fullClockText } from '../format/dates.ts'
import { t } from '../i18n/t.ts'

/** An instant in the clinic's time zone; in full on hover. */
export function Clock({ instant }: { instant: string }) {
  const zone = useZone()
  return (
    <time dateTime={instant} title={fullClockText(instant, zone)}>
      {clockText(instant, zone, new Date())}
    </time>
  )
}

/** An instant in the clinic's time zone with its date, for what is printed. */
export function FullClock({ instant }: { instant: string }) {
  const zone = useZone()
  return <time dateTime={instant}>{fullClockText(instant, zone)}</time>
}

/** How long ago, with the clock on hover; `never` where there is no instant. */
export function TimeAgo({
  instant,
  never = t('ui.common.never'),
}: {
  instant: string | null
  never?: string
}) {
  const zone = useZone()
  if (instant === null) return <span>{never}</span>
  return (
    <time dateTime={instant} title={fullClockText(instant, zone)}>
      {agoText(instant, new Date())}
    </time>
  )
}
