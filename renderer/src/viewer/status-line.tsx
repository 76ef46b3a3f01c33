import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import type { Tone } from '../format/tones.ts'
import { t } from '../i18n/t.ts'
import { ToneIcon } from '../ui/tone.tsx'
import { useBench, useImages } from './desk-context.ts'
import type { KeptDrawings } from './drawings-keeper.ts'
import { progressText } from './progress-text.ts'
import { isUnsaved } from './saved-to-study.ts'
import css from './status-line.module.css'

/** What is there of the images, whether drawings are kept, and what the viewer is not for. */
export function StatusLine() {
  const { desk, engine } = useBench()
  const images = useImages()
  const { read, files, state } = images.progress
  const { user } = desk.view
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
      {images.isBroken && <Said tone="warning">{t('ui.viewer.progress.broken')}</Said>}
      <Saving />
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
function Saving() {
  const { drawings, desk } = useBench()
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
  const isInStudy = [...studies.keys()].every((uid) => !isUnsaved(drawings.unsaved(uid)))
  // Nobody finds them again who has no account.
  const isLost = desk.view.kind !== 'window' && desk.view.user === null && !isInStudy
  const [tone, text] =
    state !== 'saved'
      ? ([TONES[state], state] as const)
      : isLost
        ? (['warning', 'untilEnd'] as const)
        : (['good', isInStudy ? 'inStudy' : 'saved'] as const)
  return (
    <>
      <Said tone={tone}>{t(`ui.viewer.drawings.saving.${text}`, { why: fault })}</Said>
      {merges > 0 && state === 'saved' && (
        <span className={css.quiet}>{t('ui.viewer.drawings.merged')}</span>
      )}
    </>
  )
}

function Said({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={css.said} data-tone={tone} role={tone === 'danger' ? 'alert' : undefined}>
      <ToneIcon tone={tone} size={14} />
      {children}
    </span>
  )
}
