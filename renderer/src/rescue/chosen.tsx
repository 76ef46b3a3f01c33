import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconDatabaseImport } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  type BackupEntry,
  dashboardRescue,
  type RestorePreview,
} from '#shared/contract/dashboard-backups.ts'
import type { ProblemError } from '../api/client.ts'
import { numberText } from '../format/amounts.ts'
import { clockText } from '../format/dates.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t, textsOf } from '../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder, Panel } from '../ui/page.tsx'
import { Notice } from '../ui/tone.tsx'
import { call } from './calls.ts'
import { RecoveryKeyInput } from './recovery-key-input.tsx'
import css from './rescue.module.css'

const TABLE_NAMES: Readonly<Record<string, string>> = textsOf(
  'ui.rescue.chosen.tables',
  ...(['studies', 'reports', 'imageStudies', 'users'] as const),
  ...(['devices', 'expressCustomers', 'auditEntries'] as const),
)

/** What the chosen backup holds, the key where it needs one, and the one button. */
export function SelectedBackup(props: {
  backup: BackupEntry
  folder: string | undefined
  onBegun: () => void
}) {
  const { backup, folder, onBegun } = props
  const { name, madeAt } = backup
  // Here, not in its form, which is away while a key is tried.
  const [typed, setTyped] = useState('')
  const [recoveryKey, setRecoveryKey] = useState('')
  const [isAsking, setIsAsking] = useState(false)
  const from = {
    name,
    ...(folder !== undefined && { folder }),
    ...(recoveryKey !== '' && { recoveryKey }),
  }
  const preview = useQuery<RestorePreview, ProblemError>({
    queryKey: [dashboardRescue.preview.path, from],
    queryFn: ({ signal }) => call(dashboardRescue.preview, { body: from }, signal),
    // Nothing of a key stays in the memory of the page for longer than it is looked at.
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const restore = useMutation<unknown, ProblemError, void>({
    mutationFn: () => call(dashboardRescue.restore, { body: from }),
    onSuccess: onBegun,
    onError: () => setIsAsking(false),
  })
  const when = clockText(madeAt, undefined, new Date())
  const found = preview.data
  const needsKey = found?.opensWith === 'recovery-key'
  const opens =
    found !== undefined &&
    found.fault === null &&
    (found.opensWith === 'own' || (needsKey && recoveryKey !== ''))
  const keyFault =
    needsKey && recoveryKey !== '' && found.fault ? translateMessage(found.fault) : undefined
  return (
    <Panel title={t('ui.rescue.chosen.title', { when })}>
      <Stack gap="sm">
        {preview.isPending && <LoadingPlaceholder rows={2} />}
        {preview.error && (
          <ErrorNotice error={preview.error} onRetry={() => void preview.refetch()} />
        )}
        {found && <BackupContents preview={found} />}
        {found?.fault && !needsKey && (
          <Notice tone="danger" title={t('ui.rescue.chosen.cannot')}>
            {translateMessage(found.fault)}
          </Notice>
        )}
        {needsKey && !opens && (
          <KeyForm
            typed={typed}
            onTyped={setTyped}
            fault={keyFault}
            isTrying={preview.isFetching}
            onKey={setRecoveryKey}
          />
        )}
        {needsKey && opens && <Notice tone="good">{t('ui.rescue.chosen.keyFits')}</Notice>}
        {restore.error && <ErrorNotice error={restore.error} />}
        {opens && (
          <Group>
            <Button
              size="md"
              leftSection={<IconDatabaseImport size={18} />}
              onClick={() => setIsAsking(true)}
            >
              {t('ui.rescue.chosen.put')}
            </Button>
          </Group>
        )}
      </Stack>
      <RestoreConfirmation
        title={t('ui.rescue.chosen.ask', { when })}
        isOpen={isAsking}
        isBusy={restore.isPending}
        onPut={() => restore.mutate()}
        onClose={() => setIsAsking(false)}
      />
    </Panel>
  )
}

function KeyForm(props: {
  typed: string
  onTyped: (typed: string) => void
  fault: string | undefined
  isTrying: boolean
  onKey: (key: string) => void
}) {
  const { typed, onTyped, fault, isTrying, onKey } = props
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onKey(typed.trim())
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text>{t('ui.rescue.chosen.needsKey')}</Text>
        <RecoveryKeyInput value={typed} onChange={onTyped} error={fault} />
        <Group>
          <Button type="submit" variant="default" loading={isTrying} disabled={typed.trim() === ''}>
            {t('ui.rescue.chosen.tryKey')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** What putting it back loses, before it is begun. */
function RestoreConfirmation(props: {
  title: string
  isOpen: boolean
  isBusy: boolean
  onPut: () => void
  onClose: () => void
}) {
  const { title, isOpen, isBusy, onPut, onClose } = props
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <Text>{t('ui.rescue.chosen.lost')}</Text>
        <Text>{t('ui.rescue.chosen.kept')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('ui.rescue.chosen.notYet')}
          </Button>
          <Button loading={isBusy} onClick={onPut}>
            {t('ui.rescue.chosen.put')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function BackupContents({ preview }: { preview: RestorePreview }) {
  const known = Object.entries(TABLE_NAMES).flatMap(([table, label]) => {
    const row = preview.rows.find((one) => one.table === table)
    return row ? [{ label, count: row.inBackup }] : []
  })
  return (
    <dl className={css.holds}>
      {known.map(({ label, count }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="tabular">{numberText(count)}</dd>
        </div>
      ))}
    </dl>
  )
}
