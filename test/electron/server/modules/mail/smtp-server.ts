import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { SmtpServer } from '#server/modules/mail/smtp.ts'
import { selfSignedCertificate } from '../../../../support/certificate.ts'

export interface ReceivedMail {
  readonly from: string
  readonly to: string[]
  readonly isSecure: boolean
  readonly user: string | undefined
  /** Header and body as they came, line ends `\n`. */
  readonly source: string
}

export const CERTIFICATE = selfSignedCertificate(['localhost'])
export const LOGIN = { user: 'gateway', password: 'a mail password' } as const

/** A real SMTP server on this PC, on a free port or on the one it had before. */
export async function openTestSmtpServer(options: SMTPServerOptions = {}, atPort = 0) {
  const received: ReceivedMail[] = []
  const failures: Error[] = []
  const server = new SMTPServer({
    ...CERTIFICATE,
    authOptional: true,
    disableReverseLookup: true,
    onAuth(auth, _session, done) {
      const isRight = auth.username === LOGIN.user && auth.password === LOGIN.password
      done(isRight ? null : new Error('wrong password'), isRight ? { user: LOGIN.user } : undefined)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          isSecure: session.secure,
          user: session.user,
          source: Buffer.concat(chunks).toString().replaceAll('\r\n', '\n'),
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', (error) => failures.push(error))
  await new Promise<void>((resolve) => server.listen(atPort, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    received,
    failures,
    /** How it is reached. */
    smtp: {
      ...{ host: 'localhost', port, security: 'starttls', user: null, password: undefined },
      ...{ from: 'it@clinic.example', certificate: CERTIFICATE.cert },
    } as SmtpServer,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
