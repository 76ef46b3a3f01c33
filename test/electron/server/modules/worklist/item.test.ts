import { describe, expect, it } from 'vitest'
import { rowsOfItem } from '#server/modules/worklist/item.ts'
import { item } from './worklist-values-fixture.ts'

const context = { dateStart: '2026-11-19', dateEnd: '2026-11-21', modality: '' }
const rows = (fields = {}, step = {}, more = {}) =>
  rowsOfItem(item(1, fields, step), { ...context, ...more })
const row = (fields = {}, step = {}, more = {}) => {
  const [first] = rows(fields, step, more)
  if (!first) throw new Error('no row')
  return first
}

describe('a good item', () => {
  it('is one row with the partner’s values', () => {
    expect(rows()).toHaveLength(1)
    expect(row()).toMatchObject({ withheld: null, remarks: [], isAscii: true })
    expect(row().values).toEqual({
      AccessionNumber: 'A001',
      AdmissionID: '',
      Modality: 'CT',
      OtherPatientIDs: '',
      PatientBirthDate: '19700102',
      PatientID: 'P001',
      PatientName: 'TESTER^NUMBER001',
      PatientSex: 'F',
      PatientSize: '1.70',
      PatientWeight: '70',
      ProtocolName: 'CHEST',
      ReferringPhysicianName: '',
      RequestedProcedureDescription: 'CT of the chest',
      RequestedProcedureID: 'A001',
      ScheduledProcedureStepDescription: 'Chest',
      ScheduledProcedureStepID: 'S001',
      ScheduledProcedureStepLocation: '',
      ScheduledProcedureStepStartDate: '20261120',
      ScheduledProcedureStepStartTime: '100100',
      ScheduledProcedureStepStatus: 'SCHEDULED',
      StudyDescription: 'CT Chest',
      StudyInstanceUID: '2.25.10001',
    })
  })

  it('may have more than the interface lists, and is never withheld for it', () => {
    const more = {
      AdmissionID: ' V-7 ',
      OtherPatientIDs: ['X1', 'X2'],
      ReferringPhysicianName: 'SAMPLE^SUE ',
    }
    expect(row(more, { ScheduledProcedureStepLocation: 'Room 2' })).toMatchObject({
      ...{ withheld: null, remarks: [] },
      values: {
        AdmissionID: 'V-7',
        OtherPatientIDs: 'X1\\X2',
        ReferringPhysicianName: 'SAMPLE^SUE',
        ScheduledProcedureStepLocation: 'Room 2',
      },
    })
    expect(row({ OtherPatientIDs: 'X1\\X2' }).values.OtherPatientIDs).toBe('X1\\X2')
    const bad = {
      AdmissionID: { id: 7 },
      OtherPatientIDs: ['X1', 'Ä', 'X'.repeat(65)],
      ReferringPhysicianName: 'x'.repeat(65),
    }
    const cleaned = row(bad, {
      ScheduledProcedureStepLocation: 'The room at the end of the corridor',
    })
    expect(cleaned).toMatchObject({
      withheld: null,
      values: {
        AdmissionID: '',
        OtherPatientIDs: 'X1',
        ReferringPhysicianName: '',
        ScheduledProcedureStepLocation: 'The room at the',
      },
    })
    expect(cleaned.remarks).toHaveLength(4)
  })

  it('with two steps is two rows of one requested procedure', () => {
    const step = {
      Modality: 'CT',
      ScheduledProcedureStepStartDate: '20261120',
      ScheduledProcedureStepStartTime: '0800',
    }
    const two = rows({
      AccessionNumber: '',
      ScheduledProcedureStepSequence: [step, { ...step, ScheduledProcedureStepStartTime: '0830' }],
    })
    const ids = two.map(({ values }) => [
      values.ScheduledProcedureStepID,
      values.RequestedProcedureID,
      values.StudyInstanceUID,
    ])
    expect(new Set(ids.map(([step]) => step)).size).toBe(2)
    expect(new Set(ids.map(([, procedure]) => procedure)).size).toBe(1)
    expect(ids[0]).toEqual([
      expect.stringMatching(/^S[A-Z2-7]{15}$/),
      expect.stringMatching(/^P[A-Z2-7]{15}$/),
      '2.25.10001',
    ])
    expect(
      rows({ AccessionNumber: '', ScheduledProcedureStepSequence: [step, step] })[0]?.values
        .ScheduledProcedureStepID,
    ).toBe(ids[0]?.[0])
  })

  it('without a step is one step', () => {
    const made = row(
      { ScheduledProcedureStepSequence: [] },
      {},
      { dateStart: '2026-11-20', dateEnd: '2026-11-20' },
    )
    expect(made.withheld).toBeNull()
    expect(made.values).toMatchObject({
      ScheduledProcedureStepStartDate: '20261120',
      ScheduledProcedureStepStartTime: '000000',
      Modality: 'CT',
    })
  })
})

