import { Button } from '@mantine/core'
import {
  IconCalendarOff,
  IconDeviceDesktopAnalytics,
  IconPrinter,
  IconRefresh,
} from '@tabler/icons-react'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardExams, EXAM_FILTERS, type ExamDay } from '#shared/contract/dashboard-exams.ts'
import type { Message } from '#shared/messages/message.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useExamDay } from '../../api/use-exam-day.ts'
import { matchingExams } from '../../format/matching-exams.ts'
import { language } from '../../i18n/language.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import type { TableHandle } from '../../ui/data-table-props.ts'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { WorklistTabs } from '../../ui/sections/worklist-tabs.tsx'
import { useShortcuts } from '../../ui/shortcuts.ts'
import { SearchBox } from '../../ui/study-list/search-box.tsx'
import { Notice } from '../../ui/tone.tsx'
import { showDone } from '../../ui/undo.tsx'
import {
  DayPicker,
  Devices,
  type ExamFilter,
  ExamFilterTabs,
  ModalityFilter,
  ShownExamCount,
} from './exam-filters.tsx'
import { ExamTable } from './exam-table.tsx'
import { SourceLine } from './source-line.tsx'
import css from './worklist.module.css'

const route = getRouteApi('/shell/worklist')

/** The exams of a day as the partner has planned them, and what became of them. */
export function WorklistScreen() {
  const { show, search, choose: chooseFor } = useWorklistSelection()
  const [typed, setTyped] = useState('')
  const [modality, setModality] = useState<string | null>(null)
  const table = useRef<TableHandle>(null)
  const devices = useReply(dashboard.devices, {}, { staleTime: 60_000 }).data?.devices
  const day = useExamDay({ day: search.day, deviceId: search.device, show })
  const { refresh, askNow } = useRefresh(search.day, search.device)
  const choose = (change: Change) => chooseFor(change, day.data?.today)
  const rows = useMemo(() => {
    const exams = day.data?.exams ?? []
    return matchingExams(
      modality === null ? exams : exams.filter((exam) => exam.modality === modality),
      typed,
    )
  }, [day.data, modality, typed])
  const clear = () => {
    setTyped('')
    setModality(null)
    choose({ show: 'all', device: undefined })
  }

  return (
    <Page
      title={t('ui.worklist.title')}
      about={t('ui.worklist.about')}
      isFull
      actions={
        <>
          <Button
            component="a"
            href={printPath(day.data?.day)}
            target="_blank"
            rel="noopener"
            variant="default"
            leftSection={<IconPrinter size={16} />}
          >
            {t('ui.worklist.print')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} />}
            loading={refresh.isPending}
            onClick={askNow}
            disabled={devices?.length === 0}
          >
            {t('ui.worklist.refresh')}
          </Button>
        </>
      }
    >
      <WorklistTabs />
      <div className={css.bar}>
        <DayPicker
          today={day.data?.today}
          day={day.data?.day}
          onChoose={(onDay) => choose({ day: onDay })}
        />
        <Devices
          devices={devices ?? []}
          value={search.device}
          onChange={(device) => choose({ device })}
        />
        <ModalityFilter exams={day.data?.exams ?? []} value={modality} onChange={setModality} />
        <SearchBox
          placeholder={t('ui.worklist.search')}
          maxLength={100}
          value={typed}
          onChange={setTyped}
          onDown={() => table.current?.focus()}
        />
      </div>
      <div className={css.line}>
        <ExamFilterTabs
          day={day.data}
          show={show}
          onChange={(wanted) => choose({ show: wanted })}
        />
        {day.data && <SourceLine source={day.data.source} />}
        {day.data && <ShownExamCount day={day.data} shown={rows.length} onClear={clear} />}
      </div>
      {refresh.error && <ErrorNotice error={refresh.error} />}
      {refresh.data && refresh.data.failed > 0 && <RefreshFailureNotice {...refresh.data} />}
      {day.isError && !day.data && (
        <ErrorNotice error={day.error} onRetry={() => void day.refetch()} />
      )}
      {day.isPending && !day.isError && <LoadingPlaceholder rows={10} />}
      {day.data && rows.length === 0 && (
        <Panel>
          <EmptyWorklist
            day={day.data}
            hasDevices={devices === undefined || devices.length > 0}
            onClear={clear}
            onAsk={askNow}
          />
        </Panel>
      )}
      {day.data && rows.length > 0 && (
        <ExamTable
          day={day.data}
          rows={rows}
          device={search.device}
          devices={devices ?? []}
          handle={table}
        />
      )}
    </Page>
  )
}

