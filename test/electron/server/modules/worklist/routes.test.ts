import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addDevice } from '#server/modules/devices/devices.ts'
import { isStepClosed } from '#server/modules/procedure-steps/closed-step-queries.ts'
import { insertInspection } from '#server/modules/worklist/inspection-queries.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { NewDevice } from '#shared/contract/devices.ts'
import {
  inspection,
  openTestDashboard,
  record,
  type TestDashboard,
  type TestWindow,
} from '../dashboard/dashboard-fixture.ts'

let gateway: TestDashboard
let member: TestWindow
let asked: unknown[]
beforeEach(async () => {
  asked = []
  gateway = await openTestDashboard(
    {},
    {
      worklist: {
        async ask(...all) {
          asked.push(all)
          return inspection({ origin: 'window' })
        },
      },
    },
  )
  member = await gateway.signedIn('member')
})
afterEach(() => gateway[Symbol.asyncDispose]())

const list = async (query: string) =>
  dashboard.inspections.reply.parse(
    (await member.call('GET', `/dashboard/inspections${query}`)).json,
  )
const ids = (page: { inspections: { inspectionId: number }[] }) =>
  page.inspections.map((one) => one.inspectionId)

describe('the queries', () => {
  beforeEach(() => {
    insertInspection(gateway.store.database, record())
    insertInspection(
      gateway.store.database,
      record({ callingAeTitle: 'MR1', sent: 0, withheld: 0 }),
    )
    insertInspection(
      gateway.store.database,
      record({
        status: 'A700',
        fault: 'unreachable',
        source: 'none',
        sent: 0,
        withheld: 0,
        partnerMs: null,
      }),
    )
  })

  it('are listed newest first, page by page, without what is sealed', async () => {
    const first = await list('?limit=2')
    expect([ids(first), first.hasMore]).toEqual([[3, 2], true])
    const second = await list(`?limit=2&cursor=${first.cursor}`)
    expect([ids(second), second.hasMore, second.cursor]).toEqual([[1], false, undefined])
    expect(second.inspections[0]).toEqual({
      ...withoutDetail(),
      inspectionId: 1,
      repeats: 0,
      lastAt: null,
    })
  })

  it('are found by device and by what came of them', async () => {
    expect(ids(await list('?aeTitle=MR1'))).toEqual([2])
    expect(ids(await list('?outcome=rows'))).toEqual([1])
    expect(ids(await list('?outcome=empty'))).toEqual([2])
    expect(ids(await list('?outcome=failed'))).toEqual([3])
    expect(ids(await list('?outcome=withheld'))).toEqual([1])
  })

  it('are refused a cursor, a limit or an outcome that is none', async () => {
    for (const [query, path] of [
      ['cursor=nonsense', 'query.cursor'],
      ['limit=101', 'query.limit'],
      ['outcome=odd', 'query.outcome'],
    ]) {
      const answer = await member.call('GET', `/dashboard/inspections?${query}`)
      expect([query, answer.status, Problem.parse(answer.json).errors[0]?.path]).toEqual([
        query,
        400,
        path,
      ])
    }
  })
})

describe('one query', () => {
  it('is shown without what is sealed', async () => {
    const detail = Buffer.from('{"question":null,"partner":null,"userId":null}')
    const inspectionId = insertInspection(gateway.store.database, record({ detail }))
    const { json } = await member.call('GET', `/dashboard/inspections/${inspectionId}`)
    expect(json).toMatchObject({ inspectionId, callingAeTitle: 'CT1', rows: [], keys: [] })
    expect(json).not.toHaveProperty('detail')
  })

  it('that is unknown or forgotten is 404, a number that is none 400', async () => {
    expect((await member.call('GET', '/dashboard/inspections/8')).status).toBe(404)
    expect((await member.call('GET', '/dashboard/inspections/x')).status).toBe(400)
  })
})

describe('asking as a device', () => {
  const ask = (json: unknown) => member.call('POST', '/dashboard/worklist/ask', json)

  it('hands the device, the keys and the user on', async () => {
    const device = addDevice(gateway.store, NewDevice.parse({ aeTitle: 'CT1' }), 'command-line')
    const answer = await ask({ deviceId: device.deviceId, modality: 'CT', startDate: '2026-11-20' })
    expect([answer.status, answer.json]).toMatchObject([200, { inspectionId: 7, origin: 'window' }])
    expect(asked).toEqual([
      [
        {
          deviceId: device.deviceId,
          patientName: '',
          patientId: '',
          accessionNumber: '',
          modality: 'CT',
          stationAeTitle: '',
          startDate: '2026-11-20',
          endDate: null,
        },
        device,
        expect.objectContaining({ firstName: 'Vera', lastName: 'member' }),
      ],
    ])
  })

  it('is refused for a device that is unknown or switched off', async () => {
    const off = addDevice(
      gateway.store,
      NewDevice.parse({ aeTitle: 'CT2', isEnabled: false }),
      'command-line',
    )
    for (const deviceId of [randomUUID(), off.deviceId]) {
      const answer = await ask({ deviceId })
      expect([answer.status, Problem.parse(answer.json).errors[0]?.path]).toEqual([
        422,
        'body.deviceId',
      ])
    }
    expect(asked).toEqual([])
  })
})

describe('a step', () => {
  const step = { studyInstanceUid: '2.25.77', scheduledProcedureStepId: 'SPS1' }

  it('is closed and reopened by hand', async () => {
    const closed = await member.call('POST', '/dashboard/worklist/steps/close', {
      ...step,
      reason: 'done at night',
    })
    expect([closed.status, closed.json]).toEqual([
      200,
      { ...step, closedAt: '2026-11-20T09:00:00.000Z', reason: 'done at night' },
    ])
    expect(isStepClosed(gateway.store.database, '2.25.77', 'SPS1')).toBe(true)
    expect((await member.call('POST', '/dashboard/worklist/steps/reopen', step)).json).toEqual({
      success: true,
    })
    expect(isStepClosed(gateway.store.database, '2.25.77', 'SPS1')).toBe(false)
    expect((await member.call('POST', '/dashboard/worklist/steps/reopen', step)).json).toEqual({
      success: false,
      message: 'This step was not closed.',
    })
  })
})

function withoutDetail() {
  const { detail: _, answerHash: __, verdictHash: ___, transferSyntax: ____, ...summary } = record()
  return summary
}
