import { NumberInput, Select, SimpleGrid, Switch, Text, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { dashboard } from '#shared/contract/dashboard.ts'
import {
  CHARACTER_SETS,
  type CharacterSet,
  DEVICE_PROFILES,
  type Device,
} from '#shared/contract/devices.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { fieldTexts } from '../../ui/field-texts.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { FormPart } from '../../ui/form-part.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import { bodyOf, type DeviceValues, valuesOf } from './device-values.ts'
import { retrievalOptions } from './retrieval.ts'
import { SameAeTitleNotice } from './same-ae-title-notice.tsx'

const told = fieldTexts('ui.devices.form')
const CHANGES = [dashboard.devices, dashboard.status, dashboard.callers]

/** Adds a device, or changes one. */
export function DeviceForm({ device, onDone }: { device: Device | null; onDone: () => void }) {
  const add = useSend(dashboard.addDevice, CHANGES)
  const update = useSend(dashboard.updateDevice, CHANGES)
  const { form, submit } = useContractForm({
    operation: dashboard.addDevice,
    initialValues: valuesOf(device),
    bodyOf,
    send(body, onError) {
      const callbacks = { onSuccess: onDone, onError }
      if (device) update.mutate({ params: { deviceId: device.deviceId }, body }, callbacks)
      else add.mutate({ body }, callbacks)
    },
  })

  return (
    <form onSubmit={submit} noValidate>
      <Identity form={form} deviceId={device?.deviceId} />
      <Answers form={form} />
      <ConsoleFields form={form} />
      <Retrieval form={form} />
      <LimitFields form={form} />
      <EncryptionFields form={form} />
      <FormEnd
        error={add.error ?? update.error}
        cancel={t('ui.devices.form.cancel')}
        submit={device ? t('ui.devices.form.save') : t('ui.devices.form.add')}
        isBusy={add.isPending || update.isPending}
        onCancel={onDone}
      />
    </form>
  )
}

interface FormPartProps {
  readonly form: UseFormReturnType<DeviceValues>
}

const Identity = ({
  form,
  deviceId,
}: FormPartProps & { readonly deviceId: string | undefined }) => (
  <FormPart title={t('ui.devices.form.who')}>
    <TextInput {...told('name')} data-autofocus maxLength={64} {...form.getInputProps('name')} />
    <TextInput {...told('aeTitle')} maxLength={16} required {...form.getInputProps('aeTitle')} />
    <TextInput {...told('modality')} maxLength={16} {...form.getInputProps('modality')} />
    <TextInput {...told('address')} {...form.getInputProps('address')} />
    <SameAeTitleNotice
      aeTitle={form.values.aeTitle}
      address={form.values.address.trim() || null}
      {...(deviceId && { deviceId })}
    />
    <NumberInput
      {...told('port')}
      min={1}
      max={65_535}
      allowDecimal={false}
      hideControls
      {...form.getInputProps('port')}
    />
    <Switch {...told('isEnabled')} {...form.getInputProps('isEnabled', { type: 'checkbox' })} />
  </FormPart>
)

const Answers = ({ form }: FormPartProps) => (
  <FormPart title={t('ui.devices.form.answers')}>
    <Select
      {...told('characterSet')}
      placeholder={t('ui.devices.byRow')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('ui.devices.byRow') }}
      data={CHARACTER_SETS.map((set) => ({ value: set, label: characterSetName(set) }))}
      {...form.getInputProps('characterSet')}
    />
    <Switch
      {...told('alwaysSendCharacterSet')}
      {...form.getInputProps('alwaysSendCharacterSet', { type: 'checkbox' })}
    />
    <Select
      {...told('stationMode')}
      allowDeselect={false}
      data={[
        { value: 'echo', label: t('ui.devices.form.stations.echo') },
        { value: 'strict', label: t('ui.devices.form.stations.strict') },
      ]}
      {...form.getInputProps('stationMode')}
    />
  </FormPart>
)

const ConsoleFields = ({ form }: FormPartProps) => (
  <FormPart title={t('ui.devices.form.console')}>
    <Select
      {...told('profile')}
      allowDeselect={false}
      data={DEVICE_PROFILES.map((profile) => ({
        value: profile,
        label: t(`ui.devices.profiles.${profile}`),
      }))}
      {...form.getInputProps('profile')}
    />
    <Switch {...told('hideStarted')} {...form.getInputProps('hideStarted', { type: 'checkbox' })} />
    <Switch {...told('countsBytes')} {...form.getInputProps('countsBytes', { type: 'checkbox' })} />
  </FormPart>
)

const Retrieval = ({ form }: FormPartProps) => (
  <FormPart title={t('ui.devices.form.retrieving')}>
    <Select
      {...told('retrieval')}
      allowDeselect={false}
      data={retrievalOptions()}
      {...form.getInputProps('retrieval')}
    />
  </FormPart>
)

const LimitFields = ({ form }: FormPartProps) => (
  <FormPart title={t('ui.devices.form.limits')}>
    <Text size="sm" c="dimmed">
      {t('ui.devices.form.limitsAbout')}
    </Text>
    <SimpleGrid cols={2}>
      <NumberInput
        {...told('daysBack')}
        placeholder={t('ui.devices.form.clinic')}
        min={0}
        max={31}
        allowDecimal={false}
        {...form.getInputProps('daysBack')}
      />
      <NumberInput
        {...told('daysForward')}
        placeholder={t('ui.devices.form.clinic')}
        min={0}
        max={31}
        allowDecimal={false}
        {...form.getInputProps('daysForward')}
      />
    </SimpleGrid>
    <NumberInput
      {...told('maxRows')}
      placeholder={t('ui.devices.form.clinic')}
      min={1}
      max={50_000}
      allowDecimal={false}
      {...form.getInputProps('maxRows')}
    />
  </FormPart>
)

const EncryptionFields = ({ form }: FormPartProps) => (
  <FormPart title={t('ui.devices.form.encryption')}>
    <Select
      {...told('tls')}
      allowDeselect={false}
      data={(['optional', 'required', 'mutual'] as const).map((tls) => ({
        value: tls,
        label: t(`ui.devices.form.tlsModes.${tls}`),
      }))}
      {...form.getInputProps('tls')}
    />
    {(form.values.tls === 'mutual' || form.values.certificate !== '') && (
      <Textarea
        {...told('certificate')}
        placeholder={t('ui.devices.form.pem')}
        autosize
        minRows={3}
        maxRows={8}
        classNames={{ input: 'mono' }}
        {...form.getInputProps('certificate')}
      />
    )}
  </FormPart>
)

/** `Western European (ISO_IR 100)`. */
const characterSetName = (set: CharacterSet): string =>
  `${t(`ui.devices.characterSets.${set}`)} (${set})`
