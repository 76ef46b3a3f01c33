import { expect, it, vi } from 'vitest'
import { localDay } from '#electron/simulator/partner.ts'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import type { WorklistTestQuery } from '#shared/contract/worklist.ts'
import { englishText } from '#shared/messages/english.ts'
import {
  ask,
  identifierOf,
  item,
  NOW,
  openPartner,
  text,
} from '../electron/server/modules/worklist/worklist-fixture.ts'
import { type StartedGateway, signIn, startGateway } from '../support/gateway.ts'
import { associated, ECHO_CONTEXT, WORKLIST_CONTEXT } from '../support/requestor.ts'
import { saying, textOf } from '../support/saying.ts'
import { sameDayClock, standingClock } from '../support/temp-store.ts'
import { findWorklist, queryWorklist, rejectionOf, worklistOf } from '../support/worklist-client.ts'

// A modality's C-FIND through the whole gateway: sockets, database and partner are real.

const DAY = '20261120'
const ON_DAY = ask({}, { ScheduledProcedureStepStartDate: DAY })
const UTC = { 'clinic.timeZone': 'UTC' } as const
const MINUTE = 60_000
/**
 * A simulated partner that has its exams on DAY, whatever the day and the time zone of the test
 * are.
 */
const ON_THAT_DAY = { clock: () => new Date(2026, 10, 20, 12).getTime() } as const

const steps = (items = worklistDay(DAY)) =>
  items.flatMap((one) => one.ScheduledProcedureStepSequence.map(() => one.AccessionNumber))
const lastInspection = async ({ call }: Pick<StartedGateway, 'call'>) =>
  (await call(dashboard.inspections, { query: { limit: 1 } })).inspections[0]
const inspected = async (gateway: StartedGateway) => {
  const { inspectionId = 0 } = (await lastInspection(gateway)) ?? {}
  return gateway.call(dashboard.inspection, { params: { inspectionId }, query: {} })
}
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 10 })

/** A gateway on a clock that stands, with a partner that does as it is told. */
async function startClinic(overrides: Record<string, unknown> = {}) {
  const clock = standingClock(NOW)
  const partner = await openPartner({ items: [item(1), item(2), item(3)] })
  const gateway = await startGateway({
    partner: partner.url,
    clock,
    overrides: { ...UTC, ...overrides },
  })
  return {
    clock,
    partner,
    gateway,
    query: () => queryWorklist(gateway.dimsePort),
    /**
     * The owner at a window of their own: the one they left locks itself long before an outage
     * ends.
     */
    window: () => signIn(gateway.http),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await partner.close()
    },
  }
}

it('answers a console with the exams that the partner has for the day it asks for, and records why', async () => {
  await using gateway = await startGateway({
    partner: { worklist: (day) => worklistDay(day) },
    overrides: UTC,
  })
  const found = await queryWorklist(gateway.dimsePort, { keys: ON_DAY })

  expect(found.status).toBe('0000')
  expect(found.accessionNumbers.toSorted()).toEqual(steps().toSorted())
  expect(gateway.partner.last).toMatchObject({
    type: 'modality_worklist.requested',
    data: {
      callingAe: 'CT1',
      dateStart: '2026-11-20',
      dateEnd: '2026-11-20',
      sourceIp: '127.0.0.1',
    },
  })
  const inspection = await lastInspection(gateway)
  expect(inspection).toMatchObject({
    callingAeTitle: 'CT1',
    source: 'live',
    status: '0000',
    sent: 25,
    filtered: 0,
    withheld: 0,
  })
  expect(inspection?.sentence).toEqual(saying('the partner returned 25 exams'))
})

