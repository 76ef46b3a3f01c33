import { existsSync, lstatSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import {
  type ControlReply,
  type ControlRequest,
  controlPath,
  openControl,
  sendCommand,
} from '#server/modules/control/control.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

afterEach(() => vi.unstubAllEnvs())

const echo = (request: ControlRequest): Promise<ControlReply> =>
  Promise.resolve({ ok: true, output: JSON.stringify(request) })

/** What comes back for these bytes, until the other side hangs up. */
function exchange(folder: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = ''
    const socket = connect(controlPath(folder), () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => (heard += chunk))
    socket.on('close', () => resolve(heard))
    socket.on('error', (error) => (heard ? resolve(heard) : reject(error)))
  })
}

it('carries a command to the gateway and its reply back', async () => {
  using temp = tempFolder()
  await using _ = await openControl(temp.folder, echo)
  const reply = await sendCommand(temp.folder, {
    command: 'device add',
    options: { 'ae-title': 'CT1', force: true },
    input: 'a\nb',
  })
  expect(reply.ok).toBe(true)
  expect(JSON.parse(reply.output)).toEqual({
    command: 'device add',
    arguments: [],
    options: { 'ae-title': 'CT1', force: true },
    input: 'a\nb',
  })
})

it('can be opened by its owner only', async () => {
  using temp = tempFolder()
  await using _ = await openControl(temp.folder, echo)
  const { mode } = statSync(controlPath(temp.folder))
  expect((mode & 0o777).toString(8)).toBe('600')
})

it('says that it is at work while a command takes long, and answers when it is done', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    using temp = tempFolder()
    const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<ControlReply>()]
    await using _ = await openControl(temp.folder, () => {
      begun.resolve()
      return done.promise
    })
    const bytes = exchange(temp.folder, `${JSON.stringify({ command: 'backup' })}\n`)
    const asked = sendCommand(temp.folder, { command: 'backup' })
    await begun.promise
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(2))
    vi.advanceTimersByTime(35_000)
    done.resolve({ ok: true, output: 'made' })
    expect(await asked).toEqual({ ok: true, output: 'made' })
    expect(await bytes).toBe('   {"ok":true,"output":"made"}\n')
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

it('answers many at once, each with its own reply', async () => {
  using temp = tempFolder()
  await using _ = await openControl(temp.folder, async ({ command }) => ({
    ok: command !== '7',
    output: command,
  }))
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, n) => sendCommand(temp.folder, { command: String(n) })),
  )
  expect(replies).toEqual(
    Array.from({ length: 30 }, (_, n) => ({ ok: n !== 7, output: String(n) })),
  )
})

it.each([
  ['garbage', 'GET / HTTP/1.1\r\n\r\n'],
  ['JSON that is no command', '{"command":7}\n'],
  ['an option of another kind', '{"command":"x","options":{"a":{}}}\n'],
  ['a prototype for an option', '{"command":"x","options":{"__proto__":{"a":1}},"arguments":{}}\n'],
])('refuses %s in words, and goes on', async (_, bytes) => {
  using temp = tempFolder()
  await using control = await openControl(temp.folder, echo)
  expect(control).toBeDefined()
  expect(JSON.parse(await exchange(temp.folder, bytes))).toEqual({
    ok: false,
    output: 'The message is not a command.',
  })
  expect((await sendCommand(temp.folder, { command: 'next' })).ok).toBe(true)
})

it('refuses a message without an end before it fills the memory, and hangs up', async () => {
  using temp = tempFolder()
  let commands = 0
  await using _ = await openControl(temp.folder, async () => {
    commands += 1
    return { ok: true, output: '' }
  })
  const heard = await exchange(temp.folder, 'x'.repeat(1 << 20))
  expect(JSON.parse(heard)).toEqual({ ok: false, output: 'The message is too large.' })
  expect(commands).toBe(0)
})

