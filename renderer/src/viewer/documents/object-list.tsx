import { t } from '../../i18n/t.ts'
import { useImages, useViewerContext, useViewerState } from '../viewer-context.ts'
import { isShown, kindText, MEDIA_ICONS, mediaName, openingOf } from './media-name.ts'
import css from './object-list.module.css'

/** Reports, waveforms and documents of a study that are DICOM objects, below its series. */
export function ObjectList({ studyInstanceUid }: { studyInstanceUid: string }) {
  const { viewerStore } = useViewerContext()
  const { media } = useImages()
  const mediaId = useViewerState((state) => state.mediaId)
  const own = media.filter(({ object }) => object?.studyInstanceUid === studyInstanceUid)
  if (own.length === 0) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form
    <div role="group" className={css.objects} aria-label={t('ui.viewer.media.title')}>
      {own.map((medium) => {
        const Shape = MEDIA_ICONS[medium.shownAs]
        const name = mediaName(medium)
        const isOpen = mediaId === medium.mediaId
        // What cannot be shown is in the list that offers to save it.
        const open = () =>
          viewerStore.set(isShown(medium) ? openingOf(medium, isOpen) : { drawer: 'media' })
        return (
          <button
            key={medium.mediaId}
            type="button"
            className={css.object}
            aria-current={isOpen}
            onClick={open}
          >
            <Shape size={20} stroke={1.6} aria-hidden />
            <span>
              <span className={css.name}>{name}</span>
              {name !== kindText(medium) && <span className={css.kind}>{kindText(medium)}</span>}
            </span>
          </button>
        )
      })}
    </div>
  )
}
