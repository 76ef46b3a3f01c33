import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import { selfSignedCertificate } from '#server/http/certificate.ts'
import { setAuditSendingPosition } from '#server/modules/audit/audit-sending-queries.ts'
import { Collector, type CollectorTarget } from '#server/modules/audit/collector.ts'
import { prepareDataFolder, tempFolder, tempStore } from '../../../../support/temp-store.ts'

const files = selfSignedCertificate(['127.0.0.1'], { nowMs: Date.now() })
let temp: ReturnType<typeof tempStore>
beforeEach(() => {
  temp = tempStore()
})
afterEach(() => temp[Symbol.dispose]())

const append = (action: string, target: string) =>
  temp.store.audit.append({ actor: 'user:usr_1', action, target, detail: {} })

/** A collector: the numbers of the entries it read, in order. */
async function listen(isReading = true) {
  const sockets = new Set<TLSSocket>()
  let text = ''
  const server = createServer(files, (socket) => {
    sockets.add(socket.on('error', () => undefined))
    if (isReading) socket.on('data', (bytes) => (text += bytes)).on('end', () => socket.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    target: () => ({ host: '127.0.0.1', port, authorities: files.cert, identity: undefined }),
    numbers: () =>
      [...text.matchAll(/ParticipantObjectID="c#(\d+)"/g)].map(([, seq]) => Number(seq)),
    hashes: () => [...text.matchAll(/type="hash" value="([^"]+)"/g)].map(([, hash]) => hash),
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const LIMITS = { idleMs: 10, closeMs: 200, retryMs: [10, 20] } as const
const collect = (target: () => CollectorTarget, context: Context = temp.store) =>
  new Collector(context, target, () => ({ id: 'c', site: '', nameOf: () => undefined }), LIMITS)

it('goes on after its settings could not be read, and shows the reason meanwhile', async () => {
  using server = await listen()
  append('user.sign-in', 'usr_1')
  let isBroken = true
  await using collector = collect(() => {
    if (isBroken) throw new Error('the certificate cannot be read')
    return server.target()
  })
  await expect
    .poll(() => collector.state())
    .toMatchObject({
      waiting: 1,
      fault: { reason: 'the certificate cannot be read' },
    })
  isBroken = false
  await expect.poll(() => collector.state()).toEqual({ waiting: 0, fault: undefined })
  expect(server.numbers()).toEqual([1])
})

it('shows a collector that stops reading as a fault', async () => {
  using server = await listen(false)
  // More than the buffers of the connection take.
  for (let at = 0; at < 200; at++) append('device.update', 'x'.repeat(60_000))
  setAuditSendingPosition(temp.store.database, 0)
  await using collector = collect(server.target)
  await expect
    .poll(() => collector.state().fault?.reason, { timeout: 10_000 })
    .toEqual('the audit collector stopped reading data')
  expect(collector.state().waiting).toBe(200)
})

it('records a position past the last entry as a finding, and sends on', async () => {
  using server = await listen()
  append('user.sign-in', 'usr_1')
  setAuditSendingPosition(temp.store.database, 9_000_000)
  await using collector = collect(server.target)
  await expect.poll(() => server.numbers()).toEqual([2])
  await expect.poll(() => collector.state().waiting).toBe(0)
  expect(temp.store.audit.list({ limit: 1 }).items).toMatchObject([
    { action: 'audit.finding', target: 'sending', detail: { position: 9_000_000, entries: 1 } },
  ])
})

it('shows a trail that was rolled back whole, with its anchor: numbers come again with other hashes', async () => {
  using server = await listen()
  using folder = tempFolder()
  const data = join(folder.folder, 'data')
  const saved = join(folder.folder, 'saved')
  prepareDataFolder(data)
  const run = async (...targets: readonly string[]) => {
    const store = openContext({ folder: data, clock: temp.clock, uuid: randomUUID })
    try {
      await using collector = collect(server.target, store)
      for (const target of targets)
        store.audit.append({ actor: 'user:usr_1', action: 'device.add', target, detail: {} })
      await expect.poll(() => collector.state()).toEqual({ waiting: 0, fault: undefined })
      return store.audit.verify()
    } finally {
      store[Symbol.dispose]()
    }
  }
  await run('a', 'b')
  cpSync(data, saved, { recursive: true })
  await run('c', 'd')
  rmSync(data, { recursive: true })
  cpSync(saved, data, { recursive: true })
  // Nothing on the PC is left that knows of it.
  expect(await run('e', 'f')).toMatchObject({ isIntact: true, entries: 4 })
  expect(server.numbers()).toEqual([1, 2, 3, 4, 3, 4])
  const hashes = server.hashes()
  expect(new Set(hashes).size).toBe(hashes.length)
})

it('begins with the entry of its host, though other settings were changed with it', async () => {
  using server = await listen()
  append('user.sign-in', 'usr_1')
  append('setting.change', 'audit.collectorHost')
  append('setting.change', 'audit.collectorPort')
  append('setting.change', 'audit.collectorAuthorities')
  await using _ = collect(server.target)
  await expect.poll(() => server.numbers()).toEqual([2, 3, 4])
})
