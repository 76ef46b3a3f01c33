import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconInbox } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { dashboardImages, thumbnailPaths } from '#shared/contract/images.ts'
import type { QuarantinedInstance } from '#shared/contract/quarantine.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { usePages } from '../../api/pages.ts'
import { call, keyOf, useSend } from '../../api/queries.ts'
import { useMayManageStudies } from '../../api/session.ts'
import { bytesText } from '../../format/amounts.ts'
import { QUARANTINE_TEXTS } from '../../format/image-states.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { Clock } from '../../ui/clock.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { ImageTabs } from '../../ui/sections/image-tabs.tsx'
import { SUBTLE_DANGER } from '../../ui/subtle-danger.ts'
import { Thumbnail } from '../../ui/thumbnail.tsx'
import { CHANGES, QuarantineGroups } from './groups.tsx'

type Decision = 'release' | 'discard'
interface InstanceDecision {
  readonly instance: QuarantinedInstance
  readonly decision: Decision
}

const route = getRouteApi('/shell/images/quarantine')

const THUMBNAIL_SIZE = 64

const columnsFor = (study: string | undefined): readonly Column<QuarantinedInstance>[] => [
  {
    name: t('ui.quarantine.columns.thumbnail'),
    track: `${THUMBNAIL_SIZE}px`,
    head: <VisuallyHidden>{t('ui.quarantine.columns.thumbnail')}</VisuallyHidden>,
    cell: ({ instanceId, modality }) => (
      <Thumbnail
        address={thumbnailPaths.quarantined(instanceId)}
        modalities={[modality]}
        side={THUMBNAIL_SIZE}
      />
    ),
  },
  {
    name: t('ui.quarantine.columns.at'),
    track: '92px',
    cell: ({ receivedAt }) => <Clock instant={receivedAt} />,
  },
  {
    name: t('ui.quarantine.columns.why'),
    track: 'minmax(230px, 2.6fr)',
    cell: ({ reason, detail }) => (
      <>
        <b>{QUARANTINE_TEXTS[reason].name}</b>
        {detail && <div>{translateMessage(detail)}</div>}
        <Text size="sm" c="dimmed" mt={2}>
          {QUARANTINE_TEXTS[reason].remedy}
        </Text>
      </>
    ),
  },
  {
    name: t('ui.quarantine.columns.patient'),
    track: 'minmax(150px, 1.3fr)',
    cell: ({ patientName, modality, studyInstanceUid, sopInstanceUid, bytes }) => (
      <>
        <PersonName value={patientName} />
        <div>
          <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
            {t('ui.quarantine.open')}
          </Link>
        </div>
        <Text size="xs" c="dimmed" title={sopInstanceUid}>
          {modality ? t('ui.quarantine.image', { modality }) : t('ui.quarantine.imageOther')}{' '}
          <span className="mono nowrap">…{sopInstanceUid.slice(-12)}</span>,{' '}
          <span className="nowrap">{bytesText(bytes)}</span>
        </Text>
        {study === undefined && (
          <div>
            <Link to="/images/quarantine" search={{ study: studyInstanceUid }}>
              {t('ui.quarantine.ofStudy')}
            </Link>
          </div>
        )}
      </>
    ),
  },
  {
    name: t('ui.quarantine.columns.device'),
    track: 'minmax(90px, 0.8fr)',
    cell: ({ deviceName, callingAeTitle, remoteAddress }) => (
      <>
        <b>{deviceName || callingAeTitle}</b>
        <div className="mono">{remoteAddress}</div>
      </>
    ),
  },
]

