import { IconStarFilled } from '@tabler/icons-react'
import type { ViewedStudy } from '#shared/contract/viewed-images.ts'
import { t } from '../i18n/t.ts'
import type { PaneState } from './engine/pane.ts'
import css from './overlay.module.css'
import { type Corner, isAlwaysShown, type OverlayLine, overlayOf } from './overlay-text.ts'
import { priorText } from './prior-age.ts'
import { useViewerState } from './viewer-context.ts'

const CORNERS: readonly Corner[] = ['patient', 'study', 'image', 'picture']
const EDGES = ['top', 'right', 'bottom', 'left'] as const

/**
 * What stands on an image. Switched off, the patient of the image, warnings such as lossy
 * compression, the mark of an earlier study, the body's sides and the label stay: they keep an
 * image from being taken for what it is not.
 */
export function Overlay({
  state,
  study,
  currentDate,
  isKeyImage,
}: {
  state: PaneState
  study: ViewedStudy | undefined
  /** DA of the view's own study, to which the age of a prior one refers. */
  currentDate: string
  isKeyImage: boolean
}) {
  const isOn = useViewerState((desk) => desk.hasOverlay)
  const isAnonymous = useViewerState((desk) => desk.isAnonymous)
  const corners = overlayOf(state, study, isAnonymous)
  return (
    // The pane says in one sentence what is here (`Spoken`).
    <div className={css.overlay} data-prior={study?.isPrior || undefined} aria-hidden="true">
      {CORNERS.map((corner) => (
        <Lines
          key={corner}
          corner={corner}
          lines={
            isOn ? corners[corner] : corners[corner].filter((line) => isAlwaysShown(corner, line))
          }
        />
      ))}
      {study?.isPrior && (
        <span className={css.prior}>{priorText(study.studyDate, currentDate)}</span>
      )}
      {EDGES.map((edge) => (
        <span
          key={edge}
          className={css.edge}
          data-edge={edge}
          data-below={study?.isPrior || undefined}
        >
          {state.edges[edge]}
        </span>
      ))}
      {isKeyImage && (
        <span className={css.keyImage} data-below={study?.isPrior || undefined}>
          <IconStarFilled size="1em" /> {t('ui.viewer.keyImages.onImage')}
        </span>
      )}
      <span className={css.label}>{t('ui.viewer.notPrimary')}</span>
    </div>
  )
}

function Lines({ corner, lines }: { corner: Corner; lines: readonly OverlayLine[] }) {
  return (
    <div className={css.corner} data-corner={corner}>
      {lines.map((line) => (
        <span
          key={line.text}
          data-minor={line.isMinor}
          data-tone-of={line.tone}
          data-kept={isAlwaysShown(corner, line) || undefined}
        >
          {line.text}
        </span>
      ))}
    </div>
  )
}
