import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { selfSignedCertificate } from '#server/http/certificate.ts'
import { Collector } from '#server/modules/audit/collector.ts'
import { freePort } from '../support/free-port.ts'
import { needs } from '../support/needs.ts'
import { textOf } from '../support/saying.ts'
import { tempStore } from '../support/temp-store.ts'

// rsyslog as the collector: a foreign implementation of RFC 5424 and RFC 5425.
const SCHEMA = join(import.meta.dirname, '../support/audit-message.rng')
const NAMES = ['localhost', '127.0.0.1']

let temp: ReturnType<typeof tempStore>
let server: ChildProcess | undefined
let port: number
const files = selfSignedCertificate(NAMES, { nowMs: Date.now() })
const own = selfSignedCertificate(['gateway'], { nowMs: Date.now(), use: 'dicom-tls' })

beforeEach(async () => {
  temp = tempStore()
  port = await freePort()
})
afterEach(async () => {
  await stop()
  temp[Symbol.dispose]()
})

const path = (name: string) => join(temp.folder, 'rsyslog', name)

async function start(): Promise<void> {
  mkdirSync(path(''), { recursive: true })
  writeFileSync(path('ca.pem'), own.cert)
  writeFileSync(path('cert.pem'), files.cert)
  writeFileSync(path('key.pem'), files.key)
  writeFileSync(
    path('conf'),
    `global(workDirectory="${path('')}" maxMessageSize="64k" defaultNetstreamDriverCAFile="${path('ca.pem')}"
  defaultNetstreamDriverCertFile="${path('cert.pem')}" defaultNetstreamDriverKeyFile="${path('key.pem')}")
module(load="imtcp" streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="x509/certvalid")
input(type="imtcp" port="${port}" address="127.0.0.1")
template(name="parsed" type="string" string="%pri%\\t%app-name%\\t%msgid%\\t%msg%\\n")
action(type="omfile" file="${path('messages')}" template="parsed")
`,
  )
  server = spawn('rsyslogd', ['-n', '-f', path('conf'), '-i', path('pid')], { stdio: 'ignore' })
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isUp = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (isUp) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  const child = server
  server = undefined
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

const lines = () =>
  existsSync(path('messages'))
    ? readFileSync(path('messages'), 'utf8').split('\n').slice(0, -1)
    : []
const numbers = () => lines().map((line) => Number(/#(\d+)"/.exec(line)?.[1]))

const append = (action: string, target: string, actor = 'user:usr_1') =>
  temp.store.audit.append({ actor, action, target, detail: { name: 'TESTMANN^TILDA' } })

const collect = (host = '127.0.0.1') =>
  new Collector(
    temp.store,
    () => ({ host, port, authorities: files.cert, identity: own }),
    () => ({ id: 'clinic-1', site: 'Test & <Clinic>', nameOf: () => 'Ana "O’Neil" Muñoz' }),
    { idleMs: 50, closeMs: 2000, retryMs: [50, 200] },
  )

it('gets every entry as an audit message that its schema takes', async (context) => {
  needs(context, 'rsyslog', 'xmllint')
  await start()
  append('user.sign-in', 'usr_1')
  await using collector = collect()
  append('read.images', '1.2.840.113619.2.1')
  append('read.list', 'studies')
  append('audit.finding', 'older', 'gateway')
  append('device.add', 'a "<&>" \u0007 ü')
  await expect.poll(() => numbers().length, { timeout: 8000 }).toBe(5)
  await expect.poll(() => collector.state()).toEqual({ waiting: 0, fault: undefined })
  expect(numbers()).toEqual([1, 2, 3, 4, 5])
  const messages = lines().map((line) => line.split('\t'))
  expect(messages.map(([pri, app, id]) => [pri, app, id])).toEqual(
    messages.map(() => ['85', 'isthmus', 'DICOM+RFC3881']),
  )
  for (const [at, [, , , xml]] of messages.entries()) {
    expect(xml).not.toContain('TESTMANN')
    writeFileSync(path('message.xml'), xml?.replace(/^\ufeff/, '') ?? '')
    const { status, stderr } = spawnSync('xmllint', [
      '--noout',
      '--relaxng',
      SCHEMA,
      path('message.xml'),
    ])
    expect([at, status, String(stderr)]).toEqual([at, 0, expect.stringContaining('validates')])
  }
  expect(messages[4]?.[3]).toContain('ParticipantObjectID="a &quot;&lt;&amp;&gt;&quot; \ufffd ü"')
})

it('loses nothing while it is away, killed or restarted, and while the gateway restarts', async (context) => {
  needs(context, 'rsyslog')
  const all = (to: number) => Array.from({ length: to }, (_, index) => index + 1)
  const unique = () => [...new Set(numbers())].sort((a, b) => a - b)
  append('user.sign-in', 'usr_1')
  {
    await using collector = collect()
    for (let at = 2; at <= 300; at++) append('device.update', `d${at}`)
    await expect.poll(() => textOf(collector.state().fault?.reason)).toContain('ECONNREFUSED')
    expect(collector.state().waiting).toBe(300)
    await start()
    await expect.poll(() => unique().length, { timeout: 8000 }).toBe(300)
    await expect.poll(() => collector.state().fault).toBeUndefined()
    await stop('SIGKILL')
    for (let at = 301; at <= 350; at++) append('device.update', `d${at}`)
    await expect.poll(() => collector.state().fault).toBeDefined()
  }
  await start()
  await using again = collect()
  await expect.poll(() => unique().length, { timeout: 8000 }).toBe(350)
  expect(unique()).toEqual(all(350))
  await expect.poll(() => again.state()).toEqual({ waiting: 0, fault: undefined })
})

it('gets nothing where it is another than the one that was set', async (context) => {
  needs(context, 'rsyslog')
  await start()
  append('user.sign-in', 'usr_1')
  await using collector = new Collector(
    temp.store,
    () => ({ host: '127.0.0.1', port, authorities: own.cert, identity: own }),
    () => ({ id: 'clinic-1', site: '', nameOf: () => undefined }),
    { retryMs: [50, 200] },
  )
  await expect
    .poll(() => textOf(collector.state().fault?.reason))
    .toMatch(/SELF_SIGNED|self-signed/i)
  expect(lines()).toEqual([])
})
