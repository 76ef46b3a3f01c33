import { Text } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import {
  DISK_WARNING_DAYS,
  dashboardTrends,
  type Trends,
} from '#shared/contract/dashboard-trends.ts'
import { useReply } from '../../api/queries.ts'
import { useZone } from '../../api/status.ts'
import { numberText } from '../../format/amounts.ts'
import type { Tone } from '../../format/tones.ts'
import { t } from '../../i18n/t.ts'
import { TimeAgo } from '../../ui/clock.tsx'
import { ErrorNotice, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { Tag, ToneIcon } from '../../ui/tone.tsx'
import { Chart } from './chart.tsx'
import {
  arrivals,
  type ChartData,
  hourColumns,
  partnerRequests,
  queries,
  receivedChart,
} from './trend-series.ts'
import css from './trends.module.css'

const HOUR_MS = 60 * 60_000
const MAX_DAYS = 3650

const useTrends = () => useReply(dashboardTrends.trends, {}, { every: 60_000 })

/** The last day of the gateway by the hour, and what waits now. */
export const GatewayTrends = () => (
  <LoadedTrends>
    {(trends) => (
      <>
        <HourCharts trends={trends} charts={['arrivals', 'queries', 'partner']} />
        <Queues queues={trends.queues} />
      </>
    )}
  </LoadedTrends>
)

/** What came and what was asked for in the last day. */
export const DayTrends = () => (
  <LoadedTrends>
    {(trends) => <HourCharts trends={trends} charts={['arrivals', 'queries']} />}
  </LoadedTrends>
)

function LoadedTrends({ children }: { children: (trends: Trends) => ReactNode }) {
  const { data, error, refetch } = useTrends()
  return (
    <section className={css.charts} aria-label={t('ui.dashboard.trends.label')}>
      {data && children(data)}
      {!data && error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <LoadingPlaceholder rows={1} height={200} />}
    </section>
  )
}

function HourCharts({
  trends,
  charts,
}: {
  trends: Trends
  charts: readonly ('arrivals' | 'queries' | 'partner')[]
}) {
  const zone = useZone()
  const { hours } = trends
  const columns = useMemo(() => hourColumns(hours, zone), [hours, zone])
  const chartData: Record<(typeof charts)[number], () => ChartData> = {
    arrivals: () => arrivals(hours, columns),
    queries: () => queries(hours),
    partner: () => partnerRequests(trends),
  }
  return charts.map((chart) => {
    const name = t(`ui.dashboard.trends.${chart}.name`)
    return (
      <Panel key={chart} title={name} className={css.panel}>
        <Chart
          {...{ name, columns, ...chartData[chart]() }}
          {...(chart === 'partner' && { isOverlaid: true })}
        />
      </Panel>
    )
  })
}

type Queue = Trends['queues'][number]

/** Where something is done about what waits. */
const LINKS: Readonly<Record<Queue['queue'], LinkProps>> = {
  reports: { to: '/events', search: { show: 'waiting', type: 'report.delivered' } },
  'report-copies': { to: '/destinations' },
  forwards: { to: '/destinations' },
  commitments: { to: '/activity/associations' },
  enrichment: { to: '/images' },
  captures: { to: '/images' },
  mail: { to: '/people' },
}

/** What waits to leave the gateway, and for how long; queues where nothing does are left out. */
function Queues({ queues }: { queues: readonly Queue[] }) {
  const busy = queues.filter(({ waiting }) => waiting > 0)
  const emptyQueues = queues.filter(({ waiting }) => waiting === 0)
  const nameOf = ({ queue }: Queue) => t(`ui.dashboard.trends.queues.names.${queue}`)
  return (
    <Panel
      isFlush
      title={t('ui.dashboard.trends.queues.name')}
      {...(busy.length === 0 && {
        aside: <Tag tone="good">{t('ui.dashboard.trends.queues.none')}</Tag>,
      })}
    >
      {busy.length > 0 && (
        <ul className={css.queues} aria-label={t('ui.dashboard.trends.queues.name')}>
          {busy.map((queue) => (
            <QueueRow key={queue.queue} {...queue} />
          ))}
        </ul>
      )}
      <p className={css.quiet}>
        {busy.length === 0
          ? t('ui.dashboard.trends.queues.noneText')
          : t('ui.dashboard.trends.queues.others', {
              names: emptyQueues.map(nameOf).join('\u00a0· '),
            })}
      </p>
    </Panel>
  )
}

function QueueRow({ queue, waiting, since }: Queue) {
  const tone = toneOf(since, Date.now())
  return (
    <li data-tone={tone}>
      <ToneIcon tone={tone} size={18} />
      <Link {...LINKS[queue]}>{t(`ui.dashboard.trends.queues.names.${queue}`)}</Link>
      <span className="tabular">
        {t('ui.dashboard.trends.queues.waiting', { count: waiting, shown: numberText(waiting) })}
      </span>
      <span className={css.age}>
        {t('ui.dashboard.trends.queues.oldest')} <TimeAgo instant={since} />
      </span>
    </li>
  )
}

/** A job of an hour is late, and one of a day does not get better without a person. */
function toneOf(since: string | null, now: number): Tone {
  const hours = since === null ? 0 : (now - Date.parse(since)) / HOUR_MS
  if (hours >= 24) return 'danger'
  return hours >= 1 ? 'warning' : 'info'
}

/** When the disk will be full, and what came on each of the last days. */
export function StorageForecast() {
  const disk = useTrends().data?.disk
  if (!disk || disk.unknownBecause === 'no-disk') return null
  const { days, fullInDays, unknownBecause } = disk
  const name = t('ui.dashboard.trends.disk.received')
  return (
    <div className={css.forecast}>
      {fullInDays !== null && (
        <div className={css.full}>
          {fullInDays < DISK_WARNING_DAYS && <ToneIcon tone="warning" size={18} />}
          {fullInDays > MAX_DAYS
            ? t('ui.dashboard.trends.disk.fullInYears')
            : t('ui.dashboard.trends.disk.fullIn', { days: fullInDays })}
        </div>
      )}
      {unknownBecause && (
        <Text size="sm" c="dimmed">
          {t(`ui.dashboard.trends.disk.unknown.${unknownBecause}`)}
        </Text>
      )}
      {unknownBecause === null && <Chart name={name} height={56} {...receivedChart(days)} />}
    </div>
  )
}
