import { describe, expect, it, vi } from 'vitest'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import {
  countInspectionsSince,
  listInspections,
  recordRepeats,
} from '#server/modules/worklist/inspection-queries.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import {
  ask,
  associationOf,
  type Bench,
  device,
  EXPLICIT,
  identifierOf,
  item,
  openBench,
} from './worklist-fixture.ts'

const TODAY = ask({}, { ScheduledProcedureStepStartDate: '20261120' })

/** The records as they are kept, oldest first, when all that was counted is written. */
async function records({ worklist, temp }: Bench): Promise<readonly InspectionSummary[]> {
  await worklist[Symbol.asyncDispose]()
  return listInspections(temp.store.database, { limit: 100, outcome: 'all' }).items.toReversed()
}

const counted = (list: readonly InspectionSummary[]) =>
  list.map(({ source, repeats, lastAt }) => [source, repeats, lastAt])

vi.mock('#server/modules/worklist/inspection-queries.ts', { spy: true })

describe('a query that is asked again on its association', () => {
  it('is counted on the record of the first one, and given the same rows', async () => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    const association = associationOf()
    const first = await bench.find(TODAY, { association })
    bench.temp.clock.pass(2000)
    await bench.find(TODAY, { association })
    bench.temp.clock.pass(3000)
    const third = await bench.find(TODAY, { association })
    expect(third).toMatchObject({ rows: first.rows, final: { status: 0 } })
    expect(counted(await records(bench))).toEqual([['live', 2, '2026-11-20T09:00:05.000Z']])
    expect(bench.inspected).toHaveLength(1)
    expect(bench.repeated).toEqual([
      'CT room 1 repeated the query 2 times and received the same 2 exams.',
    ])
  })

  it('is told of at most once a second, with what came in between', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await using bench = await openBench({ items: [item(1)] })
      const association = associationOf()
      for (let times = 0; times < 4; times++) await bench.find(TODAY, { association })
      expect(bench.repeated).toEqual([])
      vi.advanceTimersByTime(1000)
      await vi.waitFor(() => expect(bench.repeated).toHaveLength(1))
      expect(bench.repeated[0]).toContain('repeated the query 3 times')
      await bench.find(TODAY, { association })
      vi.advanceTimersByTime(1000)
      await vi.waitFor(() => expect(bench.repeated).toHaveLength(2))
      expect(bench.repeated[1]).toContain('repeated the query once')
      expect(counted(await records(bench))).toEqual([['live', 4, '2026-11-20T09:00:00.000Z']])
    } finally {
      vi.useRealTimers()
    }
  })

  it('has a record of its own where the partner was asked for it, or another is asked in between', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const association = associationOf()
    const other = ask({ PatientID: 'P001' }, { ScheduledProcedureStepStartDate: '20261120' })
    await bench.find(TODAY, { association })
    bench.temp.clock.pass(15_000)
    await bench.find(TODAY, { association })
    await bench.find(other, { association })
    await bench.find(other, { association })
    await bench.find(TODAY, { association })
    expect(counted(await records(bench))).toEqual([
      ['live', 0, null],
      ['live', 0, null],
      ['fresh', 1, '2026-11-20T09:00:15.000Z'],
      ['fresh', 0, null],
    ])
  })

  it('has a record of its own on another association, in another transfer syntax, and with other settings of its device', async () => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    const association = associationOf()
    await bench.find(TODAY, { association })
    await bench.find(TODAY)
    await bench.find(TODAY, { association, transferSyntax: '1.2.840.10008.1.2' })
    bench.setDevices([device({ maxRows: 1, updatedAt: '2026-11-20T09:00:01.000Z' })])
    const cut = await bench.find(TODAY, { association, transferSyntax: '1.2.840.10008.1.2' })
    expect(cut.final.status).toBe(0xa700)
    await bench.find(TODAY, { association, transferSyntax: '1.2.840.10008.1.2' })
    const kept = await records(bench)
    expect(kept.map(({ status, sent, repeats }) => [status, sent, repeats])).toEqual([
      ['0000', 2, 0],
      ['0000', 2, 0],
      ['0000', 2, 0],
      ['A700', 1, 1],
    ])
  })

  it('has a record of its own where a step has begun since', async () => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    const association = associationOf()
    await bench.find(TODAY, { association })
    bench.steps.set('2.25.10001', 'S001', 'completed')
    await bench.find(TODAY, { association })
    expect((await records(bench)).map(({ sent, repeats }) => [sent, repeats])).toEqual([
      [2, 0],
      [1, 0],
    ])
  })

  it('has a record of its own where it was cancelled or not understood', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const association = associationOf()
    await bench.find(TODAY, { association })
    const cancelled = new AbortController()
    cancelled.abort()
    await bench.find(TODAY, { association, signal: cancelled.signal })
    const wrong = ask({}, { ScheduledProcedureStepStartDate: 'tomorrow' })
    await bench.find(wrong, { association })
    await bench.find(wrong, { association })
    expect((await records(bench)).every(({ repeats }) => repeats === 0)).toBe(true)
  })

  it('has a record of its own where it was cancelled while its rows were sent, each time', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const association = associationOf()
    await bench.find(TODAY)
    for (let times = 0; times < 2; times++) {
      const cancel = new AbortController()
      const request = {
        association,
        messageId: 7,
        sopClassUid: SOP_CLASS.modalityWorklistFind,
        transferSyntax: EXPLICIT,
        identifier: identifierOf(TODAY),
        signal: cancel.signal,
      }
      const rows = bench.worklist.find(request)
      await rows.next()
      cancel.abort()
      await rows.next()
    }
    expect((await records(bench)).map(({ status, repeats }) => [status, repeats])).toEqual([
      ['0000', 0],
      ['FE00', 0],
      ['FE00', 0],
    ])
  })

  it('counts for the numbers of the day as often as it was asked', async () => {
    await using bench = await openBench({ items: [item(1), item(2)] })
    const association = associationOf()
    for (let times = 0; times < 3; times++) await bench.find(TODAY, { association })
    await records(bench)
    expect(countInspectionsSince(bench.temp.store.database, '2026-11-20T00:00:00.000Z')).toEqual({
      queries: 3,
      rowsSent: 6,
      failures: 0,
      withheld: 0,
    })
  })

  it('is counted once, also where it is written while an earlier count is on its way to the disk', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const association = associationOf()
    for (let times = 0; times < 3; times++) await bench.find(TODAY, { association })
    const first = bench.worklist[Symbol.asyncDispose]()
    await bench.find(TODAY, { association })
    await Promise.all([first, bench.worklist[Symbol.asyncDispose]()])
    expect(counted(await records(bench))).toEqual([['live', 3, '2026-11-20T09:00:00.000Z']])
  })

  it('keeps what it counted while it cannot be written, and writes it with the next one', async () => {
    await using bench = await openBench({ items: [item(1)] })
    const association = associationOf()
    await bench.find(TODAY, { association })
    await bench.find(TODAY, { association })
    const repeat = vi.mocked(recordRepeats).mockImplementationOnce(() => {
      throw new Error('database or disk is full')
    })
    await bench.worklist[Symbol.asyncDispose]()
    expect(bench.errors).toHaveLength(1)
    await bench.find(TODAY, { association })
    expect(counted(await records(bench))).toEqual([['live', 2, '2026-11-20T09:00:00.000Z']])
    expect(repeat).toHaveBeenCalledTimes(2)
  })
})