it('shows of each row of the partner what became of it', async () => {
  await using gateway = await startGateway({
    partner: { worklist: worklistDay(DAY, { withBadRows: true }) },
    overrides: UTC,
  })
  expect((await queryWorklist(gateway.dimsePort, { keys: ON_DAY })).rows).toHaveLength(25)
  const all = await inspected(gateway)
  expect(all.rows.filter((row) => row.verdict === 'sent')).toHaveLength(25)
  expect(all.rows.filter((row) => row.verdict === 'withheld')).toMatchObject([
    {
      reason: saying('AccessionNumber'),
      accessionNumber: 'TOO-LONG-FOR-SH-20261120',
    },
    {
      reason: saying('Study Instance UID'),
      studyInstanceUid: '1.2.826.0.01.20261120',
    },
  ])

  const keys = ask({ PatientName: 'Van den Berg*' }, { ScheduledProcedureStepStartDate: DAY })
  expect((await queryWorklist(gateway.dimsePort, { keys })).rows).toHaveLength(1)
  const one = await inspected(gateway)
  expect(one.rowsTotal).toBe(27)
  expect(one.rows.filter((row) => row.verdict === 'sent').map((row) => row.patientName)).toEqual([
    'Van den Berg^Jan',
  ])
  expect(one.rows.find((row) => row.verdict === 'filtered')?.reason).toEqual(saying('PatientName'))
  expect(one.keys).toContainEqual(
    expect.objectContaining({
      keyword: 'PatientName',
      value: 'Van den Berg*',
      matching: 'wildCard',
    }),
  )
})

it('counts on its record what a console asks again on one association', async () => {
  await using clinic = await startClinic()
  const { gateway, partner } = clinic
  await using requestor = await associated(gateway.dimsePort)
  const found = []
  for (const messageId of [1, 2, 3]) found.push(await findWorklist(requestor, ON_DAY, messageId))
  expect(found.map(({ status, rows }) => [status, rows.length])).toEqual(Array(3).fill(['0000', 3]))
  expect(found[2]?.bytes).toEqual(found[0]?.bytes)
  expect(partner.questions).toHaveLength(1)
  await until(async () =>
    expect(await lastInspection(gateway)).toMatchObject({
      source: 'live',
      sent: 3,
      repeats: 2,
      lastAt: NOW,
    }),
  )
  await until(async () => {
    const { lines } = await gateway.call(dashboard.feed, { query: {} })
    expect(lines[0]).toMatchObject({
      kind: 'worklist',
      text: 'CT1 repeated the query 2 times and received the same 3 exams.',
    })
  })
})

it('goes on with the last good answer when the partner is gone, says since when, and stops when that is too old', async () => {
  await using clinic = await startClinic()
  const { gateway, clock, partner } = clinic
  const live = await clinic.query()
  expect(live.rows).toHaveLength(3)

  await partner.close()
  clock.pass(2 * MINUTE)
  const stored = await clinic.query()
  expect(stored.status).toBe('0000')
  expect(stored.bytes).toEqual(live.bytes)
  expect(await lastInspection(gateway)).toMatchObject({
    source: 'stored',
    fault: 'unreachable',
    sent: 3,
  })
  expect(await gateway.call(dashboard.status, {})).toMatchObject({
    partner: {
      state: 'down',
      fault: 'unreachable',
      downSince: '2026-11-20T09:02:00.000Z',
      lastOkAt: NOW,
    },
    banner: {
      tone: 'warning',
      text: 'Partner unreachable (since 09:02). Devices get the worklist of 09:00 (2 min old).',
    },
  })

  clock.pass(13 * MINUTE)
  expect((await clinic.query()).bytes).toEqual(live.bytes)

  clock.pass(1)
  expect(await clinic.query()).toMatchObject({
    status: 'A700',
    rows: [],
    comment: 'Worklist service unreachable, retry later',
  })
  await expect(gateway.call(dashboard.status, {})).rejects.toThrow('401 The screen is locked')
  const call = await clinic.window()
  const { banner } = await call(dashboard.status, {})
  expect(banner).toMatchObject({
    tone: 'danger',
    text: expect.stringContaining('too old to serve'),
  })
})

