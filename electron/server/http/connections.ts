import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  type AdmittedConnection,
  type AdmittedConnections,
  connectionKey,
  hostOf,
} from '#server/platform/connection-budget.ts'

interface Connection extends AdmittedConnection {
  readonly socket: Socket
  /** Requests that have not been answered, including event streams. */
  readonly requests: Set<IncomingMessage>
  /** Closes the connection if its TLS handshake does not complete in time. */
  readonly deadline: NodeJS.Timeout | undefined
}

/**
 * Keeps an HTTP or HTTPS server within its connection budget by closing existing connections
 * instead of refusing new ones, so that a host that opens many cannot lock out others. A connection
 * that does not complete its TLS handshake in time is destroyed, because Node reports it but leaves
 * the socket to the listener, which cannot respond on it.
 *
 * @param admitted connections of this server and of others that share its budget
 * @param handshakeMs time limit for a TLS handshake; undefined if the server does not use TLS
 * @returns `destroyAll`: closes every connection immediately; `destroySilent`: closes the
 * connections without a request, including those in a TLS handshake
 */
export function limitConnections(
  server: Server,
  admitted: AdmittedConnections,
  handshakeMs: number | undefined,
): { destroyAll(): void; destroySilent(): void } {
  const connections = new Map<string, Connection>()

  server.on('connection', (socket: Socket) => {
    const key = connectionKey(socket)
    const connection: Connection = {
      ...{ host: hostOf(socket.remoteAddress ?? ''), socket, requests: new Set<IncomingMessage>() },
      deadline:
        handshakeMs === undefined ? undefined : setTimeout(() => socket.destroy(), handshakeMs),
      get isBusy() {
        // A request that is still being received may never be completed, so it does not count.
        return [...this.requests].some(({ complete }) => complete)
      },
      close() {
        // Removed now, because its close event is emitted after connections accepted in the same
        // tick.
        forget()
        socket.destroy()
      },
    }
    connections.set(key, connection)
    // Another connection may use the same addresses and ports before this one reports its end.
    const forget = () => void (connections.get(key) === connection && connections.delete(key))
    socket.once('close', () => {
      forget()
      admitted.remove(connection)
      clearTimeout(connection.deadline)
    })
    admitted.add(connection)
  })

  // The TLS socket is a different object from the accepted one, but has the same addresses and
  // ports.
  server.on('secureConnection', (socket: Socket) =>
    clearTimeout(connections.get(connectionKey(socket))?.deadline),
  )

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { requests } = connections.get(connectionKey(request.socket)) ?? {}
    requests?.add(request)
    // Pipelined responses wait in memory for the preceding one, and no browser pipelines this many
    // requests.
    if (requests && requests.size > MAX_PIPELINED) return void request.socket.destroy()
    response.once('close', () => requests?.delete(request))
  })

  return {
    destroySilent() {
      for (const { socket, requests } of connections.values())
        if (requests.size === 0) socket.destroy()
    },
    destroyAll() {
      for (const { socket } of connections.values()) socket.destroy()
    },
  }
}

/** Unanswered requests per connection (RFC 9112 §9.3.2, pipelining). */
const MAX_PIPELINED = 16
