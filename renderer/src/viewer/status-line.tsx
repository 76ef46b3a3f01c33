import { Tooltip } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Tone } from '../format/tones.ts'
import { t } from '../i18n/t.ts'
import { ToneIcon } from '../ui/tone.tsx'
import type { KeptDrawings } from './drawings-keeper.ts'
import { decodedText, progressText } from './progress-text.ts'
import { isUnsaved } from './saved-to-study.ts'
import css from './status-line.module.css'
import { useOtherWindows } from './use-windows.ts'
import { useImages, useViewerContext, useViewerState } from './viewer-context.ts'

/** What is there of the images, whether drawings are kept, and what the viewer is not for. */
export function StatusLine() {
  const { viewerStore, engine } = useViewerContext()
  const images = useImages()
  const { read, files, state } = images.progress
  const { user } = viewerStore.view
  return (
    <footer className={css.line}>
      {state === 'loading' && files > 0 && (
        <span className={css.meter} aria-hidden="true">
          <i style={{ width: `${(read / files) * 100}%` }} />
        </span>
      )}
      <span role="status" className="tabular">
        {progressText(images.progress)}
      </span>
      <DecodedCount />
      {images.isStreamBroken && (
        <StatusMessage tone="warning">{t('ui.viewer.progress.broken')}</StatusMessage>
      )}
      <SavingStatus />
      <OtherWindows />
      <Announcement />
      <span className={css.gap} />
      {engine.isSoftware && (
        <Tooltip label={t('ui.viewer.progress.softwareMeaning')}>
          <span className={css.quiet}>{t('ui.viewer.progress.software')}</span>
        </Tooltip>
      )}
      {user && (
        <span className={css.quiet}>{t('ui.viewer.progress.forUser', { name: user.name })}</span>
      )}
      <span>{t('ui.viewer.notPrimary')}</span>
    </footer>
  )
}

/** How many images are in this window already, which scrolling need not wait for. */
function DecodedCount() {
  const { engine } = useViewerContext()
  const images = useImages()
  const decoded = useSyncExternalStore(engine.onDecoded, engine.decodedImages)
  const text = decodedText(images, decoded)
  if (text === '') return null
  return (
    <Tooltip label={t('ui.viewer.progress.decodedMeaning')}>
      <span className={`${css.quiet} tabular`}>{text}</span>
    </Tooltip>
  )
}

/** With how many windows of this view scrolling is linked. */
function OtherWindows() {
  const number = useOtherWindows().size
  if (number === 0) return null
  return <span className={css.quiet}>{t('ui.viewer.windows.linked', { number })}</span>
}

const ANNOUNCEMENT_MS = 6000
/** What was just said, for a few seconds. */
function Announcement() {
  const said = useViewerState((state) => state.statusMessage)
  const [shown, setShown] = useState(said)
  useEffect(() => {
    setShown(said)
    const timer = window.setTimeout(() => setShown(null), ANNOUNCEMENT_MS)
    return () => window.clearTimeout(timer)
  }, [said])
  return (
    <span role="status" className={css.announcement}>
      {shown?.text}
    </span>
  )
}

const RANK = [
  'refused',
  'failing',
  'saving',
  'waiting',
  'saved',
  'loading',
] as const satisfies readonly KeptDrawings['state'][]
const TONES: Readonly<Record<KeptDrawings['state'], Tone>> = {
  loading: 'plain',
  saved: 'good',
  waiting: 'plain',
  saving: 'plain',
  failing: 'danger',
  refused: 'danger',
}

/**
 * Whether what is drawn is at the gateway: the worst of all studies, and nothing where nothing was
 * drawn.
 */
function SavingStatus() {
  const { drawings, viewerStore } = useViewerContext()
  // Drawings on images that are listed later are compared then.
  useImages()
  const { studies, merges } = useSyncExternalStore(drawings.subscribe, drawings.state)
  const kept = [...studies.values()].filter(
    (one) =>
      one.drawings.length + one.keyImages.length > 0 || one.fault !== '' || one.state === 'waiting',
  )
  const worst = RANK.map((state) => kept.find((one) => one.state === state)).find(Boolean)
  if (!worst || worst.state === 'loading') return null
  const { state, fault } = worst
  const isSavedToStudy = [...studies.keys()].every((uid) => !isUnsaved(drawings.unsaved(uid)))
  // Nobody finds them again who has no account.
  const isLost =
    viewerStore.view.kind !== 'window' && viewerStore.view.user === null && !isSavedToStudy
  const [tone, text] =
    state !== 'saved'
      ? ([TONES[state], state] as const)
      : isLost
        ? (['warning', 'untilEnd'] as const)
        : (['good', isSavedToStudy ? 'inStudy' : 'saved'] as const)
  return (
    <>
      <StatusMessage tone={tone}>
        {t(`ui.viewer.drawings.saving.${text}`, { why: fault })}
      </StatusMessage>
      {merges > 0 && state === 'saved' && (
        <span className={css.quiet}>{t('ui.viewer.drawings.merged')}</span>
      )}
    </>
  )
}

function StatusMessage({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={css.said} data-tone={tone} role={tone === 'danger' ? 'alert' : undefined}>
      <ToneIcon tone={tone} size={14} />
      {children}
    </span>
  )
}
