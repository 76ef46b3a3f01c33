import { Button, Group, SegmentedControl, Select, TextInput } from '@mantine/core'
import { IconCalendarOff, IconDeviceDesktopAnalytics, IconRefresh } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type Ref, useMemo, useRef, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardExams, EXAM_SHOWS, type Exam, type ExamDay } from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { ProblemError } from '../client.ts'
import { CloseStep } from '../components/close-step.tsx'
import { openImages } from '../components/open-images.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { showRefused } from '../components/refused.ts'
import { Notice } from '../components/tone.tsx'
import { showDone } from '../components/undo.tsx'
import { type TableHandle, VirtualTable } from '../components/virtual-table.tsx'
import { keyOf, useReply, useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { SearchBox } from '../lists/search-box.tsx'
import { useShortcuts } from '../shell/shortcuts.ts'
import { dayBy } from './days.ts'
import { examColumns } from './exam-columns.tsx'
import type { ExamActions } from './exam-menu.tsx'
import css from './exams.module.css'
import { examKey, found } from './found.ts'
import { SourceLine } from './source-line.tsx'
import { WorklistTabs } from './tabs.tsx'
import { useExamDay } from './use-exam-day.ts'
import { words } from './words.ts'

const route = getRouteApi('/shell/worklist')
type Show = (typeof EXAM_SHOWS)[number]

/** The exams of a day as the partner has planned them, and what became of them. */
export function Exams() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const show: Show = EXAM_SHOWS.find((one) => one === search.show) ?? 'all'
  const [typed, setTyped] = useState('')
  const [modality, setModality] = useState<string | null>(null)
  const table = useRef<TableHandle>(null)
  const devices = useReply(dashboard.devices, {}, { staleTime: 60_000 }).data?.devices
  const day = useExamDay({ day: search.day, deviceId: search.device, show })
  const refresh = useSend(dashboardExams.refresh, [dashboardExams.exams, dashboard.inspections])

  const choose = (change: { day?: string | undefined; device?: string | undefined; show?: Show }) => {
    const { day: onDay, device, show: wanted } = { ...search, show, ...change }
    const today = day.data?.today
    void navigate({
      to: '/worklist',
      search: {
        ...(onDay && onDay !== today && { day: onDay }),
        ...(device && { device }),
        ...(wanted !== 'all' && { show: wanted }),
      },
      replace: true,
    })
  }
  const askNow = () =>
    refresh.mutate(
      { body: { day: search.day ?? null, deviceId: search.device ?? null } },
      { onSuccess: ({ asked, failed }) => showDone(failed === 0 ? words.refreshed(asked) : words.refreshFailed(failed, asked)) },
    )
  useShortcuts(words.keys, [{ keys: 'r', name: words.keyNames.refresh, run: askNow }])

  const rows = useMemo(() => {
    const exams = day.data?.exams ?? []
    return found(modality === null ? exams : exams.filter((exam) => exam.modality === modality), typed)
  }, [day.data, modality, typed])
  const clear = () => {
    setTyped('')
    setModality(null)
    choose({ show: 'all', device: undefined })
  }

  return (
    <Page
      title={words.title}
      about={words.about}
      isFull
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={refresh.isPending}
          onClick={askNow}
          disabled={devices?.length === 0}
        >
          {words.refresh}
        </Button>
      }
    >
      <WorklistTabs />
      <div className={css.bar}>
        <Days today={day.data?.today} day={day.data?.day} onChoose={(onDay) => choose({ day: onDay })} />
        <Select
          aria-label={words.device}
          placeholder={words.anyDevice}
          clearable
          searchable
          w={190}
          size="xs"
          data={(devices ?? []).map((device) => ({ value: device.deviceId, label: nameOf(device) }))}
          value={search.device ?? null}
          onChange={(device) => choose({ device: device ?? undefined })}
          clearButtonProps={{ 'aria-label': words.anyDevice }}
        />
        <Modalities exams={day.data?.exams ?? []} value={modality} onChange={setModality} />
        <SearchBox
          placeholder={words.search}
          maxLength={100}
          value={typed}
          onChange={setTyped}
          onDown={() => table.current?.press('Home')}
        />
      </div>
      <div className={css.line}>
        <Shows day={day.data} show={show} onChange={(wanted) => choose({ show: wanted })} />
        {day.data && <SourceLine source={day.data.source} />}
        {day.data && <Shown day={day.data} shown={rows.length} onClear={clear} />}
      </div>
      {refresh.error && <Failed error={refresh.error} />}
      {refresh.data && refresh.data.failed > 0 && (
        <Notice tone="warning" title={words.refreshFailed(refresh.data.failed, refresh.data.asked)}>
          {refresh.data.sentences.slice(0, 3).map((sentence) => (
            <div key={sentence}>{said(sentence)}</div>
          ))}
        </Notice>
      )}
      {day.isError && !day.data && <Failed error={day.error} onRetry={() => void day.refetch()} />}
      {day.isPending && !day.isError && <Waiting rows={10} />}
      {day.data && rows.length === 0 && (
        <Panel>
          <Nothing day={day.data} hasDevices={devices === undefined || devices.length > 0} onClear={clear} onAsk={askNow} />
        </Panel>
      )}
      {day.data && rows.length > 0 && (
        <ExamTable day={day.data} rows={rows} device={search.device} devices={devices ?? []} handle={table} />
      )}
    </Page>
  )
}

