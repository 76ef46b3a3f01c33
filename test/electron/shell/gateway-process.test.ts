import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { backOff } from '../../../electron/shell/back-off.ts'
import { GatewayProcess } from '../../../electron/shell/gateway-process.ts'
import * as fake from '../../support/electron.ts'

beforeEach(() => {
  fake.processes.length = 0
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

it('doubles its wait up to half a minute and starts over after a steady minute', () => {
  let now = 0
  const waits = backOff(() => now)
  const next = (ranMs: number) => {
    waits.started()
    now += ranMs
    return waits.next()
  }
  expect([10, 10, 10, 10, 10, 10, 10, 10].map(next)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  expect(next(60_000)).toBe(500)
})

it('starts the gateway again after a crash, but not where its first start failed', async () => {
  const ends: [number, number | undefined][] = []
  const ready: string[] = []
  const options = {
    entry: 'headless.js',
    worker: 'native-worker.js',
    args: [],
    onReady: (r: { http: string }) => ready.push(r.http),
    onEnd: (code: number, wait: number | undefined) => ends.push([code, wait]),
  }
  const gateway = new GatewayProcess(options)
  gateway.start()
  fake.processes[0]?.stdout.write('{"ready":true,"http":"http://127.0.0.1:1","dimse":"A@127.0.0.1:2"}\n')
  await vi.advanceTimersByTimeAsync(0)
  expect(ready).toEqual(['http://127.0.0.1:1'])
  fake.processes[0]?.emit('exit', 139)
  expect(ends).toEqual([[139, 500]])
  await vi.advanceTimersByTimeAsync(500)
  expect(fake.processes).toHaveLength(2)
  fake.processes[1]?.emit('exit', 1)
  expect(ends[1]).toEqual([1, 1000])

  const second = new GatewayProcess(options)
  second.start()
  fake.processes.at(-1)?.emit('exit', 1)
  expect(ends.at(-1)).toEqual([1, undefined])
})