describe('what an item lacks', () => {
  it('of a start time is sent as 000000, and every form of a time as HHMMSS', () => {
    const time = (text: string) =>
      row({}, { ScheduledProcedureStepStartTime: text }).values.ScheduledProcedureStepStartTime
    expect(['', '8', '0815', '08:15', '08:15:30', '081530.123', '081560'].map(time)).toEqual([
      '000000',
      '000000',
      '081500',
      '081500',
      '081530',
      '081530',
      '081559',
    ])
  })
  it('of a start date is the one day that was asked for, else it is withheld', () => {
    expect(
      row(
        {},
        { ScheduledProcedureStepStartDate: '' },
        { dateStart: '2026-11-20', dateEnd: '2026-11-20' },
      ).values.ScheduledProcedureStepStartDate,
    ).toBe('20261120')
    expect(row({}, { ScheduledProcedureStepStartDate: '' }).withheld).toEqual(
      'it has no start date',
    )
  })
  it('of a modality is that of the question or the device, else it is withheld', () => {
    const none = [{ Modality: '' }, { Modality: '' }] as const
    expect(row(...none, { modality: 'MR' }).values.Modality).toBe('MR')
    expect(row({ Modality: 'us' }, { Modality: '' }, { modality: 'MR' }).values.Modality).toBe('US')
    expect(row(...none).withheld).toEqual('it has no Modality')
  })
  it('of descriptions is filled from the others', () => {
    const values = row(
      { RequestedProcedureDescription: '', StudyDescription: '' },
      { ScheduledProcedureStepDescription: '' },
    ).values
    expect([
      values.ScheduledProcedureStepDescription,
      values.RequestedProcedureDescription,
      values.StudyDescription,
    ]).toEqual(['CHEST', 'CHEST', ''])
  })
  it('of a requested procedure id is the accession number, then the step’s id, then made up', () => {
    const id = (fields: object, step: object) => row(fields, step).values.RequestedProcedureID
    expect(id({}, {})).toBe('A001')
    expect(id({ AccessionNumber: '' }, {})).toBe('S001')
    expect(id({ AccessionNumber: '' }, { ScheduledProcedureStepID: '' })).toMatch(/^P[A-Z2-7]{15}$/)
  })
})

describe('what cannot be repaired is withheld', () => {
  it.each([
    [{ StudyInstanceUID: undefined }, 'it has no StudyInstanceUID'],
    [{ StudyInstanceUID: '1.02.3' }, 'its Study Instance UID is not a valid UID'],
    [{ StudyInstanceUID: `1.${'2'.repeat(63)}` }, 'its Study Instance UID is not a valid UID'],
    [{ PatientID: ' ' }, 'it has no PatientID'],
    [{ PatientID: 'A\\B' }, 'its PatientID contains characters that DICOM does not allow there'],
    [{ PatientID: 'x'.repeat(65) }, 'its PatientID is longer than 64 characters'],
    [{ PatientName: '^^' }, 'it has no PatientName'],
    [{ PatientName: 'M\ufffdller' }, 'its PatientName contains damaged characters'],
    [{ PatientName: 'x'.repeat(65) }, 'its PatientName is longer than 64 characters'],
    [{ AccessionNumber: '12345678901234567' }, 'its AccessionNumber is longer than 16 characters'],
    [
      { AccessionNumber: 'A\n1' },
      'its AccessionNumber contains characters that DICOM does not allow there',
    ],
    [{ ScheduledProcedureStepSequence: ['x'] }, 'its step is not a worklist step'],
  ])('%o: %s', (fields, reason) => expect(row(fields).withheld).toEqual(reason))

  it.each([
    [
      { ScheduledProcedureStepID: '12345678901234567' },
      'its ScheduledProcedureStepID is longer than 16 characters',
    ],
    [{ ScheduledProcedureStepStartDate: '20261131' }, 'its start date is not a valid date'],
    [
      { Modality: 'COMPUTED-TOMOGRAPHY' },
      'its Modality is not a code of at most 16 letters and digits',
    ],
  ])('of a step %o: %s', (step, reason) => expect(row({}, step).withheld).toEqual(reason))

  it.each([null, 'text', 7, [], true])('%j is no item', (value) => {
    expect(rowsOfItem(value, context)).toMatchObject([
      { withheld: 'the entry is not a worklist item' },
    ])
  })
})

