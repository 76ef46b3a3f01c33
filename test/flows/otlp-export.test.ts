import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardOtlpExport } from '#shared/contract/otlp-export.ts'
import { type StartedGateway, startGateway } from '../support/gateway.ts'
import { httpCall, OWN_PAGE } from '../support/http-call.ts'
import { openOtlpReceiver } from '../support/otlp-receiver.ts'

// Metrics at an OpenTelemetry collector that is played on this PC.

let stage: StartedGateway
let receiver: Awaited<ReturnType<typeof openOtlpReceiver>>
beforeEach(async () => {
  receiver = await openOtlpReceiver()
  stage = await startGateway({ overrides: { 'clinic.name': 'North Clinic' } })
})
afterEach(async () => {
  await stage[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const set = (settings: Record<string, unknown>) =>
  stage.call(dashboard.changeSettings, { body: { settings: settings as never } })
const turnOn = (more = {}) =>
  set({ 'otlp.isOn': true, 'otlp.url': receiver.url, 'otlp.seconds': 1, ...more })
const until = (check: () => unknown) => vi.waitFor(() => expect(check()).toBeTruthy(), 20_000)
const failSignIn = () =>
  httpCall(`${stage.http}/dashboard/session`, {
    ...{ method: 'POST', headers: OWN_PAGE },
    json: { email: 'nobody@clinic.example', password: 'x' },
  })

describe('the export', () => {
  it('sends nothing unless it is turned on', async () => {
    await set({ 'otlp.url': receiver.url, 'otlp.seconds': 1 })
    expect(await stage.call(dashboardOtlpExport.state, {})).toMatchObject({ lastAt: null })
    expect(receiver.state.headers).toEqual([])
  })

  it('sends the metrics of Prometheus under their names', async () => {
    await turnOn()
    await until(() => receiver.state.exports > 0)
    const { text } = await httpCall(`${stage.http}/metrics`)
    const names = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)]
    expect(names.length).toBeGreaterThan(30)
    for (const [, name = '', type] of names) {
      const metric = receiver.state.metrics.get(name)
      expect(metric, name).toBeDefined()
      expect(
        { counter: metric?.sum, gauge: metric?.gauge, histogram: metric?.histogram }[type ?? ''],
        `${name} is a ${type}`,
      ).toBeDefined()
    }
    expect(receiver.state.resources[0]).toMatchObject({
      ...{ 'service.name': 'isthmus', 'isthmus.site': 'North Clinic' },
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it('counts on from export to export', async () => {
    await failSignIn()
    await turnOn()
    const failed = () =>
      receiver.state.metrics.get('isthmus_sign_ins_failed_total')?.sum?.dataPoints[0]?.asDouble
    await until(() => failed() === 1)
    await failSignIn()
    await until(() => failed() === 2)
  })

  it('shows the collector its secret, which no file or log has', async () => {
    await turnOn()
    await stage.call(dashboardOtlpExport.setSecret, { body: { secret: 'Bearer of-the-test' } })
    await until(() =>
      receiver.state.headers.some(({ authorization }) => authorization === 'Bearer of-the-test'),
    )
    expect(stage.log.join('\n')).not.toContain('of-the-test')
  })
})

describe('a collector that does not answer', () => {
  it('does not hold the gateway at its end', async () => {
    receiver.state.status = 0
    await turnOn()
    await until(() => receiver.state.headers.length > 0)
    const began = performance.now()
    await set({ 'otlp.isOn': false })
    await stage[Symbol.asyncDispose]()
    expect(performance.now() - began).toBeLessThan(10_000)
    stage = await startGateway()
  }, 60_000)
})
