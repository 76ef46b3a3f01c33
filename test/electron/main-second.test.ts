import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { acquireMachineLock } from '../../electron/desktop/app-lock.ts'
import { main } from '../../electron/main.ts'
import * as fake from '../support/electron.ts'

let data: string
const startWith = (...more: string[]) =>
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['electron', '.', '--data', data, ...more])

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'isthmus-second-'))
  fake.forgetAll()
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(data, { recursive: true, force: true })
})

it('leaves a second start of the same person to the first', async () => {
  startWith()
  fake.app.isFirst = false
  await main()
  expect(fake.app.quits).toBe(1)
  expect(fake.processes).toEqual([])
})

it('says who runs it already on this PC, in the system’s language, and starts nothing', async () => {
  startWith()
  fake.app.locale = 'es-ES'
  const first = await acquireMachineLock(data)
  await main()
  expect(fake.boxes[0]?.message).toMatch(/^Isthmus ya está en marcha para \S+/)
  expect(fake.app.exitCode).toBe(0)
  expect(fake.processes).toEqual([])
  if (!('heldBy' in first)) first[Symbol.dispose]()
})

it('asks what to do where its first start failed, with the sentence that says why', async () => {
  startWith()
  fake.presses.button = 1
  await main()
  const sentence =
    'The DICOM listener cannot use 127.0.0.1:11112: another program already uses that port.'
  fake.processes[0]?.stderr.write(`${sentence}\n`)
  fake.processes[0]?.exit(1)
  await vi.waitFor(() => expect(fake.app.exitCode).toBe(1))
  expect(fake.boxes[0]).toMatchObject({
    message: 'The gateway could not start',
    detail: sentence,
    buttons: ['Try again', 'Quit'],
  })
})

it('tries its first start again by itself where it was started with the PC, and opens no window', async () => {
  startWith('--hidden')
  await main()
  fake.processes[0]?.exit(1)
  await vi.waitFor(() => expect(fake.processes).toHaveLength(2), { timeout: 5_000 })
  expect(fake.boxes).toEqual([])
  fake.processes[1]?.prints({ ready: true, http: 'http://127.0.0.1:8042', dimse: 'A@127.0.0.1:1' })
  await vi.waitFor(() => expect(fake.blockers.size).toBe(1))
  expect(fake.windows).toEqual([])
})

it('ends at once when the PC ends', async () => {
  startWith('--hidden')
  await main()
  const ending = fake.event()
  fake.powerMonitor.fire('shutdown', ending)
  expect(ending.defaultPrevented).toBe(true)
  expect(fake.processes[0]?.messages.at(-1)).toBe('stop')
  await vi.waitFor(() => expect(fake.app.exitCode).toBe(0))
  expect(fake.app.quits).toBe(0)
})

it('opens at the place of the link it was started by', async () => {
  startWith('isthmus://reading')
  await main()
  fake.processes[0]?.prints({ ready: true, http: 'http://127.0.0.1:8042', dimse: 'A@127.0.0.1:1' })
  await vi.waitFor(() => expect(fake.windows[0]?.url).toBe('http://127.0.0.1:8042/#/reading'))
})
