import { X509Certificate } from 'node:crypto'
import { connect as connectTcp, type Socket } from 'node:net'
import { checkServerIdentity, connect as connectTls, type PeerCertificate } from 'node:tls'
import {
  type Call,
  placeOf,
  RequestorError,
  unreachable,
  untrusted,
} from '#server/dicom/scu/requestor-error.ts'
import { TLS_PROFILE } from './tls-profile.ts'

/** An application entity that we call. */
export interface Peer {
  /** Name or address. */
  readonly host: string
  readonly port: number
  /** The AE title it is called by. */
  readonly aeTitle: string
  /** By TLS (PS3.15 B.12). */
  readonly tls?: PeerTls | undefined
}

export interface PeerTls {
  /**
   * PEM: its certificate, or that of its issuer, which must then be for the name or address in
   * `host`. Missing: not checked.
   */
  readonly ca?: string | undefined
  /** PEM: who we are, where it wants to know. */
  readonly key?: string | undefined
  readonly cert?: string | undefined
}

/**
 * Opens a connection.
 * @throws {RequestorError} unreachable, tls, or cancelled where `signal` is aborted first.
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
      ? connectTls({ host, port, ...trustOf(peer, tls, call) })
      : connectTcp({ host, port })
    socket.setNoDelay(true)
    const timer = setTimeout(() => {
      const isMute = isConnected && tls !== undefined
      fail(
        isMute
          ? untrusted(new Error('no answer'), call)
          : unreachable(Object.assign(new Error(), { code: 'ETIMEDOUT' }), call),
      )
    }, seconds * 1000)
    const cancel = () =>
      fail(new RequestorError('cancelled', 'given up before there was a connection'))
    // A connection that breaks before TLS is agreed on is one to a port that does not speak it.
    const error = (cause: NodeJS.ErrnoException) =>
      fail(tls && isConnected ? untrusted(cause, call) : unreachable(cause, call))
    const close = () => error(new Error('the connection was closed'))

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

function trustOf({ host }: Peer, { ca, key, cert }: PeerTls, call: Call) {
  return {
    ...TLS_PROFILE,
    ...(key !== undefined && cert !== undefined && { key, cert }),
    ...(/^[\d.:]+$|:/.test(host) ? {} : { servername: host }),
    // A certificate that was entered for the device itself is trusted whoever issued it.
    ...(ca === undefined
      ? { rejectUnauthorized: false }
      : {
          ca,
          allowPartialTrustChain: true,
          checkServerIdentity: identityBy(certificateIn(ca, call)),
        }),
  }
}

/**
 * The certificate that was entered is the device whatever name is in it: devices are called by
 * address, and rarely have it there.
 */
const identityBy =
  ({ fingerprint256 }: X509Certificate) =>
  (host: string, certificate: PeerCertificate): Error | undefined =>
    certificate.fingerprint256 === fingerprint256
      ? undefined
      : checkServerIdentity(host, certificate)

function certificateIn(pem: string, call: Call): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch {
    throw new RequestorError(
      'tls',
      `the certificate entered for ${placeOf(call)} cannot be read: enter it again`,
    )
  }
}
