import { IconFolderOff } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dashboardStudies, type WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply } from '../../api/queries.ts'
import { useMayManageStudies } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { BackLink } from '../../ui/back-link.tsx'
import {
  EmptyState,
  ErrorNotice,
  FactList,
  LoadingPlaceholder,
  Page,
  Panel,
} from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { SeverityTag } from '../../ui/severity-tag.tsx'
import { examText } from '../../ui/study-list/exam-text.ts'
import { StatusTags } from '../../ui/study-list/status-tags.tsx'
import { Writer } from '../../ui/study-list/study-columns.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { ContextFacts, Lines, PatientFacts, PeopleFacts } from './facts.tsx'
import css from './studies.module.css'
import { StudyActions } from './study-actions.tsx'
import { StudyLinks } from './study-links.tsx'
import { Timeline } from './timeline.tsx'
import { type Details, useDetails } from './use-details.ts'

const route = getRouteApi('/shell/studies/$studyId')
/** A lock that expires by itself sends no event. */
const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 4000

/** One study: who, what, whose, and what happened to it. */
export function StudyScreen() {
  const { studyId } = route.useParams()
  const { isOpen } = useEventStream()
  const reply = useReply(
    dashboardStudies.read,
    { params: { studyId: studyId as WindowStudy['studyId'] } },
    { every: isOpen ? POLL_MS : POLL_CUT_OFF_MS },
  )
  const study = reply.data?.study
  return (
    <Page
      // No patient in the title: it is in the browser's history and on the task bar.
      title={study ? examText(study) : t('ui.studies.title')}
      about={
        <BackLink to="/studies" search={study ? { area: study.area } : {}}>
          {t('ui.studies.screen.back')}
        </BackLink>
      }
    >
      {reply.isPending && <LoadingPlaceholder rows={6} height={48} />}
      {reply.isError && reply.error.code === 'not-found' && (
        <Panel>
          <EmptyState
            icon={<IconFolderOff size={34} stroke={1.3} />}
            title={t('ui.studies.screen.gone')}
            action={<Link to="/studies">{t('ui.studies.screen.back')}</Link>}
            error={reply.error}
          >
            {t('ui.studies.screen.goneText')}
          </EmptyState>
        </Panel>
      )}
      {reply.isError && reply.error.code !== 'not-found' && (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {study && reply.data && (
        <StudyContent
          study={study}
          moments={<Timeline moments={reply.data.moments} isShort={false} />}
        />
      )}
    </Page>
  )
}

function StudyContent({ study, moments }: { study: WindowStudy; moments: ReactNode }) {
  const details = useDetails(study)
  const mayManage = useMayManageStudies()
  const { area, isCancelled, identity, images } = study
  return (
    <>
      <Panel>
        <div className={css.head}>
          <div className={css.name}>
            {study.patientName ? (
              <PersonName value={study.patientName} />
            ) : (
              t('ui.study-list.noName')
            )}
          </div>
          <div className={css.tags}>
            <Tag tone="plain">{t(`ui.studies.areas.${area}`)}</Tag>
            <SeverityTag severity={study.severity} />
            <StatusTags study={study} />
            <Writer lock={study.lock} />
          </div>
        </div>
        <div className={css.tools}>
          <StudyLinks study={study} />
          <StudyActions study={study} />
        </div>
      </Panel>
      {isCancelled && (
        <Notice tone="warning" title={t('ui.studies.screen.cancelledNotice')}>
          {t('ui.studies.screen.cancelledText')}
        </Notice>
      )}
      {identity === 'mismatch' && images !== null && (
        <Notice
          tone="danger"
          title={t('ui.studies.mismatch')}
          actions={
            <>
              <Link
                to="/images/$studyInstanceUid"
                params={{ studyInstanceUid: study.studyInstanceUid }}
              >
                {t('ui.studies.links.images')}
              </Link>
              {mayManage && (
                <Link
                  to="/images/$studyInstanceUid/resolve"
                  params={{ studyInstanceUid: study.studyInstanceUid }}
                >
                  {t('ui.common.identity.resolve')}…
                </Link>
              )}
            </>
          }
        />
      )}
      <div className={css.columns}>
        <div className={css.column}>
          <Panel title={t('ui.studies.facts.patient')}>
            <PatientFacts study={study} details={details} />
          </Panel>
          <Panel title={t('ui.studies.facts.people')}>
            <PeopleFacts study={study} isWhole />
          </Panel>
          <Metadata details={details} />
        </div>
        <div className={css.column}>
          <Context details={details} />
          <Reports details={details} />
          <Priors details={details} />
          <Panel title={t('ui.studies.timeline.title')}>{moments}</Panel>
        </div>
      </div>
    </>
  )
}

function Metadata({ details }: { details: Details | undefined }) {
  const pairs = Object.entries(details?.study.metadata ?? {})
  if (pairs.length === 0) return null
  return (
    <Panel title={t('ui.studies.facts.metadata')}>
      <FactList facts={pairs} />
    </Panel>
  )
}

function Context({ details }: { details: Details | undefined }) {
  if (details?.area !== 'scribe') return null
  const { clinicalHistory, clinicalIndication, modality } = details.study
  const { technologistTechnique, technologistNotes = [] } = details.study
  const texts = [clinicalHistory, clinicalIndication, modality, technologistTechnique]
  if (!texts.some(Boolean) && technologistNotes.length === 0) return null
  return (
    <Panel title={t('ui.studies.facts.context')}>
      <ContextFacts details={details} />
    </Panel>
  )
}

function Reports({ details }: { details: Details | undefined }) {
  if (details?.area !== 'scribe' || !details.study.reportIds?.length) return null
  const { studyId, reportIds } = details.study
  return (
    <Panel title={t('ui.studies.facts.reports')}>
      <ul className={css.plain}>
        {reportIds.map(({ reportId, status, isCritical }) => (
          <li key={reportId}>
            <Link to="/reading/$studyId" params={{ studyId }}>
              {t('ui.studies.links.report')}
            </Link>
            <span className={css.quiet}>{t(`ui.studies.reportStates.${status}`)}</span>
            {isCritical && <Tag tone="danger">{t('ui.studies.critical')}</Tag>}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Priors({ details }: { details: Details | undefined }) {
  if (details?.area !== 'scribe') return null
  const { priorStudyIds = [], priorReportTexts = [] } = details.study
  return (
    <>
      {priorStudyIds.length > 0 && (
        <Panel title={t('ui.studies.facts.priors')}>
          <ul className={css.plain}>
            {priorStudyIds.map((studyId) => (
              <li key={studyId}>
                <Link to="/studies/$studyId" params={{ studyId }} className="mono">
                  {studyId}
                </Link>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {priorReportTexts.length > 0 && (
        <Panel title={t('ui.studies.facts.priorTexts')}>
          {priorReportTexts.map((text, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a text has no name but its place
            <p key={`${at + 1}`} className={css.prior}>
              <Lines text={text} />
            </p>
          ))}
        </Panel>
      )}
    </>
  )
}
