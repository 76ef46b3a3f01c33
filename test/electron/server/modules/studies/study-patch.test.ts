import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyPatch, type StudyPatch } from '#server/modules/studies/study-patch.ts'
import type { ScribeStudyRecord } from '#server/modules/studies/study-queries.ts'
import { runs } from '../../../../support/property-runs.ts'

const AT = '2026-03-10T09:00:00.000Z'
const RECORD: ScribeStudyRecord = {
  ...{
    seq: 1,
    studyId: 'stu_1',
    area: 'scribe',
    status: 'unassigned',
    studyInstanceUid: '1.2',
    studyDescription: 'CT',
    severity: 'normal',
  },
  ...{ cancelledAt: null, createdAt: AT, updatedAt: AT, assignedTo: null, expressCustomerId: null },
  ...{ createdByApiKeyId: null, createdByUserId: null, detail: {} },
}

const text = fc.string({ maxLength: 3 })
const texts = fc.array(text, { maxLength: 3 })
const maybe = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(fc.constant(undefined), fc.constant(null), value)
const metadataFields = { mrn: maybe(text), patientName: maybe(text), age: maybe(text) }
const patchArbitrary = fc.record({
  metadata: maybe(fc.dictionary(text, text, { maxKeys: 3 })),
  priorReportTexts: maybe(texts),
  clinicalIndication: maybe(text),
  externalPatientId: maybe(text),
  reportMetadata: fc.option(fc.record(metadataFields, { requiredKeys: [] }), { nil: undefined }),
  studyDescription: fc.option(text.filter(Boolean), { nil: undefined }),
  expressCustomerId: maybe(fc.constantFrom('cus_1', 'cus_2')),
})

/**
 * The oracle: absent stays, null clears, reportMetadata field by field, everything else replaces.
 */
function applied(
  view: Record<string, unknown>,
  patch: Record<string, unknown>,
): Record<string, unknown> {
  const after = { ...view }
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue
    if (name === 'reportMetadata')
      after[name] = applied(
        (view[name] ?? {}) as Record<string, unknown>,
        value as Record<string, unknown>,
      )
    else if (value === null) delete after[name]
    else after[name] = value
  }
  return after
}

const viewOf = ({
  detail,
  studyDescription,
  expressCustomerId,
}: ScribeStudyRecord): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...detail, studyDescription, expressCustomerId }).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  )

describe('a patch', () => {
  it('leaves what is absent, clears what is null and replaces or merges what is given, whatever the order of patches', () => {
    fc.assert(
      fc.property(fc.array(patchArbitrary, { maxLength: 6 }), (patches) => {
        let record = RECORD
        let expected = viewOf(RECORD)
        for (const patch of patches) {
          const { study, changes } = applyPatch(record, patch as StudyPatch)
          const before = viewOf(record)
          record = study as ScribeStudyRecord
          expected = applied(expected, patch)
          expect(viewOf(record)).toEqual(expected)
          const isChanged =
            JSON.stringify(sorted(before)) !== JSON.stringify(sorted(viewOf(record)))
          if (isChanged) expect(Object.keys(changes).length).toBeGreaterThan(0)
        }
      }),
      runs(100),
    )
  })

  it('that changes nothing gives the same detail back', () => {
    const before = { ...RECORD, detail: { metadata: { a: '1' } } }
    const { study, changes } = applyPatch(before, { metadata: { a: '1' }, severity: 'normal' })
    expect(study.detail).toBe(before.detail)
    expect(changes).toEqual({})
  })
})

const sorted = (view: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(view).sort(([a], [b]) => a.localeCompare(b)))
