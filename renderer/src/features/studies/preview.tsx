import { useDebouncedValue } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { dashboardStudies, type WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { PreviewPane } from '../../ui/preview-pane.tsx'
import { SeverityTag } from '../../ui/severity-tag.tsx'
import { examText } from '../../ui/study-list/exam-text.ts'
import { StatusTags } from '../../ui/study-list/status-tags.tsx'
import { Writer } from '../../ui/study-list/study-columns.tsx'
import { Notice } from '../../ui/tone.tsx'
import { ContextFacts, PatientFacts, PeopleFacts } from './facts.tsx'
import css from './studies.module.css'
import { StudyActions } from './study-actions.tsx'
import { StudyLinks } from './study-links.tsx'
import { Timeline } from './timeline.tsx'
import { useDetails } from './use-details.ts'

/** Going from row to row asks for nothing: only the row that one stays at. */
const PREVIEW_DELAY_MS = 180

/** More of the study of the current row, beside the list. */
export function Preview({
  study,
  renew,
}: {
  study: WindowStudy | null
  renew: (studies: readonly WindowStudy[]) => void
}) {
  const [stayed] = useDebouncedValue(study?.studyId, PREVIEW_DELAY_MS)
  return (
    <PreviewPane>
      {study && <PreviewContent study={study} hasMore={stayed === study.studyId} renew={renew} />}
    </PreviewPane>
  )
}

function PreviewContent(props: {
  study: WindowStudy
  hasMore: boolean
  renew: (studies: readonly WindowStudy[]) => void
}) {
  const { study, hasMore, renew } = props
  return (
    <>
      <h2>
        <Link to="/studies/$studyId" params={{ studyId: study.studyId }}>
          {study.patientName ? <PersonName value={study.patientName} /> : t('ui.study-list.noName')}
        </Link>
      </h2>
      <p className={css.exam}>{examText(study)}</p>
      <div className={css.tags}>
        <SeverityTag severity={study.severity} />
        <StatusTags study={study} />
        <Writer lock={study.lock} />
      </div>
      {study.identity === 'mismatch' && <Notice tone="danger">{t('ui.studies.mismatch')}</Notice>}
      <StudyLinks study={study} />
      <StudyActions study={study} renew={renew} isSmall />
      <PatientFacts study={study} details={undefined} />
      <hr />
      <PeopleFacts study={study} isWhole={false} />
      {hasMore && <StudyDetails key={study.studyId} study={study} />}
    </>
  )
}

function StudyDetails({ study }: { study: WindowStudy }) {
  const details = useDetails(study)
  const reply = useReply(dashboardStudies.read, { params: { studyId: study.studyId } })
  return (
    <>
      <ContextFacts details={details} />
      <h3>{t('ui.studies.timeline.title')}</h3>
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {reply.data && <Timeline moments={reply.data.moments} isShort />}
    </>
  )
}
