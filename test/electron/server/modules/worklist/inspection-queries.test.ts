import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  countInspectionsSince,
  type InspectionOutcome,
  insertInspection,
  listInspections,
  listSentAnswers,
  purgeInspections,
  readInspection,
  recordRepeats,
} from '#server/modules/worklist/inspection-queries.ts'
import { storeDocument } from '#server/modules/worklist/queries.ts'
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
  const { database } = temp.store
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
    insertInspection(database, {
      ...inspectionRecord(instantOf(Date.parse(AT) + index * 1000)),
      ...differs,
    }),
  )
  return Object.assign(temp, { database, ids })
}

describe('inspections', () => {
  it('are read as they were recorded', () => {
    using temp = recorded()
    const answerHash = storeDocument(temp.store, Buffer.from('answer'))
    const record = {
      ...inspectionRecord(AT),
      answerHash,
      verdictHash: answerHash,
      detail: Buffer.from([0, 255, 1]),
    }
    const inspectionId = insertInspection(temp.database, record)
    expect(readInspection(temp.database, inspectionId)).toEqual({
      inspectionId,
      ...record,
      repeats: 0,
      lastAt: null,
    })
    expect(readInspection(temp.database, inspectionId + 1)).toBeUndefined()
  })

  it('count what was asked again, and count it for the numbers of the day', () => {
    using temp = tempStore()
    const { database } = temp.store
    const [rows, failed] = [
      { sent: 3, withheld: 1 },
      { status: 'A700', sent: 0 },
    ].map((more) => insertInspection(database, { ...inspectionRecord(AT), ...more }))
    recordRepeats(database, rows ?? 0, 2, AT)
    recordRepeats(database, rows ?? 0, 3, LATER)
    recordRepeats(database, failed ?? 0, 1, AT)
    recordRepeats(database, 4711, 1, AT)
    expect(listInspections(database, { limit: 10, outcome: 'all' }).items).toMatchObject([
      { inspectionId: failed, repeats: 1, lastAt: AT },
      { inspectionId: rows, repeats: 5, lastAt: LATER },
    ])
    expect(countInspectionsSince(database, AT)).toEqual({
      queries: 8,
      rowsSent: 18,
      failures: 2,
      withheld: 6,
    })
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
            const page = listInspections(temp.database, { limit, outcome, cursor })
            all.push(...page.items.map((item) => item.inspectionId))
            cursor = page.cursor
          } while (cursor !== undefined)
          expect(all).toEqual(
            listInspections(temp.database, { limit: 100, outcome }).items.map(
              (item) => item.inspectionId,
            ),
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
      listInspections(spied, { limit: 20, outcome, cursor: 'OQ' })
      return lines.join('; ')
    }
    expect(plan('withheld')).toContain('inspectionsWithheld')
    expect(plan('failed')).toContain('inspectionsFailed')
    expect(plan('empty')).toContain('inspectionsEmpty')
    expect(plan('rows')).toContain('inspectionsWithRows')
  })

  it('tell once for each result what a device was sent, newest first, and nothing that only the window asked', () => {
    using temp = tempStore()
    const { database } = temp.store
    const [one, two, verdict] = ['one', 'two', 'verdict'].map((text) =>
      storeDocument(temp.store, Buffer.from(text)),
    ) as [string, string, string]
    const sent = (answerHash: string, second: number, differs: object = {}) =>
      insertInspection(database, {
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
    expect(listSentAnswers(database, 'CT1', 10)).toEqual([
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
    expect(listSentAnswers(database, 'CT1', 1).map(({ answerHash }) => answerHash)).toEqual([one])
  })

  it('count for the day', () => {
    using temp = recorded()
    expect(countInspectionsSince(temp.database, AT)).toEqual({
      queries: 6,
      rowsSent: 14,
      failures: 2,
      withheld: 2,
    })
    expect(countInspectionsSince(temp.database, '2026-03-10T09:00:05.000Z')).toEqual({
      queries: 1,
      rowsSent: 1,
      failures: 0,
      withheld: 2,
    })
    expect(countInspectionsSince(temp.database, '2026-03-11T00:00:00.000Z')).toEqual({
      queries: 0,
      rowsSent: 0,
      failures: 0,
      withheld: 0,
    })
  })

  it('are forgotten by age, in portions, and their ids are not used again', () => {
    using temp = recorded()
    expect(purgeInspections(temp.database, '2026-03-10T09:00:03.000Z', 2)).toBe(2)
    expect(purgeInspections(temp.database, '2026-03-10T09:00:03.000Z', 2)).toBe(1)
    expect(purgeInspections(temp.database, '2026-03-10T09:00:03.000Z', 2)).toBe(0)
    expect(
      listInspections(temp.database, { limit: 100, outcome: 'all' }).items.map(
        (item) => item.inspectionId,
      ),
    ).toEqual(temp.ids.slice(3).reverse())
    expect(purgeInspections(temp.database, '2027-01-01T00:00:00.000Z')).toBe(3)
    expect(insertInspection(temp.database, inspectionRecord(AT))).toBe(7)
  })

  it('cannot refer to a document that is not there', () => {
    using temp = recorded()
    expect(() =>
      insertInspection(temp.database, { ...inspectionRecord(AT), answerHash: 'a'.repeat(64) }),
    ).toThrow('FOREIGN KEY constraint failed')
  })
})
