import { Button } from '@mantine/core'
import { IconHelpCircle, IconHistory, IconPhoto, IconReportMedical } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { useMayManageStudies } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { OpenImagesButton } from '../../ui/open-images.tsx'
import css from './studies.module.css'

/** Where to go on from a study. */
export function StudyLinks({
  study: { area, studyId, studyInstanceUid, images },
}: {
  study: WindowStudy
}) {
  const mayManage = useMayManageStudies()
  return (
    <nav className={css.links} aria-label={t('ui.studies.links.label')}>
      <OpenImagesButton of={{ studyId }} size="xs" />
      {area === 'scribe' && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconReportMedical size={15} />}
          renderRoot={(props) => <Link to="/reading/$studyId" params={{ studyId }} {...props} />}
        >
          {t('ui.studies.links.report')}
        </Button>
      )}
      {images !== null && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPhoto size={15} />}
          renderRoot={(props) => (
            <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }} {...props} />
          )}
        >
          {t('ui.studies.links.images')}
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconHelpCircle size={15} />}
        renderRoot={(props) => (
          <Link to="/worklist/why" search={{ study: studyInstanceUid }} {...props} />
        )}
      >
        {t('ui.studies.links.why')}
      </Button>
      {mayManage && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconHistory size={15} />}
          renderRoot={(props) => (
            <Link to="/destinations/priors" search={{ study: studyInstanceUid }} {...props} />
          )}
        >
          {t('ui.studies.links.priors')}
        </Button>
      )}
    </nav>
  )
}
