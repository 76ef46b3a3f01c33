import { useCutOffSince, useStatus, useZone } from '../../api/status.ts'
import { clockText } from '../../format/dates.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { ToneIcon } from '../../ui/tone.tsx'
import css from './shell.module.css'

/**
 * The line across the window while something is wrong: that this window is cut off, else what the
 * gateway says.
 */
export function Banner() {
  const status = useStatus()
  const zone = useZone()
  const since = useCutOffSince()
  const current = status.data?.banner
  const banner =
    since === null
      ? current && { tone: current.tone, text: translateMessage(current.text) }
      : { tone: 'danger' as const, text: cutOffText(since, zone) }
  return (
    <div role="status" aria-live="polite" style={{ gridArea: 'banner' }}>
      {banner && (
        <div className={css.banner} data-tone={banner.tone} data-testid="banner">
          <ToneIcon tone={banner.tone} size={19} />
          <span>{banner.text}</span>
        </div>
      )}
    </div>
  )
}

const cutOffText = (since: string, zone: string | undefined) =>
  since === ''
    ? t('ui.shell.unreachableFromStart')
    : t('ui.shell.unreachable', { since: clockText(since, zone, new Date()) })
