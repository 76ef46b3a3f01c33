import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import type { Slice } from '#server/database/page.ts'
import { listImageStudyRecords } from '#server/modules/images/image-study-list-queries.ts'
import { updateImageStudy } from '#server/modules/images/image-study-writing-queries.ts'
import type { StudyFilter } from '#server/modules/studies/study-filter.ts'
import {
  listStudyRecords,
  type NewStudyRecord,
  type StudyRecord,
} from '#server/modules/studies/study-queries.ts'
import { searchStudies } from '#server/modules/studies/study-search-queries.ts'
import { insertStudy, saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { SEVERITIES } from '#shared/contract/values.ts'
import { idFromUuid } from '#shared/ids.ts'
import { REPORT_STUDY_STATUSES } from '#shared/lifecycle.ts'
import { newUser } from '../../../../support/callers.ts'
import { seedImages } from '../../../../support/images.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { tempStore } from '../../../../support/temp-store.ts'

// Lists that are read page by page while what they list is made and changed between the pages. What
// every filter and order gives of a list that stands still is in `study-list-queries.test.ts` and
// `study-search-queries.test.ts`.

const AT = '2026-03-10T09:00:00.000Z'
const DESCRIPTIONS = ['CT Thorax', 'CT Schädel', 'MR Knie', 'US']
const SEARCHES = ['', '', 'ct', 'ct tho', 'knie', 'nobody']

const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
const studyArbitrary = fc.record({
  severity: oneOf(SEVERITIES),
  status: oneOf(REPORT_STUDY_STATUSES),
  isCancelled: fc.boolean(),
  isAssigned: fc.boolean(),
  studyDescription: oneOf(DESCRIPTIONS),
})
type Drawn = typeof studyArbitrary extends fc.Arbitrary<infer T> ? T : never
/** `at`: which study is changed; none: one is made. */
const changeArbitrary = fc.record({
  at: fc.option(fc.nat({ max: 40 }), { nil: undefined }),
  to: studyArbitrary,
})
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 })
const filterArbitrary = fc.record({
  search: oneOf(SEARCHES),
  severities: maybe(fc.uniqueArray(oneOf(SEVERITIES), { minLength: 1 })),
  statuses: maybe(fc.uniqueArray(oneOf(REPORT_STUDY_STATUSES), { minLength: 1 })),
  isCancelled: maybe(fc.boolean()),
  isAssigned: maybe(fc.boolean()),
})

/** Reads a list to its end, with what happens between its pages. */
function followed<T>(
  page: (after: string | undefined) => Slice<T>,
  between: () => void,
  heard: (item: T) => void,
): T[] {
  const given: T[] = []
  let after: string | undefined
  for (let pages = 0; ; pages++) {
    // It ends, though more is made all the time: changes are drawn and run out.
    expect(pages).toBeLessThan(300)
    const { items, next } = page(after)
    items.forEach(heard)
    given.push(...items)
    if (next === undefined) return given
    expect(next).not.toBe(after)
    after = next
    between()
  }
}

const lists = ['interface', 'newest', 'priority'] as const

/**
 * Does the work in a transaction and takes it back: a run leaves nothing to the next one, and waits
 * for no disk.
 */
function undone(store: Context, work: () => void): void {
  const back = new Error('done')
  try {
    store.database.transaction(() => {
      work()
      throw back
    })
  } catch (error) {
    if (error !== back) throw error
  }
}