describe('what is not needed and cannot be trusted is left out', () => {
  it.each([
    ['PatientBirthDate', '19701301', '', 'PatientBirthDate is not a valid date; it is sent empty'],
    ['PatientBirthDate', '1970-01-02', '19700102', undefined],
    ['PatientSex', 'X', '', 'PatientSex is not M, F or O; it is sent empty'],
    ['PatientSex', 'female', 'F', undefined],
    ['PatientSex', 'o', 'O', undefined],
    ['PatientSize', '170', '', 'PatientSize is not a number from 0.2 to 3; it is sent empty'],
    ['PatientSize', '1,75', '1.75', undefined],
    ['PatientSize', 1.8, '1.8', undefined],
    ['PatientWeight', '7e1', '', 'PatientWeight is not a number from 0.2 to 650; it is sent empty'],
    ['PatientWeight', '70.123456789012345678', '70.123456789', undefined],
    ['PatientWeight', null, '', undefined],
    ['PatientWeight', { kg: 70 }, '', 'PatientWeight is not text; it is treated as empty'],
  ])('%s %j becomes %j', (keyword, given, value, remark) => {
    const made = row({ [keyword]: given })
    expect(made.withheld).toBeNull()
    expect(made.values[keyword as 'PatientSex']).toBe(value)
    expect(made.remarks).toEqual(remark === undefined ? [] : [remark])
  })
})

describe('text is cleaned', () => {
  it.each([
    ['SMITH^JOHN^^^', 'SMITH^JOHN'],
    ['A^B^C^D^E^F', 'A^B^C^D^E F'],
    ['SMITH\\JONES^A', 'SMITH/JONES^A'],
    ['SMITH\t^ JOHN ', 'SMITH^JOHN'],
    ['Mu\u0308ller', 'Müller'],
    ['Yamada^Tarou=山田^太郎=やまだ^たろう=x', 'Yamada^Tarou=山田^太郎=やまだ^たろう'],
    ['EVIL\u202ENAME', 'EVILNAME'],
  ])('PatientName %j is sent as %j', (given, sent) =>
    expect(row({ PatientName: given }).values.PatientName).toBe(sent),
  )

  it('descriptions are one line of at most 64 characters', () => {
    const made = row({ StudyDescription: `a\r\nb\\c${'𠮷'.repeat(70)}` })
    expect([...made.values.StudyDescription]).toHaveLength(64)
    expect(made.values.StudyDescription.startsWith('a b/c𠮷')).toBe(true)
    expect(made.remarks).toEqual([
      'StudyDescription was shortened or cleaned of characters that DICOM does not allow',
    ])
  })
})

it('makes the same row of the same item every time', () => {
  const given = item(1, { AccessionNumber: '' }, { ScheduledProcedureStepID: '' })
  expect(rowsOfItem(structuredClone(given), context)).toEqual(rowsOfItem(given, context))
})

describe('a value of another type or beyond all size', () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      'a PatientID whose number lost digits',
      { PatientID: Number('12345678901234567890') },
      'its PatientID is not text',
    ],
    ['a PatientID with a fraction', { PatientID: 4711.5 }, 'its PatientID is not text'],
    [
      'an AccessionNumber that is an object',
      { AccessionNumber: {} },
      'its AccessionNumber is not text',
    ],
    [
      'a name hidden behind a thousand spaces',
      { PatientName: `A${' '.repeat(2000)}B` },
      'its PatientName contains damaged characters',
    ],
    [
      'a PatientID behind a thousand spaces',
      { PatientID: `${' '.repeat(2000)}P1` },
      'its PatientID contains characters that DICOM does not allow there',
    ],
  ])('is not guessed at: %s', (_, fields, withheld) => {
    expect(row(fields)).toMatchObject({ withheld })
  })

  it('is taken where it is a whole number', () => {
    expect(row({ PatientID: 4711, PatientWeight: 70.5 })).toMatchObject({
      withheld: null,
      values: { PatientID: '4711', PatientWeight: '70.5' },
    })
  })

  it('is cut where it only describes', () => {
    const { values, remarks } = row({ StudyDescription: 'x'.repeat(1 << 20) })
    expect(values.StudyDescription).toBe('x'.repeat(64))
    expect(remarks).toEqual([
      'StudyDescription was shortened or cleaned of characters that DICOM does not allow',
    ])
  })
})
