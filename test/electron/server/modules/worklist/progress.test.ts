import { describe, expect, it } from 'vitest'
import { findInspection } from '#server/modules/worklist/inspections.ts'
import type { Inspection } from '#shared/contract/worklist.ts'
import { textOf } from '../../../../support/saying.ts'
import { ask, type Bench, device, type Heard, item, openBench, text } from './worklist-fixture.ts'

const TODAY = ask(
  {},
  { ScheduledProcedureStepStartDate: '20261120', ScheduledProcedureStepStatus: '' },
)
const DONE_AT = '2026-11-20T10:42:07.000Z'
const statuses = ({ rows }: Heard) =>
  rows.map((row) => [
    text(row, 'ScheduledProcedureStepID'),
    text(row, 'ScheduledProcedureStepStatus'),
  ])

async function lastInspection({ store, inspected }: Bench): Promise<Inspection> {
  const inspection = await findInspection(store, inspected.at(-1)?.inspectionId ?? 0)
  if (!inspection) throw new Error('nothing was recorded')
  return inspection
}
const reasons = ({ rows }: Inspection) =>
  rows.map(({ scheduledProcedureStepId, verdict, reason, remarks }) => [
    scheduledProcedureStepId,
    verdict,
    reason,
    ...remarks,
  ])

describe('a step that a device reported', () => {
  it('is on the list as SCHEDULED, then as STARTED, and no more once it is completed', async () => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    expect(statuses(await bench.find(TODAY))).toEqual([
      ['S001', 'SCHEDULED'],
      ['S002', 'SCHEDULED'],
    ])
    bench.steps.set('2.25.10001', 'S001', 'started', '2026-11-20T10:05:00.000Z')
    expect(statuses(await bench.find(TODAY))).toEqual([
      ['S001', 'STARTED'],
      ['S002', 'SCHEDULED'],
    ])
    expect(reasons(await lastInspection(bench))).toEqual([
      ['S001', 'sent', null, 'sent as STARTED: a device reported it started at 10:05 (MPPS)'],
      ['S002', 'sent', null],
    ])
    bench.steps.set('2.25.10001', 'S001', 'completed', DONE_AT)
    expect(await bench.find(TODAY)).toMatchObject({ final: { status: 0 }, rows: [{}] })
    expect(reasons(await lastInspection(bench))).toEqual([
      ['S002', 'sent', null],
      ['S001', 'filtered', 'done: the device reported it completed at 10:42 (MPPS)'],
    ])
    expect(bench.inspected.at(-1)).toMatchObject({ sent: 1, filtered: 1, withheld: 0 })
    expect(textOf(bench.inspected.at(-1)?.sentence)).toMatch(
      /; 1 exam sent, 1 done or in progress\.$/,
    )
  })

  it('is on the list again when its procedure was discontinued', async () => {
    await using bench = await openBench({ items: [item(1)] })
    bench.steps.set('2.25.10001', 'S001', 'completed')
    expect((await bench.find(TODAY)).rows).toHaveLength(0)
    bench.steps.set('2.25.10001', 'S001', null)
    expect(statuses(await bench.find(TODAY))).toEqual([['S001', 'SCHEDULED']])
  })

  it('is not served from a stored answer either', async () => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    await bench.find(TODAY)
    bench.partner.now({ status: 503 })
    bench.temp.clock.pass(60_000)
    bench.steps.set('2.25.10002', 'S002', 'completed', DONE_AT)
    bench.steps.set('2.25.10001', 'S001', 'started')
    expect(statuses(await bench.find(TODAY))).toEqual([['S001', 'STARTED']])
    expect(bench.inspected.at(-1)).toMatchObject({
      source: 'stored',
      sent: 1,
      filtered: 1,
      withheld: 0,
    })
  })

  it('is kept from a device that is not given started exams, and from no other', async () => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    bench.steps.set('2.25.10001', 'S001', 'started', '2026-11-20T08:30:00.000Z')
    bench.setDevices([device({ hideStarted: true })])
    expect(statuses(await bench.find(TODAY))).toEqual([['S002', 'SCHEDULED']])
    expect(reasons(await lastInspection(bench))[1]).toEqual([
      'S001',
      'filtered',
      'in progress: a device reported it started at 08:30 (MPPS), and this device receives no exams in progress',
    ])
    bench.setDevices([])
    expect((await bench.find(TODAY)).rows).toHaveLength(2)
  })

  it('is found by the status it has now', async () => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    bench.steps.set('2.25.10001', 'S001', 'started')
    const byStatus = async (status: string) =>
      statuses(
        await bench.find(
          ask(
            {},
            { ScheduledProcedureStepStartDate: '20261120', ScheduledProcedureStepStatus: status },
          ),
        ),
      )
    expect(await byStatus('STARTED')).toEqual([['S001', 'STARTED']])
    expect(await byStatus('SCHEDULED')).toEqual([['S002', 'SCHEDULED']])
    bench.steps.set('2.25.10002', 'S002', 'started')
    expect(await byStatus('SCHEDULED')).toEqual([])
    expect(await byStatus('STARTED')).toHaveLength(2)
  })

  it('says the day where it is not that of the plan', async () => {
    await using bench = await openBench({ items: [item(1)] })
    bench.steps.set('2.25.10001', 'S001', 'completed', '2026-11-19T23:10:00.000Z')
    await bench.find(TODAY)
    expect((await lastInspection(bench)).rows[0]?.reason).toEqual(
      'done: the device reported it completed on 2026-11-19 at 23:10 (MPPS)',
    )
  })

  it('leaves an empty list empty, and no failure, where the exam that is done was unfit too', async () => {
    await using bench = await openBench({ items: [item(1, { PatientName: '' })] })
    expect((await bench.find(TODAY)).final.status).toBe(0xc002)
    bench.steps.set('2.25.10001', 'S001', 'completed')
    expect((await bench.find(TODAY)).final.status).toBe(0)
  })
})

