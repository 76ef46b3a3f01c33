import { afterEach, expect, it } from 'vitest'
import { type ParentPort, workersFromParent } from '#electron/cli/parent-port.ts'
import { NativeWorkers } from '../../../electron/desktop/native-workers.ts'
import * as fake from '../../support/electron.ts'

afterEach(() => {
  fake.processes.length = 0
})

/** The gateway's process and Electron's main process, joined by what would be a message port. */
function joined() {
  let hear: (event: { readonly data: unknown }) => void = () => {}
  const workers = new NativeWorkers('native-worker.js', (event) => hear({ data: event }))
  const port: ParentPort = {
    on: (_, listener) => {
      hear = listener
    },
    postMessage: (message) => workers.take(message),
  }
  return { workers, spawn: workersFromParent(port), hear: (data: unknown) => hear({ data }) }
}

const CALL = {
  sourcePath: 'in.dcm',
  storagePath: 'spool',
  writeTransfer: '1.2.840.10008.1.2.1',
  enableRecompression: true,
}

it('runs the one module that main knows, whatever it is asked for, and passes call and answer on', () => {
  const { spawn } = joined()
  const worker = spawn('/somewhere/else.js', '/data/spool/native/1')
  const heard: unknown[] = []
  worker.onMessage((answer) => heard.push(answer))
  worker.onExit(() => heard.push('exit'))
  worker.send(CALL)
  const [child] = fake.processes
  expect(child?.path).toBe('native-worker.js')
  expect(child?.messages).toEqual([CALL])
  child?.emit('message', { answer: '{"code":0}' })
  worker.kill()
  expect(heard).toEqual([{ answer: '{"code":0}' }, 'exit'])
})

it('keeps the answers of two workers apart', () => {
  const { spawn } = joined()
  const heard: string[] = []
  for (const name of ['one', 'two'])
    spawn('', '').onMessage((answer) => heard.push(`${name} ${JSON.stringify(answer)}`))
  fake.processes[1]?.emit('message', { answer: 'b' })
  fake.processes[0]?.emit('message', { answer: 'a' })
  expect(heard).toEqual(['two {"answer":"b"}', 'one {"answer":"a"}'])
})

it('ends what runs when the gateway is gone, and lets go of messages that are not for it', () => {
  const { workers, spawn, hear } = joined()
  let exits = 0
  spawn('', '').onExit(() => exits++)
  for (const stray of [
    'stop',
    null,
    {},
    { worker: 'nobody', ask: 'send' },
    { worker: 1, ask: 'spawn', folder: '/' },
    { worker: 'x', ask: 'spawn' },
  ])
    workers.take(stray)
  for (const stray of ['stop', null, {}, { worker: 'nobody', event: 'exit' }]) hear(stray)
  expect(fake.processes).toHaveLength(1)
  workers.end()
  expect(exits).toBe(1)
})
