import { Button, Group, List, Modal, Stack, TextInput } from '@mantine/core'
import { dashboard } from '#shared/contract/dashboard.ts'
import { useSend } from '../../api/queries.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ErrorNotice } from '../../ui/page.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'

/** Asks why the switch is turned. */
export function DowntimeDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t('ui.dashboard.downtimeAsk.title')}>
      <DowntimeForm onDone={onClose} />
    </Modal>
  )
}

function DowntimeForm({ onDone }: { onDone: () => void }) {
  const about = Object.values(textsOf('ui.dashboard.downtimeAsk.about', '0', '1', '2'))
  const start = useSend(dashboard.startDowntime, [dashboard.status])
  const { form, submit } = useContractForm({
    operation: dashboard.startDowntime,
    initialValues: { reason: '' },
    bodyOf: (values) => values,
    send: (body, onError) => start.mutate({ body }, { onSuccess: onDone, onError }),
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <List size="sm" spacing={6}>
          {about.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
        <TextInput
          label={t('ui.dashboard.downtimeAsk.reason')}
          description={t('ui.dashboard.downtimeAsk.reasonAbout')}
          placeholder={t('ui.dashboard.downtimeAsk.example')}
          required
          minLength={3}
          maxLength={200}
          data-autofocus
          {...form.getInputProps('reason')}
        />
        {start.error && start.error.errors.length === 0 && <ErrorNotice error={start.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t('ui.dashboard.downtimeAsk.cancel')}
          </Button>
          <Button type="submit" loading={start.isPending}>
            {t('ui.dashboard.downtimeStart')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
