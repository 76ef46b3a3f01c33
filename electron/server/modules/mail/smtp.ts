import { connect, type Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import { type Message, type MessageCode, message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'

/** An SMTP server (RFC 5321) that mail is handed to. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /**
   * starttls: the connection must be upgraded (RFC 3207); tls: it begins with TLS (RFC 8314); none:
   * plain text.
   */
  readonly security: 'starttls' | 'tls' | 'none'
  /** Null: it is not asked to sign in. */
  readonly user: string | null
  readonly password: string | undefined
  readonly from: string
  /** PEM of what it is trusted by, beside the authorities of this PC. Null: those alone. */
  readonly certificate: string | null
}

/** What a mail says; plain text, so that no reader's program runs or loads anything. */
export interface MailText {
  readonly subject: string
  readonly text: string
}

export interface OutgoingMail extends MailText {
  readonly to: string
  /**
   * Between `<` and `>` without them; the same at each attempt, so that a second copy shows as one.
   */
  readonly messageId: string
}

/** Milliseconds. */
export interface SmtpLimits {
  readonly connectMs: number
  /** Silence of the server. */
  readonly silenceMs: number
  /** The whole conversation. */
  readonly totalMs: number
}
const SMTP_LIMITS: SmtpLimits = { connectMs: 10_000, silenceMs: 30_000, totalMs: 60_000 }

/** Hands one mail to the server; resolves when the server has taken it. @throws MailError */
export async function sendBySmtp(
  server: SmtpServer,
  mail: OutgoingMail,
  { signal, limits = SMTP_LIMITS }: { readonly signal: AbortSignal; readonly limits?: SmtpLimits },
): Promise<void> {
  const { host, port, security, user, password, from, certificate } = server
  if (security === 'none' && user !== null)
    throw new MailError(message('mail.password-in-plain-text'))
  const end = AbortSignal.any([signal, AbortSignal.timeout(limits.totalMs)])
  // The socket is ours, so that whatever the server does the conversation can be ended.
  const socket = await connected(
    host,
    port,
    AbortSignal.any([end, AbortSignal.timeout(limits.connectMs)]),
  )
  const cut = () => socket.destroy(new MailError(message('mail.silent')))
  end.addEventListener('abort', cut, { once: true })
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
    // RFC 3834 §5: no automatic reply to what a machine sent.
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
    end.removeEventListener('abort', cut)
    socket.destroy()
  }
}

function connected(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    const fail = (error: unknown) => {
      socket.destroy()
      reject(mailErrorOf(error))
    }
    const late = () => fail(new MailError(message('mail.silent')))
    if (signal.aborted) return late()
    signal.addEventListener('abort', late, { once: true })
    socket.once('error', fail)
    socket.once('connect', () => {
      signal.removeEventListener('abort', late)
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

/** A mail that was not taken. It says why in one clause, without an address and safe to keep. */
export class MailError extends MessageError {
  override name = 'MailError'
  /** The server will never take it: trying again is of no use. */
  readonly isFinal: boolean
  constructor(
    explanation: Message,
    more: { readonly isFinal?: boolean; readonly cause?: unknown } = {},
  ) {
    super(explanation, more.cause === undefined ? undefined : { cause: more.cause })
    this.isFinal = more.isFinal ?? false
  }
}

/** Codes of nodemailer and of Node, in words. */
const MEANINGS: Readonly<Record<string, MessageCode>> = {
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
 * What a reply code above 499 makes final: the recipient or the message, not the server's own
 * state.
 */
const FINAL = new Set(['EENVELOPE', 'EMESSAGE'])

/**
 * Any failure of a send as a MailError. What the server said is left out: it may quote an address.
 */
export function mailErrorOf(thrown: unknown): MailError {
  if (thrown instanceof MailError) return thrown
  const code = fieldOf(thrown, 'code')
  const reply = fieldOf(thrown, 'responseCode')
  const what = message(
    MEANINGS[certificateFault(thrown)] ?? MEANINGS[String(code)] ?? 'mail.not-sent',
  )
  return new MailError(typeof reply === 'number' ? message('mail.reply', { what, reply }) : what, {
    // RFC 5321 §4.2.1: 5yz is permanent.
    isFinal: typeof reply === 'number' && reply >= 500 && FINAL.has(String(code)),
    cause: thrown,
  })
}

/**
 * nodemailer names a broken handshake by its own code and keeps the cause's code only in the text
 * or the cause.
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
