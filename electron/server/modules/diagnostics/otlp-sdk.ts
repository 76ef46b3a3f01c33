import { setTimeout } from 'node:timers/promises'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import {
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'

// The only file that imports the packages of OpenTelemetry. No instrumentation is loaded: what is
// sent is what the gateway measures and logs anyway.

/** How long the end of the gateway waits for the collector. */
const FINAL_EXPORT_TIMEOUT_MS = 2000

export interface SdkOptions {
  readonly url: string
  readonly headers: Record<string, string>
  /** PEM. */
  readonly authorities?: string
  readonly intervalMs: number
  readonly timeoutMs: number
  readonly maxLines: number
  readonly linesAtOnce: number
  readonly logDelayMs: number
  readonly attributes: Record<string, string>
  collect(): Promise<MetricData[]>
  /** @param lines log lines that were in the export, sent or given up */
  onExported(isOk: boolean, lines: number): void
}

export function openSdk(options: SdkOptions) {
  const { url, headers, authorities, timeoutMs, attributes, onExported } = options
  const resource = resourceFromAttributes(attributes)
  const exporter = (path: string) => ({
    ...{ url: `${url}${path}`, headers, timeoutMillis: timeoutMs, concurrencyLimit: 1 },
    ...(authorities !== undefined && { httpAgentOptions: { ca: authorities } }),
  })
  const metricExporter = new OTLPMetricExporter(exporter('/v1/metrics'))
  const sendMetrics = metricExporter.export.bind(metricExporter)
  metricExporter.export = (metrics, done) =>
    sendMetrics(metrics, (result) => {
      onExported(result.code === 0, 0)
      done(result)
    })
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: metricExporter as unknown as PushMetricExporter,
        exportIntervalMillis: options.intervalMs,
        exportTimeoutMillis: timeoutMs,
        metricProducers: [
          {
            collect: async () => ({
              resourceMetrics: {
                resource,
                scopeMetrics: [{ scope: { name: 'isthmus' }, metrics: await options.collect() }],
              },
              errors: [],
            }),
          },
        ],
      }),
    ],
  })
  const logExporter = new OTLPLogExporter(exporter('/v1/logs'))
  const sendLogs = logExporter.export.bind(logExporter)
  logExporter.export = (records, done) =>
    sendLogs(records, (result) => {
      onExported(result.code === 0, records.length)
      done(result)
    })
  const loggers = new LoggerProvider({
    resource,
    processors: [
      new BatchLogRecordProcessor({
        exporter: logExporter as never,
        maxQueueSize: options.maxLines,
        maxExportBatchSize: options.linesAtOnce,
        scheduledDelayMillis: options.logDelayMs,
        exportTimeoutMillis: timeoutMs,
      }),
    ],
  })
  const logger = loggers.getLogger('isthmus')
  return {
    emit: (log: object) => logger.emit(log),
    /** Sends what is waiting, as far as the collector answers in time. */
    async [Symbol.asyncDispose]() {
      const ended = Promise.allSettled([loggers.shutdown(), meters.shutdown()])
      await Promise.race([ended, setTimeout(FINAL_EXPORT_TIMEOUT_MS, undefined, { ref: false })])
    },
  }
}
