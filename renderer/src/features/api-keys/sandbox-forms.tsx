import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core'
import { dashboardSandbox } from '#shared/contract/sandbox.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice } from '../../ui/page.tsx'
import { showDone } from '../../ui/undo.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'

const CHANGES = [dashboardSandbox.read]

interface FormProps {
  /** Receives what is shown once. */
  readonly onMade: (secret: string | null) => void
  readonly onDone: () => void
}

/** Creates a test key. */
export function SandboxKeyForm({ onMade, onDone }: FormProps) {
  const create = useSend(dashboardSandbox.createKey, CHANGES)
  const { form, submit } = useContractForm({
    operation: dashboardSandbox.createKey,
    initialValues: { description: '' },
    bodyOf: (values) => values,
    send(body, onError) {
      const onSuccess = ({ key }: { key: string }) => {
        onDone()
        onMade(key)
      }
      create.mutate({ body }, { onSuccess, onError })
    },
  })
  return (
    <Modal opened onClose={onDone} title={t('ui.api-keys.sandbox.formTitle')}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t('ui.api-keys.form.description.label')}
            description={t('ui.api-keys.sandbox.formDescription')}
            required
            maxLength={200}
            data-autofocus
            {...form.getInputProps('description')}
          />
          {create.error && create.error.errors.length === 0 && <ErrorNotice error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onDone}>
              {t('ui.api-keys.form.cancel')}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {t('ui.api-keys.sandbox.add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Sets the address that the events of the sandbox are sent to. */
export function SandboxWebhookForm({ onMade, onDone }: FormProps) {
  const set = useSend(dashboardSandbox.setWebhook, CHANGES)
  const { form, submit } = useContractForm({
    operation: dashboardSandbox.setWebhook,
    initialValues: { url: '', allowPlaintext: false },
    bodyOf: (values) => values,
    send(body, onError) {
      const onSuccess = ({ secret }: { secret: string | null }) => {
        showDone(t('ui.api-keys.sandbox.webhookDone'))
        onDone()
        onMade(secret)
      }
      set.mutate({ body }, { onSuccess, onError })
    },
  })
  return (
    <Modal opened onClose={onDone} title={t('ui.api-keys.sandbox.webhookTitle')}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t('ui.api-keys.sandbox.webhookUrl')}
            description={t('ui.api-keys.sandbox.webhookUrlAbout')}
            required
            data-autofocus
            {...form.getInputProps('url')}
          />
          <Checkbox
            label={t('ui.api-keys.sandbox.plaintext')}
            {...form.getInputProps('allowPlaintext', { type: 'checkbox' })}
          />
          {set.error && set.error.errors.length === 0 && <ErrorNotice error={set.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onDone}>
              {t('ui.api-keys.form.cancel')}
            </Button>
            <Button type="submit" loading={set.isPending}>
              {t('ui.api-keys.sandbox.webhookSave')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
