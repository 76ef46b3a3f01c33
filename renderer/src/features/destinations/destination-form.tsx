import { NumberInput, SimpleGrid, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { type Destination, dashboardDestinations } from '#shared/contract/destinations.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { fieldTexts } from '../../ui/field-texts.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { FormPart } from '../../ui/form-part.tsx'
import { topField, useContractForm } from '../../ui/use-contract-form.ts'

const told = fieldTexts('ui.destinations.form')

interface Values {
  name: string
  aeTitle: string
  host: string
  port: number | string
  isTls: boolean
  certificate: string
  isEnabled: boolean
  isAutomatic: boolean
  modalities: string[]
  hasPriors: boolean
  confirmsStorage: boolean
}

/** Adds a destination, or changes one. */
export function DestinationForm({
  destination,
  onDone,
}: {
  destination: Destination | null
  onDone: () => void
}) {
  const add = useSend(dashboardDestinations.add, [dashboardDestinations.list])
  const update = useSend(dashboardDestinations.update, [dashboardDestinations.list])
  const { form, submit } = useContractForm({
    operation: dashboardDestinations.add,
    initialValues: valuesOf(destination),
    bodyOf,
    // A fault of one modality is shown at the list of them.
    fieldOf: topField,
    send(body, onError) {
      const callbacks = { onSuccess: onDone, onError }
      if (destination)
        update.mutate({ params: { destinationId: destination.destinationId }, body }, callbacks)
      else add.mutate({ body }, callbacks)
    },
  })

  return (
    <form onSubmit={submit} noValidate>
      <FormPart title={t('ui.destinations.form.who')}>
        <TextInput
          {...told('name')}
          data-autofocus
          required
          maxLength={64}
          {...form.getInputProps('name')}
        />
        <TextInput
          {...told('aeTitle')}
          required
          maxLength={16}
          {...form.getInputProps('aeTitle')}
        />
        <SimpleGrid cols={2}>
          <TextInput {...told('host')} required maxLength={253} {...form.getInputProps('host')} />
          <NumberInput
            {...told('port')}
            required
            min={1}
            max={65_535}
            allowDecimal={false}
            hideControls
            {...form.getInputProps('port')}
          />
        </SimpleGrid>
        <Switch {...told('isEnabled')} {...form.getInputProps('isEnabled', { type: 'checkbox' })} />
      </FormPart>
      <FormPart title={t('ui.destinations.form.what')}>
        <Switch
          {...told('isAutomatic')}
          {...form.getInputProps('isAutomatic', { type: 'checkbox' })}
        />
        {form.values.isAutomatic && (
          <TagsInput
            {...told('modalities')}
            placeholder={
              form.values.modalities.length === 0
                ? t('ui.destinations.form.modalitiesPlaceholder')
                : ''
            }
            acceptValueOnBlur
            {...form.getInputProps('modalities')}
          />
        )}
        <Switch {...told('hasPriors')} {...form.getInputProps('hasPriors', { type: 'checkbox' })} />
        <Switch
          {...told('confirmsStorage')}
          {...form.getInputProps('confirmsStorage', { type: 'checkbox' })}
        />
      </FormPart>
      <FormPart title={t('ui.destinations.form.security')}>
        <Switch {...told('isTls')} {...form.getInputProps('isTls', { type: 'checkbox' })} />
        {form.values.isTls && (
          <Textarea
            {...told('certificate')}
            autosize
            minRows={3}
            maxRows={8}
            classNames={{ input: 'mono' }}
            {...form.getInputProps('certificate')}
          />
        )}
      </FormPart>
      <FormEnd
        error={add.error ?? update.error}
        cancel={t('ui.destinations.form.cancel')}
        submit={destination ? t('ui.destinations.form.save') : t('ui.destinations.form.add')}
        isBusy={add.isPending || update.isPending}
        onCancel={onDone}
      />
    </form>
  )
}

/** What the form begins with. @param destination null for a new one */
const valuesOf = (destination: Destination | null): Values => ({
  name: destination?.name ?? '',
  aeTitle: destination?.aeTitle ?? '',
  host: destination?.host ?? '',
  port: destination?.port ?? 104,
  isTls: destination?.isTls ?? false,
  certificate: destination?.certificate ?? '',
  isEnabled: destination?.isEnabled ?? true,
  isAutomatic: destination?.isAutomatic ?? false,
  modalities: destination?.modalities ?? [],
  hasPriors: destination?.hasPriors ?? false,
  confirmsStorage: destination?.confirmsStorage ?? false,
})

const bodyOf = (values: Values) => ({
  ...values,
  port: Number(values.port),
  certificate: values.certificate.trim() || null,
})