describe('a list that is read page by page', () => {
  it.each(lists)(
    'shows no study twice, and none missing, that stands where it stood, whatever else changes: %s',
    (order) => {
      using temp = tempStore()
      const { store } = temp
      let counted = 0
      fc.assert(
        fc.property(
          fc.array(studyArbitrary, { maxLength: 25 }),
          fc.array(fc.array(changeArbitrary, { maxLength: 3 }), { maxLength: 12 }),
          filterArbitrary,
          fc.integer({ min: 1, max: 6 }),
          (before, changes, asked, limit) =>
            undone(store, () => {
              const { userId } = newUser(store)
              const made: StudyRecord[] = []
              const fieldsOf = ({ isCancelled, isAssigned, ...drawn }: Drawn) => ({
                ...drawn,
                cancelledAt: isCancelled ? AT : null,
                assignedTo: isAssigned ? userId : null,
              })
              const make = (drawn: Drawn) => {
                const study: NewStudyRecord = {
                  ...{
                    area: 'scribe',
                    studyId: idFromUuid('stu', randomUUID()),
                    studyInstanceUid: `1.2.${++counted}`,
                    createdAt: AT,
                    updatedAt: AT,
                  },
                  ...{
                    expressCustomerId: null,
                    createdByApiKeyId: null,
                    createdByUserId: null,
                    detail: {},
                  },
                  ...fieldsOf(drawn),
                }
                made.push(insertStudy(store.database, study))
              }
              store.database.transaction(() => before.forEach(make))

              const { isAssigned, ...chosen } = asked
              const filter: StudyFilter = {
                ...{ area: 'scribe', ...chosen },
                assignedTo: isAssigned === undefined ? undefined : isAssigned ? userId : null,
              }
              const term = asked.search === 'ct tho' && order === 'interface' ? 'ct' : asked.search
              const page = (after: string | undefined): Slice<StudyRecord> => {
                if (order !== 'interface')
                  return searchStudies(store.database, filter, order, after, limit)
                // The interface filters by one severity.
                const { severities, search: _, ...rest } = filter
                return listStudyRecords(
                  store.database,
                  { ...rest, severity: severities?.[0], studyDescription: term },
                  after,
                  limit,
                )
              }
              const severities =
                order === 'interface' && filter.severities
                  ? filter.severities.slice(0, 1)
                  : filter.severities
              const words = (text: string) =>
                text
                  .normalize('NFD')
                  .replace(/[\u0300-\u036f]/g, '')
                  .toLowerCase()
              const matches = (study: StudyRecord) =>
                (severities?.includes(study.severity) ?? true) &&
                (filter.statuses?.includes(study.status) ?? true) &&
                (filter.isCancelled ?? study.cancelledAt !== null) ===
                  (study.cancelledAt !== null) &&
                (filter.assignedTo === undefined || filter.assignedTo === study.assignedTo) &&
                term.split(' ').every((part) => words(study.studyDescription).includes(part))
              const keyOf = (study: StudyRecord) => (order === 'priority' ? study.severity : '')

              /** Those that were there the whole time, under one key. */
              const constant = new Map(
                made.filter(matches).map((study) => [study.studyId, keyOf(study)]),
              )
              const keys = new Map(made.map((study) => [study.studyId, new Set([keyOf(study)])]))
              const rounds = [...changes]
              const between = () => {
                for (const { at, to } of rounds.shift() ?? []) {
                  const study = at === undefined ? undefined : made[at]
                  if (study === undefined || at === undefined) {
                    make(to)
                    const fresh = made.at(-1)
                    if (fresh) keys.set(fresh.studyId, new Set([keyOf(fresh)]))
                    continue
                  }
                  const changed = { ...study, ...fieldsOf(to) } as StudyRecord
                  saveStudy(store.database, changed, study)
                  made[at] = changed
                  keys.get(study.studyId)?.add(keyOf(changed))
                  if (!matches(changed) || constant.get(study.studyId) !== keyOf(changed))
                    constant.delete(study.studyId)
                }
              }
              const given = followed(page, between, (study) => {
                // As it is now, and as it was asked for.
                expect(study).toEqual(made.find(({ studyId }) => studyId === study.studyId))
                expect(matches(study)).toBe(true)
              })
              const times = new Map<string, number>()
              for (const { studyId } of given) times.set(studyId, (times.get(studyId) ?? 0) + 1)
              for (const [studyId, count] of times)
                if (keys.get(studyId)?.size === 1) expect(count).toBe(1)
              for (const studyId of constant.keys()) expect(times.get(studyId)).toBe(1)
            }),
        ),
        runs(30),
      )
    },
    RUNS_TIMEOUT_MS,
  )

  it(
    'shows every study with images once that got none meanwhile, whatever comes for others',
    () => {
      using temp = tempStore()
      fc.assert(
        fc.property(
          fc.integer({ min: 0, max: 20 }),
          fc.array(fc.array(fc.nat({ max: 25 }), { maxLength: 3 }), { maxLength: 10 }),
          fc.integer({ min: 1, max: 6 }),
          (count, rounds, limit) =>
            undone(temp.store, () => {
              const { database } = temp.store
              let minutes = 0
              const soon = () =>
                new Date(Date.parse(AT) + Math.floor(++minutes / 3) * 60_000).toISOString()
              const uidOf = (at: number) => `1.2.${at}`
              const seed = (at: number) => seedImages(temp.store, { uid: uidOf(at), at: soon() })
              for (let at = 0; at < count; at++) seed(at)
              const constant = new Set(Array.from({ length: count }, (_, at) => uidOf(at)))
              const left = [...rounds]
              let total = count
              const between = () => {
                for (const at of left.shift() ?? []) {
                  if (at >= total) seed(total++)
                  else {
                    updateImageStudy(database, uidOf(at), { lastInstanceAt: soon() })
                    constant.delete(uidOf(at))
                  }
                }
              }
              const given = followed(
                (after) =>
                  listImageStudyRecords(database, { show: 'all', search: '' }, after, limit),
                between,
                () => {},
              )
              for (const uid of constant)
                expect(
                  given.filter(({ studyInstanceUid }) => studyInstanceUid === uid),
                ).toHaveLength(1)
            }),
        ),
        runs(30),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})
