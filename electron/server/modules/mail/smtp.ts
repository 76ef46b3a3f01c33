import { connect, type Socket } from 'node:net'
import { type Message, type MessageCode, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'

/** An SMTP server (RFC 5321). */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /**
   * `starttls`: the connection must be upgraded (RFC 3207). `tls`: TLS from the start (RFC 8314).
   * `none`: plain text.
   */
  readonly security: 'starttls' | 'tls' | 'none'
  /** `null` to send without authentication. */
  readonly user: string | null
  readonly password: string | undefined
  readonly from: string
  /** PEM of a certificate to trust instead of the default authorities; `null` for the defaults. */
  readonly certificate: string | null
}

/** Content of a mail: plain text only, so that no mail client runs or loads anything. */
export interface MailText {
  readonly subject: string
  readonly text: string
}

export interface OutgoingMail extends MailText {
  readonly to: string
  /**
   * Message-ID without the angle brackets. It is the same for every attempt, so that duplicates can
   * be detected.
   */
  readonly messageId: string
}

/** Timeouts in milliseconds. */
export interface SmtpLimits {
  readonly connectMs: number
  /** Longest time without data from the server. */
  readonly silenceMs: number
  /** Longest duration of the whole session. */
  readonly totalMs: number
}
const SMTP_LIMITS: SmtpLimits = { connectMs: 10_000, silenceMs: 30_000, totalMs: 60_000 }

/**
 * Sends one mail; resolves when the server has accepted it.
 * @throws MailError
 */
export async function sendBySmtp(
  server: SmtpServer,
  mail: OutgoingMail,
  { signal, limits = SMTP_LIMITS }: { readonly signal: AbortSignal; readonly limits?: SmtpLimits },
): Promise<void> {
  const { host, port, security, user, password, from, certificate } = server
  if (security === 'none' && user !== null)
    throw new MailError(message('mail.password-in-plain-text'))
  const { createTransport } = await import('nodemailer')
  const end = AbortSignal.any([signal, AbortSignal.timeout(limits.totalMs)])
  // The socket is created here so that the session can be aborted at any time.
  const socket = await openSocket(
    host,
    port,
    AbortSignal.any([end, AbortSignal.timeout(limits.connectMs)]),
  )
  const abortSocket = () => socket.destroy(new MailError(message('mail.silent')))
  end.addEventListener('abort', abortSocket, { once: true })
  try {
    const transport = createTransport({
      ...{
        host,
        port,
        connection: socket,
        secure: security === 'tls',
        requireTLS: security === 'starttls',
        ignoreTLS: security === 'none',
      },
      ...(user !== null && { auth: { user, pass: password ?? '' } }),
      tls: { minVersion: 'TLSv1.2', ...(certificate !== null && { ca: [certificate] }) },
      ...{
        connectionTimeout: limits.connectMs,
        greetingTimeout: limits.silenceMs,
        socketTimeout: limits.silenceMs,
      },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    })
    // RFC 3834 §5: suppresses automatic replies.
    const headers = { 'auto-submitted': 'auto-generated' }
    await transport.sendMail({
      from: { name: 'Isthmus', address: from },
      ...mail,
      messageId: `<${mail.messageId}>`,
      headers,
    })
  } catch (error) {
    throw end.aborted ? new MailError(message('mail.silent'), { cause: error }) : mailErrorOf(error)
  } finally {
    end.removeEventListener('abort', abortSocket)
    socket.destroy()
  }
}

function openSocket(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    const fail = (error: unknown) => {
      socket.destroy()
      reject(mailErrorOf(error))
    }
    const onTimeout = () => fail(new MailError(message('mail.silent')))
    if (signal.aborted) return onTimeout()
    signal.addEventListener('abort', onTimeout, { once: true })
    socket.once('error', fail)
    socket.once('connect', () => {
      signal.removeEventListener('abort', onTimeout)
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

/**
 * A mail was not accepted. The explanation is one clause without addresses, so it may be stored.
 */
export class MailError extends MessageError {
  override name = 'MailError'
  /** Whether the server rejects the mail permanently, so that retrying is pointless. */
  readonly isFinal: boolean
  constructor(
    explanation: Message,
    more: { readonly isFinal?: boolean; readonly cause?: unknown } = {},
  ) {
    super(explanation, more.cause === undefined ? undefined : { cause: more.cause })
    this.isFinal = more.isFinal ?? false
  }
}

/** Error codes of nodemailer and Node, mapped to messages. */
const MESSAGES: Readonly<Record<string, MessageCode>> = {
  ECONNREFUSED: 'mail.connection-refused',
  ENOTFOUND: 'mail.host-unknown',
  EDNS: 'mail.host-unknown',
  EAI_AGAIN: 'mail.name-server-silent',
  ECONNECTION: 'mail.connection-closed',
  ESOCKET: 'mail.connection-broke',
  ECONNRESET: 'mail.connection-broke',
  ETIMEDOUT: 'mail.silent',
  EHOSTUNREACH: 'mail.no-route',
  ENETUNREACH: 'mail.no-route',
  EAUTH: 'mail.password-refused',
  ENOAUTH: 'mail.password-missing',
  ETLS: 'mail.no-starttls',
  EPROTOCOL: 'mail.not-smtp',
  EENVELOPE: 'mail.address-refused',
  EMESSAGE: 'mail.message-refused',
  CERT_HAS_EXPIRED: 'mail.certificate-expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'mail.certificate-other-host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'mail.certificate-untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'mail.certificate-untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'mail.certificate-untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'mail.certificate-untrusted',
}
/**
 * Errors that are permanent if the reply code is 5yz. They concern the recipient or the message,
 * not the state of the server.
 */
const PERMANENT_FAILURES = new Set(['EENVELOPE', 'EMESSAGE'])

/**
 * Converts any failure to a MailError. The server's reply text is left out, because it may quote an
 * address.
 */
export function mailErrorOf(thrown: unknown): MailError {
  if (thrown instanceof MailError) return thrown
  const code = fieldOf(thrown, 'code')
  const reply = fieldOf(thrown, 'responseCode')
  const what = message(
    MESSAGES[certificateFault(thrown)] ?? MESSAGES[String(code)] ?? 'mail.not-sent',
  )
  return new MailError(typeof reply === 'number' ? message('mail.reply', { what, reply }) : what, {
    // RFC 5321 §4.2.1: 5yz is a permanent failure.
    isFinal: typeof reply === 'number' && reply >= 500 && PERMANENT_FAILURES.has(String(code)),
    cause: thrown,
  })
}

/**
 * The code of a TLS failure. nodemailer reports a failed handshake with a code of its own; the
 * original code is only in the message or in the cause.
 */
function certificateFault(thrown: unknown): string {
  const texts = [
    fieldOf(thrown, 'message'),
    fieldOf(fieldOf(thrown, 'cause'), 'code'),
    fieldOf(thrown, 'code'),
  ]
    .map(String)
    .join(' ')
  if (/altname|does not match certificate/i.test(texts)) return 'ERR_TLS_CERT_ALTNAME_INVALID'
  if (/certificate has expired|CERT_HAS_EXPIRED/i.test(texts)) return 'CERT_HAS_EXPIRED'
  if (/self[- ]signed|unable to (get|verify)|SELF_SIGNED|UNABLE_TO/i.test(texts))
    return 'SELF_SIGNED_CERT_IN_CHAIN'
  return (
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/.exec(texts)?.[0] ?? ''
  )
}

const fieldOf = (thrown: unknown, name: string): unknown =>
  typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, name) : undefined
