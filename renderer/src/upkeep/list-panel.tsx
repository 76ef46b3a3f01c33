import { ActionIcon, Button, Table, Tooltip } from '@mantine/core'
import { IconDatabase, IconDatabaseImport, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import {
  type BackupEntry,
  dashboardUpkeep,
  type UpkeepState,
} from '#shared/contract/dashboard-upkeep.ts'
import { Clock } from '../components/clock.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Empty, Panel } from '../components/page.tsx'
import { Notice, Tag } from '../components/tone.tsx'
import { showDone } from '../components/undo.tsx'
import { bytesText } from '../display/amounts.ts'
import { dayText, todayIn } from '../display/dates.ts'
import { useSend } from '../gateway.ts'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'
import { useZone } from '../status.ts'
import { ElsewhereDialog } from './elsewhere-dialog.tsx'
import { RestoreDialog, type RestoreFrom } from './restore-dialog.tsx'
import css from './upkeep.module.css'

/** What is in the folder, with until when it is kept; each can be put back. */
export function ListPanel({ state: { folder, fault, backups } }: { state: UpkeepState }) {
  const [restoring, setRestoring] = useState<RestoreFrom | null>(null)
  const [isElsewhere, setIsElsewhere] = useState(false)
  const [removing, setRemoving] = useState<BackupEntry | null>(null)
  return (
    <Panel
      isFlush
      title={t('ui.upkeep.list.title')}
      aside={
        <div className={css.aside}>
          <span className="mono">{folder}</span>
          <Button variant="default" size="xs" onClick={() => setIsElsewhere(true)}>
            {t('ui.upkeep.list.elsewhere')}
          </Button>
        </div>
      }
    >
      {fault && <Notice tone="danger">{said(fault)}</Notice>}
      {!fault && backups.length === 0 && (
        <Empty icon={<IconDatabase size={34} stroke={1.3} />} title={t('ui.upkeep.list.empty')}>
          {t('ui.upkeep.list.emptyText')}
        </Empty>
      )}
      {backups.length > 0 && (
        <Table.ScrollContainer minWidth={900}>
          <Table horizontalSpacing={16} verticalSpacing={7}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('ui.upkeep.list.columns.made')}</Table.Th>
                <Table.Th>{t('ui.upkeep.list.columns.kind')}</Table.Th>
                <Table.Th ta="right">{t('ui.upkeep.list.columns.size')}</Table.Th>
                <Table.Th>{t('ui.upkeep.list.columns.opens')}</Table.Th>
                <Table.Th>{t('ui.upkeep.list.columns.version')}</Table.Th>
                <Table.Th>{t('ui.upkeep.list.columns.kept')}</Table.Th>
                <Table.Th ta="right">{t('ui.upkeep.list.columns.actions')}</Table.Th>
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
        <ElsewhereDialog
          onClose={() => setIsElsewhere(false)}
          onChosen={(from) => {
            setIsElsewhere(false)
            setRestoring(from)
          }}
        />
      )}
      <Remove backup={removing} onClose={() => setRemoving(null)} />
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
      <Table.Td>{t(`ui.upkeep.list.kinds.${kind}`)}</Table.Td>
      <Table.Td className={css.numbers}>{bytesText(bytes)}</Table.Td>
      <Table.Td>
        {hasRecoveryKey ? (
          t('ui.upkeep.list.withKey')
        ) : (
          <Tag tone="warning" meaning={t('ui.upkeep.list.withoutKeyMeaning')}>
            {t('ui.upkeep.list.withoutKey')}
          </Tag>
        )}
      </Table.Td>
      <Table.Td>{t('ui.upkeep.list.version', { program: version, schema })}</Table.Td>
      <Table.Td>
        {keptUntil === null
          ? t('ui.upkeep.list.forever')
          : dayText(todayIn(zone, new Date(keptUntil)))}
      </Table.Td>
      <Table.Td ta="right">
        <span className={css.actions}>
          <Button
            variant="default"
            size="xs"
            aria-label={t('ui.upkeep.list.backOf', { name })}
            leftSection={<IconDatabaseImport size={15} />}
            onClick={onRestore}
          >
            {t('ui.upkeep.list.back')}
          </Button>
          <Tooltip label={t('ui.upkeep.list.remove', { name })}>
            <ActionIcon aria-label={t('ui.upkeep.list.remove', { name })} onClick={onRemove}>
              <IconTrash size={17} />
            </ActionIcon>
          </Tooltip>
        </span>
      </Table.Td>
    </Table.Tr>
  )
}

function Remove({ backup, onClose }: { backup: BackupEntry | null; onClose: () => void }) {
  const remove = useSend(dashboardUpkeep.remove, [dashboardUpkeep.state])
  const confirm = () =>
    backup &&
    remove.mutate(
      { params: { name: backup.name } },
      {
        onSuccess: () => {
          showDone(t('ui.upkeep.list.removed'))
          onClose()
        },
      },
    )
  return (
    <Confirm
      isOpen={backup !== null}
      title={t('ui.upkeep.list.removeTitle')}
      action={t('ui.upkeep.list.removeAction')}
      isBusy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={confirm}
    >
      {backup && t('ui.upkeep.list.removeText', { name: backup.name })}
    </Confirm>
  )
}
