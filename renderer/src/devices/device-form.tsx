import { Button, Group, NumberInput, Select, SimpleGrid, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dashboard } from '#shared/contract/dashboard.ts'
import { CHARACTER_SETS, type CharacterSet, DEVICE_PROFILES, type Device, NewDevice } from '#shared/contract/devices.ts'
import { faultsByField } from '../client.ts'
import { FormPart } from '../components/form-part.tsx'
import { Failed } from '../components/page.tsx'
import { useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { CHARACTER_SET_NAMES, PROFILE_NAMES, words } from './words.ts'

const { form: texts } = words

/** Adds a device, or changes one. */
export function DeviceForm({ device, onDone }: { device: Device | null; onDone: () => void }) {
  const changes = [dashboard.devices, dashboard.status, dashboard.callers]
  const add = useSend(dashboard.addDevice, changes)
  const update = useSend(dashboard.updateDevice, changes)
  const form = useForm({
    initialValues: {
      name: device?.name ?? '',
      aeTitle: device?.aeTitle ?? '',
      address: device?.address ?? '',
      modality: device?.modality ?? '',
      isEnabled: device?.isEnabled ?? true,
      characterSet: device?.characterSet ?? null,
      stationMode: device?.stationMode ?? ('echo' as const),
      alwaysSendCharacterSet: device?.alwaysSendCharacterSet ?? false,
      daysBack: device?.daysBack ?? ('' as const),
      daysForward: device?.daysForward ?? ('' as const),
      maxRows: device?.maxRows ?? ('' as const),
      port: device?.port ?? ('' as const),
      profile: device?.profile ?? ('standard' as const),
      hideStarted: device?.hideStarted ?? false,
      countsBytes: device?.countsBytes ?? false,
      tls: device?.tls ?? ('optional' as const),
      certificate: device?.certificate ?? '',
    },
    validate: (values) => {
      const parsed = NewDevice.safeParse(bodyOf(values))
      return parsed.success ? {} : Object.fromEntries(parsed.error.issues.map((issue) => [issue.path.join('.'), said(issue.message)]))
    },
  })
  const submit = form.onSubmit((values) => {
    const body = bodyOf(values)
    const options = { onSuccess: onDone, onError: (error: Parameters<typeof faultsByField>[0]) => form.setErrors(faultsByField(error)) }
    if (device) update.mutate({ params: { deviceId: device.deviceId }, body }, options)
    else add.mutate({ body }, options)
  })
  const error = add.error ?? update.error

  return (
    <form onSubmit={submit} noValidate>
      <FormPart title={texts.who}>
        <TextInput {...told('name')} data-autofocus maxLength={64} {...form.getInputProps('name')} />
        <TextInput {...told('aeTitle')} maxLength={16} required {...form.getInputProps('aeTitle')} />
        <TextInput {...told('modality')} maxLength={16} {...form.getInputProps('modality')} />
        <TextInput {...told('address')} {...form.getInputProps('address')} />
        <NumberInput {...told('port')} min={1} max={65_535} allowDecimal={false} hideControls {...form.getInputProps('port')} />
        <Switch {...told('isEnabled')} {...form.getInputProps('isEnabled', { type: 'checkbox' })} />
      </FormPart>
      <FormPart title={texts.answers}>
        <Select
          {...told('characterSet')}
          placeholder={words.byRow}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': words.byRow }}
          data={CHARACTER_SETS.map((set) => ({ value: set, label: characterSetName(set) }))}
          {...form.getInputProps('characterSet')}
        />
        <Switch {...told('alwaysSendCharacterSet')} {...form.getInputProps('alwaysSendCharacterSet', { type: 'checkbox' })} />
        <Select
          {...told('stationMode')}
          allowDeselect={false}
          data={[
            { value: 'echo', label: texts.stations.echo },
            { value: 'strict', label: texts.stations.strict },
          ]}
          {...form.getInputProps('stationMode')}
        />
      </FormPart>
      <FormPart title={texts.console}>
        <Select
          {...told('profile')}
          allowDeselect={false}
          data={DEVICE_PROFILES.map((profile) => ({ value: profile, label: PROFILE_NAMES[profile] }))}
          {...form.getInputProps('profile')}
        />
        <Switch {...told('hideStarted')} {...form.getInputProps('hideStarted', { type: 'checkbox' })} />
        <Switch {...told('countsBytes')} {...form.getInputProps('countsBytes', { type: 'checkbox' })} />
      </FormPart>
      <FormPart title={texts.limits}>
        <Text size="sm" c="dimmed">
          {texts.limitsAbout}
        </Text>
        <SimpleGrid cols={2}>
          <NumberInput
            {...told('daysBack')}
            placeholder={texts.clinic}
            min={0}
            max={31}
            allowDecimal={false}
            {...form.getInputProps('daysBack')}
          />
          <NumberInput
            {...told('daysForward')}
            placeholder={texts.clinic}
            min={0}
            max={31}
            allowDecimal={false}
            {...form.getInputProps('daysForward')}
          />
        </SimpleGrid>
        <NumberInput
          {...told('maxRows')}
          placeholder={texts.clinic}
          min={1}
          max={50_000}
          allowDecimal={false}
          {...form.getInputProps('maxRows')}
        />
      </FormPart>
      <FormPart title={texts.encryption}>
        <Select
          {...told('tls')}
          allowDeselect={false}
          data={(['optional', 'required', 'mutual'] as const).map((tls) => ({ value: tls, label: texts.tlsModes[tls] }))}
          {...form.getInputProps('tls')}
        />
        {(form.values.tls === 'mutual' || form.values.certificate !== '') && (
          <Textarea
            {...told('certificate')}
            placeholder={texts.pem}
            autosize
            minRows={3}
            maxRows={8}
            classNames={{ input: 'mono' }}
            {...form.getInputProps('certificate')}
          />
        )}
      </FormPart>
      {error && error.errors.length === 0 && <Failed error={error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onDone}>
          {texts.cancel}
        </Button>
        <Button type="submit" loading={add.isPending || update.isPending}>
          {device ? texts.save : texts.add}
        </Button>
      </Group>
    </form>
  )
}

/** `Western European (ISO_IR 100)`. */
export const characterSetName = (set: CharacterSet): string => `${CHARACTER_SET_NAMES[set]} (${set})`

interface Values {
  name: string
  aeTitle: string
  address: string
  modality: string
  isEnabled: boolean
  characterSet: CharacterSet | null
  stationMode: 'echo' | 'strict'
  alwaysSendCharacterSet: boolean
  daysBack: number | string
  daysForward: number | string
  maxRows: number | string
  port: number | string
  profile: Device['profile']
  hideStarted: boolean
  countsBytes: boolean
  tls: Device['tls']
  certificate: string
}

const numberOf = (value: number | string): number | null => (value === '' ? null : Number(value))

function bodyOf(values: Values) {
  return {
    ...values,
    address: values.address.trim() || null,
    modality: values.modality.trim() || null,
    daysBack: numberOf(values.daysBack),
    daysForward: numberOf(values.daysForward),
    maxRows: numberOf(values.maxRows),
    port: numberOf(values.port),
    certificate: values.certificate.trim() || null,
  }
}

type Told = { [K in keyof typeof texts]: (typeof texts)[K] extends readonly [string, string] ? K : never }[keyof typeof texts]

const told = (field: Told) => ({ label: texts[field][0], description: texts[field][1] })
