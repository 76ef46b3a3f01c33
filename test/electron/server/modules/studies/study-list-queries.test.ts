import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import { rawQuery } from '#server/database/query.ts'
import { insertCustomer } from '#server/modules/customers/queries.ts'
import type { Area } from '#server/modules/studies/study-facet.ts'
import {
  gramSql,
  mergeSql,
  type StudyQuery,
  statementsOf,
} from '#server/modules/studies/study-list-queries.ts'
import {
  listStudyRecords,
  type NewStudyRecord,
  type StudyRecord,
} from '#server/modules/studies/study-queries.ts'
import { insertStudy, saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { folded } from '#server/platform/text.ts'
import { SEVERITIES } from '#shared/contract/values.ts'
import { idFromUuid } from '#shared/ids.ts'
import { REPORT_STUDY_STATUSES, VIEWER_STATUSES } from '#shared/lifecycle.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const DESCRIPTIONS = [
  'CT Thorax',
  'CT Schädel',
  'МРТ головы',
  'US 100 %',
  'US 100_',
  'Échographie',
  'MR',
  'x',
]
const TERMS = [
  'ct',
  'c',
  'THORAX',
  'schadel',
  'МРТ',
  'echo',
  '%',
  '_',
  '0 %',
  '100_',
  'raphie',
  'zz',
  'nothing',
  'ct thorax and more',
]

/** What the studies of these tests refer to: two of each, and none. */
function furnish(store: Context) {
  const users = [newUser(store), newUser(store)].map(({ userId }) => userId as string)
  const keys = [newKey(store), newKey(store)].map(({ apiKeyId }) => apiKeyId)
  const customers = ['a', 'b'].map((name) => {
    const expressCustomerId = idFromUuid('cus', randomUUID())
    const made = {
      createdByApiKeyId: keys[0] ?? '',
      createdByUserId: null,
      createdAt: AT,
      updatedAt: AT,
    }
    insertCustomer(store.database, {
      expressCustomerId,
      expressCustomerName: name,
      isActive: true,
      metadata: undefined,
      ...made,
    })
    return expressCustomerId as string
  })
  return { users, keys, customers }
}
type Furniture = ReturnType<typeof furnish>

const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
const bit = fc.integer({ min: 0, max: 2 })
const pick = <T>(values: readonly T[], at: number): T | null => values[at] ?? null

const studyArbitrary = fc.record({
  area: oneOf<Area>(['viewer', 'scribe']),
  status: fc.nat(),
  severity: oneOf(SEVERITIES),
  isCancelled: fc.boolean(),
  user: bit,
  customer: bit,
  key: bit,
  description: oneOf(DESCRIPTIONS),
})
type Drawn = typeof studyArbitrary extends fc.Arbitrary<infer T> ? T : never

let counted = 0
function recordOf(
  { area, status, severity, isCancelled, user, customer, key, description }: Drawn,
  of: Furniture,
): NewStudyRecord {
  const statuses = area === 'viewer' ? VIEWER_STATUSES : REPORT_STUDY_STATUSES
  return {
    studyId: idFromUuid('stu', randomUUID()),
    area,
    status: statuses[status % statuses.length],
    studyInstanceUid: `1.2.${counted++}`,
    studyDescription: description,
    severity,
    cancelledAt: isCancelled ? AT : null,
    createdAt: AT,
    updatedAt: AT,
    assignedTo: pick(of.users, user),
    expressCustomerId: pick(of.customers, customer),
    createdByApiKeyId: pick(of.keys, key),
    createdByUserId: null,
    detail: {},
  } as NewStudyRecord
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 })
const queryArbitrary = fc.record({
  area: oneOf<Area>(['viewer', 'scribe']),
  statuses: maybe(
    fc.uniqueArray(
      oneOf(['incomplete', 'complete', 'unassigned', 'assigned', 'completed'] as const),
      { minLength: 1 },
    ),
  ),
  severity: maybe(oneOf(SEVERITIES)),
  isCancelled: maybe(fc.boolean()),
  user: maybe(bit),
  customers: maybe(fc.array(bit, { maxLength: 3 })),
  key: maybe(fc.integer({ min: 0, max: 1 })),
  term: maybe(oneOf(TERMS)),
})
type Asked = typeof queryArbitrary extends fc.Arbitrary<infer T> ? T : never

const queryOf = (
  { area, statuses, severity, isCancelled, user, customers, key, term }: Asked,
  of: Furniture,
) => ({
  area,
  statuses,
  severity,
  isCancelled,
  assignedTo: user === undefined ? undefined : pick(of.users, user),
  expressCustomerIds: customers?.map((at) => pick(of.customers, at)),
  createdByApiKeyId: key === undefined ? undefined : of.keys[key],
  studyDescription: term,
})

/** The oracle: what the query means, row by row. */
function matches(study: NewStudyRecord, query: ReturnType<typeof queryOf>): boolean {
  const {
    area,
    statuses,
    severity,
    isCancelled,
    assignedTo,
    expressCustomerIds,
    createdByApiKeyId,
    studyDescription = '',
  } = query
  return (
    study.area === area &&
    (statuses?.some((status) => status === study.status) ?? true) &&
    (severity ?? study.severity) === study.severity &&
    (isCancelled ?? study.cancelledAt !== null) === (study.cancelledAt !== null) &&
    (assignedTo === undefined || assignedTo === study.assignedTo) &&
    (expressCustomerIds?.includes(study.expressCustomerId) ?? true) &&
    (createdByApiKeyId ?? study.createdByApiKeyId) === study.createdByApiKeyId &&
    folded(study.studyDescription).includes(folded(studyDescription))
  )
}

