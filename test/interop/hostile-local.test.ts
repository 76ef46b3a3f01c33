import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { controlPath } from '#server/modules/control/control.ts'
import { httpCall, OWN_PAGE } from '../support/http-call.ts'
import { needing } from '../support/needs.ts'
import { close, gateway, open, send, unharmed } from './hostile-fixture.ts'

describe('a hostile browser and a hostile program on this PC', needing('linux'), () => {
  beforeAll(() => open())
  afterAll(close)
  const port = () => Number(new URL(gateway.http).port)

  it('sends requests that never end, and others are answered beside them', async () => {
    const said = await unharmed(async () => {
      const sockets: Socket[] = []
      for (let n = 0; n < 100; n++) {
        sockets.push(await send(port(), 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: '))
        const body =
          'POST /dashboard/session HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nX-Isthmus-Csrf: 1\r\n'
        const length = 1 << 20
        sockets.push(
          await send(
            port(),
            `${body}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${' '.repeat(length - 1)}`,
          ),
        )
      }
      const { status } = await httpCall(`${gateway.http}/dashboard/session`)
      for (const socket of sockets) socket.destroy()
      return status
    })
    expect(said).toBe(200)
  })

  it('sends a body that is too large', async () => {
    const { status } = await unharmed(() =>
      httpCall(`${gateway.http}/dashboard/session`, {
        method: 'POST',
        headers: { ...OWN_PAGE, 'content-type': 'application/json' },
        body: Buffer.alloc(64 << 10, 0x20),
      }),
    )
    expect(status).toBe(413)
  })

  it.each([
    'rebound.example',
    'rebound.example:8042',
    'localhost.rebound.example',
    '127.0.0.1.rebound.example',
    'localhost@rebound.example',
    '0x7f000001',
    '169.254.169.254',
    '[::ffff:10.0.0.1]',
    ' ',
  ])('calls us %s (DNS rebinding)', async (host) => {
    const [status, page] = await unharmed(async () => [
      (await httpCall(`${gateway.http}/dashboard/session`, { headers: { host } })).status,
      (await httpCall(`${gateway.http}/`, { headers: { host } })).status,
    ])
    expect([status, page]).toEqual([421, 421])
  })

  it('fills the control socket slowly, and with more than a command', async () => {
    const path = controlPath(gateway.folder)
    const opened = async (bytes: Buffer | string): Promise<Socket> => {
      const socket = connect(path)
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(bytes)
      return socket
    }
    const said = await unharmed(async () => {
      const slow = await Promise.all(Array.from({ length: 20 }, () => opened('{"command":')))
      const long = await opened(Buffer.alloc(8 << 20, 0x20))
      const socket = await opened('{"command":"config get","arguments":["dimse.aeTitle"]}\n')
      const [reply] = (await once(socket, 'data')) as [Buffer]
      for (const one of [...slow, long, socket]) one.destroy()
      return JSON.parse(String(reply)) as unknown
    })
    expect(said).toEqual({ ok: true, output: '"ISTHMUS"' })
  })
})