it('serves it for longer in downtime mode, until midnight of the clinic and not a moment more', async () => {
  await using clinic = await startClinic({ 'worklist.downtimeHours': 24 })
  const { clock, partner } = clinic
  const live = await clinic.query()
  await partner.close()
  clock.pass(20 * MINUTE)
  expect((await clinic.query()).status).toBe('A700')

  const atOnce = await clinic.window()
  const downtime = await atOnce(dashboard.startDowntime, {
    body: { reason: 'line to the hospital is cut' },
  })
  expect(downtime).toMatchObject({
    isOn: true,
    until: '2026-11-21T00:00:00.000Z',
    userName: 'Olga Owner',
  })
  expect((await clinic.query()).bytes).toEqual(live.bytes)
  expect(await lastInspection({ call: atOnce })).toMatchObject({ source: 'downtime', sent: 3 })

  clock.now = Date.parse('2026-11-20T23:59:59.999Z')
  expect((await clinic.query()).bytes).toEqual(live.bytes)

  clock.pass(1)
  expect((await clinic.query()).status).toBe('A700')
  const call = await clinic.window()
  expect((await call(dashboard.status, {})).downtime.isOn).toBe(false)
})

it('ends downtime mode at the first live answer', async () => {
  await using clinic = await startClinic()
  const { clock, partner } = clinic
  await clinic.query()
  partner.now({ status: 503 })
  clock.pass(20 * MINUTE)
  const call = await clinic.window()
  await call(dashboard.startDowntime, { body: { reason: 'partner restarts' } })
  expect((await clinic.query()).rows).toHaveLength(3)

  partner.now({ items: [item(4)] })
  expect((await clinic.query()).accessionNumbers).toEqual(['A004'])
  expect(await call(dashboard.status, {})).toMatchObject({
    downtime: { isOn: false },
    banner: null,
    partner: { state: 'up' },
  })
  const { entries } = await call(dashboard.audit, { query: {} })
  expect(entries.slice(0, 2)).toMatchObject([
    { action: 'downtime.end', actor: 'gateway' },
    { action: 'downtime.start' },
  ])
})

it('never serves a step that staff closed from a stored answer', async () => {
  await using clinic = await startClinic()
  const { gateway, clock, partner } = clinic
  await clinic.query()
  await gateway.call(dashboard.closeStep, {
    body: { studyInstanceUid: '2.25.10002', scheduledProcedureStepId: 'S002' },
  })
  clock.pass(MINUTE)
  expect((await clinic.query()).accessionNumbers).toEqual(['A001', 'A002', 'A003'])

  partner.now({ status: 500 })
  clock.pass(MINUTE)
  expect((await clinic.query()).accessionNumbers).toEqual(['A001', 'A003'])
})

it('tells a console that the partner refuses it, and keeps nothing for it', async () => {
  await using gateway = await startGateway({ overrides: { 'worklist.freshSeconds': 0 } })
  expect((await queryWorklist(gateway.dimsePort)).status).toBe('0000')

  gateway.partner.setScenario('refuse')
  const refused = await queryWorklist(gateway.dimsePort)
  expect(refused).toMatchObject({ status: 'C001', rows: [] })
  expect(refused.comment).toContain('not authorised for AE CT1')
  const { banner, partner } = await gateway.call(dashboard.status, {})
  expect(partner.state).toBe('refusing')
  expect(textOf(banner?.text)).toContain('The partner refuses worklist queries (since')

  gateway.partner.setScenario('down')
  expect(await queryWorklist(gateway.dimsePort)).toMatchObject({ status: 'A700', rows: [] })
})