it('takes one command a connection', async () => {
  using temp = tempFolder()
  const commands: string[] = []
  await using _ = await openControl(temp.folder, async ({ command }) => {
    commands.push(command)
    return { ok: true, output: command }
  })
  expect(await exchange(temp.folder, '{"command":"first"}\n{"command":"second"}\n')).toBe(
    '{"ok":true,"output":"first"}\n',
  )
  expect(commands).toEqual(['first'])
})

it('answers a command that is at work when it closes, and takes no other', async () => {
  using temp = tempFolder()
  const work = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const control = await openControl(temp.folder, async () => {
    begun.resolve()
    await work.promise
    return { ok: true, output: 'done' }
  })
  const asked = sendCommand(temp.folder, { command: 'long' })
  await begun.promise
  const closed = control[Symbol.asyncDispose]()
  await expect(sendCommand(temp.folder, { command: 'late' })).rejects.toMatchObject({
    code: expect.stringMatching(/ENOENT|ECONNREFUSED/),
  })
  work.resolve()
  expect(await asked).toEqual({ ok: true, output: 'done' })
  await closed
  expect(existsSync(controlPath(temp.folder))).toBe(false)
})

it('closes though somebody is connected who says nothing', async () => {
  using temp = tempFolder()
  const control = await openControl(temp.folder, echo)
  const silent = exchange(temp.folder, '')
  await sendCommand(temp.folder, { command: 'x' })
  await control[Symbol.asyncDispose]()
  expect(await silent).toBe('')
})

it('says that a gateway which ends before it answered may have carried the command out', async () => {
  using temp = tempFolder()
  const server = createServer((socket) => socket.once('data', () => socket.destroy()))
  await new Promise<void>((resolve) => server.listen(controlPath(temp.folder), resolve))
  await expect(sendCommand(temp.folder, { command: 'x' })).rejects.toThrow(
    'see whether the command was carried out',
  )
  await new Promise((resolve) => server.close(resolve))
})

it('takes the place of a socket that a killed gateway left behind', async () => {
  using temp = tempFolder()
  writeFileSync(controlPath(temp.folder), '')
  await expect(sendCommand(temp.folder, { command: 'x' })).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  })
  await using _ = await openControl(temp.folder, echo)
  expect(lstatSync(controlPath(temp.folder)).isSocket()).toBe(true)
  expect((await sendCommand(temp.folder, { command: 'x' })).ok).toBe(true)
})

it('moves to a folder of its own where the path is too long for a socket', async () => {
  using temp = tempFolder()
  vi.stubEnv('TMPDIR', temp.folder)
  const folder = join(temp.folder, 'x'.repeat(60), 'y'.repeat(60))
  mkdirSync(folder, { recursive: true })
  expect(dirname(dirname(controlPath(folder)))).toBe(tmpdir())
  expect(controlPath(join(folder, '.'))).toBe(controlPath(folder))
  expect(controlPath(`${folder}z`)).not.toBe(controlPath(folder))
  await using _ = await openControl(folder, echo)
  expect((statSync(dirname(controlPath(folder))).mode & 0o777).toString(8)).toBe('700')
  expect((await sendCommand(folder, { command: 'x' })).ok).toBe(true)
})

it('does not speak through a folder that others may write to', async () => {
  using temp = tempFolder()
  vi.stubEnv('TMPDIR', temp.folder)
  const folder = join(temp.folder, 'x'.repeat(120))
  const meeting = dirname(controlPath(folder))
  mkdirSync(meeting, { mode: 0o777 })
  if ((statSync(meeting).mode & 0o077) === 0)
    throw new Error('the umask of this test hides what it tests')
  await expect(openControl(folder, echo)).rejects.toThrow(`${meeting} is not this account's alone`)
  await expect(
    sendCommand(folder, { command: 'user create', input: 'a password' }),
  ).rejects.toThrow(`${meeting} is not this account's alone`)
})
