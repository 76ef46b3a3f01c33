import { afterAll, beforeAll, expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { openTestSmtpServer } from '../electron/server/modules/mail/smtp-server.ts'
import { signIn } from '../support/gateway.ts'
import { type StartedInterface, startInterface, type UserName } from '../support/interface.ts'
import {
  CRITICAL,
  newScribeStudy,
  OF_THE_PATIENT,
  PATIENT,
  readingWindow,
} from '../support/reporting-clinic.ts'
import { textOf } from '../support/saying.ts'
import { standingClock } from '../support/temp-store.ts'

// A critical result from the signature to the second escalation, by a real SMTP server.

const MINUTE_MS = 60_000
const CHIEF = 'chief@clinic.example'
const clock = standingClock()
let stage: StartedInterface
let smtp: Awaited<ReturnType<typeof openTestSmtpServer>>
let isRefusing = true
let owner: StartedInterface['users']['owner']['call']

beforeAll(async () => {
  smtp = await openTestSmtpServer({
    onRcptTo: (_address, _session, done) =>
      isRefusing ? done(Object.assign(new Error('no mailbox'), { responseCode: 550 })) : done(),
  })
  // The session goes on for the hours of this test.
  const overrides = { 'window.lockMinutes': 60, 'criticals.escalationAddresses': [CHIEF] }
  stage = await startInterface({ clock, overrides })
  owner = stage.users.owner.call
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const set = (settings: Record<string, unknown>) =>
  owner(dashboard.changeSettings, { body: { settings: settings as never } })

/** So many minutes later; a change of its settings has the gateway look at what is due. */
async function pass(minutes: number, secondEscalation: number): Promise<void> {
  clock.pass(minutes * MINUTE_MS)
  // Settings take a recent sign-in.
  owner = await signIn(stage.http)
  await set({ 'criticals.secondEscalationMinutes': secondEscalation })
}
const criticals = async (name: UserName) =>
  (await stage.users[name].call(dashboardReports.criticals, {})).criticals
const itemsOf = async (name: UserName | 'owner') =>
  (await stage.users[name].call(dashboardToday.today, {})).items
const firstFor = async (name: UserName | 'owner') => {
  const [first] = await itemsOf(name)
  return `${first?.kind} ${first?.tone} ${first?.mayAct}`
}

it('is escalated to everyone who may act, with a mail that is sent once the server takes it', async () => {
  const reportMetadata = { ...PATIENT, referringPhysicianName: 'SAMPLE^RITA' }
  const { studyId } = await newScribeStudy(stage.keys.partner.call, { reportMetadata })
  const window = readingWindow(stage.users.radiologist.call, studyId)
  await window.report(CRITICAL, { isCritical: true, finding: 'Tension pneumothorax' })
  expect(await criticals('radiologist')).toMatchObject([
    { referringPhysicianName: 'SAMPLE^RITA', escalations: [], dueAt: expect.any(String) },
  ])

  // Within the time of a lock, so that the windows stay open.
  await set({ 'criticals.communicateMinutes': 10 })
  await pass(11, 20)
  await expect
    .poll(async () => (await criticals('radiologist'))[0]?.escalations.map(({ step }) => step))
    .toEqual([1])
  for (const name of ['radiologist', 'manager', 'owner'] as const)
    expect(await firstFor(name)).toBe('criticals-escalated danger true')
  const ofMember = (await itemsOf('member')).find(({ kind }) => kind === 'criticals-escalated')
  expect(ofMember?.mayAct).toBe(false)

  // Without a mail server it waits, and Today says so.
  const mailItem = async () =>
    (await itemsOf('owner')).find(({ kind }) => kind === 'escalation-mail-failing')
  expect(textOf((await mailItem())?.detail)).toBe('no mail server is set')
  const { host, port, security, from, certificate } = smtp.smtp
  await owner(dashboardPeople.setMail, {
    body: { host, port, security, from, certificate, user: null },
  })
  await expect
    .poll(async () => textOf((await mailItem())?.detail))
    .toContain('did not take the sender or the recipient')
  isRefusing = false
  await pass(21, 21)
  await expect.poll(() => smtp.received.length, { timeout: 10_000 }).toBe(1)
  await expect.poll(mailItem).toBeUndefined()
  const source = smtp.received[0]?.source.replace(/=\n/g, '') ?? ''
  expect(source).toContain('1 critical result has not been communicated')
  expect(source).toContain('second escalation')
  expect(source).not.toMatch(OF_THE_PATIENT)
  expect(stage.started.log.join('\n')).not.toMatch(OF_THE_PATIENT)

  const [critical] = await criticals('manager')
  if (!critical) throw new Error('there is no critical result')
  await stage.users.manager.call(dashboardReports.communicate, {
    params: { reportId: critical.reportId },
    body: {
      ...{ communicatedTo: 'Dr. Sample', method: 'phone', isReadBack: true, note: '' },
      communicatedAt: new Date(clock()).toISOString(),
    },
  })
  expect((await itemsOf('radiologist')).map(({ kind }) => kind)).not.toContain(
    'criticals-escalated',
  )
  const { reports } = await stage.users.radiologist.call(dashboardReports.read, {
    params: { studyId },
  })
  expect(reports[0]?.critical?.escalations.map(({ step }) => step)).toEqual([1, 2])
  const { entries } = await owner(dashboard.audit, { query: { action: 'critical.escalate' } })
  expect(entries.map(({ actor, detail }) => [actor, (detail as { step: number }).step])).toEqual([
    ['gateway', 2],
    ['gateway', 1],
  ])
})