it('tells garbage from an empty list, and from a list that was good before', async () => {
  const clock = sameDayClock()
  await using gateway = await startGateway({
    partner: { scenario: 'garbage' },
    clock,
    overrides: { 'worklist.freshSeconds': 0 },
  })
  for (const _ of ['HTML', 'JSON of another form'])
    expect(await queryWorklist(gateway.dimsePort)).toMatchObject({
      status: 'C002',
      comment: 'Worklist answer invalid',
      rows: [],
    })
  expect(await lastInspection(gateway)).toMatchObject({ fault: 'invalid', status: 'C002' })

  gateway.partner.setScenario('normal')
  // What is stored is not served for a day that is over.
  const today = ask({}, { ScheduledProcedureStepStartDate: localDay(clock()) })
  const good = await queryWorklist(gateway.dimsePort, { keys: today })
  expect(good.rows).toHaveLength(25)
  gateway.partner.setScenario('garbage')
  expect((await queryWorklist(gateway.dimsePort, { keys: today })).bytes).toEqual(good.bytes)
  expect(await lastInspection(gateway)).toMatchObject({ source: 'stored', fault: 'invalid' })
})

it('never takes an answer without its list for an empty one: the last good list is served, and marked as stored', async () => {
  await using clinic = await startClinic({ 'worklist.freshSeconds': 0 })
  const { gateway, partner } = clinic
  const good = await clinic.query()
  expect(good.rows).toHaveLength(3)
  for (const body of ['{"authorized":true}', '{"authorized":true,"items":null}', '{"items":[]}']) {
    partner.now({ body })
    expect((await clinic.query()).bytes).toEqual(good.bytes)
    expect(await lastInspection(gateway)).toMatchObject({
      source: 'stored',
      fault: 'invalid',
      sent: 3,
    })
  }
  expect(textOf((await gateway.call(dashboard.status, {})).banner?.text)).toContain(
    'The partner sends responses that cannot be read',
  )
  // Of a day without an earlier answer the device is told of the failure.
  const later = ask({}, { ScheduledProcedureStepStartDate: '20261224' })
  expect(await queryWorklist(gateway.dimsePort, { keys: later })).toMatchObject({
    status: 'C002',
    rows: [],
  })

  // An explicit empty list is an answer.
  partner.now({ items: [] })
  expect(await clinic.query()).toMatchObject({ status: '0000', rows: [] })
  partner.now({ body: '{"authorized":true}' })
  expect(await clinic.query()).toMatchObject({ status: '0000', rows: [] })
})

it('judges each field of an answer for itself, and notes on the event what is not as agreed', async () => {
  await using clinic = await startClinic({ 'worklist.freshSeconds': 0 })
  const { gateway, partner } = clinic
  const error = { code: 7 }
  partner.now({
    body: JSON.stringify({
      authorized: true,
      items: [item(1), item(2, { PatientSex: 'W' })],
      error,
    }),
  })
  for (const _ of ['new', 'the same body again'])
    expect((await clinic.query()).accessionNumbers).toEqual(['A001', 'A002'])
  await until(async () => {
    const { events } = await gateway.call(dashboardEvents.list, {
      query: { type: 'modality_worklist.requested' },
    })
    expect(events).toMatchObject([
      { outcome: 'accepted', notes: 2 },
      { outcome: 'accepted', notes: 2 },
    ])
    const { attemptList } = await gateway.call(dashboardEvents.read, {
      params: { eventId: events[0]?.eventId as never },
    })
    expect(attemptList[0]?.notes).toEqual([
      { path: 'error', sentence: 'It is not text; it is left out.' },
      { path: 'items.1.PatientSex', sentence: 'It is not one of M, F, O.' },
    ])
  })
})

