import { useEffect, useState } from 'react'
import { ToneIcon } from '../components/tone.tsx'
import { clockText } from '../display/dates.ts'
import { useStatus, useZone } from '../status.ts'
import css from './shell.module.css'
import { words } from './words.ts'

/** The line across the window while something is wrong: that this window is cut off, else what the gateway says. */
export function Banner() {
  const status = useStatus()
  const zone = useZone()
  const [wasRead, setWasRead] = useState(false)
  useEffect(() => {
    if (status.isSuccess) setWasRead(true)
  }, [status.isSuccess])

  const isCutOff = status.isError && status.error.code === 'unreachable'
  const since = status.dataUpdatedAt > 0 ? clockText(new Date(status.dataUpdatedAt).toISOString(), zone, new Date()) : ''
  const cutOff = { tone: 'danger' as const, text: wasRead ? words.unreachable(since) : words.unreachableFromStart }
  const banner = isCutOff ? cutOff : status.data?.banner
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
