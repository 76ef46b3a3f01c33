import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type BudgetedConnection, type ConnectionBudget, connectionToClose, hostOf } from '../admission/connection-budget.ts'

export interface ConnectionLimits extends ConnectionBudget {
  /** Milliseconds for a TLS handshake; undefined: the server does not speak TLS. */
  readonly handshakeMs: number | undefined
}

interface Connection extends BudgetedConnection {
  readonly socket: Socket
  /** Calls that are being answered, streams of events included. */
  calls: number
}

/**
 * Keeps the connections of an HTTP or HTTPS server within its budget by closing others in place of
 * refusing new ones: a host that opens many keeps nobody else out. A connection that does not finish
 * its TLS handshake in time is destroyed: Node reports it and leaves the socket to the listener,
 * which cannot answer on it.
 *
 * @returns `destroyAll`: closes every connection at once, whatever its client does
 */
export function limitConnections(server: Server, limits: ConnectionLimits): { destroyAll(): void } {
  const { handshakeMs } = limits
  const connections = new Map<string, Connection>()

  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket)
    connections.set(key, {
      ...{ host: hostOf(socket.remoteAddress ?? ''), socket, calls: 0 },
      get isBusy() {
        return this.calls > 0
      },
    })
    const deadline = handshakeMs === undefined ? undefined : setTimeout(() => socket.destroy(), handshakeMs)
    if (deadline) handshakes.set(key, deadline)
    socket.once('close', () => {
      connections.delete(key)
      endHandshake(key)
    })
    connectionToClose(connections.values(), limits)?.socket.destroy()
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

  return {
    destroyAll() {
      for (const { socket } of connections.values()) socket.destroy()
    },
  }
}

const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
