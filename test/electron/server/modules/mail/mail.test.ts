import { describe, expect, it } from 'vitest'
import { addOutboxJob, findLatestOutboxJob, outboxSummary } from '#server/jobs/outbox-queries.ts'
import { RETRY_SCHEDULES } from '#server/jobs/retry-schedules.ts'
import { Mail } from '#server/modules/mail/mail.ts'
import type { SmtpServer } from '#server/modules/mail/smtp.ts'
import { INVITATION_MAIL, type InvitationMail } from '#shared/contract/mail.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { openTestSmtpServer } from './smtp-server.ts'

const AT = '2026-03-10T09:00:00.000Z'
const payload: InvitationMail = {
  to: 'maja@partner.example',
  firstName: 'Maja',
  clinicName: 'Praxis Kern',
  invitedBy: 'Olga Owner',
  link: 'https://gateway.clinic.example/#/invitation?token=abc',
  expiry: '2026-04-09T09:00:00.000Z',
}

function outgoing(smtp: () => SmtpServer | undefined) {
  const temp = tempStore()
  const { store } = temp
  store.settings.set('clinic.name', 'Praxis Kern')
  const { database } = store
  const outcomes: string[] = []
  const info = ({ subject, outcome, fault }: Record<string, unknown>) =>
    outcomes.push([subject, outcome, fault].filter(Boolean).join(' '))
  const mail = new Mail({ ...store, log: { ...store.log, info } as never }, smtp)
  return {
    ...{ temp, database, mail, outcomes, clock: temp.clock },
    append: (subject: string, more: Partial<InvitationMail> = {}) =>
      addOutboxJob(database, {
        kind: INVITATION_MAIL,
        subject,
        payload: { ...payload, ...more },
        at: new Date(temp.clock()).toISOString(),
      }),
    async [Symbol.asyncDispose]() {
      await mail[Symbol.asyncDispose]()
      temp[Symbol.dispose]()
    },
  }
}

describe('mail', () => {
  it('is delivered when its row is committed, once, and its content is forgotten', async () => {
    await using server = await openTestSmtpServer()
    await using out = outgoing(() => server.smtp)
    const outboxId = out.append('inv_1')
    out.append('inv_2', { to: 'hana@partner.example' })
    await out.mail.settled()
    expect(server.received.map(({ to }) => to)).toEqual([
      ['maja@partner.example'],
      ['hana@partner.example'],
    ])
    expect(server.received[0]?.source).toContain(`Message-ID: <inv_1.${outboxId}@clinic.example>`)
    expect(server.received[0]?.source.replace(/=\n/g, '')).toContain(
      'https://gateway.clinic.example/#/invitation?token',
    )
    expect(findLatestOutboxJob(out.database, INVITATION_MAIL, 'inv_1')).toMatchObject({
      state: 'sent',
      attempts: 1,
      lastError: null,
    })
    out.mail.retry()
    await out.mail.settled()
    expect(server.received).toHaveLength(2)
    expect(out.outcomes).toEqual(['inv_1 sent', 'inv_2 sent'])
  })

  it('waits while no server is set, and goes out when one is', async () => {
    await using server = await openTestSmtpServer()
    let smtp: SmtpServer | undefined
    await using out = outgoing(() => smtp)
    out.append('inv_1')
    await out.mail.settled()
    expect(findLatestOutboxJob(out.database, INVITATION_MAIL, 'inv_1')).toMatchObject({
      state: 'waiting',
      attempts: 0,
    })
    smtp = server.smtp
    out.mail.retry()
    await out.mail.settled()
    expect(server.received).toHaveLength(1)
  })

  it('is tried again later and later, and given up in the end', async () => {
    await using server = await openTestSmtpServer({
      onRcptTo: (_a, _s, done) => done(Object.assign(new Error('later'), { responseCode: 451 })),
    })
    await using out = outgoing(() => server.smtp)
    out.append('inv_1')
    const fault = 'the mail server did not accept the sender or the recipient (reply 451)'
    for (const wait of RETRY_SCHEDULES.mail.waits) {
      out.mail.retry()
      await out.mail.settled()
      const row = findLatestOutboxJob(out.database, INVITATION_MAIL, 'inv_1')
      expect(row).toMatchObject({ state: 'waiting', lastError: fault })
      expect(Date.parse(row?.notBefore ?? '') - out.clock()).toBe(wait)
      out.clock.pass(wait)
    }
    out.mail.retry()
    await out.mail.settled()
    expect(findLatestOutboxJob(out.database, INVITATION_MAIL, 'inv_1')).toMatchObject({
      state: 'failed',
      attempts: RETRY_SCHEDULES.mail.waits.length + 1,
      lastError: fault,
    })
    expect(out.outcomes.at(-1)).toBe(`inv_1 failed ${fault}`)
  })

  it('that fails does not hold up the others', async () => {
    await using server = await openTestSmtpServer({
      onRcptTo: ({ address }, _s, done) =>
        address.startsWith('gone')
          ? done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
          : done(),
    })
    await using out = outgoing(() => server.smtp)
    out.append('inv_1', { to: 'gone@partner.example' })
    out.append('inv_2')
    await out.mail.settled()
    expect(findLatestOutboxJob(out.database, INVITATION_MAIL, 'inv_1')?.state).toBe('failed')
    expect(findLatestOutboxJob(out.database, INVITATION_MAIL, 'inv_2')?.state).toBe('sent')
  })

  it('of an invitation that expired is not sent any more', async () => {
    await using server = await openTestSmtpServer()
    await using out = outgoing(() => server.smtp)
    out.append('inv_1', { expiry: AT })
    await out.mail.settled()
    expect(server.received).toEqual([])
    expect(findLatestOutboxJob(out.database, INVITATION_MAIL, 'inv_1')).toMatchObject({
      state: 'failed',
      lastError: 'the invitation expired before it could be sent',
    })
  })

  it('that waited when the gateway stopped goes out at the next start', async () => {
    await using server = await openTestSmtpServer()
    await using out = outgoing(() => undefined)
    out.append('inv_1')
    await out.mail[Symbol.asyncDispose]()
    out.append('inv_2')
    const next = new Mail(out.temp.store, () => server.smtp)
    await next.settled()
    expect(server.received).toHaveLength(2)
    await next[Symbol.asyncDispose]()
  })

  it('can be tested without an invitation', async () => {
    await using server = await openTestSmtpServer()
    let smtp: SmtpServer | undefined
    await using out = outgoing(() => smtp)
    await expect(out.mail.test('it@clinic.example')).rejects.toThrow('no mail server is configured')
    smtp = server.smtp
    await out.mail.test('it@clinic.example')
    expect(server.received[0]?.source).toMatch(/^Subject: Test of the mail of Praxis Kern$/m)
    expect(outboxSummary(out.database, INVITATION_MAIL)).toEqual({
      waiting: 0,
      failed: 0,
      fault: null,
    })
  })
})
