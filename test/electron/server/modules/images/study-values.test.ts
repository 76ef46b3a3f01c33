import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leadingModality, mergedValues } from '#server/modules/images/study-values.ts'
import { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { EVENTS } from '#shared/contract/webhooks.ts'
import { englishText } from '#shared/messages/english.ts'
import { runs } from '../../../../support/property-runs.ts'
import { HEADER } from './intake-fixture.ts'

const NOTHING = Object.fromEntries(
  Object.keys(HEADER).map((name) => [name, '']),
) as unknown as typeof HEADER

describe('values of a study', () => {
  it('are those of the header where the partner says nothing', () => {
    expect(mergedValues(HEADER, 'CT', {})).toEqual({
      values: {
        studyDescription: 'CT head',
        severity: 'normal',
        expressCustomerId: null,
        externalPatientId: null,
        reportMetadata: {
          patientName: 'Sample^Sam',
          mrn: 'P100',
          dateOfBirth: '1980-05-11',
          sex: 'male',
          age: '45 years',
          height: { unit: 'cm', value: 178.5 },
          weight: { unit: 'kg', value: 81.5 },
          scanDate: '2026-03-10',
          scanTime: '08:45',
          scanType: 'CT',
          facilityName: 'Clinic of the Isthmus',
          referringPhysicianName: 'Refer^Rita',
        },
      },
      fromPartner: [],
      warnings: [],
    })
  })

  it('are the partner’s field by field, in the fields of the interface', () => {
    const { values, fromPartner } = mergedValues(HEADER, 'CT', {
      patientName: 'Sample, Samuel',
      procedure: 'CT head plain',
      studyDate: '2026-03-11',
      studyTime: '09:30:15.25',
      dateOfBirth: '1981-03-12',
      externalPatientId: 'X7',
      severity: 'stat',
      expressCustomerId: 'cus_1',
      height: { unit: 'in', value: 70 },
    })
    expect(values).toMatchObject({
      severity: 'stat',
      expressCustomerId: 'cus_1',
      externalPatientId: 'X7',
      studyDescription: 'CT head',
    })
    expect(values.reportMetadata).toMatchObject({
      patientName: 'Sample, Samuel',
      scanType: 'CT head plain',
      scanDate: '2026-03-11',
      scanTime: '09:30',
      height: { unit: 'in', value: 70 },
      weight: { unit: 'kg', value: 81.5 },
      mrn: 'P100',
      // By the calendar: a day before the birthday.
      age: '44 years',
    })
    expect(fromPartner).toHaveLength(9)
  })

  it('leave out what of the partner cannot be kept, with a warning that names the field only', () => {
    const { values, warnings } = mergedValues(HEADER, 'CT', {
      studyTime: '25:00',
      patientName: 'x'.repeat(501),
      mrn: '  ',
    })
    expect(values.reportMetadata).toMatchObject({
      scanTime: '08:45',
      patientName: 'Sample^Sam',
      mrn: 'P100',
    })
    expect(warnings.map(englishText)).toEqual([
      'The partner’s patientName cannot be used and was left out.',
      'The partner’s studyTime cannot be used and was left out.',
    ])
  })

  it.each([
    [
      { studyDescription: 'Partner' },
      { ...HEADER, requestedProcedureDescription: 'Requested' },
      'Partner',
    ],
    [{}, { ...HEADER, requestedProcedureDescription: 'Requested' }, 'CT head'],
    [
      {},
      { ...HEADER, studyDescription: ' ', requestedProcedureDescription: 'Requested' },
      'Requested',
    ],
    [{}, { ...HEADER, studyDescription: '' }, 'CT study'],
  ])('are described by %j, then the header, then the modality', (answer, header, description) => {
    expect(mergedValues(header, 'CT', answer).values.studyDescription).toBe(description)
  })

  it('say nothing of what is missing or cannot be', () => {
    const odd = {
      ...NOTHING,
      patientSize: '178',
      patientWeight: '-3',
      patientBirthDate: '19800231',
      studyTime: '9',
      patientSex: 'X',
      patientAge: '004W',
    }
    expect(mergedValues(odd, '', {}).values).toEqual({
      studyDescription: 'Imaging study',
      severity: 'normal',
      expressCustomerId: null,
      externalPatientId: null,
      reportMetadata: { age: '4 weeks' },
    })
  })

  it.each([
    ['20260310', '20260310', '0 days'],
    ['20260309', '20260310', '1 day'],
    ['20260115', '20260310', '54 days'],
    ['20260110', '20260310', '2 months'],
    ['20240311', '20260310', '23 months'],
    ['20240310', '20260310', '2 years'],
    ['19260311', '20260310', '99 years'],
  ])('give the age of one born on %s and scanned on %s', (patientBirthDate, studyDate, age) => {
    expect(
      mergedValues({ ...NOTHING, patientBirthDate, studyDate }, 'CT', {}).values.reportMetadata.age,
    ).toBe(age)
  })

  it('keep the alphabetic form of a name', () => {
    const header = { ...HEADER, patientName: 'Yamada^Tarou^^=山田^太郎=やまだ^たろう' }
    expect(mergedValues(header, 'CT', {}).values.reportMetadata.patientName).toBe('Yamada^Tarou')
    const without = { ...HEADER, patientName: '=山田^太郎' }
    expect(mergedValues(without, 'CT', {}).values.reportMetadata.patientName).toBe('山田^太郎')
  })

  it('are the partner’s, else the header’s, else nothing, in the form of the contract, whatever both say', () => {
    const word = fc.string({ maxLength: 40 })
    const measure = fc.record({
      unit: fc.constant('cm' as const),
      value: fc.double({ min: 0, max: 300, noNaN: true }),
    })
    const answers = fc.record(
      {
        patientName: word,
        mrn: word,
        facilityName: word,
        procedure: word,
        studyDescription: word,
        height: measure,
        referringPhysicianName: word,
      },
      { requiredKeys: [] },
    )
    const headers = fc.record(
      Object.fromEntries(Object.keys(HEADER).map((name) => [name, word])),
    ) as fc.Arbitrary<typeof HEADER>
    fc.assert(
      fc.property(headers, word, answers, (header, modality, answer) => {
        expect(
          EVENTS['patient_study.enrichment_requested'].response.safeParse(answer).success,
        ).toBe(true)
        const merged = mergedValues(header, modality, answer)
        const { reportMetadata, studyDescription } = merged.values
        expect(StudyReportMetadata.safeParse(reportMetadata).success).toBe(true)
        expect(studyDescription.length).toBeGreaterThan(0)
        const alone = mergedValues(header, modality, {}).values.reportMetadata
        for (const field of [
          'patientName',
          'mrn',
          'facilityName',
          'referringPhysicianName',
          'height',
        ] as const) {
          if (merged.fromPartner.includes(field))
            expect(reportMetadata[field]).toEqual(visible(answer[field]))
          else expect(reportMetadata[field]).toEqual(alone[field])
        }
        expect(mergedValues(header, modality, {}).fromPartner).toEqual([])
      }),
      runs(100),
    )
  })
})

const visible = (value: unknown) =>
  typeof value === 'string' ? value.replace(/\p{Cc}+/gu, ' ').trim() : value

describe('the modality of a study', () => {
  it.each([
    [['SR', 'CT', 'PR'], 'CT'],
    [['', 'SR'], 'SR'],
    [[], ''],
  ])('of %j is %j', (modalities, modality) => {
    expect(leadingModality(modalities)).toBe(modality)
  })
})
