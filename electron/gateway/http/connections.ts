import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { oldestOfLargest } from '../crowding.ts'

export interface ConnectionLimits {
  /** Connections at once. */
  readonly most: number
  /** Milliseconds for a TLS handshake; undefined: the server does not speak TLS. */
  readonly handshakeMs: number | undefined
}

interface Connection {
  readonly remoteAddress: string
  readonly socket: Socket
  /** Calls that are being answered, streams of events included. */
  calls: number
}

/**
 * Keeps the connections of an HTTP or HTTPS server within a number. Beyond it, one of those that ask
 * nothing is closed in place of refusing the new one: a client that opens connections and leaves
 * them silent keeps nobody else out. A connection that does not finish its TLS handshake in time is
 * destroyed: Node reports it and leaves the socket to the listener, which cannot answer on it.
 *
 * @returns `destroyAll`: closes every connection at once, whatever its client does
 */
export function limitConnections(server: Server, { most, handshakeMs }: ConnectionLimits): { destroyAll(): void } {
  const connections = new Map<string, Connection>()

  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket)
    const { remoteAddress = '' } = socket
    connections.set(key, { remoteAddress, socket, calls: 0 })
    const deadline = handshakeMs === undefined ? undefined : setTimeout(() => socket.destroy(), handshakeMs)
    if (deadline) handshakes.set(key, deadline)
    socket.once('close', () => {
      connections.delete(key)
      endHandshake(key)
    })
    if (connections.size > most) makeRoom()
  })

  const handshakes = new Map<string, NodeJS.Timeout>()
  function endHandshake(key: string): void {
    clearTimeout(handshakes.get(key))
    handshakes.delete(key)
  }
  // The TLS socket is another object than the one that was accepted; both have the same peer.
  server.on('secureConnection', (socket: Socket) => endHandshake(keyOf(socket)))

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(keyOf(socket))
    if (!connection) return
    connection.calls++
    response.once('close', () => connection.calls--)
  })

  function makeRoom(): void {
    const all = [...connections.values()]
    const silent = all.filter(({ calls }) => calls === 0)
    const last = oldestOfLargest(silent.length > 0 ? silent : all)
    last?.socket.destroy()
  }

  return {
    destroyAll() {
      for (const { socket } of connections.values()) socket.destroy()
    },
  }
}

const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
