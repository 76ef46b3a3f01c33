import { X509Certificate } from 'node:crypto'
import { connect as connectTcp, type Socket } from 'node:net'
import { checkServerIdentity, connect as connectTls, type PeerCertificate } from 'node:tls'
import {
  type Call,
  hostAndPortOf,
  RequestorError,
  tlsError,
  unreachableError,
} from '#server/dicom/scu/requestor-error.ts'
import { type Message, type MessageCode, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'

/** A remote application entity. */
export interface Peer {
  /** Host name or address. */
  readonly host: string
  readonly port: number
  /** The called AE title. */
  readonly aeTitle: string
  /** Set if the connection uses TLS (PS3.15 B.12). */
  readonly tls?: PeerTls | undefined
}

export interface PeerTls {
  /**
   * PEM: the peer's certificate, or that of its issuer, in which case the certificate must match
   * `host`. If undefined, the certificate is not verified.
   */
  readonly ca?: string | undefined
  /** PEM: the client certificate and key, used if the peer requests one. */
  readonly key?: string | undefined
  readonly cert?: string | undefined
}

/**
 * Opens a connection.
 * @throws {RequestorError} unreachable, tls, or cancelled if `signal` is aborted
 */
export function connect(
  peer: Peer,
  call: Call,
  seconds: number,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  const { host, port, tls } = peer
  return new Promise((resolve, reject) => {
    let isConnected = false
    const socket = tls
      ? connectTls({ host, port, ...tlsOptionsOf(peer, tls, call) })
      : connectTcp({ host, port })
    socket.setNoDelay(true)
    const timer = setTimeout(() => {
      const isUnresponsive = isConnected && tls !== undefined
      fail(
        isUnresponsive
          ? tlsError(new MessageError(message('dicom.silent')), call)
          : unreachableError(Object.assign(new Error(), { code: 'ETIMEDOUT' }), call),
      )
    }, seconds * 1000)
    const cancel = () => fail(new RequestorError('cancelled', message('dicom.given-up-connecting')))
    // If the connection breaks before the TLS handshake completes, the port probably does not use
    // TLS.
    const error = (cause: NodeJS.ErrnoException) =>
      fail(tls && isConnected ? tlsError(cause, call) : unreachableError(cause, call))
    const close = () => error(new MessageError(message('dicom.closed-connecting')))

    function settle(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      socket.off('error', error)
      socket.off('close', close)
    }
    function fail(reason: RequestorError): void {
      settle()
      socket.on('error', () => {})
      socket.destroy()
      reject(reason)
    }

    socket.on('error', error)
    socket.on('close', close)
    socket.once('connect', () => {
      isConnected = true
    })
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      settle()
      resolve(socket)
    })
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel)
  })
}

function tlsOptionsOf({ host }: Peer, { ca, key, cert }: PeerTls, call: Call) {
  return {
    ...TLS_PROFILE,
    ...(key !== undefined && cert !== undefined && { key, cert }),
    ...(/^[\d.:]+$|:/.test(host) ? {} : { servername: host }),
    // A certificate entered for the device itself is trusted regardless of its issuer.
    ...(ca === undefined
      ? { rejectUnauthorized: false }
      : {
          ca,
          allowPartialTrustChain: true,
          checkServerIdentity: certificateCheckFor(parseCertificate(ca, call)),
        }),
  }
}

/**
 * A configured device certificate identifies the device regardless of the names in it, because
 * devices are called by address, which their certificates rarely contain.
 */
const certificateCheckFor =
  ({ fingerprint256 }: X509Certificate) =>
  (host: string, certificate: PeerCertificate): Error | undefined =>
    certificate.fingerprint256 === fingerprint256
      ? undefined
      : checkServerIdentity(host, certificate)

function parseCertificate(pem: string, call: Call): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch {
    throw new RequestorError(
      'tls',
      message('dicom.certificate-unreadable', { place: hostAndPortOf(call) }),
    )
  }
}

/** Errors of an established connection. */
const LOST_CONNECTION_CODES: Readonly<Record<string, MessageCode>> = {
  ECONNRESET: 'dicom.lost-cut',
  EPIPE: 'dicom.lost-cut',
  ECONNABORTED: 'dicom.lost-cut-here',
  ETIMEDOUT: 'dicom.lost-silent',
  EHOSTUNREACH: 'dicom.lost-unreachable',
  ENETUNREACH: 'dicom.lost-network-unreachable',
  ENETDOWN: 'dicom.lost-network-down',
}

/** Why an established connection was lost, completing a sentence; ends with the error code. */
export function connectionLostMessage({
  code = '',
  message: text,
}: NodeJS.ErrnoException): Message {
  return message(LOST_CONNECTION_CODES[code] ?? 'dicom.lost', { fault: code || text })
}

/** Writes all parts. `onWritten` is called when the last one has been sent or has failed. */
export function writeAll(
  socket: Socket,
  parts: readonly Buffer[],
  onWritten?: (error?: Error | null) => void,
): void {
  const last = parts.length - 1
  if (last > 0) socket.cork()
  parts.forEach((part, i) => {
    socket.write(part, i === last ? onWritten : undefined)
  })
  if (last > 0) socket.uncork()
}

/**
 * PS3.15 B.12 (BCP 195, RFC 9325 §4.2), for both sides of a connection: only forward secrecy and
 * AEAD.
 */
export const TLS_PROFILE = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256',
  ].join(':'),
} as const

export const abortedHereMessage = (why: Message) => message('dicom.aborted-here', { why })
export const internalErrorMessage = (reference: string) =>
  message('dicom.internal-error', { reference })
