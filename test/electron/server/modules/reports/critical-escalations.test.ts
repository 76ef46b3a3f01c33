import { describe, expect, it } from 'vitest'
import {
  addOutboxJob,
  findLatestOutboxJob,
  listDueOutboxJobs,
} from '#server/jobs/outbox-queries.ts'
import { Mail } from '#server/modules/mail/mail.ts'
import type { SmtpServer } from '#server/modules/mail/smtp.ts'
import {
  CriticalEscalations,
  escalateDueResults,
  escalationText,
} from '#server/modules/reports/critical-escalations.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ESCALATION_MAIL } from '#shared/contract/mail.ts'
import type { SettingValue } from '#shared/contract/settings.ts'
import { openTestSmtpServer } from '../mail/smtp-server.ts'
import { reportStage, SOUND } from './reports-fixture.ts'

const MINUTE_MS = 60_000
const CHIEF = 'chief@clinic.example'

/** A clinic with a critical result that was signed at 09:00 and not communicated. */
async function stage(addresses: SettingValue<'criticals.escalationAddresses'> = []) {
  const on = reportStage()
  const { store, clock, radiologist } = on
  store.settings.set('criticals.escalationAddresses', addresses)
  const reportId = await on.signed(SOUND, { isCritical: true, finding: 'Tension pneumothorax' })
  return {
    ...on,
    reportId,
    pass: (minutes: number) => clock.pass(minutes * MINUTE_MS),
    escalate: () => escalateDueResults(store),
    steps: () => on.criticals.criticalResultOfReport(reportId)?.escalations.map(({ step }) => step),
    escalated: () => on.audited().filter((action) => action === 'critical.escalate'),
    waiting: () =>
      listDueOutboxJobs(store.database, ESCALATION_MAIL, instantOf(clock()), 10).map(
        ({ payload }) => payload,
      ),
    communicate: () =>
      on.criticals.recordCommunication(radiologist, reportId, {
        ...{ communicatedTo: 'Dr. Referring', method: 'phone', isReadBack: true, note: '' },
        communicatedAt: instantOf(clock()),
      }),
    /** Another critical result of another study, signed now. */
    async signAnother() {
      const { studyId } = on.newStudy()
      const order = { ...on.written(SOUND, radiologist, studyId), isCritical: true }
      await on.writing.sign(radiologist, studyId, { ...order, finding: 'Aortic dissection' })
    },
    [Symbol.dispose]: () => on[Symbol.dispose](),
  }
}

describe('a critical result that is not communicated', () => {
  it('is escalated when its time is over, once, with an audit entry', async () => {
    using on = await stage()
    on.pass(59)
    on.escalate()
    expect(on.steps()).toEqual([])
    expect(on.criticals.criticalResultOfReport(on.reportId)).toMatchObject({
      dueAt: '2026-03-10T10:00:00.000Z',
      nextEscalationAt: '2026-03-10T10:00:00.000Z',
    })
    on.pass(1)
    on.escalate()
    on.escalate()
    expect(on.criticals.criticalResultOfReport(on.reportId)).toMatchObject({
      escalations: [{ step: 1, at: '2026-03-10T10:00:00.000Z' }],
      nextEscalationAt: '2026-03-10T10:30:00.000Z',
    })
    expect(on.escalated()).toHaveLength(1)
    const [noted] = on.store.audit.list({ limit: 1 }).items
    expect(noted).toMatchObject({
      ...{ actor: 'gateway', action: 'critical.escalate', target: on.reportId },
      detail: { studyId: on.studyId, step: 1, addresses: 0 },
    })
  })

  it('is escalated a second time, and then no more', async () => {
    using on = await stage()
    on.pass(60)
    on.escalate()
    on.pass(29)
    on.escalate()
    expect(on.steps()).toEqual([1])
    on.pass(1)
    on.escalate()
    on.pass(600)
    on.escalate()
    expect(on.steps()).toEqual([1, 2])
    expect(on.criticals.criticalResultOfReport(on.reportId)?.nextEscalationAt).toBeNull()
    expect(on.escalated()).toHaveLength(2)
  })

  it('is not escalated once it is communicated, and keeps its history', async () => {
    using on = await stage()
    on.pass(60)
    on.escalate()
    on.communicate()
    on.pass(600)
    on.escalate()
    expect(on.criticals.criticalResultOfReport(on.reportId)).toMatchObject({
      escalations: [{ step: 1 }],
      nextEscalationAt: null,
    })
    using never = await stage()
    never.communicate()
    never.pass(600)
    never.escalate()
    expect(never.steps()).toEqual([])
  })

  it('follows the times that are set', async () => {
    using on = await stage()
    on.store.settings.set('criticals.communicateMinutes', 15)
    on.store.settings.set('criticals.secondEscalationMinutes', 5)
    on.pass(15)
    on.escalate()
    on.pass(5)
    on.escalate()
    expect(on.steps()).toEqual([1, 2])
  })

  it('names whom to call: of the study, else of its images', async () => {
    using on = await stage()
    expect(on.criticals.criticalResultOfReport(on.reportId)?.referringPhysicianName).toBe('')
    const { studyId } = on.newStudy({ reportMetadata: { referringPhysicianName: 'Test^Rita' } })
    const order = { ...on.written(SOUND, on.radiologist, studyId), isCritical: true }
    await on.writing.sign(on.radiologist, studyId, { ...order, finding: 'Free air' })
    expect(
      on.criticals.listCriticalResults(on.radiologist).map((one) => one.referringPhysicianName),
    ).toContain('Test^Rita')
  })
})

