import { Button, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Downtime } from '#shared/contract/worklist.ts'
import { faultsByField } from '../client.ts'
import { Clock } from '../components/clock.tsx'
import { Facts, Failed, Panel } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { useSend } from '../gateway.ts'
import { words } from './words.ts'

/** The switch that serves the last good answer for longer, with who turned it and until when. */
export function DowntimePanel({ downtime }: { downtime: Downtime }) {
  const [isAsking, setIsAsking] = useState(false)
  const end = useSend(dashboard.endDowntime, [dashboard.status])
  const { by, since, until, reason } = words.downtimeFacts
  return (
    <Panel title={words.downtime} aside={<Tag tone={downtime.isOn ? 'warning' : 'plain'}>{downtime.isOn ? words.on : words.off}</Tag>}>
      <Stack gap={10} align="flex-start">
        {downtime.isOn ? (
          <>
            <Text size="sm">{words.downtimeOn}</Text>
            <Facts
              facts={[
                [by, downtime.userName],
                [since, downtime.since ? <Clock key="since" instant={downtime.since} /> : ''],
                [until, downtime.until ? <Clock key="until" instant={downtime.until} /> : ''],
                [reason, downtime.reason],
              ]}
            />
            {end.error && <Failed error={end.error} />}
            <Button loading={end.isPending} onClick={() => end.mutate({})}>
              {words.downtimeEnd}
            </Button>
          </>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {words.downtimeOff}
            </Text>
            <Button variant="default" onClick={() => setIsAsking(true)}>
              {words.downtimeStart}…
            </Button>
          </>
        )}
      </Stack>
      <Modal opened={isAsking} onClose={() => setIsAsking(false)} title={words.downtimeAsk.title}>
        <Ask onDone={() => setIsAsking(false)} />
      </Modal>
    </Panel>
  )
}

function Ask({ onDone }: { onDone: () => void }) {
  const { about, reason, reasonAbout, example, cancel } = words.downtimeAsk
  const start = useSend(dashboard.startDowntime, [dashboard.status])
  const form = useForm({ initialValues: { reason: '' } })
  const submit = form.onSubmit((body) =>
    start.mutate({ body }, { onSuccess: onDone, onError: (error) => form.setErrors(faultsByField(error)) }),
  )
  return (
    <form onSubmit={submit}>
      <Stack>
        <List size="sm" spacing={6}>
          {about.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
        <TextInput
          label={reason}
          description={reasonAbout}
          placeholder={example}
          required
          minLength={3}
          maxLength={200}
          data-autofocus
          {...form.getInputProps('reason')}
        />
        {start.error && start.error.errors.length === 0 && <Failed error={start.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {cancel}
          </Button>
          <Button type="submit" loading={start.isPending}>
            {words.downtimeStart}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
