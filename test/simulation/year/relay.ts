import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP relay, through which the archive sends images to the gateway. */
export interface Relay extends AsyncDisposable {
  readonly port: number
  /** Called with the bytes that one connection has sent so far. */
  onBytes: ((bytes: number) => void) | undefined
}

export async function openRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>()
  const server = createServer((incoming) => {
    const outgoing = connect(targetPort, '127.0.0.1')
    let bytes = 0
    incoming.on('data', (chunk) => {
      bytes += chunk.length
      relay.onBytes?.(bytes)
    })
    incoming.pipe(outgoing).pipe(incoming)
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const relay: Relay = {
    port: (server.address() as AddressInfo).port,
    onBytes: undefined,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return relay
}
