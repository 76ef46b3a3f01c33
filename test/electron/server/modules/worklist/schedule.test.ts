import { describe, expect, it } from 'vitest'
import {
  deleteClosedStep,
  insertClosedStep,
} from '#server/modules/procedure-steps/closed-step-queries.ts'
import { refreshDay } from '#server/modules/worklist/schedule.ts'
import { textOf } from '../../../../support/saying.ts'
import { ANNA, DAY, known, openSchedule } from './schedule-fixture.ts'
import { ask, device, item, NOW } from './worklist-fixture.ts'

const TODAY = ask({}, { ScheduledProcedureStepStartDate: '20261120' })
const at = (time: string) => ({ ScheduledProcedureStepStartTime: time })

describe('the exams of a day', () => {
  it('are none, and of no answer, before anybody asked', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    const day = await made.schedule.day({}, 100)
    expect(day).toMatchObject({
      day: DAY,
      today: DAY,
      now: '090000',
      exams: [],
      source: { kind: 'none', receivedAt: null },
    })
  })

  it('are those of the partner’s newest answer, with the device that was given them', async () => {
    await using made = await openSchedule({ items: [item(2), item(1)] })
    await made.bench.find(TODAY)
    const day = await made.schedule.day({}, 100)
    expect(day.source).toEqual({ kind: 'live', receivedAt: NOW, fault: null, awaySince: null })
    expect(day.exams.map(({ accessionNumber, state }) => [accessionNumber, state])).toEqual([
      ['A001', 'handed-out'],
      ['A002', 'handed-out'],
    ])
    expect(day.exams[0]).toMatchObject({
      patientName: 'TESTER^NUMBER001',
      severity: 'normal',
      images: 0,
      devices: [{ aeTitle: 'CT1', name: 'CT room 1', isOnList: true, sentAt: NOW, withheld: null }],
    })
  })

  it('that no device was given are waiting; asking from the window gives none to a device', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    expect(await refreshDay(made.bench.worklist, DAY, made.devices, ANNA)).toEqual({
      asked: 1,
      failed: 0,
      sentences: [],
    })
    const [exam] = await made.exams('waiting')
    expect(exam).toMatchObject({ state: 'scheduled', devices: [] })
    await made.bench.find(TODAY)
    expect(await made.exams('waiting')).toEqual([])
  })

  it('of another day are not among them', async () => {
    await using made = await openSchedule({
      items: [item(1, {}, { ScheduledProcedureStepStartDate: '20261121' }), item(2)],
    })
    await made.bench.find(ask())
    expect((await made.exams()).map(({ accessionNumber }) => accessionNumber)).toEqual(['A002'])
  })

  it('are of the device that is chosen alone', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    const mr = known({
      deviceId: '5f0e1b52-6a4e-4d7e-9d55-0a8f3a1b2c3d',
      aeTitle: 'MR1',
      name: 'MR',
      modality: 'MR',
    })
    made.devices = [known(), mr]
    await made.bench.find(TODAY)
    expect((await made.schedule.day({ deviceId: mr.deviceId }, 100)).exams).toEqual([])
    expect((await made.schedule.day({ deviceId: known().deviceId }, 100)).exams).toHaveLength(1)
  })

  it('that a device’s query for one patient gave it are not its list, but were given', async () => {
    await using made = await openSchedule({ items: [item(1), item(2)] })
    await made.bench.find(
      ask({ PatientID: 'P001' }, { ScheduledProcedureStepStartDate: '20261120' }),
    )
    const [first, second] = await made.exams()
    expect(first?.devices).toMatchObject([{ isOnList: false, sentAt: NOW }])
    expect(second?.devices).toEqual([])
  })

  it('that cannot be sent say so, for every device or for one', async () => {
    await using made = await openSchedule({
      items: [item(1, { PatientID: '' }), item(2, { PatientName: '山田^太郎' })],
    })
    made.devices = [known({ characterSet: 'ISO_IR 100' })]
    await made.bench.find(TODAY)
    const exams = await made.exams('withheld')
    expect(
      exams.map(({ withheld, devices }) => [withheld, devices.map((one) => one.withheld)]),
    ).toEqual([
      ['it has no PatientID', []],
      [
        null,
        ['its PatientName cannot be written in this device’s character set or in Latin letters'],
      ],
    ])
  })

  it('are started, then completed, by what the device reports (MPPS)', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    await made.bench.find(TODAY)
    made.bench.steps.set('2.25.10001', 'S001', 'started', '2026-11-20T09:10:00.000Z')
    expect(await made.exams()).toMatchObject([
      { state: 'started', since: '2026-11-20T09:10:00.000Z' },
    ])
    made.bench.steps.set('2.25.10001', 'S001', 'completed', '2026-11-20T09:20:00.000Z')
    expect(await made.exams()).toMatchObject([
      { state: 'completed', since: '2026-11-20T09:20:00.000Z' },
    ])
    expect((await made.schedule.day({}, 100)).tally).toMatchObject({
      all: 1,
      completed: 1,
      begun: 0,
      overdue: 0,
    })
  })

  it('that staff closed are closed, until they are reopened', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    await made.bench.find(TODAY)
    const { database } = made.bench.temp.store
    insertClosedStep(database, {
      studyInstanceUid: '2.25.10001',
      scheduledProcedureStepId: 'S001',
      closedAt: NOW,
      reason: 'done',
    })
    expect(await made.exams()).toMatchObject([{ state: 'closed', isClosed: true }])
    deleteClosedStep(database, '2.25.10001', 'S001')
    expect(await made.exams()).toMatchObject([{ state: 'handed-out', isClosed: false }])
  })

  it('that the partner does not list any more are gone', async () => {
    await using made = await openSchedule({ items: [item(1), item(2)] })
    await made.bench.find(TODAY)
    made.later()
    made.bench.partner.now({ items: [item(2)] })
    await made.bench.find(TODAY)
    const exams = await made.exams()
    expect(
      exams.map(({ accessionNumber, state, since }) => [accessionNumber, state, since]),
    ).toEqual([
      ['A001', 'gone', '2026-11-20T09:01:00.000Z'],
      ['A002', 'handed-out', '2026-11-20T09:01:00.000Z'],
    ])
    expect(exams[0]?.devices).toMatchObject([{ isOnList: false, sentAt: NOW }])
  })

  it('are not gone because a narrower answer lacks them', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    await made.bench.find(TODAY)
    made.later()
    made.bench.partner.now({ items: [] })
    await made.bench.find(ask({}, { ScheduledProcedureStepStartDate: '20261120', Modality: 'MR' }))
    expect(await made.exams()).toMatchObject([{ state: 'handed-out' }])
  })

  it('are overdue once their time is over and nothing has begun', async () => {
    await using made = await openSchedule({
      items: [item(1, {}, at('083000')), item(2, {}, at('090001')), item(3, {}, at(''))],
    })
    await made.bench.find(TODAY)
    expect((await made.exams('overdue')).map(({ accessionNumber }) => accessionNumber)).toEqual([
      'A001',
    ])
    made.bench.steps.set('2.25.10001', 'S001', 'started')
    expect(await made.exams('overdue')).toEqual([])
    made.later(24 * 60 * 60_000)
    expect((await made.exams('overdue')).map(({ accessionNumber }) => accessionNumber)).toEqual([
      'A003',
      'A002',
    ])
  })

  it('are late for Today an hour after their time, counted again after some seconds', async () => {
    await using made = await openSchedule({ items: [item(1, {}, at('083000'))] })
    await made.bench.find(TODAY)
    expect(await made.schedule.today()).toMatchObject({
      all: 1,
      overdue: 1,
      late: 0,
      lateSince: null,
    })
    made.later(31 * 60_000)
    await made.schedule.today()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await made.schedule.today()).toMatchObject({
      late: 1,
      lateSince: '2026-11-20T08:30:00.000Z',
    })
  })

  it('are stored ones while the partner is away', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    await made.bench.find(TODAY)
    made.partnerFault = 'unreachable'
    expect((await made.schedule.day({}, 100)).source).toEqual({
      kind: 'stored',
      receivedAt: NOW,
      fault: 'unreachable',
      awaySince: NOW,
    })
  })

  it('asked for anew say what failed, once for all devices', async () => {
    await using made = await openSchedule({ status: 500 })
    made.devices = [
      known(),
      known({ deviceId: '5f0e1b52-6a4e-4d7e-9d55-0a8f3a1b2c3d', aeTitle: 'CT2', name: 'CT 2' }),
    ]
    const { asked, failed, sentences } = await refreshDay(
      made.bench.worklist,
      DAY,
      made.devices,
      ANNA,
    )
    expect([asked, failed, sentences.length]).toEqual([2, 2, 2])
    expect(textOf(sentences[0])).toMatch(/the partner responded with an error/)
  })

  it('end where there are more than are asked for, and the tally is of all', async () => {
    await using made = await openSchedule({ items: [item(1), item(2), item(3)] })
    await made.bench.find(TODAY)
    const day = await made.schedule.day({}, 2)
    expect(day.exams).toHaveLength(2)
    expect(day.tally.all).toBe(3)
  })

  it('of a device that is gone from the list are still shown', async () => {
    await using made = await openSchedule({ items: [item(1)] })
    await made.bench.find(TODAY)
    made.devices = []
    expect(await made.exams()).toMatchObject([
      { devices: [{ deviceId: null, aeTitle: 'CT1', name: '' }] },
    ])
    expect(device().deviceId).not.toBeNull()
  })
})
