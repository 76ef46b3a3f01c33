import { Button, Group, Stack, Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { dashboardRescue } from '#shared/contract/dashboard-backups.ts'
import { faultsByField, type ProblemError } from '../api/client.ts'
import { t } from '../i18n/t.ts'
import { ErrorNotice, Panel } from '../ui/page.tsx'
import { call } from './calls.ts'
import { RecoveryKeyInput } from './recovery-key-input.tsx'

/** Puts the data key back with the recovery key; the database stays as it is. */
export function KeyPanel({ onDone }: { onDone: () => void }) {
  const [recoveryKey, setRecoveryKey] = useState('')
  const put = useMutation<unknown, ProblemError, string>({
    mutationFn: (typed) => call(dashboardRescue.recoverKey, { body: { recoveryKey: typed } }),
    onSuccess: onDone,
  })
  const fault = put.error ? faultsByField(put.error).recoveryKey : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    put.mutate(recoveryKey)
  }
  return (
    <Panel title={t('ui.rescue.key.title')}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text>{t('ui.rescue.key.text')}</Text>
          <RecoveryKeyInput value={recoveryKey} onChange={setRecoveryKey} error={fault} />
          {put.error && fault === undefined && <ErrorNotice error={put.error} />}
          <Group>
            <Button
              type="submit"
              leftSection={<IconKey size={16} />}
              loading={put.isPending}
              disabled={recoveryKey.trim() === ''}
            >
              {t('ui.rescue.key.put')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
