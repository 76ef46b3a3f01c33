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
  /** Requests that have begun and are not answered; an event stream is one. */
  readonly requests: Set<IncomingMessage>
  /** Ends the connection unless its TLS handshake ends before. */
  readonly deadline: NodeJS.Timeout | undefined
}

/**
 * Keeps the connections of an HTTP or HTTPS server within its budget by closing others in place of
 * refusing new ones: a host that opens many keeps nobody else out. A connection that does not
 * finish its TLS handshake in time is destroyed: Node reports it and leaves the socket to the
 * listener, which cannot answer on it.
 *
 * @param admitted connections of this server, and of others that share its budget
 * @param handshakeMs for a TLS handshake; undefined: the server does not speak TLS
 * @returns `destroyAll`: closes every connection at once, whatever its client does;
 *   `destroySilent`: those of them without a request, a TLS handshake among them
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
        // A request that is still being sent may never be completed.
        return [...this.requests].some(({ complete }) => complete)
      },
      close() {
        // Its close event comes after connections that are accepted in the same tick.
        forget()
        socket.destroy()
      },
    }
    connections.set(key, connection)
    // Another connection may have the same addresses and ports before this one reports its end.
    const forget = () => void (connections.get(key) === connection && connections.delete(key))
    socket.once('close', () => {
      forget()
      admitted.remove(connection)
      clearTimeout(connection.deadline)
    })
    admitted.add(connection)
  })

  // The TLS socket is another object than the one that was accepted; addresses and ports are the
  // same.
  server.on('secureConnection', (socket: Socket) =>
    clearTimeout(connections.get(connectionKey(socket))?.deadline),
  )

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { requests } = connections.get(connectionKey(request.socket)) ?? {}
    requests?.add(request)
    // Each answer waits in memory for the one before: no browser asks ahead like that.
    if (requests && requests.size > MOST_AHEAD) return void request.socket.destroy()
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

/** Requests of one connection that are not answered (RFC 9112 §9.3.2, pipelining). */
const MOST_AHEAD = 16
