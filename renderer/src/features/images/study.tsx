import { Button, Group, Menu } from '@mantine/core'
import {
  IconChevronDown,
  IconHistory,
  IconPhotoOff,
  IconReportMedical,
  IconUserEdit,
} from '@tabler/icons-react'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dashboardImages, type ImageStudy } from '#shared/contract/images.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply } from '../../api/queries.ts'
import { useMayManageStudies } from '../../api/session.ts'
import { useZone } from '../../api/status.ts'
import { bytesText } from '../../format/amounts.ts'
import { dayText, timeText, todayIn } from '../../format/dates.ts'
import { sexText, studyTitle } from '../../format/image-states.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Clock } from '../../ui/clock.tsx'
import { Copy } from '../../ui/copy.tsx'
import { OpenImagesButton } from '../../ui/open-images.tsx'
import {
  EmptyState,
  ErrorNotice,
  FactList,
  LoadingPlaceholder,
  Page,
  Panel,
} from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { Notice } from '../../ui/tone.tsx'
import { ArrivalState, ImageTags } from './arrival.tsx'
import { CorrectionsPanel } from './corrections.tsx'
import { EnrichmentPanel } from './enrichment.tsx'
import { IdentityPanel } from './identity.tsx'
import css from './images.module.css'
import { InterfacePanel } from './interface.tsx'
import { LifecyclePanel } from './lifecycle.tsx'
import { CommitmentPanel, StepPanel } from './performed.tsx'
import { RESOLVABLE_KINDS } from './resolve-ways.ts'
import { senderName } from './sender-name.ts'
import { SendingPanel } from './sending.tsx'
import { SeriesPanel } from './series.tsx'
import { VersionsPanel } from './versions.tsx'

const route = getRouteApi('/shell/images/$studyInstanceUid')

