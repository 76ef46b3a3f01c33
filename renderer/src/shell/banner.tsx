import { ToneIcon } from '../components/tone.tsx'
import { clockText } from '../display/dates.ts'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'
import { useCutOff, useStatus, useZone } from '../status.ts'
import css from './shell.module.css'

/**
 * The line across the window while something is wrong: that this window is cut off, else what the
 * gateway says.
 */
export function Banner() {
  const status = useStatus()
  const zone = useZone()
  const since = useCutOff()
  const current = status.data?.banner
  const banner =
    since === null
      ? current && { tone: current.tone, text: said(current.text) }
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
