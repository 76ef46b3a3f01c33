import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { dashboardEvents, type Endpoint } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { useSend } from '../../api/queries.ts'
import { endpointName } from '../../format/endpoint-name.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../../format/event-types.ts'
import { t } from '../../i18n/t.ts'
import { TestResult } from './test-result.tsx'

/** Sends one event with invented data to an endpoint and says what came back. */
export function TestEvent({ endpoint, onDone }: { endpoint: Endpoint; onDone: () => void }) {
  return (
    <Modal
      opened
      onClose={onDone}
      title={t('ui.partner.testing.title', { name: endpointName(endpoint) })}
    >
      <Form endpoint={endpoint} onDone={onDone} />
    </Modal>
  )
}

function Form({ endpoint, onDone }: { endpoint: Endpoint; onDone: () => void }) {
  const receivedEvents = EVENT_ORDER.filter((event) => endpoint.events.includes(event))
  const [type, setType] = useState<EventType | undefined>(receivedEvents[0])
  const test = useSend(dashboardEvents.test, [dashboardEvents.list])
  return (
    <Stack>
      <Text>{t('ui.partner.testing.about')}</Text>
      <Select
        label={t('ui.partner.testing.event')}
        description={type && EVENT_NAMES[type].about}
        allowDeselect={false}
        data={receivedEvents.map((value) => ({ value, label: EVENT_NAMES[value].name }))}
        value={type ?? null}
        onChange={(value) => {
          if (value) setType(value as EventType)
          test.reset()
        }}
      />
      <TestResult test={test} good={t('ui.partner.testing.good')} bad={t('ui.partner.testing.bad')}>
        {test.data && (
          <Link to="/events/$eventId" params={{ eventId: test.data.eventId }}>
            {t('ui.partner.testing.open')}
          </Link>
        )}
      </TestResult>
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {t('ui.partner.close')}
        </Button>
        <Button
          leftSection={<IconPlugConnected size={16} />}
          loading={test.isPending}
          disabled={type === undefined}
          onClick={() => type && test.mutate({ body: { type, endpointId: endpoint.endpointId } })}
        >
          {t('ui.partner.testing.action')}
        </Button>
      </Group>
    </Stack>
  )
}
