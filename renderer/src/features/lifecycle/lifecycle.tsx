import { Button, Group, Stack, Switch, Table, Text } from '@mantine/core'
import { IconClockPlay, IconEye, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import {
  dashboardLifecycle,
  type LifecycleOverview,
  type LifecycleRule,
} from '#shared/contract/lifecycle.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { bytesText } from '../../format/amounts.ts'
import { dayText } from '../../format/dates.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { TimeAgo } from '../../ui/clock.tsx'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { FormDrawer } from '../../ui/form-drawer.tsx'
import { IconAction } from '../../ui/icon-act.tsx'
import {
  EmptyState,
  ErrorNotice,
  FactList,
  LoadingPlaceholder,
  Page,
  Panel,
} from '../../ui/page.tsx'
import { RowTable } from '../../ui/row-table.tsx'
import { SettingsTabs } from '../../ui/sections/settings-tabs.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { ErasuresPanel } from './erasures.tsx'
import { RuleForm } from './rule-form.tsx'
import { PreviewDialog } from './rule-preview.tsx'

const CHANGES = [dashboardLifecycle.overview]

/** The rules by which image files leave this PC, how the disk fills, and what was erased. */
export function LifecycleScreen() {
  const reply = useReply(dashboardLifecycle.overview, {}, { staleTime: 0 })
  const [editing, setEditing] = useState<{ rule: LifecycleRule | null } | null>(null)
  const [previewing, setPreviewing] = useState<LifecycleRule | null>(null)
  const overview = reply.data
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing({ rule: null })}>
      {t('ui.lifecycle.add')}
    </Button>
  )
  return (
    <Page title={t('ui.lifecycle.title')} about={t('ui.lifecycle.about')} actions={add}>
      <SettingsTabs />
      {reply.isPending && <LoadingPlaceholder rows={6} height={44} />}
      {reply.isError && !overview && (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {overview && (
        <>
          {!overview.mayBeConfirmed && (
            <Notice tone="info" title={t('ui.lifecycle.nobodyConfirms')}>
              {t('ui.lifecycle.nobodyConfirmsText')}
            </Notice>
          )}
          <DiskPanel overview={overview} />
          <RulesPanel
            overview={overview}
            onEdit={(rule) => setEditing({ rule })}
            onPreview={setPreviewing}
          />
        </>
      )}
      <ErasuresPanel />
      <FormDrawer
        opened={editing !== null}
        onClose={() => setEditing(null)}
        size={560}
        title={editing?.rule?.name ?? t('ui.lifecycle.form.addTitle')}
      >
        {editing && (
          <RuleForm
            rule={editing.rule}
            onDone={(saved) => {
              setEditing(null)
              // What the rule does is shown at once: it can only be switched on from there.
              setPreviewing(saved)
            }}
            onCancel={() => setEditing(null)}
          />
        )}
      </FormDrawer>
      {previewing && <PreviewDialog rule={previewing} onClose={() => setPreviewing(null)} />}
    </Page>
  )
}

function DiskPanel({ overview: { disk, lastRun, rules } }: { overview: LifecycleOverview }) {
  const days = (count: number | null) =>
    count === null ? t('ui.lifecycle.disk.unknown') : t('ui.lifecycle.disk.days', { count })
  return (
    <Panel title={t('ui.lifecycle.disk.title')}>
      <FactList
        facts={[
          [
            t('ui.lifecycle.disk.free'),
            t('ui.lifecycle.disk.freeOf', {
              free: bytesText(disk.freeBytes),
              total: bytesText(disk.totalBytes),
            }),
          ],
          [t('ui.lifecycle.disk.local'), bytesText(disk.localBytes)],
          [
            t('ui.lifecycle.disk.perDay'),
            disk.receivedPerDay === null
              ? t('ui.lifecycle.disk.unknown')
              : bytesText(disk.receivedPerDay),
          ],
          [t('ui.lifecycle.disk.without'), days(disk.fullInDays)],
          [t('ui.lifecycle.disk.with'), disk.withRules ? diskFullText(disk.withRules) : days(null)],
          [
            t('ui.lifecycle.disk.removed'),
            t('ui.lifecycle.disk.removedAmount', {
              count: disk.removedStudies,
              bytes: bytesText(disk.removedBytes),
            }),
          ],
          [
            t('ui.lifecycle.disk.lastRun'),
            lastRun === null ? (
              t('ui.lifecycle.disk.never')
            ) : (
              <>
                <TimeAgo instant={lastRun.at} /> ·{' '}
                {t('ui.lifecycle.disk.removedAmount', {
                  count: lastRun.studies,
                  bytes: bytesText(lastRun.bytes),
                })}
              </>
            ),
          ],
        ]}
      />
      {disk.withRules && rules.some(({ isOn }) => isOn) && (
        <WeeklyForecast weeks={disk.withRules.weeks} />
      )}
    </Panel>
  )
}

type RulesForecast = NonNullable<LifecycleOverview['disk']['withRules']>

const diskFullText = ({ fullInDays, fullOn }: RulesForecast): string =>
  fullInDays === null || fullOn === null
    ? t('ui.lifecycle.disk.neverFull')
    : t('ui.lifecycle.disk.fullOn', { count: fullInDays, day: dayText(fullOn) })

const WEEK_COLUMNS = textsOf('ui.lifecycle.disk.weeks', 'from', 'received', 'freed', 'free')

/** What arrives and what the rules remove, week by week. */
function WeeklyForecast({ weeks }: Pick<RulesForecast, 'weeks'>) {
  return (
    <Stack gap={4} mt="md">
      <Text fw={560}>{t('ui.lifecycle.disk.coming')}</Text>
      <RowTable columns={WEEK_COLUMNS} minWidth={420}>
        {weeks.map(({ from, receivedBytes, freedBytes, freeBytes }) => (
          <Table.Tr key={from}>
            <Table.Td>{dayText(from)}</Table.Td>
            <Table.Td>{bytesText(receivedBytes)}</Table.Td>
            <Table.Td>{bytesText(freedBytes)}</Table.Td>
            <Table.Td>{bytesText(freeBytes)}</Table.Td>
          </Table.Tr>
        ))}
      </RowTable>
      <Text fz="sm" c="dimmed">
        {t('ui.lifecycle.disk.comingText')}
      </Text>
    </Stack>
  )
}

const COLUMNS = textsOf('ui.lifecycle.columns', 'name', 'what', 'state', 'actions')

function RulesPanel({
  overview: { rules },
  onEdit,
  onPreview,
}: {
  overview: LifecycleOverview
  onEdit: (rule: LifecycleRule) => void
  onPreview: (rule: LifecycleRule) => void
}) {
  const run = useSend(dashboardLifecycle.run, CHANGES)
  const off = useSend(dashboardLifecycle.switch, CHANGES)
  const remove = useSend(dashboardLifecycle.remove, CHANGES)
  const [removing, setRemoving] = useState<LifecycleRule | null>(null)
  const fault = run.error ?? off.error
  const toggle = (rule: LifecycleRule) => {
    if (!rule.isOn) return onPreview(rule)
    const { ruleId, revision } = rule
    off.mutate({ params: { ruleId }, body: { isOn: false, revision } })
  }
  return (
    <Panel
      isFlush
      title={t('ui.lifecycle.rules')}
      aside={
        rules.some(({ isOn }) => isOn) && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconClockPlay size={15} />}
            loading={run.isPending}
            onClick={() => run.mutate({})}
          >
            {t('ui.lifecycle.runNow')}
          </Button>
        )
      }
    >
      {fault && <ErrorNotice error={fault} />}
      {run.data?.message && <Notice tone="good">{translateMessage(run.data.message)}</Notice>}
      {rules.length === 0 ? (
        <EmptyState title={t('ui.lifecycle.none')}>{t('ui.lifecycle.noneText')}</EmptyState>
      ) : (
        <RowTable columns={COLUMNS} minWidth={640}>
          {rules.map((rule) => (
            <Table.Tr key={rule.ruleId}>
              <Table.Td>{rule.name}</Table.Td>
              <Table.Td>
                <RuleText rule={rule} />
              </Table.Td>
              <Table.Td>
                <Group gap={8} wrap="nowrap">
                  <Switch
                    checked={rule.isOn}
                    onChange={() => toggle(rule)}
                    aria-label={t('ui.lifecycle.switch', { name: rule.name })}
                  />
                  <Tag tone={rule.isOn ? 'good' : 'plain'}>
                    {rule.isOn ? t('ui.lifecycle.on') : t('ui.lifecycle.off')}
                  </Tag>
                </Group>
              </Table.Td>
              <Table.Td>
                <Group gap={2} justify="flex-end" wrap="nowrap">
                  <IconAction
                    icon={IconEye}
                    label={t('ui.lifecycle.previewOf', { name: rule.name })}
                    onClick={() => onPreview(rule)}
                  />
                  <IconAction
                    icon={IconPencil}
                    label={t('ui.lifecycle.edit', { name: rule.name })}
                    onClick={() => onEdit(rule)}
                  />
                  <IconAction
                    icon={IconTrash}
                    label={t('ui.lifecycle.remove', { name: rule.name })}
                    onClick={() => setRemoving(rule)}
                  />
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </RowTable>
      )}
      <ConfirmAction
        isOpen={removing !== null}
        title={t('ui.lifecycle.removeAsk', { name: removing?.name ?? '' })}
        action={t('ui.lifecycle.removeDo')}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          removing &&
          remove.mutate(
            { params: { ruleId: removing.ruleId } },
            { onSuccess: () => setRemoving(null) },
          )
        }
        onClose={() => setRemoving(null)}
      >
        {t('ui.lifecycle.removeText')}
      </ConfirmAction>
    </Panel>
  )
}

/** What a rule says, in words. */
function RuleText({ rule }: { rule: LifecycleRule }) {
  const { since, days, copies, modalities, devices, requiresSignedReport } = rule
  const { isEarlierWhenLow, readsBack } = rule
  const parts = [
    t(`ui.lifecycle.text.${since}`, { count: days }),
    t('ui.lifecycle.text.copies', { count: copies }),
    ...(requiresSignedReport && since !== 'signed' ? [t('ui.lifecycle.text.signedReport')] : []),
    ...(modalities.length > 0
      ? [t('ui.lifecycle.text.modalities', { list: modalities.join(', ') })]
      : []),
    ...(devices.length > 0 ? [t('ui.lifecycle.text.devices', { list: devices.join(', ') })] : []),
    ...(isEarlierWhenLow ? [t('ui.lifecycle.text.earlier')] : []),
    ...(readsBack ? [t('ui.lifecycle.text.readsBack')] : []),
  ]
  return (
    <Stack gap={0}>
      {parts.map((part, index) => (
        <Text key={part} fz="sm" {...(index > 1 && { c: 'dimmed' })}>
          {part}
        </Text>
      ))}
    </Stack>
  )
}
