import { Button, Select, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconBuildingHospital, IconDeviceDesktopAnalytics, IconSearch } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import { faultsByField } from '../client.ts'
import { InspectionView } from '../components/inspection-view.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { dayAfter, dayText, todayIn } from '../display/dates.ts'
import { WorklistTabs } from '../exams/tabs.tsx'
import { useReply, useSend } from '../gateway.ts'
import { useZone } from '../status.ts'
import { words } from './words.ts'
import css from './worklist.module.css'

const route = getRouteApi('/shell/worklist/ask')

/** Asks the worklist as a device would, and shows its answer with the reasons. */
export function Worklist() {
  const devices = useReply(dashboard.devices, {})
  return (
    <Page title={words.title} about={words.about}>
      <WorklistTabs />
      {devices.isPending && <Waiting rows={3} />}
      {devices.isError && <Failed error={devices.error} onRetry={() => void devices.refetch()} />}
      {devices.data?.devices.length === 0 && (
        <Panel>
          <Empty
            icon={<IconDeviceDesktopAnalytics size={34} stroke={1.3} />}
            title={words.noDevices}
            action={<Link to="/devices">{words.toDevices}</Link>}
          >
            {words.noDevicesText}
          </Empty>
        </Panel>
      )}
      {devices.data && devices.data.devices.length > 0 && <Ask devices={devices.data.devices} />}
    </Page>
  )
}

const nameOf = (name: string, aeTitle: string) => (name ? `${name} (${aeTitle})` : aeTitle)

function Ask({ devices }: { devices: readonly Device[] }) {
  const zone = useZone()
  const today = todayIn(zone, new Date())
  const tomorrow = dayAfter(today)
  const { device: asked } = route.useSearch()
  const ask = useSend(dashboard.askWorklist, [dashboard.inspections])
  const first = devices.find((device) => device.deviceId === asked) ?? devices.find((device) => device.isEnabled) ?? devices[0]
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
  const setDays = (startDate: string, endDate: string) => form.setValues({ startDate, endDate })
  const submit = form.onSubmit(({ startDate, endDate, ...keys }) =>
    ask.mutate(
      { body: { ...keys, startDate: startDate || null, endDate: endDate || null } },
      { onError: (error) => form.setErrors(faultsByField(error)) },
    ),
  )
  const text = (field: 'patientName' | 'patientId' | 'accessionNumber' | 'modality' | 'stationAeTitle', maxLength: number) => (
    <TextInput label={words[field]} placeholder={words.anyValue} maxLength={maxLength} autoComplete="off" {...form.getInputProps(field)} />
  )

  return (
    <>
      <Panel title={words.keys}>
        <form onSubmit={submit}>
          <div className={css.fields}>
            <Select
              label={words.device}
              data={devices.map(({ deviceId, name, aeTitle, isEnabled }) => ({
                value: deviceId,
                label: isEnabled ? nameOf(name, aeTitle) : words.switchedOff(nameOf(name, aeTitle)),
              }))}
              allowDeselect={false}
              searchable
              {...form.getInputProps('deviceId')}
              onChange={(deviceId) => {
                const device = devices.find((one) => one.deviceId === deviceId)
                if (device) form.setValues({ deviceId: device.deviceId, modality: device.modality ?? '' })
              }}
            />
            {text('modality', 16)}
            <TextInput
              type="date"
              label={words.startDate}
              description={dayText(form.values.startDate) || words.anyDay}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              {...form.getInputProps('startDate')}
            />
            <TextInput
              type="date"
              label={words.endDate}
              description={dayText(form.values.endDate) || words.anyDay}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              {...form.getInputProps('endDate')}
            />
            <TextInput
              label={words.patientName}
              placeholder={words.anyValue}
              description={words.patientNameAbout}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              maxLength={64}
              autoComplete="off"
              {...form.getInputProps('patientName')}
            />
            {text('patientId', 64)}
            {text('accessionNumber', 16)}
            {text('stationAeTitle', 16)}
          </div>
          <div className={css.bar}>
            <Button variant="default" size="xs" onClick={() => setDays(today, today)}>
              {words.days.today}
            </Button>
            <Button variant="default" size="xs" onClick={() => setDays(tomorrow, tomorrow)}>
              {words.days.tomorrow}
            </Button>
            <Button variant="default" size="xs" onClick={() => setDays('', '')}>
              {words.days.none}
            </Button>
            {form.values.startDate === '' && form.values.endDate === '' && (
              <Text size="sm" c="dimmed">
                {words.noneAbout}
              </Text>
            )}
            <Button type="submit" leftSection={<IconSearch size={16} />} loading={ask.isPending}>
              {ask.data ? words.again : words.ask}
            </Button>
          </div>
        </form>
      </Panel>
      {ask.error && <Failed error={ask.error} />}
      {ask.isPending && (
        <Panel>
          <Text role="status" size="sm" c="dimmed">
            {words.waiting}
          </Text>
          <Waiting rows={4} />
        </Panel>
      )}
      {ask.data && !ask.isPending && <InspectionView key={ask.data.inspectionId} inspection={ask.data} first="all" />}
      {!ask.data && !ask.isPending && !ask.error && (
        <Panel>
          <Empty icon={<IconBuildingHospital size={34} stroke={1.3} />} title={words.before}>
            {words.beforeText}
          </Empty>
        </Panel>
      )}
    </>
  )
}