/** The PDF that the gateway makes of the day, by room. */
const printPath = (day: string | undefined): string =>
  `/dashboard/worklist/exams/print?${new URLSearchParams({ ...(day && { day }), language: language === 'es' ? 'es' : 'en' })}`

interface Change {
  readonly day?: string | undefined
  readonly device?: string | undefined
  readonly show?: ExamFilter
}

/** The address says which exams are shown; what is usual stays out of it. */
function useWorklistSelection() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const show: ExamFilter = EXAM_FILTERS.find((one) => one === search.show) ?? 'all'
  const choose = (change: Change, today: string | undefined) => {
    const { day, device, show: wanted } = { ...search, show, ...change }
    void navigate({
      to: '/worklist',
      search: {
        ...(day && day !== today && { day }),
        ...(device && { device }),
        ...(wanted !== 'all' && { show: wanted }),
      },
      replace: true,
    })
  }
  return { search, show, choose }
}

/** Asks the partner again, by the button or R. */
function useRefresh(day: string | undefined, deviceId: string | undefined) {
  const refresh = useSend(dashboardExams.refresh, [dashboardExams.exams, dashboard.inspections])
  const refreshNow = () =>
    refresh.mutate(
      { body: { day: day ?? null, deviceId: deviceId ?? null } },
      {
        onSuccess: ({ asked, failed }) =>
          showDone(
            failed === 0
              ? t('ui.worklist.refreshed', { asked })
              : t('ui.worklist.refreshFailed', { failed, asked }),
          ),
      },
    )
  useShortcuts(t('ui.worklist.keys'), [
    { keys: 'r', name: t('ui.worklist.keyNames.refresh'), run: refreshNow },
  ])
  return { refresh, askNow: refreshNow }
}

const RefreshFailureNotice = ({
  asked,
  failed,
  sentences,
}: {
  asked: number
  failed: number
  sentences: readonly Message[]
}) => (
  <Notice tone="warning" title={t('ui.worklist.refreshFailed', { failed, asked })}>
    {sentences
      .slice(0, 3)
      .map(translateMessage)
      .map((sentence) => (
        <div key={sentence}>{sentence}</div>
      ))}
  </Notice>
)

function EmptyWorklist({
  day,
  hasDevices,
  onClear,
  onAsk,
}: {
  day: ExamDay
  hasDevices: boolean
  onClear: () => void
  onAsk: () => void
}) {
  if (!hasDevices) {
    return (
      <EmptyState
        icon={<IconDeviceDesktopAnalytics size={34} stroke={1.3} />}
        title={t('ui.worklist.noDevices')}
        action={<Link to="/devices">{t('ui.worklist.toDevices')}</Link>}
      >
        {t('ui.worklist.noDevicesText')}
      </EmptyState>
    )
  }
  const isAsked = day.source.receivedAt !== null
  const isFiltered = day.tally.all > 0
  return (
    <EmptyState
      icon={<IconCalendarOff size={34} stroke={1.3} />}
      title={
        isFiltered
          ? t('ui.worklist.noneShown')
          : isAsked
            ? t('ui.worklist.none')
            : t('ui.worklist.notAsked')
      }
      action={
        <Button variant="default" onClick={isFiltered ? onClear : onAsk}>
          {isFiltered ? t('ui.worklist.clearFilters') : t('ui.worklist.refresh')}
        </Button>
      }
    >
      {isFiltered
        ? t('ui.worklist.noneShownText')
        : isAsked
          ? t('ui.worklist.noneText')
          : t('ui.worklist.notAskedText')}
    </EmptyState>
  )
}
