import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type InspectionOutcome,
  inspectionsStore,
} from '#server/modules/worklist/inspection-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { inspectionRecord } from '../../../../support/inspection-record.ts'
import { runs } from '../../../../support/property-runs.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const LATER = '2026-11-20T23:00:00.000Z'

/**
 * One of each outcome, oldest first: rows, nothing, failed, cut (rows and failed), cancelled, one
 * withheld.
 */
function recorded() {
  const temp = tempStore()
  const { inspections } = temp.store
  const each = [
    { sent: 3 },
    { sent: 0 },
    {
      sent: 0,
      status: 'A700',
      fault: 'timeout' as const,
      source: 'none' as const,
      partnerMs: null,
    },
    { sent: 10, status: 'A700' },
    { sent: 0, status: 'FE00' },
    { sent: 1, withheld: 2, callingAeTitle: 'MR1' },
  ]
  const ids = each.map((differs, index) =>
    inspections.insert({
      ...inspectionRecord(instantOf(Date.parse(AT) + index * 1000)),
      ...differs,
    }),
  )
  return Object.assign(temp, { inspections, ids })
}

describe('inspections', () => {
  it('are read as they were recorded', () => {
    using temp = recorded()
    const answerHash = temp.store.documents.keep(Buffer.from('answer'))
    const record = {
      ...inspectionRecord(AT),
      answerHash,
      verdictHash: answerHash,
      detail: Buffer.from([0, 255, 1]),
    }
    const inspectionId = temp.inspections.insert(record)
    expect(temp.inspections.read(inspectionId)).toEqual({
      inspectionId,
      ...record,
      repeats: 0,
      lastAt: null,
    })
    expect(temp.inspections.read(inspectionId + 1)).toBeUndefined()
  })

  it('are listed newest first, without their detail', () => {
    using temp = recorded()
    const { items, hasMore } = temp.inspections.list({ limit: 100, outcome: 'all' })
    expect(items.map((item) => item.inspectionId)).toEqual([...temp.ids].reverse())
    expect(hasMore).toBe(false)
    const {
      transferSyntax: _,
      detail: __,
      answerHash: ___,
      verdictHash: ____,
      ...summary
    } = inspectionRecord(AT)
    expect(items.at(-1)).toEqual({
      inspectionId: temp.ids[0],
      ...summary,
      sent: 3,
      repeats: 0,
      lastAt: null,
    })
  })

  it('count what was asked again, and count it for the numbers of the day', () => {
    using temp = tempStore()
    const { inspections } = temp.store
    const [rows, failed] = [
      { sent: 3, withheld: 1 },
      { status: 'A700', sent: 0 },
    ].map((more) => inspections.insert({ ...inspectionRecord(AT), ...more }))
    inspections.repeat(rows ?? 0, 2, AT)
    inspections.repeat(rows ?? 0, 3, LATER)
    inspections.repeat(failed ?? 0, 1, AT)
    inspections.repeat(4711, 1, AT)
    expect(inspections.list({ limit: 10, outcome: 'all' }).items).toMatchObject([
      { inspectionId: failed, repeats: 1, lastAt: AT },
      { inspectionId: rows, repeats: 5, lastAt: LATER },
    ])
    expect(inspections.today(AT)).toEqual({ queries: 8, rowsSent: 18, failures: 2, withheld: 6 })
  })

  const BY_OUTCOME: [InspectionOutcome, number[]][] = [
    ['all', [5, 4, 3, 2, 1, 0]],
    ['rows', [5, 3, 0]],
    ['empty', [1]],
    ['failed', [3, 2]],
    ['withheld', [5]],
  ]
  it.each(BY_OUTCOME)('are listed by outcome: %s', (outcome, expected) => {
    using temp = recorded()
    const found = temp.inspections
      .list({ limit: 100, outcome })
      .items.map((item) => temp.ids.indexOf(item.inspectionId))
    expect(found).toEqual(expected)
  })

  it('are listed by caller, and by caller and outcome', () => {
    using temp = recorded()
    const of = (aeTitle: string, outcome: InspectionOutcome) =>
      temp.inspections
        .list({ limit: 100, aeTitle, outcome })
        .items.map((item) => temp.ids.indexOf(item.inspectionId))
    expect(of('MR1', 'all')).toEqual([5])
    expect(of('CT1', 'rows')).toEqual([3, 0])
    expect(of('CT2', 'all')).toEqual([])
  })

  it('are paged without a gap or a repeat, whatever the limit', () => {
    using temp = recorded()
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.constantFrom<InspectionOutcome>('all', 'rows', 'failed'),
        (limit, outcome) => {
          const all: number[] = []
          let cursor: string | undefined
          do {
            const page = temp.inspections.list({ limit, outcome, cursor })
            all.push(...page.items.map((item) => item.inspectionId))
            cursor = page.cursor
          } while (cursor !== undefined)
          expect(all).toEqual(
            temp.inspections.list({ limit: 100, outcome }).items.map((item) => item.inspectionId),
          )
        },
      ),
      runs(100),
    )
  })

  it('are found by an index for each outcome, so that a rare one does not read the whole day', () => {
    using temp = recorded()
    const { database } = temp.store
    const plan = (outcome: InspectionOutcome) => {
      const lines: string[] = []
      const spied = Object.create(database, {
        all: {
          value: (query: { compile(): { sql: string; parameters: readonly unknown[] } }) => {
            const compiled = query.compile()
            const explained = { ...compiled, sql: `explain query plan ${compiled.sql}` }
            for (const row of database.all<{ detail: string }>({
              compile: () => explained as never,
            }))
              lines.push(row.detail)
            return []
          },
        },
      })
      inspectionsStore(spied, temp.store.seal).list({ limit: 20, outcome, cursor: 'OQ' })
      return lines.join('; ')
    }
    expect(plan('withheld')).toContain('inspectionsWithheld')
    expect(plan('failed')).toContain('inspectionsFailed')
    expect(plan('empty')).toContain('inspectionsEmpty')
    expect(plan('rows')).toContain('inspectionsWithRows')
  })

  it('tell once for each result what a device was sent, newest first, and nothing that only the window asked', () => {
    using temp = tempStore()
    const { documents, inspections } = temp.store
    const [one, two, verdict] = ['one', 'two', 'verdict'].map((text) =>
      documents.keep(Buffer.from(text)),
    ) as [string, string, string]
    const sent = (answerHash: string, second: number, differs: object = {}) =>
      inspections.insert({
        ...inspectionRecord(instantOf(Date.parse(AT) + second * 1000)),
        answerHash,
        verdictHash: verdict,
        remoteAddress: `10.0.0.${second}`,
        ...differs,
      })
    sent(one, 1)
    sent(two, 2)
    sent(one, 3)
    sent(two, 4, { origin: 'window' })
    sent(two, 5, { callingAeTitle: 'MR1' })
    sent(two, 6, { sent: 0 })
    sent(two, 7, { verdictHash: null })
    expect(inspections.handedOut('CT1', 10)).toEqual([
      {
        answerHash: one,
        verdictHash: verdict,
        at: instantOf(Date.parse(AT) + 3000),
        remoteAddress: '10.0.0.3',
      },
      {
        answerHash: two,
        verdictHash: verdict,
        at: instantOf(Date.parse(AT) + 2000),
        remoteAddress: '10.0.0.2',
      },
    ])
    expect(inspections.handedOut('CT1', 1).map(({ answerHash }) => answerHash)).toEqual([one])
  })

  it('count for the day', () => {
    using temp = recorded()
    expect(temp.inspections.today(AT)).toEqual({
      queries: 6,
      rowsSent: 14,
      failures: 2,
      withheld: 2,
    })
    expect(temp.inspections.today('2026-03-10T09:00:05.000Z')).toEqual({
      queries: 1,
      rowsSent: 1,
      failures: 0,
      withheld: 2,
    })
    expect(temp.inspections.today('2026-03-11T00:00:00.000Z')).toEqual({
      queries: 0,
      rowsSent: 0,
      failures: 0,
      withheld: 0,
    })
  })

  it('are forgotten by age, in portions, and their ids are not used again', () => {
    using temp = recorded()
    expect(temp.inspections.purge('2026-03-10T09:00:03.000Z', 2)).toBe(2)
    expect(temp.inspections.purge('2026-03-10T09:00:03.000Z', 2)).toBe(1)
    expect(temp.inspections.purge('2026-03-10T09:00:03.000Z', 2)).toBe(0)
    expect(
      temp.inspections.list({ limit: 100, outcome: 'all' }).items.map((item) => item.inspectionId),
    ).toEqual(temp.ids.slice(3).reverse())
    expect(temp.inspections.purge('2027-01-01T00:00:00.000Z')).toBe(3)
    expect(temp.inspections.insert(inspectionRecord(AT))).toBe(7)
  })

  it('cannot refer to a document that is not there', () => {
    using temp = recorded()
    expect(() =>
      temp.inspections.insert({ ...inspectionRecord(AT), answerHash: 'a'.repeat(64) }),
    ).toThrow('FOREIGN KEY constraint failed')
  })
})
