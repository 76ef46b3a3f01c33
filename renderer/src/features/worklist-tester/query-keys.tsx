import { Button, Select, Text, TextInput, type TextInputProps } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconSearch } from '@tabler/icons-react'
import { getRouteApi } from '@tanstack/react-router'
import type { dashboard } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { InputOf } from '#shared/operation.ts'
import { faultsByField, type ProblemError } from '../../api/client.ts'
import { useZone } from '../../api/status.ts'
import { dayAfter, todayIn } from '../../format/dates.ts'
import { fullNameOf } from '../../format/device-name.ts'
import { t } from '../../i18n/t.ts'
import { DayInput } from '../../ui/day-input.tsx'
import css from './worklist-tester.module.css'

const route = getRouteApi('/shell/worklist/ask')
const INPUT_FIRST: Pick<TextInputProps, 'inputWrapperOrder'> = {
  inputWrapperOrder: ['label', 'input', 'description', 'error'],
}

interface QueryKeysFormProps {
  readonly devices: readonly Device[]
  readonly onAsk: (
    body: InputOf<typeof dashboard.askWorklist>['body'],
    onRefused: (error: ProblemError) => void,
  ) => void
  readonly isAsking: boolean
  readonly isAnswered: boolean
}

/** The matching keys that a device asks with (PS3.4 K.6.1.2.2); an empty one fits every value. */
export function QueryKeysForm({ devices, onAsk, isAsking, isAnswered }: QueryKeysFormProps) {
  const today = todayIn(useZone(), new Date())
  const { device: asked } = route.useSearch()
  const first =
    devices.find((device) => device.deviceId === asked) ??
    devices.find((device) => device.isEnabled) ??
    devices[0]
  const form = useForm({
    initialValues: {
      deviceId: first?.deviceId ?? '',
      patientName: '',
      patientId: '',
      accessionNumber: '',
      modality: first?.modality ?? '',
      stationAeTitle: '',
      startDate: today,
      endDate: today,
    },
  })
  const submit = form.onSubmit(({ startDate, endDate, ...keys }) =>
    onAsk({ ...keys, startDate: startDate || null, endDate: endDate || null }, (error) =>
      form.setErrors(faultsByField(error)),
    ),
  )
  const text = (
    field: 'patientName' | 'patientId' | 'accessionNumber' | 'modality' | 'stationAeTitle',
    maxLength: number,
  ) => (
    <TextInput
      label={t(`ui.worklist-tester.${field}`)}
      placeholder={t('ui.worklist-tester.anyValue')}
      maxLength={maxLength}
      autoComplete="off"
      {...form.getInputProps(field)}
    />
  )
  const day = (field: 'startDate' | 'endDate') => (
    <DayInput
      label={t(`ui.worklist-tester.${field}`)}
      description={form.values[field] === '' && t('ui.worklist-tester.anyDay')}
      {...form.getInputProps(field)}
    />
  )

  return (
    <form onSubmit={submit}>
      <div className={css.fields}>
        <Select
          label={t('ui.worklist-tester.device')}
          data={devices.map((device) => ({
            value: device.deviceId,
            label: device.isEnabled
              ? fullNameOf(device)
              : t('ui.worklist-tester.switchedOff', { device: fullNameOf(device) }),
          }))}
          allowDeselect={false}
          searchable
          {...form.getInputProps('deviceId')}
          onChange={(deviceId) => {
            const device = devices.find((one) => one.deviceId === deviceId)
            if (device)
              form.setValues({ deviceId: device.deviceId, modality: device.modality ?? '' })
          }}
        />
        {text('modality', 16)}
        {day('startDate')}
        {day('endDate')}
        <TextInput
          label={t('ui.worklist-tester.patientName')}
          placeholder={t('ui.worklist-tester.anyValue')}
          description={t('ui.worklist-tester.patientNameAbout')}
          {...INPUT_FIRST}
          maxLength={64}
          autoComplete="off"
          {...form.getInputProps('patientName')}
        />
        {text('patientId', 64)}
        {text('accessionNumber', 16)}
        {text('stationAeTitle', 16)}
      </div>
      <div className={css.bar}>
        <DayButtons
          today={today}
          onChoose={(startDate, endDate) => form.setValues({ startDate, endDate })}
        />
        {form.values.startDate === '' && form.values.endDate === '' && (
          <Text size="sm" c="dimmed">
            {t('ui.worklist-tester.noneAbout')}
          </Text>
        )}
        <Button type="submit" leftSection={<IconSearch size={16} />} loading={isAsking}>
          {isAnswered ? t('ui.worklist-tester.again') : t('ui.worklist-tester.ask')}
        </Button>
      </div>
    </form>
  )
}

function DayButtons({
  today,
  onChoose,
}: {
  today: string
  onChoose: (startDate: string, endDate: string) => void
}) {
  const days = { today, tomorrow: dayAfter(today), none: '' }
  return (['today', 'tomorrow', 'none'] as const).map((name) => (
    <Button key={name} variant="default" size="xs" onClick={() => onChoose(days[name], days[name])}>
      {t(`ui.worklist-tester.days.${name}`)}
    </Button>
  ))
}
