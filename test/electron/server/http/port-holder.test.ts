import { createServer } from 'node:net'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { portHolder } from '#server/http/port-holder.ts'
import { freePort } from '../../../support/free-port.ts'

it.each(['127.0.0.1', '::1'])('names the program that listens on a port of %s', async (host) => {
  const server = createServer()
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(0, host, resolve),
  )
  const { port } = server.address() as { port: number }
  const holder = await portHolder(port)
  await new Promise((resolve) => server.close(resolve))
  expect(holder).toEqual({ name: basename(process.execPath), pid: process.pid })
})

it('knows nobody where nobody listens', async () => {
  expect(await portHolder(await freePort())).toBeUndefined()
})
