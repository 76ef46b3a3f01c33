import { Button } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { useEffect } from 'react'
import { viewBase } from '#shared/view-paths.ts'
import { t } from '../i18n/t.ts'
import css from './patient-bar.module.css'
import { pageTitle, patientIdentity } from './patient-identity.ts'
import { useImages, useViewerContext, useViewerState } from './viewer-context.ts'

/**
 * Whom the images are of, above everything. The text on the images can be switched off; this bar
 * cannot, except by an anonymous presentation, which it then announces.
 */
export function PatientBar() {
  const { viewerStore } = useViewerContext()
  const images = useImages()
  const isAnonymous = useViewerState((state) => state.isAnonymous)
  usePageTitle(pageTitle(images, isAnonymous))
  if (isAnonymous) {
    return (
      <div className={css.bar} data-anonymous role="status">
        <IconEyeOff size={16} aria-hidden />
        <strong>{t('ui.viewer.anonymous.title')}</strong>
        <span className={css.more}>{t('ui.viewer.anonymous.meaning')}</span>
        <Button
          size="compact-xs"
          variant="white"
          color="dark"
          onClick={() => viewerStore.set({ isAnonymous: false })}
        >
          {t('ui.viewer.anonymous.end')}
        </Button>
      </div>
    )
  }
  const identity = patientIdentity(images)
  return (
    <section className={css.bar} aria-label={t('ui.viewer.patient.label')}>
      {viewBase !== '' && <strong className={css.test}>{t('ui.viewer.sandbox')}</strong>}
      {identity ? (
        <>
          <strong>{identity.name}</strong>
          {identity.details.map((detail) => (
            <span key={detail}>{detail}</span>
          ))}
        </>
      ) : (
        <span className={css.more}>{t('ui.viewer.patient.unknown')}</span>
      )}
    </section>
  )
}

function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title
    return () => {
      document.title = t('ui.viewer.landing.title')
    }
  }, [title])
}
