import {
  Checkbox,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardEvents, type Endpoint } from '#shared/contract/events.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { EVENT_NAMES, EVENT_ORDER } from '../../format/event-types.ts'
import { t } from '../../i18n/t.ts'
import { fieldTexts } from '../../ui/field-texts.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { FormPart } from '../../ui/form-part.tsx'
import { topField, useContractForm } from '../../ui/use-contract-form.ts'
import { ENDPOINT_CHANGES } from './changes.ts'
import { type EndpointValues, hostOf, newEndpointOf, patchOf, valuesOf } from './endpoint-values.ts'

const told = fieldTexts('ui.partner.form')

/** Adds an endpoint, or changes one. `onMade` gets the secret that was made for it. */
export function EndpointForm(props: {
  endpoint: Endpoint | null
  onMade: (secret: string | null) => void
  onDone: () => void
}) {
  const { endpoint, onMade, onDone } = props
  const add = useSend(dashboardEvents.addEndpoint, ENDPOINT_CHANGES)
  const change = useSend(dashboardEvents.changeEndpoint, ENDPOINT_CHANGES)
  const keys = useReply(dashboardPeople.apiKeys, {}, { enabled: endpoint === null })
  const { form, submit } = useContractForm({
    operation: endpoint ? dashboardEvents.changeEndpoint : dashboardEvents.addEndpoint,
    initialValues: valuesOf(endpoint),
    bodyOf: endpoint ? patchOf : newEndpointOf,
    check: ({ url }) => (URL.canParse(url.trim()) ? {} : { url: t('ui.partner.form.noUrl') }),
    // A fault inside a list is shown at the list.
    fieldOf: topField,
    send(body, onError) {
      if (endpoint) {
        change.mutate(
          { params: { endpointId: endpoint.endpointId }, body },
          { onSuccess: onDone, onError },
        )
      } else {
        const onSuccess = ({ secret }: { secret: string | null }) => {
          onMade(secret)
          onDone()
        }
        add.mutate({ body: body as ReturnType<typeof newEndpointOf> }, { onSuccess, onError })
      }
    },
  })
  const error = add.error ?? change.error
  const open = keys.data?.apiKeys.filter(({ revokedAt }) => revokedAt === null) ?? []

  return (
    <form onSubmit={submit} noValidate>
      <FormPart title={t('ui.partner.form.where')}>
        <TextInput
          {...told('name')}
          data-autofocus
          maxLength={64}
          {...form.getInputProps('name')}
        />
        <TextInput
          {...told('url')}
          required
          inputMode="url"
          placeholder="https://"
          {...form.getInputProps('url')}
        />
        <Switch
          {...told('allowPlaintext')}
          {...form.getInputProps('allowPlaintext', { type: 'checkbox' })}
        />
        {!endpoint && (
          <PasswordInput
            {...told('secret')}
            autoComplete="off"
            maxLength={200}
            {...form.getInputProps('secret')}
          />
        )}
      </FormPart>
      <FormPart title={t('ui.partner.form.what')}>
        {!endpoint && (
          <Select
            {...told('apiKeyId')}
            allowDeselect={false}
            data={[
              { value: '', label: t('ui.partner.allStudies') },
              ...open.map(({ apiKeyId, description }) => ({ value: apiKeyId, label: description })),
            ]}
            {...form.getInputProps('apiKeyId')}
          />
        )}
        <Checkbox.Group {...told('events')} {...form.getInputProps('events')}>
          <Stack gap={8} mt={8}>
            {EVENT_ORDER.map((event) => (
              <Checkbox
                key={event}
                value={event}
                label={EVENT_NAMES[event].name}
                description={EVENT_NAMES[event].about}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      </FormPart>
      <FormPart title={t('ui.partner.form.files')}>
        <TagsInput
          {...told('fileHosts')}
          placeholder={form.values.fileHosts.length === 0 ? 'files.partner.example' : ''}
          acceptValueOnBlur
          splitChars={[',', ' ']}
          {...form.getInputProps('fileHosts')}
          onChange={(hosts) => form.setFieldValue('fileHosts', [...new Set(hosts.map(hostOf))])}
        />
      </FormPart>
      {form.values.events.length > 0 && <TimeLimitFields form={form} />}
      <FormEnd
        error={error}
        cancel={t('ui.partner.cancel')}
        submit={endpoint ? t('ui.partner.save') : t('ui.partner.add')}
        isBusy={add.isPending || change.isPending}
        onCancel={onDone}
      />
    </form>
  )
}

/**
 * How long the partner may take for each event it gets; what every endpoint has where nothing is
 * said.
 */
function TimeLimitFields({ form }: { form: UseFormReturnType<EndpointValues> }) {
  const { events, budgets } = form.values
  return (
    <FormPart title={t('ui.partner.form.times')}>
      {EVENT_ORDER.filter((event) => events.includes(event)).map((event) => (
        <NumberInput
          key={event}
          label={EVENT_NAMES[event].name}
          placeholder={t('ui.partner.form.usual')}
          suffix=" s"
          min={0.5}
          max={120}
          step={1}
          decimalScale={1}
          value={budgets[event] ?? ''}
          onChange={(seconds) => form.setFieldValue('budgets', { ...budgets, [event]: seconds })}
        />
      ))}
    </FormPart>
  )
}
