import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeCorrected, mergeUntouched } from '#server/modules/images/created-studies.ts'
import type { StudyValues } from '#server/modules/images/study-values.ts'
import type { ScribeStudyRecord } from '#server/modules/studies/study-queries.ts'
import { runs } from '../../../../support/property-runs.ts'

const NAMES = [
  'studyDescription',
  'severity',
  'expressCustomerId',
  'externalPatientId',
  'mrn',
  'patientName',
  'height',
]
const SEVERITY = fc.constantFrom('normal' as const, 'high' as const, 'stat' as const)
const word = fc.constantFrom('a', 'b', 'c')
const values: fc.Arbitrary<StudyValues> = fc.record({
  studyDescription: word,
  severity: SEVERITY,
  expressCustomerId: fc.option(word),
  externalPatientId: fc.option(word),
  reportMetadata: fc.record(
    {
      mrn: word,
      patientName: word,
      height: fc.record({ unit: fc.constant('cm' as const), value: fc.constantFrom(170, 180) }),
    },
    { requiredKeys: [] },
  ),
})

const studyWith = ({
  studyDescription,
  severity,
  expressCustomerId,
  externalPatientId,
  reportMetadata,
}: StudyValues): ScribeStudyRecord => ({
  seq: 1,
  studyId: `stu_${'0'.repeat(32)}`,
  area: 'scribe',
  studyInstanceUid: '1.2.3',
  status: 'unassigned',
  cancelledAt: null,
  createdAt: '2026-03-10T08:00:00.000Z',
  updatedAt: '2026-03-10T08:00:00.000Z',
  assignedTo: null,
  createdByApiKeyId: null,
  createdByUserId: null,
  studyDescription,
  severity,
  expressCustomerId,
  detail: { reportMetadata, ...(externalPatientId !== null && { externalPatientId }) },
})
const fieldsOf = (study: ScribeStudyRecord): Record<string, unknown> => ({
  studyDescription: study.studyDescription,
  severity: study.severity,
  expressCustomerId: study.expressCustomerId,
  externalPatientId: study.detail.externalPatientId ?? null,
  ...study.detail.reportMetadata,
})

describe('a study that is filled later', () => {
  it('has the fresh value of a field exactly where nobody touched it and it still had the one it was seeded with', () => {
    fc.assert(
      fc.property(
        values,
        values,
        values,
        fc.uniqueArray(fc.constantFrom(...NAMES)),
        (seed, now, fresh, touched) => {
          const before = studyWith(now)
          const { study, writtenValues, fields } = mergeUntouched(
            before,
            seed,
            fresh,
            new Set(touched),
          )
          const [was, had, next, after, own] = [
            before,
            studyWith(seed),
            studyWith(fresh),
            study,
            studyWith(writtenValues),
          ].map((each) => fieldsOf(each as ScribeStudyRecord))
          for (const name of NAMES) {
            const isOurs =
              !touched.includes(name) && JSON.stringify(was?.[name]) === JSON.stringify(had?.[name])
            expect(after?.[name]).toEqual(isOurs ? next?.[name] : was?.[name])
            expect(own?.[name]).toEqual(isOurs ? next?.[name] : had?.[name])
            expect(fields.includes(name)).toBe(
              JSON.stringify(after?.[name]) !== JSON.stringify(was?.[name]),
            )
          }
        },
      ),
      runs(100),
    )
  })

  it('is the same where nothing is new', () => {
    fc.assert(
      fc.property(values, (seed) => {
        const before = studyWith(seed)
        const { study, fields } = mergeUntouched(before, seed, seed, new Set())
        expect(fields).toEqual([])
        expect(study.detail).toBe(before.detail)
      }),
      runs(100),
    )
  })
})

describe('the values of a study whose images were corrected', () => {
  it('follow the header where they are of it, and stay where the partner gave them', () => {
    fc.assert(
      fc.property(values, values, values, (own, was, is) => {
        const [had, before, after, now] = [own, was, is, mergeCorrected(own, was, is)].map((each) =>
          fieldsOf(studyWith(each) as ScribeStudyRecord),
        )
        const ofHeader = NAMES.filter(
          (name) => !['severity', 'expressCustomerId', 'externalPatientId'].includes(name),
        )
        for (const name of NAMES) {
          const isOfHeader =
            ofHeader.includes(name) &&
            JSON.stringify(had?.[name]) === JSON.stringify(before?.[name])
          expect(now?.[name]).toEqual(isOfHeader ? after?.[name] : had?.[name])
        }
      }),
      runs(100),
    )
  })
})
