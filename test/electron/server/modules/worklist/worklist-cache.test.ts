import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import {
  deleteClosedStep,
  insertClosedStep,
} from '#server/modules/procedure-steps/closed-step-queries.ts'
import { currentDowntime, startDowntime } from '#server/modules/worklist/downtime.ts'
import { findInspection } from '#server/modules/worklist/inspections.ts'
import { findCoveringAnswer, readDocument } from '#server/modules/worklist/queries.ts'
import { saying, textOf } from '../../../../support/saying.ts'
import {
  ask,
  associationOf,
  type Bench,
  device,
  item,
  openBench,
  text,
} from './worklist-fixture.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const TODAY = ask({}, { ScheduledProcedureStepStartDate: '20261120' })
const DOWN = { status: 503 } as const
const USER = { userId: 'usr_1', firstName: 'Anna', lastName: 'Berg' }

async function outcome(bench: Bench, keys = TODAY) {
  const { final, rows } = await bench.find(keys)
  return [final.status, rows.length, bench.inspected.at(-1)?.source] as const
}

/** A bench whose partner gave a good list and then went down, so long ago. */
async function downFor(ms: number, items: readonly unknown[] = [item(1), item(2)]): Promise<Bench> {
  const bench = await openBench({ items })
  await bench.find(TODAY)
  bench.partner.now(DOWN)
  bench.temp.clock.pass(ms)
  return bench
}

describe('a disk that takes no writes', () => {
  it('takes no device its list: the response is served, serves in its place, and is written with the next one', async () => {
    await using bench = await openBench({ items: [item(1)] })
    await bench.find(TODAY)
    const full = vi
      .spyOn(bench.temp.store.database, 'commitSoon')
      .mockImplementation(() =>
        Promise.reject(
          Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }),
        ),
      )
    bench.temp.clock.pass(MINUTE)
    bench.partner.now({ items: [item(1), item(2)] })
    expect((await bench.find(TODAY)).rows).toHaveLength(2)
    expect(bench.inspected.at(-1)).toEqual({
      inspectionId: 0,
      sentence: saying(/the partner returned 2 exams in \d+ ms; 2 exams sent\.$/),
    })
    bench.temp.clock.pass(MINUTE)
    bench.partner.now(DOWN)
    expect((await bench.find(TODAY)).rows).toHaveLength(2)
    expect(textOf(bench.inspected.at(-1)?.sentence)).toContain(
      '; the stored response of 09:01 (1 min old) was used because ',
    )

    full.mockRestore()
    bench.temp.clock.pass(MINUTE)
    bench.partner.now({ items: [item(3)] })
    expect(await outcome(bench, ask({}, { ScheduledProcedureStepStartDate: '20261121' }))).toEqual([
      0,
      0,
      'live',
    ])
    bench.restart()
    bench.partner.now(DOWN)
    expect(await outcome(bench)).toEqual([0, 2, 'stored'])
    expect(bench.errors).toEqual([])
  })

  it('gives a device that the partner refuses nothing of what it did not let go of', async () => {
    await using bench = await openBench({ items: [item(1)] })
    await bench.find(TODAY)
    vi.spyOn(bench.temp.store.database, 'commitSoon').mockRejectedValue(
      Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' }),
    )
    bench.temp.clock.pass(MINUTE)
    bench.partner.now({ body: '{"authorized":false}' })
    expect((await bench.find(TODAY)).final.status).toBe(0xc001)
    bench.partner.now(DOWN)
    expect(await bench.find(TODAY)).toMatchObject({ final: { status: 0xa700 }, rows: [] })
  })

  it('shows at the window what was asked there, without a record', async () => {
    await using bench = await openBench({ items: [item(1), item(2, { PatientID: '' })] })
    vi.spyOn(bench.temp.store.database, 'commitSoon').mockRejectedValue(
      Object.assign(new Error('full'), { code: 'SQLITE_FULL' }),
    )
    const body = {
      deviceId: device().deviceId,
      startDate: '2026-11-20',
      endDate: '2026-11-20',
    } as never
    const { rows, sent, withheld, inspectionId } = await bench.worklist.ask(body, device(), {
      userId: 'usr_1',
      firstName: 'Anna',
      lastName: 'Berg',
    })
    expect([rows.map(({ verdict }) => verdict), sent, withheld, inspectionId]).toEqual([
      ['sent', 'withheld'],
      1,
      1,
      0,
    ])
  })
})