/** Instances that were accepted and set aside, each with what a person can do about it. */
export function Quarantine() {
  const { study } = route.useSearch()
  const mayManage = useMayManageStudies()
  const { isOpen } = useEventStream()
  const [asking, setAsking] = useState<InstanceDecision | null>(null)
  const query = { limit: 50, ...(study !== undefined && { studyInstanceUid: study }) }
  const { list, pages, more } = usePages(
    keyOf(dashboardImages.quarantine, query),
    (part, signal) => call(dashboardImages.quarantine, { query: { ...query, ...part } }, signal),
    isOpen ? undefined : 10_000,
  )
  const shown = useMemo(() => {
    const columns = columnsFor(study)
    return mayManage ? [...columns, decide(setAsking)] : columns
  }, [mayManage, study])
  const instances = pages.flatMap((page) => page.instances)

  return (
    <Page title={t('ui.quarantine.title')} about={t('ui.quarantine.about')} isFull>
      <ImageTabs />
      {study !== undefined && (
        <Group gap={10}>
          <Text size="sm">{t('ui.quarantine.onlyStudy')}</Text>
          <Link to="/images/quarantine">{t('ui.quarantine.showAll')}</Link>
        </Group>
      )}
      {study !== undefined && <QuarantineGroups studyInstanceUid={study} mayManage={mayManage} />}
      <PagedTable
        tableId="quarantine"
        list={list}
        nothing={{
          icon: IconInbox,
          title: t('ui.quarantine.none'),
          text: t('ui.quarantine.noneText'),
        }}
        label={t('ui.quarantine.label')}
        columns={shown}
        rows={instances}
        keyOf={(row) => row.instanceId}
        least={mayManage ? 838 : 718}
        onEndReached={more}
        end={list.hasNextPage ? t('ui.quarantine.more') : t('ui.quarantine.last')}
      />
      {asking && <InstanceDecisionDialog {...asking} onDone={() => setAsking(null)} />}
    </Page>
  )
}

const decide = (onAsk: (asking: InstanceDecision) => void): Column<QuarantinedInstance> => ({
  name: t('ui.quarantine.columns.actions'),
  track: '100px',
  cell: (instance) => (
    <Stack gap={6}>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => onAsk({ instance, decision: 'release' })}
      >
        {t('ui.quarantine.release')}…
      </Button>
      <Button
        {...SUBTLE_DANGER}
        size="compact-sm"
        onClick={() => onAsk({ instance, decision: 'discard' })}
      >
        {t('ui.quarantine.discard')}…
      </Button>
    </Stack>
  ),
})

const DECISION_CONFIRMATIONS: Record<Decision, string> = {
  release: t('ui.quarantine.released'),
  discard: t('ui.quarantine.discarded'),
}

function InstanceDecisionDialog({
  instance,
  decision,
  onDone,
}: InstanceDecision & { onDone: () => void }) {
  const release = useSend(dashboardImages.releaseInstance, CHANGES)
  const discard = useSend(dashboardImages.discardInstance, CHANGES)
  const isRelease = decision === 'release'
  const send = isRelease ? release : discard
  return (
    <ReasonDialog
      words={textsOf(
        isRelease ? 'ui.quarantine.releaseAsk' : 'ui.quarantine.discardAsk',
        'title',
        'action',
        'label',
        'about',
        'example',
      )}
      field="reason"
      isDanger={!isRelease}
      isBusy={send.isPending}
      error={send.error}
      onClose={onDone}
      onSend={(reason, onError) =>
        send.mutate(
          { params: { instanceId: instance.instanceId }, body: { reason } },
          {
            onSuccess: ({ success, message }) => {
              onDone()
              notifications.show({
                message: message ? translateMessage(message) : DECISION_CONFIRMATIONS[decision],
                ...(success ? { icon: <IconCheck size={18} /> } : { color: 'red' }),
              })
            },
            onError,
          },
        )
      }
    >
      <Stack gap={6}>
        <div>
          <PersonName value={instance.patientName} />
          <Text size="sm" c="dimmed">
            {QUARANTINE_TEXTS[instance.reason].name}
          </Text>
        </div>
        <Text size="sm">
          {isRelease ? t('ui.quarantine.releaseText') : t('ui.quarantine.discardText')}
        </Text>
      </Stack>
    </ReasonDialog>
  )
}
