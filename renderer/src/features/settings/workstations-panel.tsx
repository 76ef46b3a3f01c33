import { Button, Table, Text, TextInput } from '@mantine/core'
import { IconCheck, IconDeviceDesktopQuestion, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSecurity, type Workstation } from '#shared/contract/dashboard-security.ts'
import { useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { TimeAgo } from '../../ui/clock.tsx'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { IconAction } from '../../ui/icon-act.tsx'
import { EmptyState, ErrorNotice, Panel } from '../../ui/page.tsx'
import { showDone } from '../../ui/undo.tsx'
import css from './access.module.css'

const CHANGES = [dashboardSecurity.lanAccess, dashboardSecurity.sessions, dashboard.status]

/** PCs that wait for an answer. */
export function AccessRequestsPanel({
  asking,
  isOn,
}: {
  asking: readonly Workstation[]
  isOn: boolean
}) {
  return (
    <Panel title={t('ui.settings.access.asking.title')}>
      <div aria-live="polite">
        {asking.length > 0 && (
          <Text className={css.about}>{t('ui.settings.access.asking.about')}</Text>
        )}
        {asking.map((workstation) => (
          <AccessRequestRow key={workstation.workstationId} workstation={workstation} />
        ))}
        {asking.length === 0 && (
          <EmptyState
            icon={<IconDeviceDesktopQuestion size={30} stroke={1.3} />}
            title={t('ui.settings.access.asking.none')}
          >
            {isOn
              ? t('ui.settings.access.asking.noneText')
              : t('ui.settings.access.asking.noneOff')}
          </EmptyState>
        )}
      </div>
    </Panel>
  )
}

function AccessRequestRow({ workstation }: { workstation: Workstation }) {
  const { workstationId, code, address, browser, askedAt } = workstation
  const [name, setName] = useState(workstation.name)
  const approve = useSend(dashboardSecurity.approveWorkstation, CHANGES)
  const refuse = useSend(dashboardSecurity.removeWorkstation, CHANGES)
  const params = { workstationId }
  const error = approve.error ?? refuse.error
  const isShort = name.trim().length < 2
  return (
    <form
      className={css.asking}
      aria-label={workstation.name}
      onSubmit={(event) => {
        event.preventDefault()
        approve.mutate(
          { params, body: { name: name.trim() } },
          {
            onSuccess: () =>
              showDone(t('ui.settings.access.asking.approved', { name: name.trim() })),
          },
        )
      }}
    >
      <div>
        <Text size="sm" c="dimmed">
          {t('ui.settings.access.asking.code')}
        </Text>
        <div className={css.code} translate="no">
          {code}
        </div>
      </div>
      <div>
        <TextInput
          label={t('ui.settings.access.asking.name')}
          value={name}
          maxLength={64}
          maw={320}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Text size="sm" c="dimmed" mt={4}>
          {[t('ui.settings.access.asking.from', { address }), browser].filter(Boolean).join(' · ')}{' '}
          · <TimeAgo instant={askedAt} />
        </Text>
      </div>
      <div className={css.buttons}>
        <Button
          type="submit"
          leftSection={<IconCheck size={16} />}
          loading={approve.isPending}
          disabled={isShort}
        >
          {t('ui.settings.access.asking.approve')}
        </Button>
        <Button
          variant="default"
          loading={refuse.isPending}
          onClick={() =>
            refuse.mutate(
              { params },
              { onSuccess: () => showDone(t('ui.settings.access.asking.refused')) },
            )
          }
        >
          {t('ui.settings.access.asking.refuse')}
        </Button>
      </div>
      {error && <ErrorNotice error={error} />}
    </form>
  )
}

/** PCs that open the window. */
export function ApprovedWorkstationsPanel({ approved }: { approved: readonly Workstation[] }) {
  const [removing, setRemoving] = useState<Workstation | null>(null)
  const remove = useSend(dashboardSecurity.removeWorkstation, CHANGES)
  return (
    <Panel title={t('ui.settings.access.approved.title')} isFlush={approved.length > 0}>
      {approved.length === 0 && (
        <Text className={css.about}>{t('ui.settings.access.approved.none')}</Text>
      )}
      {approved.length > 0 && (
        <Table.ScrollContainer minWidth={720}>
          <Table horizontalSpacing={16} verticalSpacing={7}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('ui.settings.access.approved.columns.name')}</Table.Th>
                <Table.Th>{t('ui.settings.access.approved.columns.address')}</Table.Th>
                <Table.Th>{t('ui.settings.access.approved.columns.browser')}</Table.Th>
                <Table.Th>{t('ui.settings.access.approved.columns.approved')}</Table.Th>
                <Table.Th>{t('ui.settings.access.approved.columns.seen')}</Table.Th>
                <Table.Th ta="right">{t('ui.settings.access.approved.columns.actions')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {approved.map((workstation) => (
                <Table.Tr key={workstation.workstationId}>
                  <Table.Td fw={600}>{workstation.name}</Table.Td>
                  <Table.Td className="mono">{workstation.address}</Table.Td>
                  <Table.Td>
                    {workstation.browser && translateMessage(workstation.browser)}
                  </Table.Td>
                  <Table.Td>{workstation.approvedBy}</Table.Td>
                  <Table.Td>
                    <TimeAgo instant={workstation.lastSeenAt} />
                  </Table.Td>
                  <Table.Td ta="right">
                    <IconAction
                      icon={IconTrash}
                      label={t('ui.settings.access.approved.remove', { name: workstation.name })}
                      onClick={() => setRemoving(workstation)}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <ConfirmAction
        isOpen={removing !== null}
        title={t('ui.settings.access.approved.removeTitle')}
        action={t('ui.settings.access.approved.removeAction')}
        keep={t('ui.settings.access.approved.keep')}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setRemoving(null)}
        onConfirm={() =>
          removing &&
          remove.mutate(
            { params: { workstationId: removing.workstationId } },
            { onSuccess: () => setRemoving(null) },
          )
        }
      >
        {removing && t('ui.settings.access.approved.removeText', { name: removing.name })}
      </ConfirmAction>
    </Panel>
  )
}