describe('the last good answer', () => {
  it.each([
    ['just under 15 minutes', 15 * MINUTE, [0, 2, 'stored']],
    ['over 15 minutes', 15 * MINUTE + 1, [0xa700, 0, 'none']],
  ] as const)(
    'is served by itself when the call fails and it is %s old',
    async (_, age, expected) => {
      await using bench = await downFor(age)
      expect(await outcome(bench)).toEqual(expected)
    },
  )

  it('says in the record where the rows came from and why', async () => {
    await using bench = await downFor(2 * MINUTE)
    await bench.find(TODAY)
    expect(bench.inspected[1]).toMatchObject({
      source: 'stored',
      fault: 'status',
      sent: 2,
      status: '0000',
    })
    expect(textOf(bench.inspected[1]?.sentence)).toMatch(
      /^CT room 1 queried today’s worklist; the stored response of 09:00 \(2 min old\) was used because the partner responded with an error \(.*503.*\); 2 exams sent\.$/,
    )
    const inspection = await findInspection(bench.store, bench.inspected[1]?.inspectionId ?? 0)
    expect(inspection?.partner).toMatchObject({ httpStatus: 503, answeredAt: null })
    expect(inspection?.rows).toHaveLength(2)
  })

  it('is served in downtime mode up to 12 hours, on the same day only', async () => {
    await using bench = await downFor(6 * HOUR)
    startDowntime(bench.store, 'line is down', USER)
    expect(await outcome(bench)).toEqual([0, 2, 'downtime'])
    expect(textOf(bench.inspected.at(-1)?.sentence)).toContain(
      '(6 h 0 min old) was used in downtime mode',
    )
    bench.temp.clock.pass(6 * HOUR + 1)
    bench.temp.store.settings.set('worklist.downtimeHours', 12)
    expect(await outcome(bench)).toEqual([0xa700, 0, 'none'])
  })

  it('of yesterday is never served, not even in downtime mode', async () => {
    await using bench = await openBench({ items: [item(1)] })
    bench.temp.clock.now = Date.parse('2026-11-20T23:30:00.000Z')
    await bench.find(ask({}, { ScheduledProcedureStepStartDate: '20261121' }))
    bench.partner.now(DOWN)
    bench.temp.clock.now = Date.parse('2026-11-21T00:30:00.000Z')
    startDowntime(bench.store, 'line is down', USER)
    expect(await outcome(bench, ask({}, { ScheduledProcedureStepStartDate: '20261121' }))).toEqual([
      0xa700,
      0,
      'none',
    ])
  })

  it('is not served when the clock was set back, because its age cannot be told', async () => {
    await using bench = await downFor(-10 * MINUTE)
    expect(await outcome(bench)).toEqual([0xa700, 0, 'none'])
  })

  it('is still there after a restart', async () => {
    await using bench = await downFor(5 * MINUTE)
    bench.restart()
    expect(await outcome(bench)).toEqual([0, 2, 'stored'])
  })

  it('to a wider question of the same device serves a narrower one, and only the days that are asked for', async () => {
    await using bench = await openBench({
      items: [
        item(1),
        item(2, {}, { ScheduledProcedureStepStartDate: '20261125' }),
        item(3, {}, { ScheduledProcedureStepStartDate: '20261119' }),
      ],
    })
    await bench.find(ask({}, { ScheduledProcedureStepStartDate: '20261115-20261130' }))
    bench.partner.now(DOWN)
    bench.temp.clock.pass(MINUTE)
    expect(await outcome(bench, ask())).toEqual([0, 1, 'stored'])
    expect(bench.inspected.at(-1)).toMatchObject({ filtered: 1, withheld: 1 })
    expect(await outcome(bench, ask({}, { ScheduledProcedureStepStartDate: '20261125' }))).toEqual([
      0,
      1,
      'stored',
    ])
    expect((await bench.find(TODAY, { callingAeTitle: 'MR1' })).final.status).toBe(0xa700)
  })

  it('does not serve steps that were closed here, and a live answer does', async () => {
    await using bench = await downFor(MINUTE)
    insertClosedStep(bench.temp.store.database, {
      studyInstanceUid: '2.25.10001',
      scheduledProcedureStepId: 'S001',
      closedAt: '2026-11-20T09:01:00.000Z',
      reason: 'done',
    })
    const { rows, final } = await bench.find(TODAY)
    expect([final.status, rows.map((row) => text(row, 'PatientID'))]).toEqual([0, ['P002']])
    const inspection = await findInspection(
      bench.store,
      bench.inspected.at(-1)?.inspectionId ?? 0,
      'withheld',
    )
    expect(inspection?.rows).toMatchObject([
      {
        patientId: 'P001',
        isClosed: true,
        reason: 'it is marked as done or cancelled here, and a stored list is used',
      },
    ])
    deleteClosedStep(bench.temp.store.database, '2.25.10001', 'S001')
    expect((await bench.find(TODAY)).rows).toHaveLength(2)
    insertClosedStep(bench.temp.store.database, {
      studyInstanceUid: '2.25.10001',
      scheduledProcedureStepId: 'S001',
      closedAt: '2026-11-20T09:01:00.000Z',
      reason: '',
    })
    bench.partner.now({ items: [item(1), item(2)] })
    bench.temp.clock.pass(MINUTE)
    expect(await outcome(bench)).toEqual([0, 2, 'live'])
  })

  it('ends in success without rows where all of them are closed, as that is no failure', async () => {
    await using bench = await downFor(MINUTE, [item(1)])
    insertClosedStep(bench.temp.store.database, {
      studyInstanceUid: '2.25.10001',
      scheduledProcedureStepId: 'S001',
      closedAt: '2026-11-20T09:01:00.000Z',
      reason: '',
    })
    expect(await outcome(bench)).toEqual([0, 0, 'stored'])
  })

  it('keeps its place where a later answer has no row that is fit', async () => {
    await using bench = await openBench({ items: [item(1)] })
    await bench.find(TODAY)
    bench.temp.clock.pass(MINUTE)
    bench.partner.now({ items: [item(1, { PatientID: '' })] })
    expect(await outcome(bench)).toEqual([0xc002, 0, 'live'])
    bench.temp.clock.pass(MINUTE)
    bench.partner.now(DOWN)
    expect(await outcome(bench)).toEqual([0, 1, 'stored'])
  })

  it('gives way to a live answer, also an empty one, and that ends downtime mode', async () => {
    await using bench = await downFor(HOUR)
    startDowntime(bench.store, 'line is down', USER)
    expect(await outcome(bench)).toEqual([0, 2, 'downtime'])
    bench.partner.now({ items: [] })
    expect(await outcome(bench)).toEqual([0, 0, 'live'])
    expect(currentDowntime(bench.store).isOn).toBe(false)
  })

  it('is durable before it is used', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const { database } = bench.temp.store
    const order: string[] = []
    const commitSoon = database.commitSoon.bind(database)
    // The first commit of a query is that of the answer. It is held back long enough for the query
    // to end first if it did not wait; the commit of the query's record is not held back.
    vi.spyOn(database, 'commitSoon').mockImplementationOnce(async (write) => {
      await sleep(100)
      const kept = await commitSoon(write)
      order.push('stored')
      return kept
    })
    await bench.find(TODAY)
    order.push('answered')
    expect(order).toEqual(['stored', 'answered'])
    const kept = findCoveringAnswer(database, {
      callingAe: 'CT1',
      dateStart: '2026-11-20',
      dateEnd: '2026-11-20',
      modality: null,
    })
    expect(
      JSON.parse(readDocument(bench.temp.store, kept?.documentHash ?? '')?.toString() ?? ''),
    ).toEqual({
      authorized: true,
      items: [item(1)],
    })
    expect(kept).toMatchObject({ items: 1, receivedAt: '2026-11-20T09:00:00.000Z' })
  })
})

