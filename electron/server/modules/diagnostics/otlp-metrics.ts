import type { DataPoint, Histogram, MetricData } from '@opentelemetry/sdk-metrics'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'

type HrTime = DataPoint<number>['startTime']
type PrometheusMetric = MetricObjectWithValues<
  MetricValue<string> & { readonly metricName?: string }
>

// Values of the enumerations of OpenTelemetry, whose packages are loaded only where it is used.
const DOUBLE_VALUE_TYPE = 1 as MetricData['descriptor']['valueType']
const CUMULATIVE_TEMPORALITY = 1 as MetricData['aggregationTemporality']
const TYPE_CODES = { histogram: 0, gauge: 2, sum: 3 } as const

/**
 * Converts the metrics of Prometheus to those of OpenTelemetry, under the same names. Counters and
 * histograms are cumulative, as they are for Prometheus.
 */
export function otlpMetrics(
  metrics: readonly PrometheusMetric[],
  startTime: HrTime,
  endTime: HrTime,
): MetricData[] {
  const times = { startTime, endTime }
  return metrics.flatMap((metric): MetricData[] => {
    const { name, help: description } = metric
    const type = String(metric.type)
    const base = {
      descriptor: { name, description, unit: '', valueType: DOUBLE_VALUE_TYPE },
      aggregationTemporality: CUMULATIVE_TEMPORALITY,
    }
    if (type === 'histogram')
      return [
        {
          ...base,
          dataPointType: TYPE_CODES.histogram as never,
          dataPoints: histograms(metric, times),
        },
      ]
    const dataPoints = metric.values.map(({ labels, value }) => ({
      ...times,
      ...{ attributes: attributesOf(labels), value },
    }))
    if (type === 'counter')
      return [{ ...base, dataPointType: TYPE_CODES.sum as never, isMonotonic: true, dataPoints }]
    return type === 'gauge'
      ? [{ ...base, dataPointType: TYPE_CODES.gauge as never, dataPoints }]
      : []
  })
}

/** The rows of one set of labels, by name, and the bounds of its buckets. */
interface Rows {
  readonly attributes: Record<string, string>
  readonly rows: Map<string, number>
  readonly le: number[]
}

/** One data point for each set of labels, from the rows `_bucket`, `_sum` and `_count`. */
function histograms(
  { name, values }: PrometheusMetric,
  times: Pick<DataPoint<Histogram>, 'startTime' | 'endTime'>,
): DataPoint<Histogram>[] {
  const points = new Map<string, Rows>()
  for (const { labels, value, metricName } of values) {
    const { le, ...others } = labels as Readonly<Record<string, string | number>>
    const key = JSON.stringify(others)
    const point = points.get(key) ?? {
      ...{ attributes: attributesOf(others), rows: new Map<string, number>(), le: [] as number[] },
    }
    points.set(key, point)
    if (le === undefined) point.rows.set(metricName ?? name, value)
    else {
      point.rows.set(`le ${le}`, value)
      if (Number.isFinite(Number(le))) point.le.push(Number(le))
    }
  }
  return [...points.values()].map(({ attributes, rows, le }) => {
    const boundaries = le.toSorted((one, other) => one - other)
    const count = rows.get(`${name}_count`) ?? 0
    // Each bucket of Prometheus contains those before it.
    const cumulativeCounts = [...boundaries.map((bound) => rows.get(`le ${bound}`) ?? 0), count]
    const counts = cumulativeCounts.map((value, at) => value - (cumulativeCounts[at - 1] ?? 0))
    const value = { buckets: { boundaries, counts }, count, sum: rows.get(`${name}_sum`) ?? 0 }
    return { ...times, attributes, value }
  })
}

const attributesOf = (labels: object): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]))
