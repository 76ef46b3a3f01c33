import { ActionIcon, Button, Group, Menu, Text, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import {
  IconArrowRight,
  IconCheck,
  IconFileTypePdf,
  IconPlus,
  IconSend,
  IconTrash,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import {
  type Delivery,
  dashboardReports,
  type Reading,
  type WindowReport,
} from '#shared/contract/reports.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useMayManageStudies, useMayWriteReports } from '../../api/session.ts'
import { linkedViewId } from '../../api/shared-study.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock, TimeAgo } from '../../ui/clock.tsx'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { Escalation } from '../../ui/escalation.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import { useNextStudies } from '../../ui/study-list/use-next-studies.ts'
import { Notice, Tag } from '../../ui/tone.tsx'
import { CommunicationDialog } from './communicate.tsx'
import { Part } from './part.tsx'
import { showPdf } from './pdf.ts'
import css from './reports.module.css'
import { deliveryTone } from './states.ts'

const CHANGES = [dashboardReports.read, dashboardStudies.list]

/** What is signed: where each report is on its way, its copies, its PDF; and addenda. */
export function SignedPane({ reading }: { reading: Reading }) {
  const signedReports = reading.reports.filter(({ status }) => status === 'completed')
  const draft = reading.reports.find(
    ({ isAddendum, status }) => isAddendum && status === 'in_progress',
  )
  const start = useSend(dashboardReports.startAddendum, CHANGES)
  const primary = signedReports.find(({ isAddendum }) => !isAddendum)
  const mayStart =
    useMayWriteReports() && reading.status === 'completed' && !reading.isCancelled && primary
  return (
    <Part title={t('ui.reports.signed.title')}>
      {signedReports.length === 0 && (
        <Text fz={12.5} c="dimmed">
          {t('ui.reports.signed.none')}
        </Text>
      )}
      {signedReports.map((report) => (
        <SignedCard key={report.reportId} report={report} name={nameOf(report, signedReports)} />
      ))}
      {draft && reading.mayWrite && <AddendumDraftCard draft={draft} />}
      {reading.status === 'completed' && <NextStudy after={reading.studyId} />}
      {mayStart && (
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          loading={start.isPending}
          onClick={() => start.mutate({ params: { reportId: primary.reportId } })}
        >
          {t('ui.reports.signed.startAddendum')}
        </Button>
      )}
      {start.error && <ErrorNotice error={start.error} />}
    </Part>
  )
}

/** After signing: straight to the next study of the reading list. */
function NextStudy({ after }: { after: string }) {
  const mayWrite = useMayWriteReports()
  const studies = useNextStudies(2, mayWrite && linkedViewId === null).data?.studies ?? []
  const next = studies.find(({ studyId }) => studyId !== after)
  if (!next) return null
  return (
    <Button
      rightSection={<IconArrowRight size={16} />}
      renderRoot={(props) => (
        <Link {...props} to="/reading/$studyId" params={{ studyId: next.studyId }} />
      )}
    >
      {t('ui.reports.signed.next')}
    </Button>
  )
}

/** `Report`, `Addendum 1`, `Addendum 2`: in the order of their signatures. */
export const nameOf = (report: WindowReport, signedReports: readonly WindowReport[]): string =>
  report.isAddendum
    ? t('ui.reports.signed.addendum', {
        number: signedReports.filter(({ isAddendum }) => isAddendum).indexOf(report) + 1,
      })
    : t('ui.reports.signed.report')

function SignedCard({ report, name }: { report: WindowReport; name: string }) {
  const pdf = useSend(dashboardReports.pdfLink)
  return (
    <article className={css.card} aria-label={t('ui.reports.signed.cardOf', { name })}>
      <Group justify="space-between" gap={6}>
        <b>{name}</b>
        <Tooltip label={t('ui.reports.signed.pdf')}>
          <ActionIcon
            size="sm"
            aria-label={`${t('ui.reports.signed.pdf')}: ${name}`}
            loading={pdf.isPending}
            onClick={() =>
              pdf.mutate(
                { params: { reportId: report.reportId } },
                { onSuccess: ({ url }) => showPdf(url, report.reportId) },
              )
            }
          >
            <IconFileTypePdf size={17} />
          </ActionIcon>
        </Tooltip>
      </Group>
      <Text fz="sm" c="dimmed">
        {t('ui.reports.signed.by', { name: report.author.name })}
        {report.signedAt && (
          <>
            , <Clock instant={report.signedAt} />
          </>
        )}
        {report.pages !== null && `, ${t('ui.reports.signed.pages', { count: report.pages })}`}
      </Text>
      {pdf.error && <ErrorNotice error={pdf.error} />}
      {report.critical && <CriticalPanel report={report} critical={report.critical} />}
      {report.delivery && <DeliveryState delivery={report.delivery} />}
      <CopyDistribution report={report} />
    </article>
  )
}

function CriticalPanel({
  report,
  critical,
}: {
  report: WindowReport
  critical: NonNullable<WindowReport['critical']>
}) {
  const [isAsking, setIsAsking] = useState(false)
  const { communication } = critical
  return (
    <Notice tone={communication ? 'plain' : 'danger'} title={t('ui.reports.signed.critical')}>
      {critical.finding}
      <div>
        {communication
          ? t('ui.reports.signed.toldTo', { name: communication.communicatedTo })
          : t('ui.reports.signed.notTold')}
      </div>
      {(!communication || critical.escalations.length > 0) && <Escalation critical={critical} />}
      {!communication && (
        <Button size="compact-sm" color="red" mt={6} onClick={() => setIsAsking(true)}>
          {t('ui.reports.signed.document')}…
        </Button>
      )}
      {isAsking && (
        <CommunicationDialog
          key={report.reportId}
          critical={critical}
          onDone={() => setIsAsking(false)}
        />
      )}
    </Notice>
  )
}

function DeliveryState({ delivery }: { delivery: Delivery }) {
  return (
    <div>
      <h3 className={css.label}>{t('ui.reports.signed.delivery')}</h3>
      <Group gap={6}>
        <Tag
          tone={deliveryTone(delivery)}
          meaning={t(`ui.reports.deliveries.${delivery.state}.description`)}
        >
          {t(`ui.reports.deliveries.${delivery.state}.label`)}
        </Tag>
        <Text fz={12.5} c="dimmed">
          {delivery.deliveredAt && <Clock instant={delivery.deliveredAt} />}
          {delivery.state !== 'delivered' &&
            delivery.attempts > 0 &&
            t('ui.reports.signed.attempts', { count: delivery.attempts })}
        </Text>
      </Group>
      {delivery.state !== 'delivered' && delivery.lastError && (
        <Text fz="sm" mt={3}>
          {translateMessage(delivery.lastError)}
        </Text>
      )}
      {delivery.nextAt && delivery.attempts > 0 && (
        <Text fz={12.5} c="dimmed">
          {t('ui.reports.signed.nextAt')}: <Clock instant={delivery.nextAt} />
        </Text>
      )}
    </div>
  )
}

function CopyDistribution({ report }: { report: WindowReport }) {
  const mayManage = useMayManageStudies()
  const destinations = useReply(
    dashboardDestinations.list,
    {},
    { enabled: mayManage && report.objects.length > 0, staleTime: 60_000 },
  )
  const send = useSend(dashboardReports.send, CHANGES)
  const open = destinations.data?.destinations.filter((one) => one.isEnabled) ?? []
  return (
    <div>
      <h3 className={css.label}>{t('ui.reports.signed.copies')}</h3>
      <Group gap={6} justify="space-between">
        <Text fz="sm">
          {report.objects.map(({ kind }) => t(`ui.reports.signed.copyKinds.${kind}`)).join(', ') ||
            t('ui.reports.signed.noCopies')}
        </Text>
        {open.length > 0 && (
          <Menu position="bottom-end" withinPortal={false}>
            <Menu.Target>
              <Button
                size="compact-xs"
                variant="default"
                leftSection={<IconSend size={13} />}
                loading={send.isPending}
              >
                {t('ui.reports.signed.send')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Label>{t('ui.reports.signed.sendTo')}</Menu.Label>
              {open.map(({ destinationId, name }) => (
                <Menu.Item
                  key={destinationId}
                  onClick={() =>
                    send.mutate(
                      { params: { reportId: report.reportId }, body: { destinationId } },
                      {
                        onSuccess: ({ message }) =>
                          notifications.show({
                            message: message
                              ? translateMessage(message)
                              : t('ui.reports.signed.sendDone'),
                            icon: <IconCheck size={18} />,
                          }),
                      },
                    )
                  }
                >
                  {name}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      {send.error && <ErrorNotice error={send.error} />}
    </div>
  )
}

function AddendumDraftCard({ draft }: { draft: WindowReport }) {
  const [asks, setAsks] = useState(false)
  const cancel = useSend(dashboardReports.cancelAddendum, CHANGES)
  return (
    <article className={css.card}>
      <Group justify="space-between" gap={6} wrap="nowrap">
        <span>
          <b>{t('ui.reports.editor.addendum')}</b> {t('ui.reports.signed.draft')},{' '}
          <TimeAgo instant={draft.createdAt} />
        </span>
        <Tooltip label={t('ui.reports.signed.cancelAddendum')}>
          <ActionIcon
            size="sm"
            aria-label={t('ui.reports.signed.cancelAddendum')}
            onClick={() => setAsks(true)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Tooltip>
      </Group>
      <ConfirmAction
        isOpen={asks}
        title={t('ui.reports.signed.cancelTitle')}
        action={t('ui.reports.signed.cancelAddendum')}
        isBusy={cancel.isPending}
        error={cancel.error}
        onClose={() => setAsks(false)}
        onConfirm={() =>
          cancel.mutate(
            { params: { reportId: draft.reportId } },
            { onSuccess: () => setAsks(false) },
          )
        }
      >
        {t('ui.reports.signed.cancelText')}
      </ConfirmAction>
    </article>
  )
}
