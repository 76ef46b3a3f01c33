import type { TrendHour, Trends } from '#shared/contract/dashboard-trends.ts'
import { bytesText, durationText, numberText } from '../../format/amounts.ts'
import { dayInYearText, dayText, timeOfDay } from '../../format/dates.ts'
import { t } from '../../i18n/t.ts'
import type { Column, Series } from './chart-series.ts'

const HOUR_MS = 60 * 60_000
/** Hours between two ticks. */
const TICK_HOURS = 4

/** What a chart shows, and the same in a sentence. */
export interface ChartData {
  readonly summary: string
  readonly series: readonly Series[]
}

/** The hours as columns; every fourth of the clock has a tick. */
export function hourColumns(hours: readonly TrendHour[], zone: string | undefined): Column[] {
  const starts = hours.map(({ from }) => timeOfDay(from, zone))
  return hours.map(({ from }, index) => {
    const start = starts[index] ?? ''
    const end = starts[index + 1] ?? timeOfDay(endOf(from), zone)
    const isTick = Number(start.slice(0, 2)) % TICK_HOURS === 0 && start !== starts[index - 1]
    return {
      key: from,
      name: t('ui.dashboard.trends.hour', { start, end }),
      ...(isTick && { tick: start }),
    }
  })
}
const endOf = (from: string) => new Date(Date.parse(from) + HOUR_MS).toISOString()

/** Images and studies that arrived. */
export function arrivals(hours: readonly TrendHour[], columns: readonly Column[]): ChartData {
  const images = hours.map((hour) => hour.images)
  const studies = hours.map((hour) => hour.studies)
  const most = Math.max(0, ...images)
  return {
    summary: t('ui.dashboard.trends.arrivals.summary', {
      images: sum(images),
      studies: sum(studies),
      most,
      busiest: columns[images.indexOf(most)]?.name ?? '',
    }),
    series: [
      {
        name: t('ui.dashboard.trends.arrivals.images'),
        look: 'main',
        values: images,
        text: numberText,
      },
      { name: t('ui.dashboard.trends.arrivals.studies'), values: studies, text: numberText },
    ],
  }
}

/** Worklist queries by how they ended. */
export function queries(hours: readonly TrendHour[]): ChartData {
  const of = (which: 'answered' | 'stored' | 'failed') =>
    hours.map((hour) => hour.queries?.[which] ?? null)
  const [answered, stored, failed] = [of('answered'), of('stored'), of('failed')]
  const sums = { answered: sum(answered), stored: sum(stored), failed: sum(failed) }
  return {
    summary: t('ui.dashboard.trends.queries.summary', {
      count: sums.answered + sums.stored + sums.failed,
      answered: sums.answered,
      stored: sums.stored,
      failed: sums.failed,
    }),
    series: [
      {
        name: t('ui.dashboard.trends.queries.answered'),
        look: 'main',
        values: answered,
        text: numberText,
      },
      {
        name: t('ui.dashboard.trends.queries.stored'),
        look: 'stored',
        values: stored,
        text: numberText,
      },
      {
        name: t('ui.dashboard.trends.queries.failed'),
        look: 'failed',
        values: failed,
        text: numberText,
      },
    ],
  }
}

/** How long the partner took, and where a request failed. */
export function partnerRequests({ hours, partner }: Pick<Trends, 'hours' | 'partner'>): ChartData {
  const { requests: count, failed, p50Ms, p95Ms } = partner
  const of = (which: keyof Trends['partner']) => hours.map((hour) => hour.partner[which])
  return {
    summary: t('ui.dashboard.trends.partner.summary', {
      count,
      failed,
      isTimed: p50Ms === null ? 'no' : 'yes',
      median: durationText(p50Ms ?? 0),
      slow: durationText(p95Ms ?? 0),
    }),
    series: [
      {
        name: t('ui.dashboard.trends.partner.p95'),
        look: 'range',
        values: of('p95Ms'),
        text: durationText,
      },
      {
        name: t('ui.dashboard.trends.partner.p50'),
        look: 'main',
        values: of('p50Ms'),
        text: durationText,
      },
      {
        name: t('ui.dashboard.trends.partner.failed'),
        look: 'mark',
        values: of('failed'),
        text: numberText,
      },
      {
        name: t('ui.dashboard.trends.partner.requests'),
        values: of('requests'),
        text: numberText,
      },
    ],
  }
}

/** Bytes that came each day. */
export function receivedChart(days: Trends['disk']['days']): ChartData & { columns: Column[] } {
  const bytes = days.map((day) => day.bytes)
  return {
    summary: t('ui.dashboard.trends.disk.rate', {
      bytes: bytesText(Math.round(sum(bytes) / Math.max(1, days.length))),
      days: days.length,
    }),
    columns: days.map(({ day }, index) => ({
      key: day,
      name: dayText(day),
      ...((index === 0 || index === days.length - 1) && { tick: dayInYearText(day) }),
    })),
    series: [
      {
        name: t('ui.dashboard.trends.disk.received'),
        look: 'main',
        values: bytes,
        text: bytesText,
      },
    ],
  }
}

const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)
