import { Button, Stack, Text } from '@mantine/core'
import { IconListCheck, IconPlugConnected } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Device, LintFinding, LintReport } from '#shared/contract/devices.ts'
import { useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EchoOutcome } from '../../ui/echo-outcome.tsx'
import { ErrorNotice, Panel } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { verdictOf } from './lint-verdict.ts'

/** Whether the device answers, and whether its console takes the exams it would get. */
export function DeviceChecks({ device }: { device: Device }) {
  return (
    <Stack>
      <EchoTest device={device} isImmediate />
      <Worklist device={device} />
    </Stack>
  )
}

/**
 * Sends a C-ECHO to the device.
 * @param isImmediate whether it is sent as soon as the panel is shown
 */
export function EchoTest({ device, isImmediate }: { device: Device; isImmediate: boolean }) {
  const echo = useSend(dashboard.echoDevice)
  const hasAddress =
    device.lastAddress !== null || (device.address !== null && !device.address.includes('/'))
  const missing =
    device.port === null
      ? t('ui.devices.checks.noPort')
      : hasAddress
        ? null
        : t('ui.devices.checks.noAddress')
  const isPossible = missing === null
  const { deviceId } = device
  const { mutate } = echo
  // Who opens the checks wants to know this first.
  useEffect(() => {
    if (isPossible && isImmediate) mutate({ params: { deviceId } })
  }, [isPossible, isImmediate, deviceId, mutate])
  return (
    <Panel title={isImmediate ? t('ui.devices.checks.echo') : t('ui.devices.visit.echoTo')}>
      <Stack align="flex-start" gap={10}>
        <Text size="sm" c="dimmed">
          {t('ui.devices.checks.echoAbout')}
        </Text>
        {missing && <Notice tone="info">{missing}</Notice>}
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} />}
          disabled={!isPossible}
          loading={echo.isPending}
          onClick={() => mutate({ params: { deviceId } })}
        >
          {t('ui.devices.checks.echoAction')}
        </Button>
        <div style={{ alignSelf: 'stretch' }}>
          <EchoOutcome result={echo.isPending ? undefined : echo.data} error={echo.error} />
        </div>
      </Stack>
    </Panel>
  )
}

function Worklist({ device }: { device: Device }) {
  const lint = useSend(dashboard.lintDevice)
  return (
    <Panel title={t('ui.devices.checks.lint')}>
      <Stack align="flex-start" gap={10}>
        <Text size="sm" c="dimmed">
          {t('ui.devices.checks.lintAbout', {
            console: t(`ui.devices.profiles.${device.profile}`),
          })}
        </Text>
        <Button
          variant="default"
          leftSection={<IconListCheck size={16} />}
          loading={lint.isPending}
          onClick={() => lint.mutate({ params: { deviceId: device.deviceId } })}
        >
          {t('ui.devices.checks.lintAction')}
        </Button>
        <div role="status" style={{ alignSelf: 'stretch' }}>
          {lint.data && !lint.isPending && <Result lint={lint.data} />}
          {lint.error && <ErrorNotice error={lint.error} />}
        </div>
      </Stack>
    </Panel>
  )
}

function Result({ lint }: { lint: LintReport }) {
  const { tone, title, text } = verdictOf(lint)
  return (
    <Stack gap={10}>
      <Notice tone={tone} title={title}>
        {text}{' '}
        <Link to="/queries/$inspectionId" params={{ inspectionId: String(lint.inspectionId) }}>
          {t('ui.devices.checks.open')}
        </Link>
      </Notice>
      {lint.findings.length > 0 && (
        <DataTable
          label={t('ui.devices.checks.label')}
          columns={columns}
          rows={lint.findings.map((finding, index) => ({ ...finding, index }))}
          keyOf={({ index }) => index}
          least={520}
        />
      )}
      <Text size="xs" c="dimmed">
        {t('ui.devices.checks.source')}: {lint.source}
      </Text>
    </Stack>
  )
}

const columns: readonly Column<LintFinding>[] = [
  {
    name: t('ui.devices.checks.columns.severity'),
    track: '90px',
    cell: ({ severity }) => (
      <Tag
        tone={severity === 'refused' ? 'danger' : 'warning'}
        meaning={t(`ui.devices.checks.severities.${severity}.meaning`)}
      >
        {t(`ui.devices.checks.severities.${severity}.name`)}
      </Tag>
    ),
  },
  {
    name: t('ui.devices.checks.columns.patient'),
    track: 'minmax(130px, 1fr)',
    cell: ({ patientName, scheduledProcedureStepId }) => (
      <>
        <PersonName value={patientName} />
        <div className="mono">{scheduledProcedureStepId}</div>
      </>
    ),
  },
  {
    name: t('ui.devices.checks.columns.text'),
    track: 'minmax(180px, 2fr)',
    cell: ({ text, tag, keyword }) => (
      <>
        <Text size="xs" c="dimmed" className="mono">
          {keyword} {tag}
        </Text>
        {translateMessage(text)}
      </>
    ),
  },
]