it('gives a night shift its night, which is two days and one interval', async () => {
  await using clinic = await startClinic()
  const at = (n: number, date: string, time: string) =>
    item(n, {}, { ScheduledProcedureStepStartDate: date, ScheduledProcedureStepStartTime: time })
  clinic.partner.now({
    items: [
      at(1, '20261119', '213000'),
      at(2, '20261119', '221500'),
      at(3, '20261120', '063000'),
      at(4, '20261120', '0830'),
    ],
  })
  const keys = ask(
    {},
    {
      ScheduledProcedureStepStartDate: '20261119-20261120',
      ScheduledProcedureStepStartTime: '2200-0700',
    },
  )
  expect(await queryWorklist(clinic.gateway.dimsePort, { keys })).toMatchObject({
    status: '0000',
    accessionNumbers: ['A002', 'A003'],
  })
  expect(clinic.partner.questions).toMatchObject([
    { dateStart: '2026-11-19', dateEnd: '2026-11-20' },
  ])
})

it('keeps to the days around today, though the partner sends others, unless the console names a day or an order', async () => {
  await using clinic = await startClinic()
  const port = clinic.gateway.dimsePort
  clinic.partner.now({
    items: [item(1), item(2, {}, { ScheduledProcedureStepStartDate: '20261210' })],
  })
  expect((await clinic.query()).accessionNumbers).toEqual(['A001'])
  expect(await lastInspection(clinic.gateway)).toMatchObject({ sent: 1, filtered: 1 })
  expect(
    (await queryWorklist(port, { keys: ask({ AccessionNumber: 'A002' }) })).accessionNumbers,
  ).toEqual(['A002'])
  const tenth = ask({}, { ScheduledProcedureStepStartDate: '20261210' })
  expect((await queryWorklist(port, { keys: tenth })).accessionNumbers).toEqual(['A002'])
})

it('matches location, referring physician, admission and other identifiers, where the partner sends them', async () => {
  await using clinic = await startClinic()
  const port = clinic.gateway.dimsePort
  const first = {
    ReferringPhysicianName: 'SAMPLE^SUE',
    AdmissionID: 'V1',
    OtherPatientIDs: ['X1', 'X2'],
  }
  clinic.partner.now({
    items: [item(1, first, { ScheduledProcedureStepLocation: 'ROOM 1' }), item(2), item(3)],
  })
  const found = async (keys = {}, step = {}) =>
    (await queryWorklist(port, { keys: ask(keys, step) })).accessionNumbers
  expect(await found({ ReferringPhysicianName: 'Sample*' })).toEqual(['A001'])
  expect(await found({ AdmissionID: 'V1' })).toEqual(['A001'])
  expect(await found({ OtherPatientIDs: 'X2' })).toEqual(['A001'])
  expect(await found({}, { ScheduledProcedureStepLocation: 'ROOM 1' })).toEqual(['A001'])
  expect(await found({}, { ScheduledProcedureStepLocation: 'ROOM 2' })).toEqual([])
  const [row] = (
    await queryWorklist(port, {
      keys: ask({ OtherPatientIDs: 'X1' }, { ScheduledProcedureStepLocation: '' }),
    })
  ).rows
  expect([text(row, 'OtherPatientIDs'), text(row, 'ScheduledProcedureStepLocation')]).toEqual([
    'X1\\X2',
    'ROOM 1',
  ])
})

it.each([['ISO_IR 100'], ['']])(
  'sends no UTF-8 to a console that declares the character set %j',
  async (declared) => {
    await using clinic = await startClinic()
    const names = [
      'Müller^Änne',
      'Łukasz^Zoë',
      'Люксембург^Анна',
      'Yamada^Tarou=山田^太郎=やまだ^たろう',
    ]
    clinic.partner.now({ items: names.map((PatientName, n) => item(n + 1, { PatientName })) })
    const keys = ask(declared === '' ? {} : { SpecificCharacterSet: declared })
    const { rows } = await queryWorklist(clinic.gateway.dimsePort, { keys })
    expect(rows.map((row) => text(row, 'PatientName'))).toEqual([
      'Müller^Änne',
      'Lukasz^Zoe',
      'Liuksemburg^Anna',
      'Yamada^Tarou',
    ])
    expect(rows.map((row) => text(row, 'SpecificCharacterSet'))).toEqual(
      Array(4).fill('ISO_IR 100'),
    )
  },
)

