import { Button, Checkbox, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import {
  type ApiKeyRow,
  dashboardPeople,
  EVENT_ACCESS,
  type EventAccess,
} from '#shared/contract/dashboard-people.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice } from '../../ui/page.tsx'
import { showDone } from '../../ui/undo.tsx'

/** What a key may see and manage of its own. */
export type SelfService = Pick<ApiKeyRow, 'eventAccess' | 'seesClinicEvents' | 'managesEndpoints'>

export const NO_SELF_SERVICE: SelfService = {
  eventAccess: 'none',
  seesClinicEvents: false,
  managesEndpoints: false,
}

interface FieldsProps {
  readonly value: SelfService
  readonly onChange: (value: SelfService) => void
}

/** The rights of a key to its own events and endpoints. */
export function SelfServiceFields({ value, onChange }: FieldsProps) {
  return (
    <>
      <Select
        label={t('ui.api-keys.selfService.label')}
        description={t('ui.api-keys.selfService.about')}
        allowDeselect={false}
        data={EVENT_ACCESS.map((access) => ({
          value: access,
          label: t(`ui.api-keys.selfService.access.${access}`),
        }))}
        value={value.eventAccess}
        onChange={(access) => onChange({ ...value, eventAccess: access as EventAccess })}
      />
      <Checkbox
        label={t('ui.api-keys.selfService.clinic.label')}
        description={t('ui.api-keys.selfService.clinic.description')}
        disabled={value.eventAccess === 'none'}
        checked={value.seesClinicEvents && value.eventAccess !== 'none'}
        onChange={(event) => onChange({ ...value, seesClinicEvents: event.currentTarget.checked })}
      />
      <Checkbox
        label={t('ui.api-keys.selfService.endpoints.label')}
        description={t('ui.api-keys.selfService.endpoints.description')}
        checked={value.managesEndpoints}
        onChange={(event) => onChange({ ...value, managesEndpoints: event.currentTarget.checked })}
      />
    </>
  )
}

/** Changes what a key may see and manage of its own. */
export function SelfServiceForm({ apiKey, onDone }: { apiKey: ApiKeyRow; onDone: () => void }) {
  const change = useSend(dashboardPeople.changeApiKey, [dashboardPeople.apiKeys])
  const { apiKeyId, description, eventAccess, seesClinicEvents, managesEndpoints } = apiKey
  const [rights, setRights] = useState<SelfService>({
    eventAccess,
    seesClinicEvents,
    managesEndpoints,
  })
  const save = () =>
    change.mutate(
      { params: { apiKeyId }, body: rights },
      {
        onSuccess() {
          showDone(t('ui.api-keys.selfService.done', { name: description }))
          onDone()
        },
      },
    )
  return (
    <Modal
      opened
      onClose={onDone}
      title={t('ui.api-keys.selfService.title', { name: description })}
    >
      <Stack>
        <Text>{t('ui.api-keys.selfService.text')}</Text>
        <SelfServiceFields value={rights} onChange={setRights} />
        {change.error && <ErrorNotice error={change.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t('ui.api-keys.form.cancel')}
          </Button>
          <Button loading={change.isPending} onClick={save}>
            {t('ui.api-keys.selfService.save')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** What a key may see and manage of its own, in the list of keys. */
export function SelfServiceSummary({ apiKey }: { apiKey: ApiKeyRow }) {
  const { eventAccess, seesClinicEvents, managesEndpoints } = apiKey
  const lines = [
    ...(eventAccess === 'none' ? [] : [t(`ui.api-keys.selfService.may.${eventAccess}`)]),
    ...(eventAccess !== 'none' && seesClinicEvents
      ? [t('ui.api-keys.selfService.may.clinic')]
      : []),
    ...(managesEndpoints ? [t('ui.api-keys.selfService.may.endpoints')] : []),
  ]
  return lines.map((line) => (
    <Text key={line} fz="sm" c="dimmed">
      {line}
    </Text>
  ))
}
