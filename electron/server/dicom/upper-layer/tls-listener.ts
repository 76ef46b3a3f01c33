import type { Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import type { TlsPeer } from '#server/dicom/dimse/service.ts'
import {
  type AdmittedConnection,
  type AdmittedConnections,
  type ConnectionBudget,
  connectionKey,
  connectionToClose,
  hostOf,
} from '#server/platform/connection-budget.ts'
import { TLS_PROFILE } from './tls-profile.ts'

export interface TlsListenerOptions {
  /** PEM. */
  readonly key: string
  readonly cert: string
  /**
   * Authorities (PEM) that the certificates of peers are checked against; a peer without one is not
   * refused here.
   */
  readonly ca?: string
}

interface HandshakeLimits {
  readonly handshakeSeconds: number
  /** Handshakes at a time. */
  readonly handshakes: ConnectionBudget
  /** Those of all listeners; undefined: this one shares no budget. */
  readonly admitted: AdmittedConnections | undefined
}

interface Handshake extends AdmittedConnection {
  readonly socket: Socket
}

/**
 * What connections stand on, at the start and after another certificate alike: Node keeps nothing
 * of the one before.
 */
export const secureContextOf = ({ key, cert, ca }: TlsListenerOptions) => ({
  ...TLS_PROFILE,
  honorCipherOrder: true,
  key,
  cert,
  // Without a list Node would trust those whom browsers trust.
  ca: ca ?? [],
})

/**
 * A TLS server that asks every peer for a certificate and refuses none for want of one: who has to
 * show which is decided when the association says who it is.
 */
export function createTlsListener(
  options: TlsListenerOptions & HandshakeLimits,
  connected: (socket: TLSSocket) => void,
): { readonly server: Server; destroyHandshakes(): void } {
  const { handshakeSeconds, handshakes, admitted } = options
  const server = createServer(
    {
      ...secureContextOf(options),
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: handshakeSeconds * 1000,
      noDelay: true,
    },
    (socket) => {
      // Before the association is counted: the two are one connection.
      ended(connectionKey(socket), handshaking.get(connectionKey(socket)))
      connected(socket)
    },
  )
  // Node reports a handshake that takes too long, and leaves its socket open.
  server.on('tlsClientError', (_, socket) => socket.destroy())
  // The TLS socket is another object than the one that was accepted; addresses and ports are the
  // same.
  const handshaking = new Map<string, Handshake>()
  function ended(key: string, handshake: Handshake | undefined): void {
    if (!handshake) return
    // Another connection may have the same addresses and ports before this one reports its end.
    if (handshaking.get(key) === handshake) handshaking.delete(key)
    admitted?.remove(handshake)
  }
  server.on('connection', (socket: Socket) => {
    const key = connectionKey(socket)
    const handshake: Handshake = {
      ...{ host: hostOf(socket.remoteAddress ?? ''), socket },
      close() {
        ended(key, handshake)
        socket.destroy()
      },
    }
    handshaking.set(key, handshake)
    socket.once('close', () => ended(key, handshake))
    for (let surplus = connectionToClose(handshaking.values(), handshakes); surplus; ) {
      surplus.close()
      surplus = connectionToClose(handshaking.values(), handshakes)
    }
    if (handshaking.get(key) === handshake) admitted?.add(handshake)
  })
  return {
    server,
    destroyHandshakes() {
      for (const { socket } of handshaking.values()) socket.destroy()
    },
  }
}

export function peerOf(socket: TLSSocket): TlsPeer {
  return {
    protocol: socket.getProtocol() ?? '',
    cipher: socket.getCipher().standardName,
    fingerprint256: socket.getPeerCertificate().fingerprint256,
    isTrusted: socket.authorized,
  }
}