it('answers A700 when its budget is over, though the partner never answers, and hangs up on it', async () => {
  await using clinic = await startClinic({ 'worklist.budgetSeconds': 1 })
  clinic.partner.now({ hang: true })
  expect(await clinic.query()).toMatchObject({
    status: 'A700',
    comment: 'Worklist service unreachable, retry later',
  })
  expect(await lastInspection(clinic.gateway)).toMatchObject({ fault: 'timeout', source: 'none' })
  await until(() => expect(clinic.partner.hungUp()).toBe(1))
})

it('stops asking the partner when the console cancels, and keeps the record', async () => {
  await using clinic = await startClinic()
  const { gateway, partner } = clinic
  partner.now({ hang: true })
  await using console = await associated(gateway.dimsePort)
  console.sendFind(identifierOf(ask()), 7)
  await until(() => expect(partner.questions).toHaveLength(1))
  console.cancel(7)
  expect(worklistOf(await console.found())).toMatchObject({ status: 'FE00', rows: [] })
  await until(() => expect(partner.hungUp()).toBe(1))
  expect(await lastInspection(gateway)).toMatchObject({
    status: 'FE00',
    fault: null,
    sentence: saying('cancelled before there was a response'),
  })
  expect((await gateway.call(dashboard.status, {})).partner.state).toBe('unknown')

  partner.now({ items: [item(1)] })
  expect((await findWorklist(console, ask(), 8)).status).toBe('0000')
})

it('asks the partner once for twenty consoles that ask the same at once', async () => {
  await using clinic = await startClinic({ 'worklist.freshSeconds': 0 })
  const { gateway, partner } = clinic
  const { promise, resolve } = Promise.withResolvers<void>()
  partner.now({ wait: promise, items: [item(1), item(2)] })
  const consoles = await Promise.all(
    Array.from({ length: 20 }, () => associated(gateway.dimsePort)),
  )
  await using probe = await associated(gateway.dimsePort)
  for (const console of consoles) console.sendFind(identifierOf(ask()))
  await until(() => expect(partner.questions).toHaveLength(1))
  // What was sent before it has been read when this is answered.
  for (const messageId of [1, 2, 3]) expect(await probe.echo(messageId)).toBe(0)
  resolve()

  const found = await Promise.all(consoles.map((console) => console.found()))
  expect(found.map(worklistOf).map((worklist) => worklist.accessionNumbers)).toEqual(
    Array(20).fill(['A001', 'A002']),
  )
  expect(partner.questions).toHaveLength(1)
  const { inspections } = await gateway.call(dashboard.inspections, { query: { limit: 100 } })
  expect(inspections.map(({ source }) => source).toSorted()).toEqual([
    'live',
    ...Array(19).fill('shared'),
  ])
  for (const console of consoles) await console[Symbol.asyncDispose]()
})

it('asks the partner again after freshSeconds, and each time where that is 0, as soon as it is set', async () => {
  await using clinic = await startClinic()
  const { gateway, partner, clock } = clinic
  await clinic.query()
  clock.pass(14_999)
  await clinic.query()
  expect(partner.questions).toHaveLength(1)
  clock.pass(1)
  await clinic.query()
  expect(partner.questions).toHaveLength(2)

  await gateway.call(dashboard.changeSettings, {
    body: { settings: { 'worklist.freshSeconds': 0 } },
  })
  await clinic.query()
  await clinic.query()
  expect(partner.questions).toHaveLength(4)
})

