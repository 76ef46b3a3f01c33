import { describe, expect, it } from 'vitest'
import { putAssociation } from '#server/modules/devices/association-queries.ts'
import { insertClosedStep } from '#server/modules/procedure-steps/closed-step-queries.ts'
import { findLastInspection } from '#server/modules/worklist/inspection-queries.ts'
import { findInspection } from '#server/modules/worklist/inspections.ts'
import {
  EXAM_CHECKS,
  type ExamCheck,
  type ExamExplanation,
} from '#shared/contract/dashboard-exams.ts'
import type { Device, UnknownCaller } from '#shared/contract/devices.ts'
import { verbatim } from '#shared/messages/message.ts'
import { saying } from '../../../../support/saying.ts'
import { DAY, known, openSchedule } from './schedule-fixture.ts'
import { ask, type Bench, item, type Keys, NOW } from './worklist-fixture.ts'

const TODAY = ask({}, { ScheduledProcedureStepStartDate: '20261120' })
const FIRST = { studyInstanceUid: '2.25.10001', scheduledProcedureStepId: 'S001' }
const YESTERDAY = '2026-11-19T08:00:00.000Z'

const failing = ({ checks }: ExamExplanation): ExamCheck | undefined =>
  checks.find(({ state }) => state === 'failed')
const stateOf = ({ checks }: ExamExplanation, name: ExamCheck['check']) =>
  checks.find(({ check }) => check === name)?.state

function reject(bench: Bench, at: string): void {
  const counts = {
    echoes: 0,
    queries: 0,
    exams: 0,
    instances: 0,
    bytes: 0,
    steps: 0,
    commitments: 0,
    failures: 0,
  }
  putAssociation(bench.temp.store.database, {
    ...{
      associationId: 'r1',
      deviceId: null,
      deviceName: '',
      aeTitle: 'CT1',
      calledAeTitle: 'WRONG',
      address: '10.0.3.7',
      tls: '',
    },
    ...{
      openedAt: at,
      endedAt: at,
      how: 'rejected',
      detail: verbatim('it called WRONG, but this gateway’s AE title is ISTHMUS'),
      tone: 'danger',
      times: 1,
    },
    ...{ counts, omitted: 0 },
  })
}
const caller = (more: Partial<UnknownCaller>): UnknownCaller => ({
  ...{
    aeTitle: 'CT1',
    address: '10.0.3.40',
    calledAeTitle: 'ISTHMUS',
    attempts: 3,
    firstAt: NOW,
    lastAt: NOW,
    services: [],
  },
  ...more,
})

/** What is so when it is asked why the first exam is not on the device. */
interface Case {
  readonly items?: readonly unknown[]
  readonly device?: Partial<Device>
  readonly called?: readonly UnknownCaller[]
  /** The device's query, null for none. */
  readonly asked?: Keys | null
  /** What the partner lists afterwards, and how the device is then. */
  readonly next?: readonly unknown[]
  readonly afterwards?: Partial<Device>
  readonly isDone?: boolean
}

