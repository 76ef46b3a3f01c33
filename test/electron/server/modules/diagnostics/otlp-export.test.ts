import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Context } from '#server/context.ts'
import { OtlpExport } from '#server/modules/diagnostics/otlp-export.ts'
import { otlpLog } from '#server/modules/diagnostics/otlp-logs.ts'
import { otlpMetrics } from '#server/modules/diagnostics/otlp-metrics.ts'
import { openLog } from '#server/platform/log.ts'
import { openOtlpReceiver, plain } from '../../../../support/otlp-receiver.ts'
import { tempStore } from '../../../../support/temp-store.ts'

let temp: ReturnType<typeof tempStore>
let receiver: Awaited<ReturnType<typeof openOtlpReceiver>>
let context: Context
let otlp: OtlpExport
const lines: string[] = []
beforeEach(async () => {
  lines.length = 0
  temp = tempStore()
  receiver = await openOtlpReceiver()
  const log = openLog('info', { write: (line) => void lines.push(line) })
  context = Object.create(temp.store, { log: { value: log } }) as Context
  context.settings.change(
    { 'otlp.isOn': true, 'otlp.url': receiver.url, 'otlp.seconds': 1, 'otlp.logLevel': 'all' },
    'command-line',
  )
  otlp = new OtlpExport(context, { values: async () => [] }, '0.0.0')
  await until(() => receiver.state.headers.length > 0)
}, 30_000)
afterEach(async () => {
  await otlp[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  temp[Symbol.dispose]()
})

const until = (check: () => unknown) => vi.waitFor(() => expect(check()).toBeTruthy(), 20_000)

describe('log lines', () => {
  it('are sent with their level and fields', async () => {
    context.log.warn({ port: 104, aeTitle: 'CT1' }, 'a line')
    await until(() => receiver.state.logs.length > 0)
    const [line] = receiver.state.logs
    expect(line).toMatchObject({
      ...{ severityNumber: 13, severityText: 'warn', body: { stringValue: 'a line' } },
    })
    expect(plain(line?.attributes ?? [])).toEqual({ port: 104, aeTitle: 'CT1' })
  })

  it('are of the level that is set', () => {
    const line = (level: string) =>
      JSON.stringify({ level, time: '2026-03-10T09:00:00Z', msg: 'x' })
    const sent = (least: 'errors' | 'warnings' | 'all') =>
      ['debug', 'info', 'warn', 'error', 'fatal'].filter((level) => otlpLog(line(level), least))
    expect([sent('errors'), sent('warnings'), sent('all')]).toEqual([
      ['error', 'fatal'],
      ['warn', 'error', 'fatal'],
      ['info', 'warn', 'error', 'fatal'],
    ])
    expect(otlpLog('not JSON', 'all')).toBeUndefined()
  })
})

describe('a collector that does not answer', () => {
  it('neither slows nor fills the gateway', async () => {
    receiver.state.status = 503
    const began = performance.now()
    for (let line = 0; line < 20_000; line++) context.log.info({ line }, 'one of many')
    expect(performance.now() - began).toBeLessThan(5000)
    expect(lines.length).toBeGreaterThanOrEqual(20_000)
    expect(otlp.state.dropped).toBeGreaterThan(17_000)
    await until(() => !otlp.state.isOk)
    expect(lines.filter((line) => line.includes('does not answer'))).toHaveLength(1)

    receiver.state.status = 200
    await until(() => otlp.state.isOk)
    await until(() => receiver.state.logs.length > 0)
  }, 60_000)

  it('is asked again when the settings change', async () => {
    context.settings.change({ 'otlp.isOn': false }, 'command-line')
    const { length } = receiver.state.headers
    await new Promise((done) => setTimeout(done, 100))
    context.log.error('nobody is told')
    context.settings.change({ 'otlp.isOn': true }, 'command-line')
    await until(() => receiver.state.headers.length > length)
    expect(receiver.state.logs.map(({ body }) => body.stringValue)).not.toContain('nobody is told')
  })
})

it('converts a histogram of Prometheus, whose buckets contain those before them', () => {
  const rows = [
    { labels: { le: 0.1, event: 'a' }, value: 1, metricName: 'h_bucket' },
    { labels: { le: 1, event: 'a' }, value: 3, metricName: 'h_bucket' },
    { labels: { le: '+Inf', event: 'a' }, value: 4, metricName: 'h_bucket' },
    { labels: { event: 'a' }, value: 7.5, metricName: 'h_sum' },
    { labels: { event: 'a' }, value: 4, metricName: 'h_count' },
  ]
  const histogram = { name: 'h', help: 'About', type: 'histogram', aggregator: 'sum', values: rows }
  expect(otlpMetrics([histogram as never], [1, 0], [2, 0])).toMatchObject([
    {
      descriptor: { name: 'h', description: 'About' },
      dataPoints: [
        {
          attributes: { event: 'a' },
          value: { buckets: { boundaries: [0.1, 1], counts: [1, 2, 1] }, count: 4, sum: 7.5 },
        },
      ],
    },
  ])
})
