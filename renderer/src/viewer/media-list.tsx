import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { viewPaths } from '#shared/view-paths.ts'
import { t } from '../i18n/t.ts'
import {
  isFile,
  isShown,
  kindText,
  MEDIA_ICONS,
  mediaName,
  openingOf,
} from './documents/media-name.ts'
import css from './side.module.css'
import { useImages, useViewerContext, useViewerState } from './viewer-context.ts'

/** Reports, waveforms, documents, pictures and videos of the studies. */
export function MediaList() {
  const { viewerStore } = useViewerContext()
  const { media } = useImages()
  const open = useViewerState((state) => state.mediaId)
  if (media.length === 0) return <p className={css.about}>{t('ui.viewer.media.none')}</p>
  return (
    <ul className={css.list}>
      {media.map((one) => {
        const Shape = MEDIA_ICONS[one.shownAs]
        const name = mediaName(one)
        return (
          <li key={one.mediaId} className={css.item}>
            <Shape size={19} stroke={1.6} aria-hidden />
            <div className={css.body}>
              {isShown(one) ? (
                <button
                  type="button"
                  className={css.link}
                  aria-label={t('ui.viewer.media.open', { name })}
                  aria-current={open === one.mediaId}
                  onClick={() => viewerStore.set(openingOf(one, open === one.mediaId))}
                >
                  {name}
                </button>
              ) : (
                name
              )}
              {name !== kindText(one) && <div className={css.quiet}>{kindText(one)}</div>}
            </div>
            {isFile(one) && (
              <Button
                component="a"
                size="compact-sm"
                variant="default"
                href={viewPaths.media(viewerStore.view.viewId, one.mediaId)}
                download={one.fileName || name}
                aria-label={t('ui.viewer.media.saveName', { name })}
                leftSection={<IconDownload size={14} />}
              >
                {t('ui.viewer.media.save')}
              </Button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