it('refuses a device it does not know, puts it in the inbox, and serves it once it is approved', async () => {
  await using gateway = await startGateway({ partner: ON_THAT_DAY })
  expect(await rejectionOf(gateway.dimsePort, { callingAeTitle: 'MR7' })).toBe('1/1/3')
  await until(async () =>
    expect((await gateway.call(dashboard.callers, {})).callers).toHaveLength(1),
  )
  const { callers } = await gateway.call(dashboard.callers, {})
  expect(callers).toMatchObject([
    {
      aeTitle: 'MR7',
      address: '127.0.0.1',
      calledAeTitle: 'ISTHMUS',
      attempts: 1,
      services: ['Verification', 'Modality Worklist'],
    },
  ])

  await gateway.call(dashboard.approveCaller, {
    body: { aeTitle: 'MR7', address: '127.0.0.1', name: 'MR room 7', modality: 'MR' },
  })
  expect((await gateway.call(dashboard.callers, {})).callers).toEqual([])
  const found = await queryWorklist(gateway.dimsePort, { callingAeTitle: 'MR7', keys: ON_DAY })
  expect(found).toMatchObject({ status: '0000', rows: { length: 25 } })
  expect(await lastInspection(gateway)).toMatchObject({ deviceName: 'MR room 7' })
})

it('refuses a device that is switched off, also where everyone is served, and does not take it for a stranger', async () => {
  await using gateway = await startGateway({ devices: [{ aeTitle: 'CT1', isEnabled: false }] })
  expect(await rejectionOf(gateway.dimsePort, {})).toBe('1/1/3')
  {
    await using caller = await associated(gateway.dimsePort, { contexts: [ECHO_CONTEXT] })
    expect(await caller.echo()).toBe(0)
  }
  await gateway.call(dashboard.changeSettings, {
    body: { settings: { 'dimse.allowUnknownDevices': true } },
  })
  expect(await rejectionOf(gateway.dimsePort, {})).toBe('1/1/3')
  expect(await rejectionOf(gateway.dimsePort, { callingAeTitle: 'OTHER' })).toBe('A-ASSOCIATE-AC')

  const { lines } = await gateway.call(dashboard.feed, { query: {} })
  expect(lines.map(({ text }) => englishText(text))).toContain(
    'CT1 tried to connect and was rejected: this device is disabled in the device list.',
  )
  expect((await gateway.call(dashboard.callers, {})).callers).toEqual([])
})

it('answers the C-ECHO of a stranger, and of that nothing else', async () => {
  await using gateway = await startGateway()
  await using stranger = await associated(gateway.dimsePort, {
    callingAeTitle: 'NEWCT',
    contexts: [ECHO_CONTEXT],
  })
  expect(await stranger.echo()).toBe(0)
  expect(
    await rejectionOf(gateway.dimsePort, { callingAeTitle: 'NEWCT', contexts: [WORKLIST_CONTEXT] }),
  ).toBe('1/1/3')
  await until(async () =>
    expect((await gateway.call(dashboard.callers, {})).callers).toMatchObject([
      { aeTitle: 'NEWCT', attempts: 2 },
    ]),
  )
  expect(gateway.partner.requests).toBe(0)
})

it('gives the window the rows that the device gets over the network', async () => {
  await using gateway = await startGateway({
    devices: [{ aeTitle: 'CT1', modality: 'CT' }],
    partner: ON_THAT_DAY,
    overrides: UTC,
  })
  const keys = ask({}, { Modality: 'CT', ScheduledProcedureStepStartDate: DAY })
  const found = await queryWorklist(gateway.dimsePort, { keys })
  const { devices } = await gateway.call(dashboard.devices, {})
  const body = {
    deviceId: devices[0]?.deviceId ?? '',
    modality: 'CT',
    startDate: '2026-11-20',
    endDate: '2026-11-20',
  } as WorklistTestQuery
  const inspection = await gateway.call(dashboard.askWorklist, { body })

  expect(
    inspection.rows.filter(({ verdict }) => verdict === 'sent').map((row) => row.accessionNumber),
  ).toEqual(found.accessionNumbers)
  expect(found.rows.length).toBeGreaterThan(0)
  expect(inspection).toMatchObject({
    origin: 'window',
    callingAeTitle: 'CT1',
    status: '0000',
    sent: found.rows.length,
  })
  expect(inspection.sentence).toEqual(saying('test query by Olga Owner'))
})

