import { describe, expect, it } from 'vitest'
import {
  differencesOf,
  isSamePerson,
  personDifferencesOf,
  rowDifferencesOf,
} from '#server/modules/studies/same-patient.ts'

const patient = (patientName: string, patientId = '', patientBirthDate = '') => ({
  patientName,
  patientId,
  patientBirthDate,
})

describe('the patient of two files', () => {
  it.each([
    ['Müller^Jörg', 'MUELLER^JOERG^^'],
    ['Müller^Jörg', 'Muller^Jorg'],
    ['Yamada^Tarou=山田^太郎', 'YAMADA^TAROU'],
    ['Meier^Anna', ''],
    ['', 'Meier^Anna'],
    ['  Meier ^ Anna ', 'Meier^Anna'],
    ['=山田^太郎', '山田^太郎'],
    ['Berg^Bjørn Ærø', 'Berg^Bjorn Aro'],
    ['Groß^Ida', 'Gross^Ida'],
    ['Berg^José', 'BERG^JOSE\u0301'],
  ])('%s is %s', (one, other) => expect(differencesOf(patient(one), patient(other))).toEqual([]))

  it.each([
    ['Sample^Sam', 'Sam^Sample'],
    ['Meier^Anna', 'MeierAnna'],
    ['Meier^Anna=x', 'Meier^Anne=x'],
    ['=Meier^Anna', '=Meier^Anne'],
  ])('%s is not %s', (one, other) =>
    expect(differencesOf(patient(one), patient(other))).toEqual(['name']),
  )

  it('does not differ in what only one of them says', () => {
    expect(differencesOf(patient('A', 'P-1', '19800131'), patient('A'))).toEqual([])
    expect(differencesOf(patient('A'), patient('A', 'P-1', '19800131'))).toEqual([])
    expect(differencesOf(patient('A', '', '1980.01.31'), patient('A', '', '19800131'))).toEqual([])
    expect(differencesOf(patient('^^'), patient('Meier^Anna'))).toEqual([])
  })

  it('differs in what both say', () => {
    expect(
      differencesOf(
        patient('Meier^Anna', 'P-1', '19800131'),
        patient('Meier^Anne', ' p-1 ', '1980.02.01'),
      ),
    ).toEqual(['name', 'date of birth'])
    expect(differencesOf(patient('Meier^Anna', 'P-1'), patient('Meier^Anna', 'P-2'))).toEqual([
      'patient ID',
    ])
  })
})

describe('the patient of a file and of the row', () => {
  it.each([
    ['Doe^Jane', 'Jane Doe'],
    ['DOE^JANE^MARY', 'Doe, Jane'],
    ['Doe^Jane', 'Jane Mary Doe'],
    ['Müller^Jörg', 'Joerg Mueller'],
    ['Yamada^Tarou=山田^太郎', '山田 太郎'],
    ['', 'Jane Doe'],
    ['Doe^Jane', ''],
    ['Doe^Jane', ' - '],
  ])('%s is %s', (header, row) =>
    expect(rowDifferencesOf(patient(header), { patientName: row, mrn: '' })).toEqual([]),
  )

  it.each([
    ['Doe^Jane', 'John Doe'],
    ['Doe^Jane', 'Keller'],
    ['=Doe^Jane', 'Keller'],
  ])('%s is not %s', (header, row) =>
    expect(rowDifferencesOf(patient(header), { patientName: row, mrn: '' })).toEqual(['name']),
  )

  it('is the same by a number with or without zeros before it', () => {
    expect(rowDifferencesOf(patient('', '000815'), { patientName: '', mrn: '815' })).toEqual([])
    expect(rowDifferencesOf(patient('', '000815'), { patientName: '', mrn: '816' })).toEqual([
      'patient ID',
    ])
    expect(rowDifferencesOf(patient('', '1005'), { patientName: '', mrn: '15' })).toEqual([
      'patient ID',
    ])
    expect(rowDifferencesOf(patient('', '0'), { patientName: '', mrn: '00' })).toEqual([])
    expect(rowDifferencesOf(patient('', '0'), { patientName: '', mrn: '5' })).toEqual([
      'patient ID',
    ])
  })
})

describe('two studies', () => {
  const anna = patient('Meier^Anna', 'P-1', '19800131')
  it.each([
    ['another name alone', patient('Keller^Anna', 'P-1', '19800131'), []],
    ['another number alone', patient('Meier^Anna', 'P-2', '19800131'), []],
    ['another name and no number', patient('Keller^Anna', '', '19800131'), []],
    ['another name and number', patient('Keller^Anna', 'P-2', '19800131'), ['name', 'patient ID']],
    ['another date of birth', patient('Meier^Anna', 'P-1', '19800201'), ['date of birth']],
    [
      'another name and date of birth',
      patient('Keller^Anna', 'P-1', '19800201'),
      ['name', 'date of birth'],
    ],
    ['nothing known', patient(''), []],
  ])('with %s', (_, other, differences) => {
    expect(personDifferencesOf(anna, other)).toEqual(differences)
    expect(personDifferencesOf(other, anna)).toEqual(differences)
  })

  it.each([
    ['Meier^Anna', 'Anna Meier', true],
    ['Meier^Anna', 'Keller^Anna', false],
    ['Meier^Anna', '', false],
    ['', 'Meier^Anna', false],
    ['', '', false],
    ['Meier^Anna=山田', 'Yamada=山田', true],
    ['Meier^Anna^Maria', 'Meier^Anna^Luise', false],
  ])('%s and %s are the same person: %s', (one, other, expected) => {
    expect(isSamePerson(one, other)).toBe(expected)
  })
})

// Each group is held against each.
it('names of very many groups are told apart by their first three', () => {
  const groups = (letter: string) =>
    Array.from({ length: 30_000 }, (_, n) => `${letter}${n}`).join('=')
  expect(rowDifferencesOf(patient(groups('a')), { patientName: groups('b'), mrn: '' })).toEqual([
    'name',
  ])
  expect(rowDifferencesOf(patient(groups('a')), { patientName: 'a2', mrn: '' })).toEqual([])
})
