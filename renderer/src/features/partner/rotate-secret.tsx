import { Button, Checkbox, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck } from '@tabler/icons-react'
import { dashboardEvents, type Endpoint } from '#shared/contract/events.ts'
import { useSend } from '../../api/queries.ts'
import { endpointName } from '../../format/endpoint-name.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import { ENDPOINT_CHANGES } from './changes.ts'

/**
 * Another signing secret for an endpoint; the one before goes on beside it for a while, unless it
 * leaked.
 */
export function RotateSecretDialog(props: {
  endpoint: Endpoint
  onMade: (secret: string | null) => void
  onDone: () => void
}) {
  const { endpoint, onMade, onDone } = props
  return (
    <Modal
      opened
      onClose={onDone}
      title={t('ui.partner.rotation.title', { name: endpointName(endpoint) })}
    >
      <Form endpoint={endpoint} onMade={onMade} onDone={onDone} />
    </Modal>
  )
}

function Form(props: {
  endpoint: Endpoint
  onMade: (secret: string | null) => void
  onDone: () => void
}) {
  const { endpoint, onMade, onDone } = props
  const rotate = useSend(dashboardEvents.rotateSecret, ENDPOINT_CHANGES)
  const { form, submit } = useContractForm({
    operation: dashboardEvents.rotateSecret,
    initialValues: { secret: '', endOthersNow: false },
    bodyOf: ({ secret, endOthersNow }) => ({
      endOthersNow,
      ...(secret.trim() && { secret: secret.trim() }),
    }),
    send: (body, onError) =>
      rotate.mutate(
        { params: { endpointId: endpoint.endpointId }, body },
        {
          onSuccess: (reply) => {
            if (reply.secret === null)
              notifications.show({
                message: t('ui.partner.rotation.done'),
                icon: <IconCheck size={18} />,
              })
            onMade(reply.secret)
            onDone()
          },
          onError,
        },
      ),
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text>{t('ui.partner.rotation.about')}</Text>
        <PasswordInput
          label={t('ui.partner.rotation.secret.label')}
          description={t('ui.partner.rotation.secret.description')}
          autoComplete="off"
          maxLength={200}
          data-autofocus
          {...form.getInputProps('secret')}
        />
        <Checkbox
          label={t('ui.partner.rotation.leaked.label')}
          description={t('ui.partner.rotation.leaked.description')}
          {...form.getInputProps('endOthersNow', { type: 'checkbox' })}
        />
        {form.values.endOthersNow && (
          <Notice tone="warning">{t('ui.partner.rotation.leakedWarning')}</Notice>
        )}
        {rotate.error && rotate.error.errors.length === 0 && <ErrorNotice error={rotate.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t('ui.partner.cancel')}
          </Button>
          <Button type="submit" loading={rotate.isPending}>
            {t('ui.partner.rotation.action')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
