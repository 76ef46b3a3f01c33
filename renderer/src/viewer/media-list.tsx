import { Button } from '@mantine/core'
import {
  type Icon,
  IconDownload,
  IconFile,
  IconFileTypePdf,
  IconMovie,
  IconPhoto,
} from '@tabler/icons-react'
import type { ViewMedia } from '#shared/contract/viewed-images.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { t } from '../i18n/t.ts'
import { useBench, useDesk, useImages } from './desk-context.ts'
import css from './side.module.css'

const ICONS: Readonly<Record<ViewMedia['shownAs'], Icon>> = {
  pdf: IconFileTypePdf,
  image: IconPhoto,
  video: IconMovie,
  other: IconFile,
}

export const mediaName = ({ fileName, mediaId }: ViewMedia): string =>
  fileName || t('ui.viewer.media.unnamed', { number: mediaId })

/** Documents, pictures and videos that came with the study. */
export function MediaList() {
  const { desk } = useBench()
  const { media } = useImages()
  const open = useDesk((state) => state.mediaId)
  if (media.length === 0) return <p className={css.about}>{t('ui.viewer.media.none')}</p>
  return (
    <ul className={css.list}>
      {media.map((one) => {
        const Shape = ICONS[one.shownAs]
        const name = mediaName(one)
        return (
          <li key={one.mediaId} className={css.item}>
            <Shape size={19} stroke={1.6} aria-hidden />
            <div className={css.body}>
              {one.shownAs === 'other' ? (
                name
              ) : (
                <button
                  type="button"
                  className={css.link}
                  aria-label={t('ui.viewer.media.open', { name })}
                  aria-current={open === one.mediaId}
                  onClick={() => desk.set({ mediaId: open === one.mediaId ? null : one.mediaId })}
                >
                  {name}
                </button>
              )}
              <div className={css.quiet}>{t(`ui.viewer.media.kinds.${one.shownAs}`)}</div>
            </div>
            <Button
              component="a"
              size="compact-sm"
              variant="default"
              href={viewPaths.media(desk.view.viewId, one.mediaId)}
              download={name}
              aria-label={t('ui.viewer.media.saveName', { name })}
              leftSection={<IconDownload size={14} />}
            >
              {t('ui.viewer.media.save')}
            </Button>
          </li>
        )
      })}
    </ul>
  )
}
