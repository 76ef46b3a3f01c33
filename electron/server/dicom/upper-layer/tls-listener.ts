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
   * Authorities (PEM) that the certificates of peers are checked against; a peer without one is not
   * refused here.
   */
  readonly ca?: string | undefined
}

interface Handshake extends AdmittedConnection {
  readonly socket: Socket
}

/**
 * What connections stand on, at the start and after another certificate alike: Node keeps nothing
 * of the one before.
 */
const secureContextOf = ({ key, cert, ca }: TlsCertificate) => ({
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
export class TlsListener {
  readonly server: Server
  readonly #handshakes: ConnectionBudget
  readonly #admitted: AdmittedConnections | undefined
  /**
   * By addresses and ports: the TLS socket is another object than the one that was accepted.
   */
  readonly #handshaking = new Map<string, Handshake>()

  /**
   * @param handshakes how many handshakes there may be at a time
   * @param admitted those of all listeners; undefined: this one shares no budget
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
        // Before the association is counted: the two are one connection.
        const key = connectionKey(socket)
        this.#ended(key, this.#handshaking.get(key))
        connected(socket)
      },
    )
    // Node reports a handshake that takes too long, and leaves its socket open.
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
    // Another connection may have the same addresses and ports before this one reports its end.
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
