import { describe, expect, it } from 'vitest'
import {
  EXAM_CHECKS,
  type ExamCheck,
  type ExamExplanation,
} from '#shared/contract/dashboard-exams.ts'
import type { UnknownCaller } from '#shared/contract/devices.ts'
import { DAY, known, openDesk } from './schedule-service-fixture.ts'
import { ask, type Bench, item, NOW } from './worklist-fixture.ts'

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
  bench.temp.store.associations.put({
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
      detail: 'it called WRONG, this gateway is ISTHMUS',
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

describe('why an exam is not on a device', () => {
  it('is nothing where the device has it, check by check', async () => {
    await using made = await openDesk({ items: [item(1)] })
    await made.bench.find(TODAY)
    const explained = await made.explain(FIRST)
    expect(explained.checks.map(({ check, state }) => [check, state])).toEqual(
      EXAM_CHECKS.map((check) => [check, 'ok']),
    )
    expect(explained).toMatchObject({
      isGiven: true,
      conclusion: 'Nothing keeps this exam from the device.',
      day: DAY,
    })
    expect(explained.exam).toMatchObject({
      patientName: 'TESTER^NUMBER001',
      accessionNumber: 'A001',
    })
    expect(explained.checks.at(-1)?.sentence).toBe(
      'The device was given the exam on 2026-11-20 09:00.',
    )
  })

  it('is asked as this device with the keys of its last query, and recorded as the window’s', async () => {
    await using made = await openDesk({ items: [item(1)] })
    await made.bench.find(
      ask(
        { PatientName: 'NOBODY*' },
        { ScheduledProcedureStepStartDate: '20261120', Modality: 'CT' },
      ),
    )
    const { inspectionId } = await made.explain(FIRST)
    const inspection = await made.bench.worklist.inspection(inspectionId ?? 0)
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
    expect(made.bench.temp.store.inspections.last('CT1')?.origin).toBe('device')
  })

  it('is that the device is switched off', async () => {
    await using made = await openDesk({ items: [item(1)] })
    await made.bench.find(TODAY)
    made.devices = [known({ isEnabled: false })]
    expect(failing(await made.explain(FIRST))).toMatchObject({ check: 'known', link: 'devices' })
  })

  it('is that the device has never called, and something of its name or from its address may be it', async () => {
    await using made = await openDesk({ items: [item(1)] })
    made.devices = [known({ lastSeenAt: null, lastAddress: null, address: '10.0.3.7' })]
    made.callers = [
      caller({}),
      caller({ aeTitle: 'AXIOM_1', address: '10.0.3.7' }),
      caller({ aeTitle: 'US9', address: '10.0.9.9' }),
    ]
    const explained = await made.explain(FIRST)
    expect(failing(explained)).toMatchObject({
      check: 'called',
      evidence: [
        'CT1 called from 10.0.3.40, last on 2026-11-20 09:00, which is not the address of this device (10.0.3.7).',
        'From its address 10.0.3.7 called AXIOM_1, last on 2026-11-20 09:00.',
      ],
    })
    expect(stateOf(explained, 'today')).toBe('skipped')
    expect(stateOf(explained, 'listed')).toBe('ok')
  })

  it.each([
    ['that it did not call today', [], /called last on 2026-11-19 08:00, not today/],
    ['that it called from elsewhere', [caller({})], /not called today as it is known here/],
  ])('is %s', async (_, callers, sentence) => {
    await using made = await openDesk({ items: [item(1)] })
    made.devices = [known({ lastSeenAt: YESTERDAY })]
    made.callers = callers
    expect(failing(await made.explain(FIRST))).toMatchObject({
      check: 'today',
      sentence: expect.stringMatching(sentence),
    })
  })

  it('is that its last call was rejected, unless it was let in since', async () => {
    await using made = await openDesk({ items: [item(1)] })
    await made.bench.find(TODAY)
    reject(made.bench, '2026-11-20T09:00:01.000Z')
    expect(failing(await made.explain(FIRST))).toMatchObject({
      check: 'association',
      evidence: ['Rejected on 2026-11-20 09:00: it called WRONG, this gateway is ISTHMUS'],
    })
    made.devices = [known({ lastSeenAt: '2026-11-20T09:00:02.000Z' })]
    expect(failing(await made.explain(FIRST))).toBeUndefined()
  })

  it('is that it called but never asked for its list', async () => {
    await using made = await openDesk({ items: [item(1)] })
    expect(failing(await made.explain(FIRST))).toMatchObject({ check: 'asked', link: 'queries' })
  })

  it('is that it has not refreshed its list today: what it asked then is asked for today', async () => {
    await using made = await openDesk({
      items: [item(1, {}, { ScheduledProcedureStepStartDate: '20261121' })],
    })
    await made.bench.find(TODAY)
    made.later(23 * 60 * 60_000)
    made.devices = [known({ lastSeenAt: '2026-11-21T08:00:00.000Z' })]
    const explained = await made.explain({ ...FIRST, day: '2026-11-21' })
    expect(failing(explained)).toMatchObject({
      check: 'asked',
      sentence: expect.stringMatching(/from then/),
    })
    expect(explained.isGiven).toBe(true)
  })

  it('is that the partner does not answer', async () => {
    await using made = await openDesk({ items: [item(1)] })
    await made.bench.find(TODAY)
    made.later(20 * 60_000)
    made.bench.partner.now({ status: 503 })
    const explained = await made.explain(FIRST)
    expect(failing(explained)).toMatchObject({
      check: 'partner',
      link: 'partner',
      sentence: expect.stringMatching(/answered with an error/),
    })
    expect(stateOf(explained, 'listed')).toBe('skipped')
    // It is known from the answer that is kept.
    expect(explained.exam?.accessionNumber).toBe('A001')
  })

  it('is that the partner has no such exam', async () => {
    await using made = await openDesk({ items: [item(2)] })
    await made.bench.find(TODAY)
    const explained = await made.explain(FIRST)
    expect(explained.exam).toBeNull()
    expect(failing(explained)).toMatchObject({
      check: 'listed',
      sentence: 'The partner has no such exam on 2026-11-20.',
    })
  })

  it('is that the partner took it off its list', async () => {
    await using made = await openDesk({ items: [item(1)] })
    await made.bench.find(TODAY)
    made.later()
    made.bench.partner.now({ items: [] })
    expect(failing(await made.explain(FIRST))?.sentence).toMatch(
      /listed the exam earlier and does not any more/,
    )
  })

  it('is that the partner lists it for another device', async () => {
    await using made = await openDesk({ items: [item(1)] })
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
      evidence: ['On the list of CT 2.'],
    })
  })

  it('is that it is withheld from every device', async () => {
    await using made = await openDesk({
      items: [item(1, { AccessionNumber: 'A234567890123456789' })],
    })
    await made.bench.find(TODAY)
    expect(failing(await made.explain(FIRST))).toMatchObject({
      check: 'valid',
      sentence:
        'The exam is withheld from every device: its AccessionNumber is longer than 16 characters.',
    })
  })

  it('is that the device’s character set cannot say it', async () => {
    await using made = await openDesk({ items: [item(1, { PatientName: '山田^太郎' })] })
    made.devices = [known({ characterSet: 'ISO_IR 100' })]
    made.bench.device = made.devices[0]
    await made.bench.find(TODAY)
    const explained = await made.explain(FIRST)
    expect(failing(explained)).toMatchObject({ check: 'encodable', link: 'devices' })
    expect(stateOf(explained, 'valid')).toBe('ok')
  })

  it.each([
    [
      'the day',
      ask({}, { ScheduledProcedureStepStartDate: '20261121' }),
      /query covers 2026-11-21/,
    ],
    [
      'the modality',
      ask({}, { ScheduledProcedureStepStartDate: '20261120', Modality: 'MR' }),
      /asks for MR only/,
    ],
    [
      'the station, where it is taken at its word',
      ask({}, { ScheduledProcedureStepStartDate: '20261120', ScheduledStationAETitle: 'OTHER' }),
      /another station/,
    ],
  ])('is %s that the device asks for', async (_, keys, sentence) => {
    await using made = await openDesk({ items: [item(1)] })
    made.devices = [known({ stationMode: 'strict' })]
    made.bench.device = made.devices[0]
    await made.bench.find(keys)
    expect(failing(await made.explain(FIRST))).toMatchObject({
      check: 'window',
      sentence: expect.stringMatching(sentence),
    })
  })

  it('is that the device’s list was cut', async () => {
    await using made = await openDesk({ items: [item(1), item(2)] })
    made.devices = [known({ maxRows: 1 })]
    made.bench.device = made.devices[0]
    await made.bench.find(TODAY)
    expect(failing(await made.explain({ studyInstanceUid: '2.25.10002' }))).toMatchObject({
      check: 'window',
      sentence: expect.stringMatching(/was cut off/),
    })
  })

  it('is a key of its query', async () => {
    await using made = await openDesk({ items: [item(1)] })
    await made.bench.find(ask({ PatientID: 'P9' }, { ScheduledProcedureStepStartDate: '20261120' }))
    expect(failing(await made.explain(FIRST))).toMatchObject({
      check: 'keys',
      sentence: 'The exam does not meet a key of its query: PatientID (0010,0020) “P9”.',
      evidence: ['PatientID: P9', 'ScheduledProcedureStepStartDate: 20261120'],
    })
  })

  it('is that it is done', async () => {
    await using made = await openDesk({ items: [item(1)] })
    await made.bench.find(TODAY)
    made.bench.steps.set('2.25.10001', 'S001', 'completed')
    const explained = await made.explain(FIRST)
    expect(failing(explained)).toMatchObject({ check: 'open', link: 'images' })
    expect(stateOf(explained, 'sent')).toBe('skipped')
  })

  it('is that it was closed here, while the list is a stored one', async () => {
    await using made = await openDesk({ items: [item(1)] })
    await made.bench.find(TODAY)
    made.bench.temp.store.closedSteps.close({ ...FIRST, closedAt: NOW, reason: 'done' })
    expect(failing(await made.explain(FIRST))).toBeUndefined()
    made.later()
    made.bench.partner.now({ status: 500 })
    expect(failing(await made.explain(FIRST))).toMatchObject({ check: 'open', link: 'worklist' })
  })

  it('is that the device has not asked since the exam is planned', async () => {
    await using made = await openDesk({ items: [item(2)] })
    await made.bench.find(TODAY)
    made.later()
    made.bench.partner.now({ items: [item(1), item(2)] })
    const explained = await made.explain(FIRST)
    expect(failing(explained)).toMatchObject({ check: 'sent' })
    expect(explained.isGiven).toBe(true)
  })

  it('is a query that cannot be understood', async () => {
    await using made = await openDesk({ items: [item(1)] })
    await made.bench.find(ask({}, { ScheduledProcedureStepStartDate: 'SOON' }))
    expect(failing(await made.explain(FIRST))).toMatchObject({
      check: 'asked',
      sentence: expect.stringMatching(/cannot be understood/),
    })
  })

  it.each(['number001 tester', 'P001', 'a001', 'Tester, Numbér001'])(
    'finds the exam by what a person has of it: %s',
    async (text) => {
      await using made = await openDesk({ items: [item(1), item(2)] })
      await made.bench.find(TODAY)
      expect((await made.explain({ text })).exam?.accessionNumber).toBe('A001')
    },
  )

  it('asks which one is meant where several fit', async () => {
    await using made = await openDesk({ items: [item(1), item(2)] })
    const explained = await made.explain({ text: 'tester' })
    expect(explained.candidates.map(({ accessionNumber }) => accessionNumber)).toEqual([
      'A001',
      'A002',
    ])
    expect(explained).toMatchObject({ exam: null, checks: [] })
  })

  it('keeps the character set that the device declares', async () => {
    await using made = await openDesk({ items: [item(1, { PatientName: 'Müller^Jörg' })] })
    await made.bench.find(
      ask(
        { SpecificCharacterSet: 'ISO_IR 100', PatientName: Buffer.from('M\u00fcller*', 'latin1') },
        { ScheduledProcedureStepStartDate: '20261120' },
      ),
    )
    const explained = await made.explain(FIRST)
    expect(failing(explained)).toBeUndefined()
    const inspection = await made.bench.worklist.inspection(explained.inspectionId ?? 0)
    expect(inspection?.keys.find(({ keyword }) => keyword === 'PatientName')?.value).toBe('Müller*')
  })
})
