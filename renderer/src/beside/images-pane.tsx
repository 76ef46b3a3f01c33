import { Button, Loader } from '@mantine/core'
import { IconPhotoOff } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import css from './beside.module.css'
import { countAsUse } from './child-windows.ts'
import type { StudyImages } from './use-images.ts'

/** The viewer, in a frame beside the report. It is dark in either theme, as the viewer is. */
export function ImagesPane({ images, id }: { images: StudyImages; id: string }) {
  const { page, round, error } = images
  return (
    <section
      className={css.images}
      id={id}
      aria-label={t('ui.beside.label')}
      style={{ flexBasis: `${images.share}%` }}
    >
      {page !== null && (
        <iframe
          key={`${page} ${round}`}
          title={t('ui.beside.frame')}
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
          <b>{t('ui.beside.failed')}</b>
          <span>{error.message}</span>
          <Button variant="default" loading={images.isOpening} onClick={() => void images.again()}>
            {t('ui.beside.retry')}
          </Button>
        </div>
      )}
      {page === null && !error && (
        <div className={css.closed} role="status">
          <Loader size="sm" color="gray" />
          {t('ui.beside.opening')}
        </div>
      )}
    </section>
  )
}
