import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { busyPorts } from '../scripts/busy-ports.mjs'

/** A program that uses a port of this PC. */
async function openPort() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

it('names all busy ports of the demo at once, the TLS port at the address of the plain one', async () => {
  await using first = await openPort()
  await using second = await openPort()
  const busy = ['--http', `127.0.0.1:${first.port}`, `--dimse-tls=${second.port}`]
  expect(await busyPorts(['--safe-mode', ...busy, '--dimse', '127.0.0.1:0'])).toEqual([
    `--http 127.0.0.1:${first.port}`,
    `--dimse-tls ${second.port}`,
  ])
  expect(
    await busyPorts(['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off']),
  ).toEqual([])
})
