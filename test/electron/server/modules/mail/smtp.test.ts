import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type SmtpServer, sendBySmtp } from '#server/modules/mail/smtp.ts'
import { LOGIN, openTestSmtpServer } from './smtp-server.ts'

const MAIL = {
  to: 'maja@partner.example',
  subject: 'Your access to Praxis Kern',
  text: 'Hello Maja,',
  messageId: 'inv_1.7@clinic.example',
}
const { signal } = new AbortController()
const send = (server: SmtpServer, more: Partial<Parameters<typeof sendBySmtp>[2]> = {}) =>
  sendBySmtp(server, MAIL, { signal, ...more })
const failure = (work: Promise<void>) =>
  work.then(
    () => 'none',
    (error: { message: string; isFinal: boolean }) =>
      `${error.message}${error.isFinal ? ' — final' : ''}`,
  )

describe('a mail by SMTP', () => {
  it('goes out over a connection upgraded to TLS', async () => {
    await using server = await openTestSmtpServer()
    await send(server.smtp)
    expect(server.received).toMatchObject([
      { from: 'it@clinic.example', to: ['maja@partner.example'], isSecure: true },
    ])
    const { source } = server.received[0] ?? { source: '' }
    expect(source).toMatch(/^From: Isthmus <it@clinic.example>$/m)
    expect(source).toMatch(/^Subject: Your access to Praxis Kern$/m)
    expect(source).toMatch(/^Message-ID: <inv_1.7@clinic.example>$/m)
    expect(source).toMatch(/^Auto-Submitted: auto-generated$/im)
    expect(source).toContain('Hello Maja,')
  })

  it('goes out over TLS from the start, with user name and password', async () => {
    await using server = await openTestSmtpServer({ secure: true, authOptional: false })
    await send({ ...server.smtp, security: 'tls', ...LOGIN })
    expect(server.received).toMatchObject([{ isSecure: true, user: 'gateway' }])
  })

  it('goes out in plain text where that is wanted, and never with a password', async () => {
    await using server = await openTestSmtpServer({ disabledCommands: ['STARTTLS'] })
    await send({ ...server.smtp, security: 'none', certificate: null })
    expect(server.received).toMatchObject([{ isSecure: false }])
    expect(await failure(send({ ...server.smtp, security: 'none', ...LOGIN }))).toBe(
      'the user name and the password would cross the network in plain text',
    )
  })

  it('is not sent where the server offers no STARTTLS', async () => {
    await using server = await openTestSmtpServer({ disabledCommands: ['STARTTLS'] })
    expect(await failure(send(server.smtp))).toMatch(
      /^the mail server offers no secure connection \(STARTTLS\)/,
    )
    expect(server.received).toEqual([])
  })

  it.each(['starttls', 'tls'] as const)(
    'is not sent to a server that cannot prove who it is (%s)',
    async (security) => {
      await using server = await openTestSmtpServer({ secure: security === 'tls' })
      const untrusted = { ...server.smtp, security, certificate: null }
      expect(await failure(send(untrusted))).toBe(
        'the certificate of the mail server is not trusted by this PC',
      )
      expect(await failure(send({ ...server.smtp, security, host: '127.0.0.1' }))).toBe(
        'the certificate of the mail server is for another host name',
      )
      expect(server.received).toEqual([])
    },
  )

  it('is not sent with a wrong password, which may be mended', async () => {
    await using server = await openTestSmtpServer({ authOptional: false })
    expect(await failure(send({ ...server.smtp, ...LOGIN, password: 'wrong' }))).toBe(
      'the mail server did not accept the user name and the password (reply 535)',
    )
  })

  it('that is refused with 5yz is refused for good, with 4yz for now; what the server says is not repeated', async () => {
    const refusing = (responseCode: number) =>
      openTestSmtpServer({
        onRcptTo: (address, _session, done) =>
          done(Object.assign(new Error(`no mailbox ${address.address}`), { responseCode })),
      })
    await using gone = await refusing(550)
    expect(await failure(send(gone.smtp))).toBe(
      'the mail server did not accept the sender or the recipient (reply 550) — final',
    )
    await using busy = await refusing(450)
    expect(await failure(send(busy.smtp))).toBe(
      'the mail server did not accept the sender or the recipient (reply 450)',
    )
  })

  it('is given up when nobody listens, nobody answers or it takes too long', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const server: SmtpServer = {
      ...{
        host: '127.0.0.1',
        port: (silent.address() as AddressInfo).port,
        security: 'none',
        user: null,
        password: undefined,
      },
      ...{ from: 'it@clinic.example', certificate: null },
    }
    expect(
      await failure(send(server, { limits: { connectMs: 5000, silenceMs: 5000, totalMs: 50 } })),
    ).toBe('the mail server did not respond in time')
    expect(
      await failure(send(server, { limits: { connectMs: 5000, silenceMs: 50, totalMs: 5000 } })),
    ).toBe('the mail server did not respond in time')
    expect(await failure(send(server, { signal: AbortSignal.abort() }))).toBe(
      'the mail server did not respond in time',
    )
    await new Promise((resolve) => silent.close(resolve))
    expect(await failure(send(server))).toBe('the mail server refused the connection')
    expect(await failure(send({ ...server, host: 'nobody.invalid' }))).toMatch(
      /^the name (of the mail server is not known|server did not respond)$/,
    )
  })
})
