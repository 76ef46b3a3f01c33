import { Group, SegmentedControl, Select } from '@mantine/core'
import { EXAM_FILTERS, type Exam, type ExamDay } from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import { fullNameOf } from '../../format/device-name.ts'
import { t } from '../../i18n/t.ts'
import { DayInput } from '../../ui/day-input.tsx'
import { addDays } from './days.ts'
import css from './worklist.module.css'

export type ExamFilter = (typeof EXAM_FILTERS)[number]

/** Yesterday, today, tomorrow, or any other day. */
export function DayPicker({
  today,
  day,
  onChoose,
}: {
  today: string | undefined
  day: string | undefined
  onChoose: (day: string) => void
}) {
  if (today === undefined || day === undefined) return null
  const chips = [
    { value: addDays(today, -1), label: t('ui.worklist.days.yesterday') },
    { value: today, label: t('ui.worklist.days.today') },
    { value: addDays(today, 1), label: t('ui.worklist.days.tomorrow') },
  ]
  return (
    <Group gap={8} wrap="nowrap" align="flex-start">
      <SegmentedControl
        size="xs"
        aria-label={t('ui.worklist.days.label')}
        data={chips}
        value={chips.some(({ value }) => value === day) ? day : ''}
        onChange={onChoose}
      />
      <DayInput
        size="xs"
        aria-label={t('ui.worklist.days.other')}
        value={day}
        onChange={(event) =>
          event.currentTarget.value !== '' && onChoose(event.currentTarget.value)
        }
      />
    </Group>
  )
}

/** The devices that may be asked for. */
export function Devices({
  devices,
  value,
  onChange,
}: {
  devices: readonly Device[]
  value: string | undefined
  onChange: (deviceId: string | undefined) => void
}) {
  return (
    <Select
      aria-label={t('ui.worklist.device')}
      placeholder={t('ui.worklist.anyDevice')}
      clearable
      searchable
      w={190}
      size="xs"
      data={devices.map((device) => ({ value: device.deviceId, label: fullNameOf(device) }))}
      value={value ?? null}
      onChange={(deviceId) => onChange(deviceId ?? undefined)}
      clearButtonProps={{ 'aria-label': t('ui.worklist.anyDevice') }}
    />
  )
}

/** The modalities of the day's exams. */
export function ModalityFilter({
  exams,
  value,
  onChange,
}: {
  exams: readonly Exam[]
  value: string | null
  onChange: (modality: string | null) => void
}) {
  const modalities = [
    ...new Set(exams.map(({ modality }) => modality).filter((modality) => modality !== '')),
  ].sort()
  return (
    <Select
      aria-label={t('ui.worklist.modality')}
      placeholder={t('ui.worklist.anyModality')}
      clearable
      w={176}
      size="xs"
      data={value !== null && !modalities.includes(value) ? [...modalities, value] : modalities}
      value={value}
      onChange={onChange}
      clearButtonProps={{ 'aria-label': t('ui.worklist.anyModality') }}
    />
  )
}

/** Which exams of the day are shown, with how many there are of each kind. */
export function ExamFilterTabs({
  day,
  show,
  onChange,
}: {
  day: ExamDay | undefined
  show: ExamFilter
  onChange: (show: ExamFilter) => void
}) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('ui.worklist.showLabel')}
      value={show}
      onChange={(value) => onChange(value as ExamFilter)}
      data={EXAM_FILTERS.map((value) => ({
        value,
        label: (
          <span title={t(`ui.worklist.showMeanings.${value}`)}>
            {t(`ui.worklist.shows.${value}`)}
            {day && ` ${day.tally[value]}`}
          </span>
        ),
      }))}
    />
  )
}

/** How many exams are shown and how many are not. */
export function ShownExamCount({
  day,
  shown,
  onClear,
}: {
  day: ExamDay
  shown: number
  onClear: () => void
}) {
  const hidden = day.tally.all - shown
  return (
    <span className={css.quiet}>
      {t('ui.worklist.shown', { count: shown })}
      {hidden > 0 && (
        <>
          {' · '}
          {t('ui.worklist.hidden', { count: hidden })}{' '}
          <button type="button" className={css.asLink} onClick={onClear}>
            {t('ui.worklist.clear')}
          </button>
        </>
      )}
    </span>
  )
}