describe('why an exam is not on a device', () => {
  it('is nothing where the device has it, check by check', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    await made.bench.find(TODAY)
    const explained = await made.explain(FIRST)
    expect(explained.checks.map(({ check, state }) => [check, state])).toEqual(
      EXAM_CHECKS.map((check) => [check, 'ok']),
    )
    expect(explained).toMatchObject({
      isGiven: true,
      conclusion: 'Nothing prevents this exam from reaching the device.',
      day: DAY,
    })
    expect(explained.exam).toMatchObject({
      patientName: 'TESTER^NUMBER001',
      accessionNumber: 'A001',
    })
    expect(explained.checks.at(-1)?.sentence).toEqual(
      'The exam was sent to the device on 2026-11-20 09:00.',
    )
  })

  it('is asked as this device with the keys of its last query, and recorded as the window’s', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    await made.bench.find(
      ask(
        { PatientName: 'NOBODY*' },
        { ScheduledProcedureStepStartDate: '20261120', Modality: 'CT' },
      ),
    )
    const { inspectionId } = await made.explain(FIRST)
    const inspection = await findInspection(made.bench.store, inspectionId ?? 0)
    expect(inspection).toMatchObject({
      origin: 'window',
      callingAeTitle: 'CT1',
      question: { modality: 'CT', dateStart: DAY },
    })
    expect(
      inspection?.keys
        .filter(({ value }) => value !== '')
        .map(({ keyword, value }) => [keyword, value]),
    ).toEqual([
      ['PatientName', 'NOBODY*'],
      ['Modality', 'CT'],
      ['ScheduledProcedureStepStartDate', '20261120'],
    ])
    expect(findLastInspection(made.bench.temp.store.database, 'CT1')?.origin).toBe('device')
  })

  const on = (step: Keys, root: Keys = {}) =>
    ask(root, { ScheduledProcedureStepStartDate: '20261120', ...step })

  it.each<[what: string, on: Case, failing: Partial<ExamCheck> | object]>([
    [
      'that the device is switched off',
      { afterwards: { isEnabled: false } },
      { check: 'known', link: 'devices' },
    ],
    [
      'that it did not call today',
      { asked: null, device: { lastSeenAt: YESTERDAY } },
      { check: 'today', sentence: saying(/last connected on 2026-11-19 08:00, not today/) },
    ],
    [
      'that it called from elsewhere',
      { asked: null, device: { lastSeenAt: YESTERDAY }, called: [caller({})] },
      { check: 'today', sentence: saying(/not connected today with its AE title/) },
    ],
    [
      'that it did not call today, and what called from elsewhere did so on an earlier day',
      {
        asked: null,
        device: { lastSeenAt: YESTERDAY },
        called: [caller({ lastAt: YESTERDAY })],
      },
      {
        check: 'today',
        sentence: saying(/last connected on 2026-11-19 08:00, not today/),
        evidence: [saying(/^An unknown device with the AE title CT1 connected from 10\.0\.3\.40/)],
      },
    ],
    [
      'that it called but never asked for its list',
      { asked: null },
      { check: 'asked', link: 'queries' },
    ],
    [
      'a query that is not valid',
      { asked: on({ ScheduledProcedureStepStartDate: 'SOON' }) },
      { check: 'asked', sentence: saying(/^The device’s query is not valid/) },
    ],
    [
      'that the partner has no such exam',
      { items: [item(2)] },
      { check: 'listed', sentence: 'The partner has no such exam on 2026-11-20.' },
    ],
    [
      'that the partner took it off its list',
      { next: [] },
      { check: 'listed', sentence: saying(/no longer lists the exam/) },
    ],
    [
      'that it is withheld from every device',
      { items: [item(1, { AccessionNumber: 'A234567890123456789' })] },
      {
        check: 'valid',
        sentence:
          'The exam is withheld from all devices: its AccessionNumber is longer than 16 characters.',
      },
    ],
    [
      'that the device’s character set cannot say it',
      {
        items: [item(1, { PatientName: '山田^太郎' })],
        device: { characterSet: 'ISO_IR 100' },
      },
      { check: 'encodable', link: 'devices' },
    ],
    [
      'the day that the device asks for',
      { asked: on({ ScheduledProcedureStepStartDate: '20261121' }) },
      { check: 'window', sentence: saying(/query covers 2026-11-21/) },
    ],
    [
      'the modality that the device asks for',
      { asked: on({ Modality: 'MR' }) },
      { check: 'window', sentence: saying(/the device queries MR only/) },
    ],
    [
      'the station that the device asks for, where it is taken at its word',
      { asked: on({ ScheduledStationAETitle: 'OTHER' }), device: { stationMode: 'strict' } },
      { check: 'window', sentence: saying(/another station/) },
    ],
    [
      'that the device’s list was cut',
      {
        items: [item(2), item(1, {}, { ScheduledProcedureStepStartTime: '2300' })],
        device: { maxRows: 1 },
      },
      { check: 'window', sentence: saying(/was left out/) },
    ],
    [
      'a key of the device’s query',
      { asked: on({}, { PatientID: 'P9' }) },
      {
        check: 'keys',
        sentence:
          'The exam does not match a key of the device’s query: PatientID (0010,0020) “P9”.',
        evidence: ['PatientID: P9', 'ScheduledProcedureStepStartDate: 20261120'],
      },
    ],
    ['that it is done', { isDone: true }, { check: 'open', link: 'images' }],
  ])('is %s', async (_, given, expected) => {
    const {
      items = [item(1)],
      device,
      called = [],
      asked = TODAY,
      next,
      afterwards,
      isDone,
    } = given
    await using made = await openSchedule({ items })
    made.devices = [known(device)]
    made.called(...called)
    if (asked) await made.bench.find(asked)
    if (next) {
      made.later()
      made.bench.partner.now({ items: next })
    }
    if (afterwards) made.devices = [known(afterwards)]
    if (isDone) made.bench.steps.set('2.25.10001', 'S001', 'completed')
    expect(failing(await made.explain(FIRST))).toMatchObject(expected)
  })

  it('is that the device has never called, and something of its name or from its address may be it', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    made.devices = [known({ lastSeenAt: null, lastAddress: null, address: '10.0.3.7' })]
    made.called(
      caller({}),
      caller({ aeTitle: 'AXIOM_1', address: '10.0.3.7' }),
      caller({ aeTitle: 'US9', address: '10.0.9.9' }),
    )
    const explained = await made.explain(FIRST)
    expect(failing(explained)).toMatchObject({
      check: 'called',
      evidence: [
        'An unknown device with the AE title AXIOM_1 tried to connect from this device’s address, 10.0.3.7, most recently on 2026-11-20 09:00.',
        'An unknown device with the AE title CT1 connected from 10.0.3.40, last on 2026-11-20 09:00; this is not this device’s address (10.0.3.7).',
      ],
    })
    expect(stateOf(explained, 'today')).toBe('skipped')
    expect(stateOf(explained, 'listed')).toBe('ok')
  })

  it('is that its last call was rejected, unless it was let in since', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    await made.bench.find(TODAY)
    reject(made.bench, '2026-11-20T09:00:01.000Z')
    expect(failing(await made.explain(FIRST))).toMatchObject({
      check: 'association',
      evidence: [
        'Rejected on 2026-11-20 09:00: it called WRONG, but this gateway’s AE title is ISTHMUS',
      ],
    })
    made.devices = [known({ lastSeenAt: '2026-11-20T09:00:02.000Z' })]
    expect(failing(await made.explain(FIRST))).toBeUndefined()
  })

  it('is that it has not refreshed its list today: what it asked then is asked for today', async () => {
    await using made = await openSchedule({
      items: [item(1, {}, { ScheduledProcedureStepStartDate: '20261121' })],
    })
    await made.bench.find(TODAY)
    made.later(23 * 60 * 60_000)
    made.devices = [known({ lastSeenAt: '2026-11-21T08:00:00.000Z' })]
    const explained = await made.explain({ ...FIRST, day: '2026-11-21' })
    expect(failing(explained)).toMatchObject({
      check: 'asked',
      sentence: saying(/from that time/),
    })
    expect(explained.isGiven).toBe(true)
  })

  it('is that the partner does not answer', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    await made.bench.find(TODAY)
    made.later(20 * 60_000)
    made.bench.partner.now({ status: 503 })
    const explained = await made.explain(FIRST)
    expect(failing(explained)).toMatchObject({
      check: 'partner',
      link: 'partner',
      sentence: saying(/responded with an error/),
    })
    expect(stateOf(explained, 'listed')).toBe('skipped')
    // It is known from the answer that is kept.
    expect(explained.exam?.accessionNumber).toBe('A001')
  })

  it('is that the partner lists it for another device', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    const other = known({
      deviceId: '5f0e1b52-6a4e-4d7e-9d55-0a8f3a1b2c3d',
      aeTitle: 'CT2',
      name: 'CT 2',
    })
    made.devices = [known(), other]
    await made.bench.find(TODAY, { callingAeTitle: 'CT2' })
    made.bench.partner.now({ items: [] })
    await made.bench.find(TODAY)
    expect(failing(await made.explain(FIRST))).toMatchObject({
      check: 'listed',
      evidence: ['It is on the list of CT 2.'],
    })
  })

  it('is that it was closed here, while the list is a stored one', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    await made.bench.find(TODAY)
    insertClosedStep(made.bench.temp.store.database, { ...FIRST, closedAt: NOW, reason: 'done' })
    expect(failing(await made.explain(FIRST))).toBeUndefined()
    made.later()
    made.bench.partner.now({ status: 500 })
    expect(failing(await made.explain(FIRST))).toMatchObject({ check: 'open', link: 'worklist' })
  })

  it('is that the device has not asked since the exam is planned', async () => {
    await using made = await openSchedule({ items: [item(2)] })
    await made.bench.find(TODAY)
    made.later()
    made.bench.partner.now({ items: [item(1), item(2)] })
    const explained = await made.explain(FIRST)
    expect(failing(explained)).toMatchObject({ check: 'sent' })
    expect(explained.isGiven).toBe(true)
  })

  it.each(['number001 tester', 'P001', 'a001', 'Tester, Numbér001'])(
    'finds the exam by what a person has of it: %s',
    async (text) => {
      await using made = await openSchedule({ items: [item(1), item(2)] })
      await made.bench.find(TODAY)
      expect((await made.explain({ text })).exam?.accessionNumber).toBe('A001')
    },
  )

  it('asks which one is meant where several fit', async () => {
    await using made = await openSchedule({ items: [item(1), item(2)] })
    const explained = await made.explain({ text: 'tester' })
    expect(explained.candidates.map(({ accessionNumber }) => accessionNumber)).toEqual([
      'A001',
      'A002',
    ])
    expect(explained).toMatchObject({ exam: null, checks: [] })
  })

  it('keeps the character set that the device declares', async () => {
    await using made = await openSchedule({ items: [item(1, { PatientName: 'Müller^Jörg' })] })
    await made.bench.find(
      ask(
        { SpecificCharacterSet: 'ISO_IR 100', PatientName: Buffer.from('M\u00fcller*', 'latin1') },
        { ScheduledProcedureStepStartDate: '20261120' },
      ),
    )
    const explained = await made.explain(FIRST)
    expect(failing(explained)).toBeUndefined()
    const inspection = await findInspection(made.bench.store, explained.inspectionId ?? 0)
    expect(inspection?.keys.find(({ keyword }) => keyword === 'PatientName')?.value).toBe('Müller*')
  })
})