const nameOf = ({ name, aeTitle }: Pick<Device, 'name' | 'aeTitle'>) => (name ? `${name} (${aeTitle})` : aeTitle)

function Days({ today, day, onChoose }: { today: string | undefined; day: string | undefined; onChoose: (day: string) => void }) {
  if (today === undefined || day === undefined) return null
  const chips = [
    { value: dayBy(today, -1), label: words.days.yesterday },
    { value: today, label: words.days.today },
    { value: dayBy(today, 1), label: words.days.tomorrow },
  ]
  return (
    <Group gap={8} wrap="nowrap">
      <SegmentedControl
        size="xs"
        aria-label={words.days.label}
        data={chips}
        value={chips.some(({ value }) => value === day) ? day : ''}
        onChange={onChoose}
      />
      <TextInput
        type="date"
        size="xs"
        aria-label={words.days.other}
        value={day}
        onChange={(event) => event.currentTarget.value !== '' && onChoose(event.currentTarget.value)}
      />
    </Group>
  )
}

function Modalities({
  exams,
  value,
  onChange,
}: {
  exams: readonly Exam[]
  value: string | null
  onChange: (modality: string | null) => void
}) {
  const modalities = [...new Set(exams.map(({ modality }) => modality).filter((modality) => modality !== ''))].sort()
  return (
    <Select
      aria-label={words.modality}
      placeholder={words.anyModality}
      clearable
      w={150}
      size="xs"
      data={value !== null && !modalities.includes(value) ? [...modalities, value] : modalities}
      value={value}
      onChange={onChange}
      clearButtonProps={{ 'aria-label': words.anyModality }}
    />
  )
}

function Shows({ day, show, onChange }: { day: ExamDay | undefined; show: Show; onChange: (show: Show) => void }) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={words.showLabel}
      value={show}
      onChange={(value) => onChange(value as Show)}
      data={EXAM_SHOWS.map((value) => ({
        value,
        label: (
          <span title={words.showMeanings[value]}>
            {words.shows[value]}
            {day && ` ${day.tally[value]}`}
          </span>
        ),
      }))}
    />
  )
}

function Shown({ day, shown, onClear }: { day: ExamDay; shown: number; onClear: () => void }) {
  const hidden = day.tally.all - shown
  return (
    <span className={css.quiet}>
      {words.shown(shown)}
      {hidden > 0 && (
        <>
          {' · '}
          {words.hidden(hidden)}{' '}
          <button type="button" className={css.asLink} onClick={onClear}>
            {words.clear}
          </button>
        </>
      )}
    </span>
  )
}

