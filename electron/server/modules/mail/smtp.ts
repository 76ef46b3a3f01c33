import { connect, type Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import { MailError, mailErrorOf } from './mail-error.ts'

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
    throw new MailError('user name and password would cross the network in plain text')
  const end = AbortSignal.any([signal, AbortSignal.timeout(limits.totalMs)])
  // The socket is ours, so that whatever the server does the conversation can be ended.
  const socket = await connected(
    host,
    port,
    AbortSignal.any([end, AbortSignal.timeout(limits.connectMs)]),
  )
  const cut = () => socket.destroy(new MailError('the mail server did not answer in time'))
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
    throw end.aborted
      ? new MailError('the mail server did not answer in time', { cause: error })
      : mailErrorOf(error)
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
    const late = () => fail(new MailError('the mail server did not answer in time'))
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
