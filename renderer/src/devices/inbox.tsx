import { Button, Checkbox, Text, TextInput, Tooltip } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { IconCheck } from '@tabler/icons-react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { UnknownCaller } from '#shared/contract/devices.ts'
import { faultsByField } from '../client.ts'
import { Clock } from '../components/clock.tsx'
import { Failed, Panel } from '../components/page.tsx'
import { useReply, useSend } from '../gateway.ts'
import { useLive } from '../live.ts'
import { nameOf } from './device-name.ts'
import css from './devices.module.css'
import { guessModality, guessName } from './guess.ts'
import { servicesText } from './services.ts'
import { words } from './words.ts'

/** Callers that were rejected because nobody knows them, each to be approved or dismissed. */
export function Inbox() {
  const { isOpen } = useLive()
  const callers = useReply(dashboard.callers, {}, isOpen ? {} : { every: 20_000 })
  if (callers.isError && callers.error.code !== 'not-permitted')
    return <Failed error={callers.error} onRetry={() => void callers.refetch()} />
  if (!callers.data || callers.data.callers.length === 0) return null
  return (
    <Panel
      isFlush
      className={css.inbox}
      title={`${words.inbox.title} (${callers.data.callers.length})`}
      aside={
        <Text size="sm" c="dimmed">
          {words.inbox.about}
        </Text>
      }
    >
      {callers.data.callers.map((caller) => (
        <Caller key={`${caller.aeTitle}@${caller.address}`} caller={caller} />
      ))}
    </Panel>
  )
}

function Caller({ caller }: { caller: UnknownCaller }) {
  const { aeTitle, address, calledAeTitle, attempts, lastAt, services } = caller
  const changes = [dashboard.callers, dashboard.devices, dashboard.status]
  const approve = useSend(dashboard.approveCaller, changes)
  const dismiss = useSend(dashboard.dismissCaller, changes)
  const form = useForm({
    initialValues: {
      name: guessName(aeTitle),
      modality: guessModality(aeTitle),
      anyAddress: false,
    },
  })
  const submit = form.onSubmit(({ name, modality, anyAddress }) =>
    approve.mutate(
      { body: { aeTitle, address, name, modality: modality.trim() || null, anyAddress } },
      {
        onSuccess: (device) =>
          notifications.show({
            message: words.inbox.added(nameOf(device)),
            icon: <IconCheck size={18} />,
          }),
        onError: (error) => form.setErrors(faultsByField(error)),
      },
    ),
  )
  const error = approve.error?.errors.length === 0 ? approve.error : dismiss.error
  return (
    <form
      className={css.caller}
      onSubmit={submit}
      aria-label={`${aeTitle} ${words.inbox.from(address)}`}
    >
      <div>
        <div className={css.title}>{aeTitle}</div>
        <Text size="sm">
          {words.inbox.from(address)} · {words.inbox.called(calledAeTitle)}
        </Text>
        <Text size="sm" c="dimmed">
          {words.inbox.attempts(attempts)}, {words.inbox.last} <Clock instant={lastAt} />
        </Text>
        <Text size="sm" c="dimmed" title={services.join(', ')}>
          {words.inbox.wanted}: {servicesText(services)}
        </Text>
      </div>
      <div>
        <div className={css.fields}>
          <TextInput
            label={words.inbox.name}
            placeholder={words.inbox.namePlaceholder}
            maxLength={64}
            {...form.getInputProps('name')}
          />
          <TextInput
            label={words.inbox.modality}
            maxLength={16}
            {...form.getInputProps('modality')}
          />
          <Button type="submit" leftSection={<IconCheck size={16} />} loading={approve.isPending}>
            {words.inbox.approve}
          </Button>
          <Button
            variant="default"
            loading={dismiss.isPending}
            onClick={() => dismiss.mutate({ body: { aeTitle, address } })}
          >
            {words.inbox.dismiss}
          </Button>
        </div>
        <Tooltip label={words.inbox.anyAddressAbout}>
          <Checkbox
            mt={8}
            w="fit-content"
            size="xs"
            label={words.inbox.anyAddress}
            {...form.getInputProps('anyAddress', { type: 'checkbox' })}
          />
        </Tooltip>
        {error && <Failed error={error} />}
      </div>
    </form>
  )
}
