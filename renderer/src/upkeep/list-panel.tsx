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
import { said } from '../language/said.ts'
import { useZone } from '../status.ts'
import { ElsewhereDialog } from './elsewhere-dialog.tsx'
import { RestoreDialog, type RestoreFrom } from './restore-dialog.tsx'
import css from './upkeep.module.css'
import { words } from './words.ts'

const texts = words.list

/** What is in the folder, with until when it is kept; each can be put back. */
export function ListPanel({ state: { folder, fault, backups } }: { state: UpkeepState }) {
  const [restoring, setRestoring] = useState<RestoreFrom | null>(null)
  const [isElsewhere, setIsElsewhere] = useState(false)
  const [removing, setRemoving] = useState<BackupEntry | null>(null)
  const { columns } = texts
  return (
    <Panel
      isFlush
      title={texts.title}
      aside={
        <div className={css.aside}>
          <span className="mono">{folder}</span>
          <Button variant="default" size="xs" onClick={() => setIsElsewhere(true)}>
            {texts.elsewhere}
          </Button>
        </div>
      }
    >
      {fault && <Notice tone="danger">{said(fault)}</Notice>}
      {!fault && backups.length === 0 && (
        <Empty icon={<IconDatabase size={34} stroke={1.3} />} title={texts.empty}>
          {texts.emptyText}
        </Empty>
      )}
      {backups.length > 0 && (
        <Table.ScrollContainer minWidth={900}>
          <Table horizontalSpacing={16} verticalSpacing={7}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{columns.made}</Table.Th>
                <Table.Th>{columns.kind}</Table.Th>
                <Table.Th ta="right">{columns.size}</Table.Th>
                <Table.Th>{columns.opens}</Table.Th>
                <Table.Th>{columns.version}</Table.Th>
                <Table.Th>{columns.kept}</Table.Th>
                <Table.Th ta="right">{columns.actions}</Table.Th>
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
      <Table.Td>{texts.kinds[kind]}</Table.Td>
      <Table.Td className={css.numbers}>{bytesText(bytes)}</Table.Td>
      <Table.Td>
        {hasRecoveryKey ? (
          texts.withKey
        ) : (
          <Tag tone="warning" meaning={texts.withoutKeyMeaning}>
            {texts.withoutKey}
          </Tag>
        )}
      </Table.Td>
      <Table.Td>{texts.version(version, schema)}</Table.Td>
      <Table.Td>
        {keptUntil === null ? texts.forever : dayText(todayIn(zone, new Date(keptUntil)))}
      </Table.Td>
      <Table.Td ta="right">
        <span className={css.actions}>
          <Button
            variant="default"
            size="xs"
            aria-label={texts.backOf(name)}
            leftSection={<IconDatabaseImport size={15} />}
            onClick={onRestore}
          >
            {texts.back}
          </Button>
          <Tooltip label={texts.remove(name)}>
            <ActionIcon aria-label={texts.remove(name)} onClick={onRemove}>
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
          showDone(texts.removed)
          onClose()
        },
      },
    )
  return (
    <Confirm
      isOpen={backup !== null}
      title={texts.removeTitle}
      action={texts.removeAction}
      isBusy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={confirm}
    >
      {backup && texts.removeText(backup.name)}
    </Confirm>
  )
}