function Nothing({ day, hasDevices, onClear, onAsk }: { day: ExamDay; hasDevices: boolean; onClear: () => void; onAsk: () => void }) {
  if (!hasDevices) {
    return (
      <Empty
        icon={<IconDeviceDesktopAnalytics size={34} stroke={1.3} />}
        title={words.noDevices}
        action={<Link to="/devices">{words.toDevices}</Link>}
      >
        {words.noDevicesText}
      </Empty>
    )
  }
  const isAsked = day.source.receivedAt !== null
  const isFiltered = day.tally.all > 0
  return (
    <Empty
      icon={<IconCalendarOff size={34} stroke={1.3} />}
      title={isFiltered ? words.noneShown : isAsked ? words.none : words.notAsked}
      action={
        <Button variant="default" onClick={isFiltered ? onClear : onAsk}>
          {isFiltered ? words.clearFilters : words.refresh}
        </Button>
      }
    >
      {isFiltered ? words.noneShownText : isAsked ? words.noneText : words.notAskedText}
    </Empty>
  )
}

const refused = (error: ProblemError) => showRefused(said(error.message))

interface ExamTableProps {
  readonly day: ExamDay
  readonly rows: readonly Exam[]
  /** Id of the device that is chosen. */
  readonly device: string | undefined
  readonly devices: readonly Device[]
  readonly handle: Ref<TableHandle>
}

function ExamTable({ day, rows, device, devices, handle }: ExamTableProps) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const [closing, setClosing] = useState<Exam | null>(null)
  const reopen = useSend(dashboard.reopenStep, [dashboardExams.exams])
  const again = useSend(dashboard.closeStep, [dashboardExams.exams])
  const stepOf = ({ studyInstanceUid, scheduledProcedureStepId }: Exam) => ({ studyInstanceUid, scheduledProcedureStepId })
  const actions: ExamActions = {
    why(exam) {
      const fitting = devices.find(({ isEnabled, modality }) => isEnabled && modality === exam.modality)
      const who = device ?? fitting?.deviceId ?? devices.find(({ isEnabled }) => isEnabled)?.deviceId
      void navigate({
        to: '/worklist/why',
        search: {
          ...(exam.studyInstanceUid && { study: exam.studyInstanceUid, step: exam.scheduledProcedureStepId }),
          ...(who && { device: who }),
          day: day.day,
        },
      })
    },
    images: (exam) => exam.imageStudyUid !== null && void openImages({ studyInstanceUid: exam.imageStudyUid }),
    study: (exam) => exam.study && void navigate({ to: '/studies/$studyId', params: { studyId: exam.study.studyId } }),
    arrival: (exam) =>
      exam.imageStudyUid !== null && void navigate({ to: '/images/$studyInstanceUid', params: { studyInstanceUid: exam.imageStudyUid } }),
    close: setClosing,
    reopen: (exam) =>
      reopen.mutate(
        { body: stepOf(exam) },
        {
          onSuccess: () => showDone(words.reopened, () => void again.mutateAsync({ body: { ...stepOf(exam), reason: '' } }).catch(refused)),
          onError: refused,
        },
      ),
  }
  return (
    <>
      <Panel isFlush className="grow">
        <VirtualTable
          label={words.label}
          columns={examColumns(actions)}
          rows={rows}
          keyOf={examKey}
          least={860}
          maxHeight="100%"
          handle={handle}
          topOf={day.day}
          onOpen={actions.why}
          isOpenedByKey
          rowKeys={{ w: actions.why, i: actions.images, c: (exam) => (exam.isClosed ? actions.reopen(exam) : actions.close(exam)) }}
          {...(day.tally.all > day.exams.length && rows.length === day.exams.length && { end: words.cut(day.exams.length, day.tally.all) })}
        />
      </Panel>
      <CloseStep
        row={closing && { ...closing, verdict: 'sent', reason: '' }}
        onLeave={() => setClosing(null)}
        onClosed={(row) => {
          const { studyInstanceUid, scheduledProcedureStepId } = row
          void client.invalidateQueries({ queryKey: keyOf(dashboardExams.exams) })
          showDone(words.closed, () => void reopen.mutateAsync({ body: { studyInstanceUid, scheduledProcedureStepId } }).catch(refused))
        }}
      />
    </>
  )
}
