import { Button, Checkbox, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { IconCheck } from '@tabler/icons-react'
import { dashboardEvents, type Endpoint } from '#shared/contract/events.ts'
import { faultsByField } from '../client.ts'
import { Failed } from '../components/page.tsx'
import { Notice } from '../components/tone.tsx'
import { endpointName } from '../display/endpoint-name.ts'
import { useSend } from '../gateway.ts'
import { ENDPOINT_CHANGES } from './changes.ts'
import { words } from './words.ts'

const { rotation: texts } = words

/**
 * Another signing secret for an endpoint; the one before goes on beside it for a while, unless it
 * leaked.
 */
export function RotateSecret(props: {
  endpoint: Endpoint
  onMade: (secret: string | null) => void
  onDone: () => void
}) {
  const { endpoint, onMade, onDone } = props
  return (
    <Modal opened onClose={onDone} title={texts.title(endpointName(endpoint))}>
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
  const form = useForm({ initialValues: { secret: '', endOthersNow: false } })
  const submit = form.onSubmit(({ secret, endOthersNow }) =>
    rotate.mutate(
      {
        params: { endpointId: endpoint.endpointId },
        body: { endOthersNow, ...(secret.trim() && { secret: secret.trim() }) },
      },
      {
        onSuccess: (reply) => {
          if (reply.secret === null)
            notifications.show({ message: texts.done, icon: <IconCheck size={18} /> })
          onMade(reply.secret)
          onDone()
        },
        onError: (error) => form.setErrors(faultsByField(error)),
      },
    ),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text>{texts.about}</Text>
        <PasswordInput
          label={texts.secret[0]}
          description={texts.secret[1]}
          autoComplete="off"
          maxLength={200}
          data-autofocus
          {...form.getInputProps('secret')}
        />
        <Checkbox
          label={texts.leaked[0]}
          description={texts.leaked[1]}
          {...form.getInputProps('endOthersNow', { type: 'checkbox' })}
        />
        {form.values.endOthersNow && <Notice tone="warning">{texts.leakedWarning}</Notice>}
        {rotate.error && rotate.error.errors.length === 0 && <Failed error={rotate.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={rotate.isPending}>
            {texts.action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
