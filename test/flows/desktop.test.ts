import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  type GatewayAddresses,
  type GatewayExit,
  GatewayProcess,
} from '../../electron/desktop/gateway-process.ts'
import { openKeyStore } from '../../electron/desktop/key-store.ts'
import { watchStatus } from '../../electron/desktop/status-watch.ts'
import * as fake from '../support/electron.ts'
import { PROGRAM } from '../support/program.ts'
import { forkReally, realProcesses } from '../support/utility-process.ts'

// What the desktop app does with its gateway, on real processes of it: only Electron itself is
// played.
const PATIENCE = { timeout: 60_000, interval: 50 }

let folder: string
let gateway: GatewayProcess | undefined
const readies: GatewayAddresses[] = []
const ends: GatewayExit[] = []

beforeEach(() => {
  fake.forgetAll()
  folder = join(mkdtempSync(join(tmpdir(), 'isthmus-desktop-')), 'data')
  for (const list of [readies, ends, realProcesses]) list.length = 0
  vi.spyOn(fake.utilityProcess, 'fork').mockImplementation(
    (...given) => forkReally(...given) as unknown as fake.FakeProcess,
  )
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})
afterEach(async () => {
  await gateway?.stop()
  gateway = undefined
  vi.restoreAllMocks()
  rmSync(join(folder, '..'), { recursive: true, force: true })
})

function start(...more: string[]): GatewayProcess {
  gateway = new GatewayProcess(
    PROGRAM,
    'native-worker.js',
    [
      ...['--data', folder, '--rescue', '--data-key-from-parent'],
      ...['--log-file', join(folder, 'logs', 'gateway.log')],
      ...['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off', ...more],
    ],
    openKeyStore(folder, undefined, 'linux'),
    false,
  )
  gateway.on('ready', (ready) => readies.push(ready))
  gateway.on('end', (end) => ends.push(end))
  gateway.start()
  return gateway
}
const ready = (times: number) => vi.waitFor(() => expect(readies).toHaveLength(times), PATIENCE)

it('starts the gateway, hears how it is, has it started again when asked, and drains it', {
  timeout: 180_000,
}, async () => {
  const running = start()
  await ready(1)
  expect((await fetch(`${readies[0]?.http}/healthz`)).status).toBe(200)
  using watch = watchStatus(folder, () => undefined)
  expect(await watch.now()).toMatchObject({ isSafe: false, openAssociations: 0 })
  running.restart()
  await ready(2)
  expect(realProcesses).toHaveLength(2)
  expect(ends).toEqual([])
  await running.stop()
  await expect(fetch(`${readies[1]?.http}/healthz`)).rejects.toThrow()
  expect(ends).toEqual([])
})

it('starts it again after each crash, in safe mode after three, and in full when a person asks', {
  timeout: 240_000,
}, async () => {
  const running = start()
  for (let crash = 1; crash <= 3; crash++) {
    await ready(crash)
    realProcesses.at(-1)?.kill()
  }
  await ready(4)
  expect(ends.map(({ isSafe }) => isSafe)).toEqual([false, false, true])
  using watch = watchStatus(folder, () => undefined)
  expect(await watch.now()).toMatchObject({ isSafe: true, tray: 'listener-down' })
  running.restart()
  await ready(5)
  expect(await watch.now()).toMatchObject({ isSafe: false })
})

it('shows the page that mends its data where the gateway cannot open them', {
  timeout: 120_000,
}, async () => {
  const first = start()
  await ready(1)
  await first.stop()
  writeFileSync(join(folder, 'gateway.sqlite'), 'no database')
  start()
  await ready(2)
  const { http, rescue, link = '' } = readies[1] ?? {}
  expect(rescue).toBe(true)
  expect(new URL(link).origin).toBe(http)
  expect((await fetch(`${http}/dashboard/rescue`)).status).toBe(401)
})

it('says in a sentence why a first start failed', { timeout: 120_000 }, async () => {
  start('--ae-title', 'A TITLE THAT IS TOO LONG')
  await vi.waitFor(() => expect(ends).toHaveLength(1), PATIENCE)
  expect(ends[0]).toMatchObject({ exitCode: 2, waitMs: undefined, isSafe: false })
  expect(ends[0]?.fault).toMatch(/^--ae-title: /)
})