describe('a question in flight', () => {
  it('is asked once for all devices’ queries that need it', async () => {
    const gate = Promise.withResolvers<void>()
    await using bench = await openBench({ wait: gate.promise, items: [item(1)] })
    const finding = [
      bench.find(TODAY),
      bench.find(ask({ PatientName: '*' }, { ScheduledProcedureStepStartDate: '20261120' })),
      bench.find(TODAY),
    ]
    await expect.poll(() => bench.partner.questions.length).toBe(1)
    gate.resolve()
    expect((await Promise.all(finding)).map(({ rows }) => rows.length)).toEqual([1, 1, 1])
    expect(bench.partner.questions).toHaveLength(1)
    expect(bench.inspected.map(({ source }) => source).sort()).toEqual(['live', 'shared', 'shared'])
  })

  it('is given up when the last query that waits for it is cancelled, and the next one asks anew', async () => {
    await using bench = await openBench({ hang: true })
    const [one, two] = [new AbortController(), new AbortController()]
    const finding = [
      bench.find(TODAY, { signal: one.signal }),
      bench.find(TODAY, { signal: two.signal }),
    ]
    await expect.poll(() => bench.partner.questions.length).toBe(1)
    one.abort('cancel')
    expect((await finding[0])?.final.status).toBe(0xfe00)
    expect(bench.partner.hungUp()).toBe(0)
    two.abort('cancel')
    expect((await finding[1])?.final.status).toBe(0xfe00)
    bench.partner.now({ items: [item(1)] })
    expect(await outcome(bench)).toEqual([0, 1, 'live'])
    await expect.poll(() => bench.partner.hungUp()).toBe(1)
  })

  it('is not shared between devices of different titles or addresses, which the partner may answer differently', async () => {
    await using bench = await openBench({ items: [item(1)] })
    bench.setDevices([])
    const elsewhere = { ...associationOf('CT1'), associationId: 'a2', remoteAddress: '127.0.0.2' }
    await Promise.all([
      bench.find(TODAY),
      bench.find(TODAY, { callingAeTitle: 'CT2' }),
      bench.find(TODAY, { association: elsewhere }),
    ])
    const asked = bench.partner.questions.map(
      ({ callingAe, sourceIp }) => `${callingAe} ${sourceIp}`,
    )
    expect(asked.sort()).toEqual(['CT1 127.0.0.1', 'CT1 127.0.0.2', 'CT2 127.0.0.1'])
  })
})

it('gives a row without a modality that of the device, and not to another device', async () => {
  await using bench = await openBench({ items: [item(1, { Modality: '' }, { Modality: '' })] })
  expect(text((await bench.find(TODAY)).rows[0], 'Modality')).toBe('CT')
  bench.setDevices([device({ modality: null, updatedAt: '2026-11-20T09:00:01.000Z' })])
  expect((await bench.find(TODAY)).final.status).toBe(0xc002)
})