/** The images of one study: what came, whether it is the right patient, and where it goes. */
export function Study() {
  const { studyInstanceUid } = route.useParams()
  const { isOpen } = useEventStream()
  const reply = useReply(
    dashboardImages.read,
    { params: { studyInstanceUid } },
    isOpen ? {} : { every: 5000 },
  )
  const mayManage = useMayManageStudies()
  const study = reply.data
  return (
    <Page
      title={study ? studyTitle(study) : t('ui.images.title')}
      about={<BackLink to="/images">{t('ui.images.back')}</BackLink>}
      actions={study && <Actions study={study} mayManage={mayManage} />}
    >
      {reply.isPending && <LoadingPlaceholder rows={6} height={48} />}
      {reply.isError && reply.error.code === 'not-found' && (
        <>
          <Panel>
            <EmptyState
              icon={<IconPhotoOff size={34} stroke={1.3} />}
              title={t('ui.images.gone')}
              error={reply.error}
            >
              {t('ui.images.goneText')}
            </EmptyState>
          </Panel>
          <CorrectionsPanel studyInstanceUid={studyInstanceUid} mayManage={mayManage} />
        </>
      )}
      {reply.isError && reply.error.code !== 'not-found' && (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {study && (
        <>
          <StudyHeader study={study} />
          {study.isUnscheduled && <UnscheduledNotice study={study} />}
          <IdentityPanel study={study} />
          <CorrectionsPanel studyInstanceUid={studyInstanceUid} mayManage={mayManage} />
          {study.versions.length > 0 && <VersionsPanel study={study} mayManage={mayManage} />}
          <div className={css.columns}>
            <div className={css.main}>
              <SeriesPanel study={study} />
              <StepPanel steps={study.performedSteps} />
              <CommitmentPanel commitments={study.commitments} />
            </div>
            <div className={css.side}>
              <SendingPanel studyInstanceUid={studyInstanceUid} mayManage={mayManage} />
              <LifecyclePanel studyInstanceUid={studyInstanceUid} />
              <InterfacePanel studies={study.studies} />
              <EnrichmentPanel study={study} mayManage={mayManage} />
            </div>
          </div>
        </>
      )}
    </Page>
  )
}

/** That the exam has no order yet, and where it is given one. */
function UnscheduledNotice({ study: { firstInstanceAt } }: { study: ImageStudy }) {
  const day = todayIn(useZone(), new Date(firstInstanceAt))
  return (
    <Notice
      tone="info"
      title={t('ui.images.unscheduled')}
      actions={
        <Button
          variant="default"
          size="xs"
          renderRoot={(props) => (
            <Link to="/worklist/reconcile" search={{ from: day, to: day }} {...props} />
          )}
        >
          {t('ui.images.reconcile')}
        </Button>
      }
    >
      {t('ui.images.unscheduledText')}
    </Notice>
  )
}

const Actions = ({
  study: { studyInstanceUid, instances, identityCheck, unreviewedVersions },
  mayManage,
}: {
  study: ImageStudy
  mayManage: boolean
}) => (
  <>
    {mayManage && instances > 0 && <CorrectionMenu studyInstanceUid={studyInstanceUid} />}
    {mayManage && (
      <Button
        variant="default"
        leftSection={<IconHistory size={16} />}
        renderRoot={(props) => (
          <Link to="/destinations/priors" search={{ study: studyInstanceUid }} {...props} />
        )}
      >
        {t('ui.images.priors')}
      </Button>
    )}
    <ReportLink studyInstanceUid={studyInstanceUid} />
    <OpenImagesButton
      of={{ studyInstanceUid }}
      // The decision that is due has the filled button of the page.
      variant={identityCheck.state === 'mismatch' || unreviewedVersions > 0 ? 'default' : 'filled'}
    />
  </>
)

/** What may be wrong with the identity of the images, each leading to its correction. */
function CorrectionMenu({ studyInstanceUid }: { studyInstanceUid: string }) {
  const navigate = useNavigate()
  return (
    <Menu position="bottom-end" shadow="md" withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconUserEdit size={16} />}
          rightSection={<IconChevronDown size={14} />}
        >
          {t('ui.images.correction.menu')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {RESOLVABLE_KINDS.map((kind) => (
          <Menu.Item
            key={kind}
            onClick={() =>
              void navigate({
                to: '/images/$studyInstanceUid/resolve',
                params: { studyInstanceUid },
                search: { kind },
              })
            }
          >
            {t(`ui.images.correction.kinds.ways.${kind}.name`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Where the study is one for reporting. */
function ReportLink({ studyInstanceUid }: { studyInstanceUid: string }) {
  const studyId = useReply(
    dashboardReports.byUid,
    { params: { studyInstanceUid } },
    { staleTime: 60_000 },
  ).data?.studyId
  if (!studyId) return null
  return (
    <Button
      variant="default"
      leftSection={<IconReportMedical size={16} />}
      renderRoot={(props) => <Link to="/reading/$studyId" params={{ studyId }} {...props} />}
    >
      {t('ui.images.report')}
    </Button>
  )
}

type Fact = readonly [name: string, value: ReactNode]

function StudyHeader({ study }: { study: ImageStudy }) {
  return (
    <Panel>
      <Group justify="space-between" align="flex-start" gap={16} mb={10}>
        <div className={css.patient}>
          <PersonName value={study.patientName} />
        </div>
        <Group gap={14} align="flex-start">
          {study.expected !== null && (
            <div className={css.arrived}>
              <span className={css.under}>{t('ui.images.columns.images')}</span>{' '}
              <ArrivalState study={study} />
            </div>
          )}
          <ImageTags study={study} />
        </Group>
      </Group>
      <div className={css.facts}>
        <FactList facts={patientFacts(study).map(withPlaceholder)} />
        <FactList facts={arrivalFacts(study).map(withPlaceholder)} />
      </div>
    </Panel>
  )
}

const patientFacts = (study: ImageStudy): readonly Fact[] => [
  [t('ui.images.facts.patientId'), <Mono key="id" text={study.patientId} />],
  [t('ui.images.facts.born'), dayText(study.patientBirthDate)],
  [t('ui.images.facts.sex'), sexText(study.patientSex)],
  [t('ui.images.facts.accession'), <Mono key="accession" text={study.accessionNumber} />],
  [t('ui.images.facts.description'), study.studyDescription],
  ...(study.linkedOrder
    ? ([
        [t('ui.images.facts.linkedOrder'), <LinkedOrder key="linked" order={study.linkedOrder} />],
      ] as const)
    : []),
  ...(study.quarantined > 0
    ? ([
        [
          t('ui.images.facts.setAside'),
          <Link key="aside" to="/images/quarantine" search={{ study: study.studyInstanceUid }}>
            {t('ui.images.setAsideWait', { images: study.quarantined })}
          </Link>,
        ],
      ] as const)
    : []),
]

const arrivalFacts = (study: ImageStudy): readonly Fact[] => [
  [t('ui.images.facts.date'), `${dayText(study.studyDate)} ${timeText(study.studyTime)}`.trim()],
  [
    t('ui.images.facts.device'),
    study.deviceName
      ? `${senderName(study.deviceName)} (${study.callingAeTitle})`
      : study.callingAeTitle,
  ],
  [
    t('ui.images.facts.received'),
    t('ui.images.received', {
      images: study.instances,
      series: study.series,
      size: bytesText(study.bytes),
    }),
  ],
  [
    t('ui.images.facts.first'),
    <span key="span">
      <Clock instant={study.firstInstanceAt} />, {t('ui.images.lastOne')}{' '}
      <Clock instant={study.lastInstanceAt} />
    </span>,
  ],
  [
    t('ui.images.facts.transfer'),
    <span key="transfer">
      {t(`ui.images.transfers.${study.lastTransfer.how}`)} <Clock instant={study.lastTransfer.at} />
      {study.lastTransfer.detail && `: ${translateMessage(study.lastTransfer.detail)}`}
    </span>,
  ],
  [
    t('ui.images.facts.uid'),
    <Group key="uid" gap={4} wrap="nowrap" align="flex-start">
      <Mono text={study.studyInstanceUid} />
      <Copy value={study.studyInstanceUid} what={t('ui.images.studyUid')} />
    </Group>,
  ],
]

const LinkedOrder = ({
  order: { accessionNumber, description, by, at },
}: {
  order: NonNullable<ImageStudy['linkedOrder']>
}) => (
  <span>
    <span className="mono">{accessionNumber}</span> {description}
    <div className={css.under}>
      {by}, <Clock instant={at} />
    </div>
  </span>
)

const withPlaceholder = ([name, value]: Fact): Fact => [
  name,
  value === '' ? t('ui.images.missing') : value,
]

const Mono = ({ text }: { text: string }) => (
  <span className="mono">{text || t('ui.images.missing')}</span>
)
