import { Button, Group, Menu, Stack, Text } from '@mantine/core'
import {
  IconBuildingHospital,
  IconChevronDown,
  IconDownload,
  IconPlugConnected,
  IconPrinter,
} from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import { dashboardServiceVisit, type TracedAssociation } from '#shared/contract/service-visit.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { durationText } from '../../format/amounts.ts'
import { codeOf, describeStatus } from '../../format/dimse-status.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Clock } from '../../ui/clock.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Notice } from '../../ui/tone.tsx'
import { EchoTest } from './device-checks.tsx'
import css from './service-visit.module.css'
import { TracedConnection } from './traced-connection.tsx'

const route = getRouteApi('/shell/devices/$deviceId')
const POLL_MS = 2000

/** One page for a device's engineer: tests in both directions, and what the device sent. */
export function ServiceVisit() {
  const { deviceId } = route.useParams()
  const devices = useReply(dashboard.devices, {})
  const reply = useReply(dashboardServiceVisit.read, { params: { deviceId } }, { every: POLL_MS })
  const [isPrinting, setPrinting] = useState(false)
  const device = devices.data?.devices.find((one) => one.deviceId === deviceId)
  const name = device ? device.name || device.aeTitle : ''
  const associations = reply.data?.associations ?? []
  const print = () => {
    flushSync(() => setPrinting(true))
    window.print()
    setPrinting(false)
  }

  return (
    <Page
      title={device ? t('ui.devices.visit.title', { name }) : t('ui.devices.visit.untitled')}
      about={
        <>
          <BackLink to="/devices">{t('ui.devices.visit.back')}</BackLink>
          <div>{t('ui.devices.visit.about')}</div>
        </>
      }
      actions={
        device && (
          <>
            <Button leftSection={<IconPrinter size={16} />} variant="default" onClick={print}>
              {t('ui.devices.visit.print')}
            </Button>
            <LogMenu deviceId={deviceId} />
          </>
        )
      }
    >
      {(reply.isPending || devices.isPending) && <LoadingPlaceholder rows={6} height={48} />}
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {device && reply.data && (
        <>
          <div className={css.tests}>
            <EchoTest device={device} isImmediate={false} />
            <AwaitedEcho
              device={device}
              associations={associations}
              now={reply.data.now}
              aeTitle={reply.data.aeTitle}
            />
            <TestQuery device={device} />
          </div>
          <Panel title={t('ui.devices.visit.connections')}>
            <Text size="sm" c="dimmed">
              {t('ui.devices.visit.connectionsAbout')}
            </Text>
            {associations.length === 0 && (
              <EmptyState title={t('ui.devices.visit.none')}>
                {t('ui.devices.visit.noneText')}
              </EmptyState>
            )}
            <div className={css.connections}>
              {associations.map((traced) => (
                <TracedConnection
                  key={traced.association.associationId}
                  deviceId={deviceId}
                  traced={traced}
                  isPrinting={isPrinting}
                />
              ))}
            </div>
          </Panel>
        </>
      )}
    </Page>
  )
}

/** The log to take away, as text for people or as data. */
function LogMenu({ deviceId }: { deviceId: string }) {
  const log = useSend(dashboardServiceVisit.log)
  const save = (format: 'text' | 'json') =>
    log.mutate(
      { params: { deviceId }, query: { format } },
      {
        onSuccess: ({ fileName, text }) =>
          saveFile(fileName, text, format === 'json' ? 'application/json' : 'text/plain'),
      },
    )
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          leftSection={<IconDownload size={16} />}
          rightSection={<IconChevronDown size={14} />}
          loading={log.isPending}
        >
          {t('ui.devices.visit.save')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('ui.devices.visit.saveAbout')}</Menu.Label>
        <Menu.Item onClick={() => save('text')}>{t('ui.devices.visit.saveText')}</Menu.Item>
        <Menu.Item onClick={() => save('json')}>{t('ui.devices.visit.saveJson')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

interface AwaitedProps {
  readonly device: Device
  readonly associations: readonly TracedAssociation[]
  readonly now: string
  readonly aeTitle: string
}

/** Waits for the next C-ECHO of the device, and says what became of it. */
function AwaitedEcho({ device, associations, now, aeTitle }: AwaitedProps) {
  const [since, setSince] = useState<string | null>(null)
  const echo =
    since !== null &&
    associations
      .flatMap(({ association, messages }) => messages.map((message) => ({ association, message })))
      .find(({ message }) => message.type === 'C-ECHO-RQ' && message.at > since)
  const rejected =
    since !== null &&
    associations.find(
      ({ association: { how, openedAt } }) => how === 'rejected' && openedAt > since,
    )
  return (
    <Panel title={t('ui.devices.visit.await.title')}>
      <Stack align="flex-start" gap={10}>
        <Text size="sm" c="dimmed">
          {t('ui.devices.visit.await.about', { aeTitle, name: device.name || device.aeTitle })}
        </Text>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} />}
          onClick={() => setSince(now)}
        >
          {t('ui.devices.visit.await.action')}
        </Button>
        <div role="status" style={{ alignSelf: 'stretch' }}>
          {since !== null && !echo && !rejected && (
            <Notice tone="info">{t('ui.devices.visit.await.waiting')}</Notice>
          )}
          {echo && (
            <Notice
              tone={echo.message.isFailure ? 'danger' : 'good'}
              title={t('ui.devices.visit.await.received')}
            >
              <Clock instant={echo.message.at} />{' '}
              {t('ui.devices.visit.await.detail', {
                aeTitle: echo.association.aeTitle,
                address: echo.association.address,
                status: describeStatus(codeOf(echo.message.status)).name,
                took: durationText(echo.message.ms),
              })}
            </Notice>
          )}
          {!echo && rejected && (
            <Notice tone="danger" title={t('ui.devices.visit.await.rejected')}>
              {rejected.association.detail && translateMessage(rejected.association.detail)}{' '}
              {rejected.remedy && translateMessage(rejected.remedy)}
            </Notice>
          )}
        </div>
      </Stack>
    </Panel>
  )
}

function TestQuery({ device }: { device: Device }) {
  return (
    <Panel title={t('ui.devices.visit.query.title')}>
      <Stack align="flex-start" gap={10}>
        <Text size="sm" c="dimmed">
          {t('ui.devices.visit.query.about')}
        </Text>
        <Group>
          <Button
            variant="default"
            leftSection={<IconBuildingHospital size={16} />}
            renderRoot={(root) => (
              <Link to="/worklist/ask" search={{ device: device.deviceId }} {...root} />
            )}
          >
            {t('ui.devices.visit.query.action')}
          </Button>
        </Group>
      </Stack>
    </Panel>
  )
}
