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
import { TLS_PROFILE } from './connection.ts'

export interface TlsCertificate {
  /** PEM. */
  readonly key: string
  readonly cert: string
  /**
   * PEM: authorities for verifying peer certificates. A peer without a certificate is not refused
   * here.
   */
  readonly ca?: string | undefined
}

interface Handshake extends AdmittedConnection {
  readonly socket: Socket
}

/**
 * The TLS settings, complete for the first and for every later certificate, because Node keeps none
 * of the previous ones.
 */
const secureContextOf = ({ key, cert, ca }: TlsCertificate) => ({
  ...TLS_PROFILE,
  honorCipherOrder: true,
  key,
  cert,
  // Without a list Node would trust the public authorities.
  ca: ca ?? [],
})

/**
 * A TLS server that requests a certificate from every peer but does not refuse peers without one.
 * Whether a certificate is required is decided when the association is requested.
 */
export class TlsListener {
  readonly server: Server
  readonly #handshakes: ConnectionBudget
  readonly #admitted: AdmittedConnections | undefined
  /**
   * Keyed by addresses and ports, because the TLS socket is a different object from the accepted
   * one.
   */
  readonly #handshaking = new Map<string, Handshake>()

  /**
   * @param handshakes maximum number of concurrent handshakes
   * @param admitted connections of all listeners that share a budget; undefined if there is no
   * shared budget
   */
  constructor(
    certificate: TlsCertificate,
    handshakeSeconds: number,
    handshakes: ConnectionBudget,
    admitted: AdmittedConnections | undefined,
    connected: (socket: TLSSocket) => void,
  ) {
    this.#handshakes = handshakes
    this.#admitted = admitted
    this.server = createServer(
      {
        ...secureContextOf(certificate),
        requestCert: true,
        rejectUnauthorized: false,
        handshakeTimeout: handshakeSeconds * 1000,
        noDelay: true,
      },
      (socket) => {
        // Removed before the association is counted, because both are the same connection.
        const key = connectionKey(socket)
        this.#ended(key, this.#handshaking.get(key))
        connected(socket)
      },
    )
    // Node reports a handshake timeout but leaves the socket open.
    this.server.on('tlsClientError', (_, socket) => socket.destroy())
    this.server.on('connection', (socket: Socket) => this.#begin(socket))
  }

  setCertificate(certificate: TlsCertificate): void {
    this.server.setSecureContext(secureContextOf(certificate))
  }

  destroyHandshakes(): void {
    for (const { socket } of this.#handshaking.values()) socket.destroy()
  }

  #begin(socket: Socket): void {
    const key = connectionKey(socket)
    const handshake: Handshake = {
      host: hostOf(socket.remoteAddress ?? ''),
      socket,
      close: () => {
        this.#ended(key, handshake)
        socket.destroy()
      },
    }
    this.#handshaking.set(key, handshake)
    socket.once('close', () => this.#ended(key, handshake))
    for (;;) {
      const surplus = connectionToClose(this.#handshaking.values(), this.#handshakes)
      if (!surplus) break
      surplus.close()
    }
    if (this.#handshaking.get(key) === handshake) this.#admitted?.add(handshake)
  }

  #ended(key: string, handshake: Handshake | undefined): void {
    if (!handshake) return
    // Another connection may use the same addresses and ports before this one reports its end.
    if (this.#handshaking.get(key) === handshake) this.#handshaking.delete(key)
    this.#admitted?.remove(handshake)
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