describe('a step whose images are here', () => {
  it('is done, unless the setting says that images do not tell', async () => {
    await using bench = await openBench({ items: [item(1)] })
    bench.steps.set('2.25.10001', 'S001', 'received', '2026-11-20T10:50:00.000Z')
    expect((await bench.find(TODAY)).rows).toHaveLength(0)
    expect((await lastInspection(bench)).rows[0]?.reason).toEqual(
      'done: its images arrived at 10:50',
    )
    bench.temp.store.settings.set('worklist.closeOnImages', false)
    expect(statuses(await bench.find(TODAY))).toEqual([['S001', 'SCHEDULED']])
  })
})

describe('what is kept of a result', () => {
  it('serves the second query with the very same batch while steps are in progress, also of other studies', async () => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    bench.steps.set('2.25.10001', 'S001', 'started')
    const first = await bench.find(TODAY)
    const second = await bench.find(TODAY)
    expect(second.batches[0]).toBe(first.batches[0])
    bench.steps.set('2.25.4711', 'S001', 'completed')
    expect((await bench.find(TODAY)).batches[0]).toBe(first.batches[0])
    bench.steps.set('2.25.10002', 'S002', 'started')
    expect((await bench.find(TODAY)).batches[0]).not.toBe(first.batches[0])
  })

  it('is not made again for a query that never got the step', async () => {
    await using bench = await openBench({ items: [item(1), item(2, { PatientName: 'OTHER' })] })
    bench.setDevices([device({ modality: null })])
    const others = ask({ PatientName: 'OTHER' }, { ScheduledProcedureStepStartDate: '20261120' })
    const [all, other] = [await bench.find(TODAY), await bench.find(others)]
    bench.steps.set('2.25.10001', 'S001', 'completed')
    expect((await bench.find(others)).batches[0]).toBe(other.batches[0])
    expect((await bench.find(TODAY)).batches[0]).not.toBe(all.batches[0])
  })

  it('is that from before any step where the only step is scheduled again', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const before = await bench.find(TODAY)
    bench.steps.set('2.25.10001', 'S001', 'started')
    await bench.find(TODAY)
    bench.steps.set('2.25.10001', 'S001', null)
    expect((await bench.find(TODAY)).batches[0]).toBe(before.batches[0])
  })
})
