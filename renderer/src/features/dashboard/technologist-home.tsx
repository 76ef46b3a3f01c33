import { Button } from '@mantine/core'
import { IconDeviceDesktopAnalytics, IconHelpCircle } from '@tabler/icons-react'
import { Link, type LinkProps } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Exam, ExamDay } from '#shared/contract/dashboard-exams.ts'
import type { Today } from '#shared/contract/dashboard-today.ts'
import type { Device } from '#shared/contract/devices.ts'
import { useReply } from '../../api/queries.ts'
import { useExamDay } from '../../api/use-exam-day.ts'
import { nameOf } from '../../format/device-name.ts'
import { examKey } from '../../format/matching-exams.ts'
import { t } from '../../i18n/t.ts'
import { TimeAgo } from '../../ui/clock.tsx'
import { loadLater } from '../../ui/load-later.ts'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { Tag } from '../../ui/tone.tsx'
import css from './dashboard.module.css'
import { deviceFor, isOver, roomsOf, upcomingExams } from './exam-groups.ts'
import { ExamLine } from './exam-line.tsx'
import { TodayItems } from './items.tsx'
import { examLink } from './links.ts'

const DayTrends = lazy(async () => ({
  default: (await loadLater(() => import('./trends.tsx'))).DayTrends,
}))

const KINDS = [
  ...(['safe-mode', 'listener-down', 'disk', 'partner-away', 'downtime', 'mismatches'] as const),
  ...(['quarantined', 'recovered', 'images-replaced', 'unknown-callers'] as const),
  ...(['exams-overdue', 'exams-withheld', 'images-unplanned', 'forwards-failed'] as const),
]
/** Exams of a room's card. */
const MAX_NEXT_EXAMS = 5

/** The rooms of today with their next exams, and what has to be looked at. */
export function TechnologistHome({ today }: { today: Today }) {
  const day = useExamDay({ day: undefined, deviceId: undefined, show: 'all' })
  const devices = useReply(dashboard.devices, {}, { staleTime: 60_000 })
  const error = day.data ? devices.error : (day.error ?? devices.error)
  return (
    <div className={css.columns}>
      <div className={css.main}>
        {error && <ErrorNotice error={error} onRetry={() => void day.refetch()} />}
        {(!day.data || !devices.data) && !error && <LoadingPlaceholder rows={6} height={60} />}
        {day.data && devices.data && <Rooms day={day.data} devices={devices.data.devices} />}
      </div>
      <div className={css.side}>
        <TodayItems items={today.items} kinds={KINDS} />
        <Suspense fallback={<LoadingPlaceholder rows={1} height={200} isOfLaterPart />}>
          <DayTrends />
        </Suspense>
      </div>
    </div>
  )
}

function Rooms({ day, devices }: { day: ExamDay; devices: readonly Device[] }) {
  const { rooms, unsent } = roomsOf(day.exams, devices)
  if (devices.length === 0)
    return (
      <Panel>
        <EmptyState
          icon={<IconDeviceDesktopAnalytics size={38} stroke={1.3} />}
          title={t('ui.dashboard.rooms.none')}
          action={<Link to="/devices">{t('ui.dashboard.rooms.toDevices')}</Link>}
        >
          {t('ui.dashboard.rooms.noneText')}
        </EmptyState>
      </Panel>
    )
  return (
    <div className={css.rooms}>
      {rooms.map(({ device, exams }) => (
        <RoomPanel key={device.deviceId} device={device} exams={exams} day={day.day} />
      ))}
      {unsent.length > 0 && <UnsentExams exams={unsent} devices={devices} day={day.day} />}
    </div>
  )
}

function RoomPanel({
  device,
  exams,
  day,
}: {
  device: Device
  exams: readonly Exam[]
  day: string
}) {
  const { deviceId, aeTitle, lastSeenAt } = device
  const next = upcomingExams(exams)
  return (
    <Panel
      isFlush
      title={nameOf(device)}
      aside={
        <Tag tone={exams.length > 0 && next.length === 0 ? 'good' : 'plain'}>
          {t('ui.dashboard.rooms.completed', {
            completed: exams.filter(isOver).length,
            all: exams.length,
          })}
        </Tag>
      }
    >
      <div className={css.roomFacts}>
        <span className="mono">{aeTitle}</span>
        <span>
          {t('ui.dashboard.rooms.lastSeen')} <TimeAgo instant={lastSeenAt} />
        </span>
      </div>
      <NextExams
        exams={next}
        none={t('ui.dashboard.rooms.noExams')}
        linkOf={(exam) => examLink(exam, day, deviceId)}
      />
      <div className={css.roomActions}>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconHelpCircle size={15} />}
          renderRoot={(props) => (
            <Link {...props} to="/worklist/why" search={{ device: deviceId }} />
          )}
        >
          {t('ui.dashboard.rooms.why')}
        </Button>
        <Link to="/worklist" search={{ device: deviceId }}>
          {t('ui.dashboard.rooms.list')}
        </Link>
      </div>
    </Panel>
  )
}

/** Exams that no device has been sent yet, such as those of a device that has not asked today. */
const UnsentExams = ({
  exams,
  devices,
  day,
}: {
  exams: readonly Exam[]
  devices: readonly Device[]
  day: string
}) => (
  <Panel
    isFlush
    title={t('ui.dashboard.rooms.unsent')}
    aside={<Tag tone="plain">{t('ui.dashboard.rooms.exams', { count: exams.length })}</Tag>}
  >
    <div className={css.roomFacts}>{t('ui.dashboard.rooms.unsentText')}</div>
    <NextExams
      exams={upcomingExams(exams)}
      none={t('ui.dashboard.rooms.noExams')}
      linkOf={(exam) => examLink(exam, day, deviceFor(exam, devices)?.deviceId)}
    />
    <div className={css.roomActions}>
      <span />
      <Link to="/worklist" search={{ show: 'waiting' }}>
        {t('ui.dashboard.rooms.list')}
      </Link>
    </div>
  </Panel>
)

function NextExams({
  exams,
  none,
  linkOf,
}: {
  exams: readonly Exam[]
  none: string
  linkOf: (exam: Exam) => LinkProps | undefined
}) {
  if (exams.length === 0) return <div className={css.roomNone}>{none}</div>
  return (
    <ul className={css.exams}>
      {exams.slice(0, MAX_NEXT_EXAMS).map((exam) => (
        <ExamLine key={examKey(exam)} exam={exam} to={linkOf(exam)} hasImages />
      ))}
      {exams.length > MAX_NEXT_EXAMS && (
        <li className={css.moreExams}>
          {t('ui.dashboard.rooms.more', { count: exams.length - MAX_NEXT_EXAMS })}
        </li>
      )}
    </ul>
  )
}
