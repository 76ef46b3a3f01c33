import { Button, Loader } from '@mantine/core'
import { IconPhotoOff } from '@tabler/icons-react'
import { t } from '../../i18n/t.ts'
import { countAsUse } from './child-windows.ts'
import css from './image-panel.module.css'
import type { StudyImages } from './use-images.ts'

/** The viewer, in a frame beside the report. It is dark in either theme, as the viewer is. */
export function ImagesPane({ images, id }: { images: StudyImages; id: string }) {
  const { page, round, error } = images
  return (
    <section
      className={css.images}
      id={id}
      aria-label={t('ui.image-panel.label')}
      style={{ flexBasis: `${images.share}%` }}
    >
      {page !== null && (
        <iframe
          key={`${page} ${round}`}
          title={t('ui.image-panel.frame')}
          src={page}
          allow="fullscreen"
          onLoad={({ currentTarget: { contentWindow } }) =>
            contentWindow && countAsUse(contentWindow)
          }
        />
      )}
      {page === null && error && (
        <div className={css.closed} role="alert">
          <IconPhotoOff size={34} stroke={1.3} aria-hidden />
          <b>{t('ui.image-panel.failed')}</b>
          <span>{error.message}</span>
          <Button variant="default" loading={images.isOpening} onClick={() => void images.again()}>
            {t('ui.image-panel.retry')}
          </Button>
        </div>
      )}
      {page === null && !error && (
        <div className={css.closed} role="status">
          <Loader size="sm" color="gray" />
          {t('ui.image-panel.opening')}
        </div>
      )}
    </section>
  )
}
