import type { Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { oldestOfLargest } from '../crowding.ts'
import type { TlsPeer } from './service.ts'
import { TLS_PROFILE } from './tls-profile.ts'

export interface TlsListenerOptions {
  /** PEM. */
  readonly key: string
  readonly cert: string
  /** Authorities (PEM) that the certificates of peers are checked against; a peer without one is not refused here. */
  readonly ca?: string
}

interface HandshakeLimits {
  readonly handshakeSeconds: number
  /** Handshakes at a time; beyond it the oldest of the host with the most is ended. */
  readonly mostHandshakes: number
}

/** What connections stand on, at the start and after another certificate alike: Node keeps nothing of the one before. */
export const secureContextOf = ({ key, cert, ca }: TlsListenerOptions) => ({
  ...TLS_PROFILE,
  honorCipherOrder: true,
  key,
  cert,
  // Without a list Node would trust those whom browsers trust.
  ca: ca ?? [],
})

/**
 * A TLS server that asks every peer for a certificate and refuses none for want of one: who has to show which is decided when the
 * association says who it is.
 */
export function createTlsListener(options: TlsListenerOptions & HandshakeLimits, connected: (socket: TLSSocket) => void): Server {
  const { handshakeSeconds, mostHandshakes } = options
  const server = createServer(
    {
      ...secureContextOf(options),
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: handshakeSeconds * 1000,
      noDelay: true,
    },
    connected,
  )
  // A handshake that takes too long is only told of.
  server.on('tlsClientError', (_, socket) => socket.destroy())
  const handshaking = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    handshaking.add(socket)
    socket.once('close', () => handshaking.delete(socket))
    if (handshaking.size <= mostHandshakes) return
    const all = [...handshaking].map((one) => ({ socket: one, remoteAddress: one.remoteAddress ?? '' }))
    oldestOfLargest(all)?.socket.destroy()
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    for (const raw of handshaking) {
      if (raw.remotePort === socket.remotePort && raw.remoteAddress === socket.remoteAddress) handshaking.delete(raw)
    }
  })
  return server
}

export function peerOf(socket: TLSSocket): TlsPeer {
  return {
    protocol: socket.getProtocol() ?? '',
    cipher: socket.getCipher().standardName,
    fingerprint256: socket.getPeerCertificate().fingerprint256,
    isTrusted: socket.authorized,
  }
}
