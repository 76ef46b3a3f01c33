import { ActionIcon, Button, Table, Text, Tooltip } from '@mantine/core'
import { IconDatabase, IconDatabaseImport, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import {
  type BackupEntry,
  type BackupsState,
  dashboardBackups,
} from '#shared/contract/dashboard-backups.ts'
import { useSend } from '../../api/queries.ts'
import { useZone } from '../../api/status.ts'
import { bytesText } from '../../format/amounts.ts'
import { dayText, todayIn } from '../../format/dates.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { EmptyState, Panel } from '../../ui/page.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { showDone } from '../../ui/undo.tsx'
import css from './backups.module.css'
import { OtherFolderDialog } from './elsewhere-dialog.tsx'
import { RestoreDialog, type RestoreFrom } from './restore-dialog.tsx'

/** What is in the folder, with until when it is kept; each can be put back. */
export function BackupListPanel({ state: { folder, fault, backups } }: { state: BackupsState }) {
  const [restoring, setRestoring] = useState<RestoreFrom | null>(null)
  const [isElsewhere, setIsElsewhere] = useState(false)
  const [removing, setRemoving] = useState<BackupEntry | null>(null)
  return (
    <Panel
      isFlush
      title={t('ui.backups.list.title')}
      aside={
        <div className={css.aside}>
          <span className="mono">{folder}</span>
          <Button variant="default" size="xs" onClick={() => setIsElsewhere(true)}>
            {t('ui.backups.list.elsewhere')}
          </Button>
        </div>
      }
    >
      {fault && <Notice tone="danger">{translateMessage(fault)}</Notice>}
      {!fault && backups.length === 0 && (
        <EmptyState
          icon={<IconDatabase size={34} stroke={1.3} />}
          title={t('ui.backups.list.empty')}
        >
          {t('ui.backups.list.emptyText')}
        </EmptyState>
      )}
      {backups.length > 0 && (
        <Table.ScrollContainer minWidth={740}>
          <Table horizontalSpacing={16} verticalSpacing={7}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('ui.backups.list.columns.made')}</Table.Th>
                <Table.Th>{t('ui.backups.list.columns.kind')}</Table.Th>
                <Table.Th>{t('ui.backups.list.columns.opens')}</Table.Th>
                <Table.Th>{t('ui.backups.list.columns.version')}</Table.Th>
                <Table.Th>{t('ui.backups.list.columns.kept')}</Table.Th>
                <Table.Th ta="right">{t('ui.backups.list.columns.actions')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {backups.map((backup) => (
                <Row
                  key={backup.name}
                  backup={backup}
                  onRestore={() => setRestoring({ name: backup.name })}
                  onRemove={() => setRemoving(backup)}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {restoring && <RestoreDialog from={restoring} onClose={() => setRestoring(null)} />}
      {isElsewhere && (
        <OtherFolderDialog
          onClose={() => setIsElsewhere(false)}
          onChosen={(from) => {
            setIsElsewhere(false)
            setRestoring(from)
          }}
        />
      )}
      <RemoveBackupDialog backup={removing} onClose={() => setRemoving(null)} />
    </Panel>
  )
}

function Row({
  backup,
  onRestore,
  onRemove,
}: {
  backup: BackupEntry
  onRestore: () => void
  onRemove: () => void
}) {
  const { name, kind, madeAt, bytes, hasRecoveryKey, version, schema, keptUntil } = backup
  const zone = useZone()
  return (
    <Table.Tr>
      <Table.Td>
        <Clock instant={madeAt} />
        <span className={`mono ${css.name}`}>{name}</span>
      </Table.Td>
      <Table.Td>
        {t(`ui.backups.list.kinds.${kind}`)}
        <Text fz="sm" c="dimmed">
          {bytesText(bytes)}
        </Text>
      </Table.Td>
      <Table.Td>
        {hasRecoveryKey ? (
          t('ui.backups.list.withKey')
        ) : (
          <Tag tone="warning" meaning={t('ui.backups.list.withoutKeyMeaning')}>
            {t('ui.backups.list.withoutKey')}
          </Tag>
        )}
      </Table.Td>
      <Table.Td>{t('ui.backups.list.version', { program: version, schema })}</Table.Td>
      <Table.Td>
        {keptUntil === null
          ? t('ui.backups.list.forever')
          : dayText(todayIn(zone, new Date(keptUntil)))}
      </Table.Td>
      <Table.Td ta="right">
        <span className={css.actions}>
          <Button
            variant="default"
            size="xs"
            aria-label={t('ui.backups.list.backOf', { name })}
            leftSection={<IconDatabaseImport size={15} />}
            onClick={onRestore}
          >
            {t('ui.backups.list.back')}
          </Button>
          <Tooltip label={t('ui.backups.list.remove', { name })}>
            <ActionIcon aria-label={t('ui.backups.list.remove', { name })} onClick={onRemove}>
              <IconTrash size={17} />
            </ActionIcon>
          </Tooltip>
        </span>
      </Table.Td>
    </Table.Tr>
  )
}

function RemoveBackupDialog({
  backup,
  onClose,
}: {
  backup: BackupEntry | null
  onClose: () => void
}) {
  const remove = useSend(dashboardBackups.remove, [dashboardBackups.state])
  const confirm = () =>
    backup &&
    remove.mutate(
      { params: { name: backup.name } },
      {
        onSuccess: () => {
          showDone(t('ui.backups.list.removed'))
          onClose()
        },
      },
    )
  return (
    <ConfirmAction
      isOpen={backup !== null}
      title={t('ui.backups.list.removeTitle')}
      action={t('ui.backups.list.removeAction')}
      isBusy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={confirm}
    >
      {backup && t('ui.backups.list.removeText', { name: backup.name })}
    </ConfirmAction>
  )
}
