import { Button, Group, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import {
  type AssociationRecord,
  type AssociationSummary,
  dashboardActivity,
} from '#shared/contract/dashboard-activity.ts'
import { useReply } from '../../api/queries.ts'
import { useStatus } from '../../api/status.ts'
import { durationText, numberText } from '../../format/amounts.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { NegotiatedContexts } from '../../ui/association-terms.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Clock } from '../../ui/clock.tsx'
import {
  EmptyState,
  ErrorNotice,
  FactList,
  LoadingPlaceholder,
  Page,
  Panel,
} from '../../ui/page.tsx'
import { Tag, ToneIcon } from '../../ui/tone.tsx'
import { useCopy } from '../../ui/use-copy.ts'
import css from './activity.module.css'
import { associationDurationMs, connectionEvents, endOf } from './story.ts'
import { EventSequence } from './story-line.tsx'

const route = getRouteApi('/shell/activity/associations/$associationId')
const OPEN_POLL_MS = 2000

/** One connection: what the device did, line by line, and what was agreed. */
export function AssociationScreen() {
  const { associationId } = route.useParams()
  const input = { params: { associationId } }
  const isOpen = useReply(dashboardActivity.association, input).data?.association.how === 'open'
  const reply = useReply(
    dashboardActivity.association,
    input,
    isOpen ? { every: OPEN_POLL_MS } : {},
  )
  const record = reply.data
  const who = record
    ? record.association.deviceName || record.association.aeTitle || record.association.address
    : ''
  const end = record && endOf(record.association)

  return (
    <Page
      title={
        record
          ? t('ui.activity.one.title', { who: who || t('ui.activity.list.callers') })
          : t('ui.activity.list.title')
      }
      about={<BackLink to="/activity/associations">{t('ui.activity.one.back')}</BackLink>}
      actions={record && <SupportCopyButton text={record.supportText} />}
    >
      {reply.isPending && <LoadingPlaceholder rows={6} height={48} />}
      {reply.isError && reply.error.code === 'not-found' && (
        <EmptyState title={t('ui.activity.one.gone')} error={reply.error}>
          {t('ui.activity.one.goneText')}
        </EmptyState>
      )}
      {reply.isError && reply.error.code !== 'not-found' && (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {record && end && (
        <>
          <Group gap={10}>
            <Tag tone={end.tone} meaning={end.meaning}>
              {end.name}
            </Tag>
            <EventSequence parts={connectionEvents(record.association)} />
          </Group>
          <div className={css.columns}>
            <Panel title={t('ui.activity.one.happened')}>
              {record.lines.length === 0 && t('ui.activity.one.noLines')}
              <ol className={css.timeline}>
                {record.lines.map((line) => (
                  <li key={line.lineId} className={css.event}>
                    <ToneIcon tone={line.tone} size={15} />
                    <Clock instant={line.at} />
                    <span>{translateMessage(line.text)}</span>
                    <LineLink line={line} />
                  </li>
                ))}
              </ol>
              {record.omitted > 0 &&
                t('ui.activity.one.omitted', { lines: numberText(record.omitted) })}
            </Panel>
            <Panel>
              <AssociationFacts record={record} />
              <DeviceDetails {...record.association} />
            </Panel>
          </div>
          <Panel title={t('ui.activity.one.agreed')}>
            <NegotiatedContexts terms={record.terms} />
          </Panel>
        </>
      )}
    </Page>
  )
}

function SupportCopyButton({ text }: { text: string }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <Tooltip label={t('ui.activity.one.copyMeaning')} multiline w={300}>
      <Button
        leftSection={isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        onClick={copy}
      >
        <span aria-live="polite">
          {isCopied ? t('ui.activity.one.copied') : t('ui.activity.one.copy')}
        </span>
      </Button>
    </Tooltip>
  )
}

/** What else is known of the device. */
function DeviceDetails({ aeTitle, counts }: Pick<AssociationSummary, 'aeTitle' | 'counts'>) {
  if (aeTitle === '') return null
  return (
    <Group gap={8} mt={14}>
      <Button
        size="xs"
        variant="default"
        renderRoot={(props) => <Link to="/activity/associations" search={{ aeTitle }} {...props} />}
      >
        {t('ui.activity.one.deviceAll')}
      </Button>
      {counts.queries > 0 && (
        <Button
          size="xs"
          variant="default"
          renderRoot={(props) => <Link to="/queries" search={{ aeTitle }} {...props} />}
        >
          {t('ui.activity.one.deviceQueries')}
        </Button>
      )}
    </Group>
  )
}

function LineLink({ line: { inspectionId, studyInstanceUid } }: { line: FeedLine }) {
  if (inspectionId !== null) {
    return (
      <Link to="/queries/$inspectionId" params={{ inspectionId: String(inspectionId) }}>
        {t('ui.activity.one.openQuery')}
      </Link>
    )
  }
  if (studyInstanceUid === null) return null
  return (
    <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
      {t('ui.activity.one.openImages')}
    </Link>
  )
}

function AssociationFacts({ record: { association } }: { record: AssociationRecord }) {
  const {
    deviceId,
    deviceName,
    aeTitle,
    calledAeTitle,
    address,
    tls,
    openedAt,
    endedAt,
    how,
    detail,
    times,
  } = association
  const gatewayAeTitle = useStatus().data?.listeners.find(({ name }) => name === 'dimse')?.aeTitle
  const durationMs = associationDurationMs(association)
  const mono = (text: string) => <span className="mono">{text}</span>
  const rows: (readonly [string, ReactNode] | false)[] = [
    [
      t('ui.activity.one.facts.device'),
      deviceId === null ? (
        t('ui.activity.one.unknownDevice')
      ) : (
        <Link key="device" to="/devices">
          {deviceName || aeTitle}
        </Link>
      ),
    ],
    [t('ui.activity.one.facts.aeTitle'), aeTitle ? mono(aeTitle) : t('ui.activity.list.unnamed')],
    [
      t('ui.activity.one.facts.called'),
      <>
        {mono(calledAeTitle)}
        {gatewayAeTitle && gatewayAeTitle !== calledAeTitle && (
          <div className={css.under}>
            {t('ui.activity.one.wrongTitle', { ours: gatewayAeTitle })}
          </div>
        )}
      </>,
    ],
    [
      t('ui.activity.one.facts.address'),
      address && (
        <Link to="/activity/associations" search={{ address }}>
          {mono(address)}
        </Link>
      ),
    ],
    [t('ui.activity.one.facts.transport'), tls || t('ui.activity.one.plain')],
    [t('ui.activity.one.facts.began'), <Clock key="began" instant={openedAt} />],
    [
      t('ui.activity.one.facts.ended'),
      endedAt ? (
        <Clock key="ended" instant={endedAt} />
      ) : how === 'open' ? (
        t('ui.activity.one.notYet')
      ) : (
        t('ui.activity.one.notKnown')
      ),
    ],
    durationMs !== null && [t('ui.activity.one.facts.lasted'), durationText(durationMs)],
    how !== 'released' &&
      detail !== null && [t('ui.activity.one.facts.why'), translateMessage(detail)],
    times > 1 && [
      t('ui.activity.one.facts.times'),
      <span key="times" title={t('ui.activity.list.timesMeaning')}>
        {t('ui.activity.list.times', { count: numberText(times) })}
      </span>,
    ],
  ]
  return <FactList facts={rows.filter((row) => row !== false)} />
}