describe('escalation goes one step at a time', () => {
  it('after the PC slept through both steps', async () => {
    using on = await stage()
    on.pass(24 * 60)
    on.escalate()
    on.escalate()
    expect(on.steps()).toEqual([1])
    on.pass(30)
    on.escalate()
    expect(on.steps()).toEqual([1, 2])
  })

  it('and is not late by as much where the clock was set back', async () => {
    using on = await stage()
    on.pass(-24 * 60)
    on.escalate()
    expect(on.steps()).toEqual([1])
    on.pass(29)
    on.escalate()
    expect(on.steps()).toEqual([1])
  })

  it('though the clocks of two PCs differ by a minute', async () => {
    using on = await stage()
    on.pass(-1)
    on.escalate()
    expect(on.steps()).toEqual([])
  })
})

describe('the mail about escalated results', () => {
  it('is queued once for each address, in the transaction that escalates', async () => {
    using on = await stage([CHIEF, 'desk@clinic.example', CHIEF])
    await on.signAnother()
    on.pass(60)
    on.escalate()
    expect(on.waiting()).toEqual([{ to: CHIEF }, { to: 'desk@clinic.example' }])
    on.pass(30)
    on.escalate()
    // Those that had not been sent were replaced.
    expect(on.waiting()).toHaveLength(2)
  })

  it('is not sent once all is communicated', async () => {
    using on = await stage([CHIEF])
    on.pass(60)
    on.escalate()
    on.communicate()
    expect(on.waiting()).toEqual([])
  })

  it('names no patient, no finding and no address of a person', () => {
    const { subject, text } = escalationText({
      clinicName: 'Praxis Kern',
      count: 22,
      shown: [
        { openedAt: '2026-03-10T09:00:00.000Z', step: 1, accessionEnd: '4711' },
        { openedAt: '2026-03-10T09:05:00.000Z', step: 2, accessionEnd: '' },
      ],
      publicBase: 'https://gateway.example',
    })
    expect(subject).toBe('22 critical results have not been communicated (Praxis Kern)')
    expect(text.split('\n\n').slice(1, 2)).toEqual([
      [
        '- Signed 2026-03-10 09:00 (UTC), first escalation, accession number ending in 4711',
        '- Signed 2026-03-10 09:05 (UTC), second escalation',
        '- and 20 more',
      ].join('\n'),
    ])
    expect(text).toContain('https://gateway.example/#/reading/criticals')
  })
})

/** The escalations as they run in the gateway, with its mail. */
async function running(
  smtp: () => SmtpServer | undefined,
  overdue?: (on: Awaited<ReturnType<typeof stage>>) => Promise<void>,
) {
  const on = await stage([CHIEF])
  const mail = new Mail(on.store, smtp)
  await overdue?.(on)
  const escalations = new CriticalEscalations(on.store, mail, () => 'https://gateway.example')
  return {
    on,
    mail,
    row: () =>
      listDueOutboxJobs(on.store.database, ESCALATION_MAIL, '2027-01-01T00:00:00.000Z', 10)[0],
    async [Symbol.asyncDispose]() {
      await escalations[Symbol.asyncDispose]()
      await mail[Symbol.asyncDispose]()
      on[Symbol.dispose]()
    },
  }
}

describe('a running gateway', () => {
  it('escalates at its start what fell due while it was off, and sends one mail for all', async () => {
    await using server = await openTestSmtpServer()
    await using run = await running(
      () => server.smtp,
      async ({ signAnother, pass }) => {
        await signAnother()
        pass(120)
      },
    )
    await expect.poll(() => server.received.length).toBe(1)
    const source = server.received[0]?.source.replace(/=\n/g, '') ?? ''
    expect(server.received[0]?.to).toEqual([CHIEF])
    expect(source).toContain('2 critical results have not been communicated')
    for (const secret of ['Example', 'pneumothorax', 'dissection', 'M-7', 'Una'])
      expect(source).not.toContain(secret)
    expect(run.on.escalated()).toHaveLength(2)
    await run.mail.settled()
    expect(run.row()).toBeUndefined()
  })

  it('tries a mail again until the server takes it, also where it refused the address', async () => {
    let isRefusing = true
    await using server = await openTestSmtpServer({
      onRcptTo: (_a, _s, done) =>
        isRefusing ? done(Object.assign(new Error('no mailbox'), { responseCode: 550 })) : done(),
    })
    await using run = await running(() => server.smtp)
    run.on.pass(60)
    run.on.escalate()
    await run.mail.settled()
    expect(run.row()).toMatchObject({ state: 'waiting', attempts: 1 })
    expect(run.row()?.lastError).not.toBeNull()
    isRefusing = false
    run.mail.retry()
    await run.mail.settled()
    expect(server.received).toHaveLength(1)
  })

  it('sends nothing to an address that was removed', async () => {
    await using server = await openTestSmtpServer()
    let smtp: SmtpServer | undefined
    await using run = await running(() => smtp)
    run.on.pass(60)
    run.on.escalate()
    const subject = run.row()?.subject ?? ''
    run.on.store.settings.set('criticals.escalationAddresses', [])
    smtp = server.smtp
    run.mail.retry()
    await run.mail.settled()
    expect(server.received).toEqual([])
    expect(findLatestOutboxJob(run.on.store.database, ESCALATION_MAIL, subject)).toMatchObject({
      state: 'failed',
      lastError: 'the address is no longer among the escalation addresses',
    })
  })

  it('gives up a mail that cannot be read', async () => {
    await using server = await openTestSmtpServer()
    await using run = await running(() => server.smtp)
    const row = { kind: ESCALATION_MAIL, subject: 'address-x', payload: 7 }
    addOutboxJob(run.on.store.database, { ...row, at: instantOf(run.on.clock()) })
    await run.mail.settled()
    expect(findLatestOutboxJob(run.on.store.database, ESCALATION_MAIL, 'address-x')?.state).toBe(
      'failed',
    )
  })
})
