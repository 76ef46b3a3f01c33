import {
  Button,
  Checkbox,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboard, type Partner as PartnerRow } from '#shared/contract/dashboard.ts'
import { faultsByField } from '../client.ts'
import { Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { Notice, Tag } from '../components/tone.tsx'
import { EVENT_NAMES } from '../display/event-types.ts'
import { useReply, useSend } from '../gateway.ts'
import { ENDPOINT_CHANGES } from './changes.ts'
import { Endpoints } from './endpoints.tsx'
import { NewSecret } from './new-secret.tsx'
import { TestResult } from './test-result.tsx'
import { words } from './words.ts'

/** Where the gateway asks, how it proves who it is, and whether that works. */
export function Partner() {
  const partner = useReply(dashboard.partner, {})
  return (
    <Page title={words.title} about={words.about}>
      {partner.isPending && <Waiting rows={5} />}
      {partner.isError && <Failed error={partner.error} onRetry={() => void partner.refetch()} />}
      {partner.data && (
        <div
          style={{
            display: 'grid',
            gridTemplateColumns: 'repeat(auto-fit, minmax(360px, 1fr))',
            gap: 16,
            alignItems: 'start',
          }}
        >
          <Endpoint key={partner.data.url ?? 'unset'} partner={partner.data} />
          <Stack>
            <Test isReady={partner.data.url !== null} />
            <Panel title={words.events}>
              {partner.data.events.length === 0 ? (
                <Text c="dimmed">{words.noEvents}</Text>
              ) : (
                <Stack gap={4}>
                  {partner.data.events.map((event) => (
                    <Tooltip key={event} label={EVENT_NAMES[event].about} position="left">
                      <span>
                        {EVENT_NAMES[event].name} <span className="mono">({event})</span>
                      </span>
                    </Tooltip>
                  ))}
                </Stack>
              )}
            </Panel>
          </Stack>
        </div>
      )}
      {partner.data?.url && <Endpoints />}
    </Page>
  )
}

function Endpoint({ partner }: { partner: PartnerRow }) {
  const save = useSend(dashboard.setPartner, ENDPOINT_CHANGES)
  const [secret, setSecret] = useState<string | null>(null)
  const form = useForm({
    initialValues: { url: partner.url ?? '', secret: '', allowPlaintext: partner.allowsPlaintext },
  })
  const submit = form.onSubmit((values) =>
    save.mutate(
      {
        body: {
          url: values.url.trim(),
          allowPlaintext: values.allowPlaintext,
          ...(values.secret.trim() && { secret: values.secret.trim() }),
        },
      },
      {
        onSuccess: (reply) => {
          form.setFieldValue('secret', '')
          setSecret(reply.secret)
          if (reply.secret === null)
            notifications.show({ message: words.saved, icon: <IconCheck size={18} /> })
        },
        onError: (error) => form.setErrors(faultsByField(error)),
      },
    ),
  )
  const isPlain = /^http:/i.test(form.values.url.trim())
  return (
    <Panel
      title={words.setUp}
      aside={
        <Tag tone={partner.hasSecret ? 'good' : 'plain'}>
          {partner.hasSecret ? words.secretSet : words.secretUnset}
        </Tag>
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={words.url[0]}
            description={words.url[1]}
            placeholder="https://"
            inputMode="url"
            required
            {...form.getInputProps('url')}
          />
          <PasswordInput
            label={words.secret[0]}
            description={`${words.secret[1]} ${partner.hasSecret ? words.secretKept : words.secretMade}`}
            placeholder={partner.hasSecret ? '••••••••••••' : ''}
            autoComplete="off"
            maxLength={200}
            {...form.getInputProps('secret')}
          />
          <Checkbox
            label={words.plaintext[0]}
            description={words.plaintext[1]}
            {...form.getInputProps('allowPlaintext', { type: 'checkbox' })}
          />
          {isPlain && <Notice tone="warning">{words.needsPlaintext}</Notice>}
          {save.error && save.error.errors.length === 0 && <Failed error={save.error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={save.isPending}>
              {words.save}
            </Button>
          </Group>
        </Stack>
      </form>
      <NewSecret secret={secret} onClose={() => setSecret(null)} />
    </Panel>
  )
}

function Test({ isReady }: { isReady: boolean }) {
  const test = useSend(dashboard.testPartner, [dashboard.status])
  const { title, about, button, good, bad, first } = words.test
  return (
    <Panel title={title}>
      <Stack align="flex-start">
        <Text size="sm" c="dimmed">
          {isReady ? about : first}
        </Text>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} />}
          disabled={!isReady}
          loading={test.isPending}
          onClick={() => test.mutate({})}
        >
          {button}
        </Button>
        <TestResult test={test} good={good} bad={bad} />
      </Stack>
    </Panel>
  )
}