describe('the list of studies', () => {
  it('gives what the filters mean, newest first, without gaps or repeats while studies are made between the pages', {
    timeout: RUNS_TIMEOUT_MS,
  }, () => {
    fc.assert(
      fc.property(
        fc.array(studyArbitrary, { maxLength: 40 }),
        queryArbitrary,
        fc.integer({ min: 1, max: 7 }),
        fc.array(studyArbitrary, { maxLength: 3 }),
        (before, asked, limit, between) => {
          using temp = tempStore()
          const { store } = temp
          const of = furnish(store)
          const query = queryOf(asked, of)
          const made = store.database.transaction(() =>
            before.map((drawn) => insertStudy(store.database, recordOf(drawn, of))),
          )
          const expected = made.filter((study) => matches(study, query)).reverse()
          const given: StudyRecord[] = []
          let after: string | undefined
          do {
            const page = listStudyRecords(store.database, query, after, limit)
            given.push(...page.items)
            expect(page.items.length).toBe(page.next === undefined ? page.items.length : limit)
            after = page.next
            for (const drawn of between) insertStudy(store.database, recordOf(drawn, of))
          } while (after !== undefined)
          expect(given).toEqual(expected)
        },
      ),
      runs(50),
    )
  })

  it('finds a study by its new description and no longer by the old one', () => {
    using temp = tempStore()
    const { database } = temp.store
    const of = furnish(temp.store)
    const drawn = {
      area: 'scribe',
      status: 0,
      severity: 'high',
      isCancelled: false,
      user: 2,
      customer: 2,
      key: 2,
    } as const
    const made = insertStudy(database, recordOf({ ...drawn, description: 'Röntgen Hand' }, of))
    const find = (studyDescription: string) =>
      listStudyRecords(database, { area: 'scribe', studyDescription }, undefined, 20).items.length
    expect([find('rontgen'), find('knie')]).toEqual([1, 0])
    saveStudy(database, { ...made, studyDescription: 'Röntgen Knie' }, made)
    expect([find('RÖNTGEN'), find('hand'), find('knie'), find('gen kn')]).toEqual([1, 0, 1, 1])
  })

  it('finds old studies by a short term though thousands are newer', () => {
    using temp = tempStore()
    const { database } = temp.store
    const of = furnish(temp.store)
    const drawn = {
      area: 'viewer',
      status: 0,
      severity: 'normal',
      isCancelled: false,
      user: 2,
      customer: 2,
      key: 2,
    } as const
    const old = insertStudy(database, recordOf({ ...drawn, description: 'QX' }, of))
    database.transaction(() => {
      for (let count = 0; count < 4100; count++)
        insertStudy(database, recordOf({ ...drawn, description: 'CT' }, of))
    })
    const find = (studyDescription: string) =>
      listStudyRecords(database, { area: 'viewer', studyDescription }, undefined, 20).items
    expect(find('qx')).toEqual([old])
    expect(find('x')).toEqual([old])
    expect(find('zq')).toEqual([])
    expect(find('ct')).toHaveLength(20)
  })
})

/** A run through an index that goes on after a sequence number, or a lazy merge of such runs. */
const IN_ORDER =
  /^(SEARCH studies USING (COVERING )?INDEX studiesBy\w+ \(.*(rowid|seq)<\?\)|MERGE \(UNION ALL\)|LEFT|RIGHT)$/

describe('the plan of a list of studies', () => {
  const filters: readonly Omit<StudyQuery, 'area' | 'limit'>[] = [
    {},
    { severity: 'stat' },
    { isCancelled: false },
    { statuses: ['assigned', 'completed'], severity: 'high', isCancelled: true },
    { assignedTo: null },
    { assignedTo: 'usr_1', severity: 'stat' },
    { expressCustomerIds: [null] },
    { expressCustomerIds: ['cus_1', 'cus_2'], isCancelled: false },
    { assignedTo: 'usr_1', expressCustomerIds: ['cus_1'], severity: 'stat' },
    { createdByApiKeyId: 'k', assignedTo: 'usr_1', expressCustomerIds: [null], isCancelled: false },
  ]
  const cases = filters.flatMap((filter) => [filter, { ...filter, before: 17 }])

  it.each(cases)(
    'for %o runs through indexes in the order of the list, without a scan and without a sort',
    (filter) => {
      using temp = tempStore()
      const { database } = temp.store
      for (const area of ['viewer', 'scribe'] as const) {
        const plans = [...statementsOf({ area, ...filter, limit: 21 })].map(
          ({ text, parameters }) =>
            database
              .all(rawQuery<{ detail: string }>(`explain query plan ${text}`, parameters))
              .map(({ detail }) => detail),
        )
        if (area === 'scribe') expect(plans.length).toBeGreaterThan(0)
        for (const detail of plans.flat()) expect(detail).toMatch(IN_ORDER)
      }
    },
  )

  it('for a contains-filter streams the gram index, newest first', () => {
    using temp = tempStore()
    const { database } = temp.store
    const text = gramSql('viewer', ['instr(studies.descriptionFolded, ?) > 0', 'assignedTo is ?'])
    const plan = database.all(
      rawQuery<{ detail: string }>(`explain query plan ${text}`, [
        '"006100620063"',
        9n,
        'abc',
        null,
        21,
      ]),
    )
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^SCAN grams VIRTUAL TABLE INDEX \d+:M1<$/),
      'SEARCH studies USING INTEGER PRIMARY KEY (rowid=?)',
    ])
  })

  it('merges lazily: one statement for many branches', () => {
    expect(
      mergeSql(
        [
          { index: 'a', where: 'x = ?' },
          { index: 'b', where: 'y = ?' },
        ],
        '',
      ),
    ).toBe(
      'select seq from studies indexed by a where x = ? and seq < ? union all select seq from studies indexed by b where y = ? and seq < ? order by seq desc limit ?',
    )
  })
})