it('takes a lower limit of associations at once, and tells the next caller that it is reached', async () => {
  await using gateway = await startGateway()
  await using console = await associated(gateway.dimsePort)
  await gateway.call(dashboard.changeSettings, {
    body: { settings: { 'dimse.maxAssociations': 1 } },
  })
  expect(await rejectionOf(gateway.dimsePort, {})).toBe('2/3/2')
  expect(await console.echo()).toBe(0)
  await gateway.call(dashboard.changeSettings, {
    body: { settings: { 'dimse.maxAssociations': 2 } },
  })
  expect(await rejectionOf(gateway.dimsePort, {})).toBe('A-ASSOCIATE-AC')
})

it('takes a new AE title at once and refuses the old one where the policy is strict', async () => {
  await using gateway = await startGateway()
  const settings = { 'dimse.aeTitle': 'GATE', 'dimse.calledAePolicy': 'strict' }
  await gateway.call(dashboard.changeSettings, { body: { settings } })
  expect(await rejectionOf(gateway.dimsePort, {})).toBe('1/1/7')
  expect(await rejectionOf(gateway.dimsePort, { calledAeTitle: 'gate' })).toBe('A-ASSOCIATE-AC')
  expect((await gateway.call(dashboard.callers, {})).callers).toEqual([])
})

it('says nothing about a patient in its log, at any level, or in the feed', async () => {
  const items = worklistDay(DAY, { withBadRows: true })
  const names = items.flatMap((one) => [one.PatientName, ...one.PatientName.split(/[\^=]/)])
  const words = [
    ...names,
    ...items.flatMap((one) => [
      one.PatientID,
      one.AccessionNumber,
      one.StudyInstanceUID,
      one.PatientBirthDate,
    ]),
  ]
  const partner = await openPartner({ items })
  await using gateway = await startGateway({
    partner: partner.url,
    overrides: { 'worklist.freshSeconds': 0 },
  })
  await using _ = partner
  const { dimsePort, call } = gateway
  const [one] = items
  const keys = ask({ PatientName: 'Van den Berg^Jan', PatientID: one?.PatientID ?? '' })

  await queryWorklist(dimsePort)
  await queryWorklist(dimsePort, { keys })
  const { devices } = await call(dashboard.devices, {})
  await call(dashboard.askWorklist, {
    body: { deviceId: devices[0]?.deviceId ?? '', patientName: 'Van den Berg^Jan' },
  })
  partner.now({
    body: JSON.stringify({
      authorized: false,
      error: `no access to ${one?.PatientName} ${one?.PatientID}`,
    }),
  })
  await queryWorklist(dimsePort, { keys })
  partner.now({ body: `<html>${one?.PatientName} ${one?.PatientID}</html>` })
  await queryWorklist(dimsePort, { keys })
  partner.now({ body: JSON.stringify({ authorized: one?.PatientName, items: one }) })
  await queryWorklist(dimsePort, { keys })
  await call(dashboard.testPartner, {})
  partner.now({ status: 500 })
  await queryWorklist(dimsePort, { keys })
  await rejectionOf(dimsePort, { callingAeTitle: 'STRANGER' })
  await (await associated(dimsePort)).reset()

  const { lines } = await call(dashboard.feed, { query: { limit: 100 } })
  await until(() =>
    expect(gateway.log.some((line) => line.includes('association rejected'))).toBe(true),
  )
  const said = [...gateway.log, ...lines.map((line) => JSON.stringify(line))].join('\n')
  expect(lines.length).toBeGreaterThan(15)
  expect(words.filter((word) => word.length > 3 && said.includes(word))).toEqual([])
})
