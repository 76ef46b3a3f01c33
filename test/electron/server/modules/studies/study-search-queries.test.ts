import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import { rawQuery } from '#server/database/query.ts'
import { insertCustomer } from '#server/modules/customers/queries.ts'
import { neededAddendaStatement } from '#server/modules/studies/needed-addendum-queries.ts'
import { countFoundStudies } from '#server/modules/studies/study-count-queries.ts'
import type { Area } from '#server/modules/studies/study-facet.ts'
import type { StudyFilter } from '#server/modules/studies/study-filter.ts'
import type { NewStudyRecord, StudyRecord } from '#server/modules/studies/study-queries.ts'
import { type StudyOrder, searchStudies } from '#server/modules/studies/study-search-queries.ts'
import { insertStudy, saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { SEVERITIES } from '#shared/contract/values.ts'
import { idFromUuid } from '#shared/ids.ts'
import { REPORT_STUDY_STATUSES, VIEWER_STATUSES } from '#shared/lifecycle.ts'
import { newUser } from '../../../../support/callers.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const HOUR = 3_600_000
const START = Date.parse('2026-03-10T09:00:00.000Z')
const NAMES = [
  'Müller^Ana',
  'Muñoz^José',
  'Yamada^Tarou=山田^太郎',
  'Annan^Kofi',
  'Null^Una',
  undefined,
]
const DESCRIPTIONS = ['CT Thorax', 'MR Knie links', 'US 100 %', 'CT Schädel']
const SEARCHES = [
  '',
  '',
  'a',
  'an',
  'ann',
  'nan',
  'ana mul',
  'mull ana',
  '山',
  '太郎',
  'ct',
  'thorax ct',
  'nothing',
  '1.2',
  '1.2.3',
  'mrn-1',
  '%',
  'mrn ct a',
]

interface Furniture {
  readonly users: readonly string[]
  readonly customers: readonly string[]
}
function furnish(store: Context): Furniture {
  const users = [newUser(store), newUser(store)].map(({ userId }) => userId as string)
  const customers = ['a', 'b'].map((name) => {
    const expressCustomerId = idFromUuid('cus', randomUUID())
    const at = new Date(START).toISOString()
    const made = {
      createdByApiKeyId: null,
      createdByUserId: users[0] ?? '',
      createdAt: at,
      updatedAt: at,
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
  return { users, customers }
}

const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
const bit = fc.integer({ min: 0, max: 2 })
const pick = <T>(values: readonly T[], at: number): T | null => values[at] ?? null
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 })

const studyArbitrary = fc.record({
  area: oneOf<Area>(['viewer', 'scribe', 'scribe']),
  status: fc.nat(),
  severity: oneOf(SEVERITIES),
  isCancelled: fc.boolean(),
  user: bit,
  customer: bit,
  description: oneOf(DESCRIPTIONS),
  name: oneOf(NAMES),
  mrn: oneOf(['MRN-1', 'MRN-22', undefined]),
  uid: oneOf(['1.2.3.', '1.2.840.', '2.25.']),
  /** Hours since the one before: a clock may run back. */
  later: oneOf([0, 0.1, 0.25, 1, 30, -2]),
  /** A signed report whose images were corrected; of the area `viewer` there is none. */
  needsAddendum: fc.boolean(),
})
type Drawn = typeof studyArbitrary extends fc.Arbitrary<infer T> ? T : never

let counted = 0
function recordOf(drawn: Drawn, of: Furniture, at: number): NewStudyRecord {
  const { area, status, severity, isCancelled, user, customer, description, name, mrn, uid } = drawn
  const statuses = area === 'viewer' ? VIEWER_STATUSES : REPORT_STUDY_STATUSES
  const instant = new Date(at).toISOString()
  return {
    studyId: idFromUuid('stu', randomUUID()),
    area,
    status: statuses[status % statuses.length],
    studyInstanceUid: `${uid}${counted++}`,
    studyDescription: description,
    severity,
    cancelledAt: isCancelled ? instant : null,
    createdAt: instant,
    updatedAt: instant,
    assignedTo: pick(of.users, user),
    expressCustomerId: pick(of.customers, customer),
    createdByApiKeyId: null,
    createdByUserId: null,
    detail: { reportMetadata: { ...(name && { patientName: name }), ...(mrn && { mrn }) } },
  } as NewStudyRecord
}

const needing = (made: readonly StudyRecord[], drawn: readonly Drawn[]): ReadonlySet<number> =>
  new Set(
    made
      .filter(({ area }, at) => area === 'scribe' && drawn[at]?.needsAddendum)
      .map(({ seq }) => seq),
  )

function plant(store: Context, drawn: readonly Drawn[], of: Furniture): StudyRecord[] {
  let at = START
  return store.database.transaction(() => {
    const made = drawn.map((one) => {
      at += one.later * HOUR
      return insertStudy(store.database, recordOf(one, of, at))
    })
    for (const seq of needing(made, drawn))
      store.database.run(
        rawQuery('insert into neededAddenda (seq, since) values (?, ?)', [
          seq,
          new Date(at).toISOString(),
        ]),
      )
    return made
  })
}

const filterArbitrary = fc.record({
  area: oneOf<Area>(['viewer', 'scribe', 'scribe']),
  search: oneOf(SEARCHES),
  severities: maybe(fc.uniqueArray(oneOf(SEVERITIES), { minLength: 1 })),
  statuses: maybe(
    fc.uniqueArray(oneOf(['incomplete', 'unassigned', 'assigned', 'completed'] as const), {
      minLength: 1,
    }),
  ),
  isCancelled: maybe(fc.boolean()),
  user: maybe(bit),
  customer: maybe(bit),
  since: maybe(oneOf([0, 0.1, 2, 31])),
  until: maybe(oneOf([0.25, 1, 2.05, 40])),
  needsAddendum: maybe(fc.boolean()),
  seen: maybe(fc.uniqueArray(fc.integer({ min: 0, max: 1 }), { maxLength: 2 })),
})
type Asked = typeof filterArbitrary extends fc.Arbitrary<infer T> ? T : never

function filterOf(
  { user, customer, since, until, seen, ...asked }: Asked,
  of: Furniture,
): StudyFilter {
  const instant = (hours: number | undefined) =>
    hours === undefined ? null : new Date(START + hours * HOUR).toISOString()
  return {
    ...asked,
    assignedTo: user === undefined ? undefined : pick(of.users, user),
    expressCustomerId: customer === undefined ? undefined : pick(of.customers, customer),
    madeIn:
      since === undefined && until === undefined
        ? undefined
        : { since: instant(since), until: instant(until) },
    seenCustomerIds: seen?.flatMap((at) => of.customers[at] ?? []),
  }
}

/**
 * The oracle, written anew: what is typed is found in one of the texts, short words where a word
 * begins.
 */
const plain = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
function isSearched(
  { detail, studyDescription, studyInstanceUid }: StudyRecord,
  search: string,
): boolean {
  const { patientName = '', mrn = '' } = detail.reportMetadata ?? {}
  const words = [patientName, mrn, studyDescription].flatMap((text) => plain(text).split(/[\s^=]/))
  return plain(search)
    .split(' ')
    .filter((term) => term !== '')
    .every((term) => {
      if (term.startsWith('1.2') && studyInstanceUid.startsWith(term)) return true
      if (term.length > 2) return words.some((word) => word.includes(term))
      if (/[山太]/.test(term)) return words.some((word) => word.includes(term))
      return words.some((word) => word.split('-').some((part) => part.startsWith(term)))
    })
}
const isSeen = ({ area, expressCustomerId }: StudyRecord, filter: StudyFilter) =>
  area === filter.area && (filter.seenCustomerIds?.some((id) => id === expressCustomerId) ?? true)
const isShown = (
  study: StudyRecord,
  { severities, statuses, isCancelled, assignedTo, expressCustomerId, madeIn }: StudyFilter,
) =>
  (severities === undefined || severities.includes(study.severity)) &&
  (statuses === undefined || statuses.includes(study.status)) &&
  (isCancelled === undefined || isCancelled === (study.cancelledAt !== null)) &&
  (assignedTo === undefined || assignedTo === study.assignedTo) &&
  (expressCustomerId === undefined || expressCustomerId === study.expressCustomerId) &&
  (!madeIn?.since || study.createdAt >= madeIn.since) &&
  (!madeIn?.until || study.createdAt < madeIn.until)

const URGENCY = ['stat', 'high', 'normal']
const ORDERS: Record<StudyOrder, (a: StudyRecord, b: StudyRecord) => number> = {
  newest: (a, b) => b.seq - a.seq,
  priority: (a, b) => URGENCY.indexOf(a.severity) - URGENCY.indexOf(b.severity) || a.seq - b.seq,
}

describe('the lists of studies of the window', () => {
  it('show what is typed and chosen in both orders, page by page, and count what is shown and hidden', {
    timeout: RUNS_TIMEOUT_MS,
  }, () => {
    fc.assert(
      fc.property(
        fc.array(studyArbitrary, { maxLength: 40 }),
        fc.array(filterArbitrary, { minLength: 4, maxLength: 4 }),
        fc.integer({ min: 1, max: 7 }),
        (drawn, asked, limit) => {
          using temp = tempStore()
          const { store } = temp
          const of = furnish(store)
          const made = plant(store, drawn, of)
          const needed = needing(made, drawn)
          for (const one of asked) {
            const filter = filterOf(one, of)
            const seen = made.filter(
              (study) => isSeen(study, filter) && isSearched(study, filter.search),
            )
            const shown = seen.filter(
              (study) => isShown(study, filter) && (!filter.needsAddendum || needed.has(study.seq)),
            )
            for (const order of ['newest', 'priority'] as const) {
              const given: StudyRecord[] = []
              let after: string | undefined
              do {
                const page = searchStudies(store.database, filter, order, after, limit)
                expect(page.items.length).toBeLessThanOrEqual(limit)
                given.push(...page.items)
                after = page.next
              } while (after !== undefined)
              expect(given).toEqual(shown.toSorted(ORDERS[order]))
            }
            expect(countFoundStudies(store.database, filter)).toEqual({
              shown: { count: shown.length, isMore: false },
              hidden: { count: seen.length - shown.length, isMore: false },
            })
          }
        },
      ),
      runs(60),
    )
  })

  const ALL: StudyFilter = { area: 'scribe', search: '' }
  const DRAWN: Drawn = {
    ...{ area: 'scribe', status: 0, severity: 'normal', isCancelled: false, user: 2, customer: 2 },
    ...{
      description: 'CT Thorax',
      name: 'Müller^Ana',
      mrn: undefined,
      uid: '2.25.',
      later: 0,
      needsAddendum: false,
    },
  }
  const find = (store: Context, search: string, filter: Partial<StudyFilter> = {}) =>
    searchStudies(store.database, { ...ALL, ...filter, search }, 'newest', undefined, 20).items
      .length

  it('follow a study that is changed: its name, its description, its filters', () => {
    using temp = tempStore()
    const { store } = temp
    const of = furnish(store)
    const [made] = plant(store, [DRAWN], of) as [StudyRecord]
    const changed = {
      ...made,
      severity: 'stat',
      studyDescription: 'MR Knie',
      detail: { reportMetadata: { patientName: 'Olsen^Per' } },
    } as StudyRecord
    saveStudy(store.database, changed, made)
    expect([find(store, 'muller'), find(store, 'olsen knie'), find(store, 'thorax')]).toEqual([
      0, 1, 0,
    ])
    expect([
      find(store, 'olsen', { severities: ['stat'] }),
      find(store, 'olsen', { severities: ['normal'] }),
    ]).toEqual([1, 0])
    expect(countFoundStudies(store.database, { ...ALL, severities: ['stat'] })).toMatchObject({
      shown: { count: 1 },
      hidden: { count: 0 },
    })
  })

  it('show no study whose texts only together have every trigram', () => {
    using temp = tempStore()
    const { store } = temp
    const of = furnish(store)
    plant(store, [{ ...DRAWN, name: 'abcd^xx', description: 'cdef' }], of)
    // abc, bcd, cde, def are there, and abcdef is not.
    expect([find(store, 'abcdef'), find(store, 'abcd'), find(store, 'cdef')]).toEqual([0, 1, 1])
    expect(countFoundStudies(store.database, { ...ALL, search: 'abcdef' }).shown.count).toBe(0)
  })

  it('give short pages that go on where much is looked at for little, and miss nothing', () => {
    using temp = tempStore()
    const { store } = temp
    const of = furnish(store)
    const decoy = { ...DRAWN, name: 'abcd^xx', description: 'cdef' }
    plant(store, [{ ...DRAWN, name: 'abcdef' }, ...Array.from({ length: 3200 }, () => decoy)], of)
    const pages: number[] = []
    let after: string | undefined
    do {
      const page = searchStudies(store.database, { ...ALL, search: 'abcdef' }, 'newest', after, 20)
      pages.push(page.items.length)
      after = page.next
    } while (after !== undefined)
    expect(pages.reduce((sum, count) => sum + count)).toBe(1)
    expect(pages.length).toBeGreaterThan(1)
    const { shown, hidden } = countFoundStudies(store.database, { ...ALL, search: 'abcdef' })
    expect({ shown, hidden }).toEqual({
      shown: { count: 0, isMore: true },
      hidden: { count: 0, isMore: false },
    })
  }, 30_000)

  it('count what is searched for up to a thousand, and the area exactly', () => {
    using temp = tempStore()
    const { store } = temp
    const of = furnish(store)
    plant(
      store,
      Array.from({ length: 1500 }, (_, at) => ({ ...DRAWN, isCancelled: at % 3 === 0 })),
      of,
    )
    const counts = (filter: Parameters<typeof countFoundStudies>[1]) =>
      countFoundStudies(store.database, filter)
    expect(counts({ ...ALL, isCancelled: false })).toEqual({
      shown: { count: 1000, isMore: false },
      hidden: { count: 500, isMore: false },
    })
    expect(counts({ ...ALL, search: 'm' })).toEqual({
      shown: { count: 1000, isMore: true },
      hidden: { count: 0, isMore: false },
    })
    expect(counts({ ...ALL, search: 'muller', isCancelled: true })).toEqual({
      shown: { count: 500, isMore: false },
      hidden: { count: 1000, isMore: false },
    })
    const madeIn = { since: new Date(START).toISOString(), until: null }
    expect(counts({ ...ALL, madeIn, isCancelled: false }).shown).toEqual({
      count: 1000,
      isMore: false,
    })
    expect(counts({ ...ALL, madeIn })).toEqual({
      shown: { count: 1000, isMore: true },
      hidden: { count: 0, isMore: false },
    })
    const never = { since: null, until: new Date(START).toISOString() }
    expect(counts({ ...ALL, search: 'm', madeIn: never })).toEqual({
      shown: { count: 0, isMore: false },
      hidden: { count: 1000, isMore: true },
    })
  })
})

describe('the list of studies that need an addendum', () => {
  it('is counted where more are searched for than are counted, and compared with what is typed', () => {
    using temp = tempStore()
    const { store } = temp
    const of = furnish(store)
    const drawn = Array.from({ length: 1200 }, (_, at) => ({
      ...({
        area: 'scribe',
        status: 3,
        severity: 'normal',
        isCancelled: false,
        user: 2,
        customer: 2,
      } as const),
      ...({
        description: 'CT Thorax',
        name: 'Müller^Ana',
        mrn: undefined,
        uid: '2.25.',
        later: 0,
      } as const),
      needsAddendum: at % 400 === 0,
    }))
    const made = plant(store, drawn, of)
    const filter = { area: 'scribe', search: 'muller', needsAddendum: true } as const
    const { items } = searchStudies(store.database, filter, 'newest', undefined, 20)
    expect(items.map(({ seq }) => seq)).toEqual([made[800]?.seq, made[400]?.seq, made[0]?.seq])
    expect(countFoundStudies(store.database, filter)).toEqual({
      shown: { count: 3, isMore: false },
      hidden: { count: 997, isMore: true },
    })
    expect(countFoundStudies(store.database, { ...filter, search: '' })).toEqual({
      shown: { count: 3, isMore: false },
      hidden: { count: 1197, isMore: false },
    })
  })

  it('is walked in its own order, however many studies there are', () => {
    using temp = tempStore()
    const { database } = temp.store
    const plan = (isOldestFirst: boolean) => {
      const { text, parameters } = neededAddendaStatement(
        { area: 'scribe', search: '' },
        { above: 0, before: 9, isOldestFirst, limit: 21 },
      )
      return database
        .all(rawQuery<{ detail: string }>(`explain query plan ${text}`, parameters))
        .map(({ detail }) => detail)
    }
    // No sort, and no search through all studies.
    const walk = [
      'SEARCH n USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
      'SEARCH s USING INTEGER PRIMARY KEY (rowid=?)',
    ]
    for (const isOldestFirst of [false, true])
      expect(plan(isOldestFirst).filter((line) => /^(SEARCH|SCAN [ns]|USE)/.test(line))).toEqual(
        walk,
      )
  })
})

describe('what the database says of a patient', () => {
  it('is not in clear', async () => {
    using temp = tempStore()
    const { store } = temp
    plant(
      store,
      [
        {
          ...({} as Drawn),
          area: 'scribe',
          status: 0,
          severity: 'stat',
          isCancelled: false,
          user: 2,
          customer: 2,
          description: 'CT Thorax',
          name: 'Müller^Ana',
          mrn: 'MRN-22',
          uid: '2.25.',
          later: 0,
          needsAddendum: false,
        },
      ],
      furnish(store),
    )
    const { readFileSync, readdirSync } = await import('node:fs')
    const bytes = Buffer.concat(
      readdirSync(temp.folder)
        .filter((name) => name.startsWith('gateway.sqlite'))
        .map((name) => readFileSync(`${temp.folder}/${name}`)),
    )
    for (const text of ['Müller', 'muller', 'MRN-22', 'mrn-22'])
      expect(bytes.includes(text)).toBe(false)
  })
})
