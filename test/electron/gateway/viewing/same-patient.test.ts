import { describe, expect, it } from 'vitest'
import { differencesOf, rowDifferencesOf } from '#gateway/viewing/same-patient.ts'

const patient = (patientName: string, patientId = '', patientBirthDate = '') => ({ patientName, patientId, patientBirthDate })

describe('the patient of two files', () => {
  it.each([
    ['Müller^Jörg', 'MUELLER^JOERG^^'],
    ['Müller^Jörg', 'Muller^Jorg'],
    ['Yamada^Tarou=山田^太郎', 'YAMADA^TAROU'],
    ['Meier^Anna', ''],
  ])('%s is %s', (one, other) => expect(differencesOf(patient(one), patient(other))).toEqual([]))

  it('differs in what both say', () => {
    expect(differencesOf(patient('Meier^Anna', 'P-1', '19800131'), patient('Meier^Anne', ' p-1 ', '1980.02.01'))).toEqual([
      'name',
      'date of birth',
    ])
    expect(differencesOf(patient('Meier^Anna', 'P-1'), patient('Meier^Anna', 'P-2'))).toEqual(['patient ID'])
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
  ])('%s is %s', (header, row) => expect(rowDifferencesOf(patient(header), { patientName: row, mrn: '' })).toEqual([]))

  it.each([
    ['Doe^Jane', 'John Doe'],
    ['Doe^Jane', 'Keller'],
  ])('%s is not %s', (header, row) => expect(rowDifferencesOf(patient(header), { patientName: row, mrn: '' })).toEqual(['name']))

  it('is the same by a number with or without zeros before it', () => {
    expect(rowDifferencesOf(patient('', '000815'), { patientName: '', mrn: '815' })).toEqual([])
    expect(rowDifferencesOf(patient('', '000815'), { patientName: '', mrn: '816' })).toEqual(['patient ID'])
  })
})

// Each group is held against each.
it('names of very many groups are told apart by their first three', () => {
  const groups = (letter: string) => Array.from({ length: 30_000 }, (_, n) => `${letter}${n}`).join('=')
  expect(rowDifferencesOf(patient(groups('a')), { patientName: groups('b'), mrn: '' })).toEqual(['name'])
  expect(rowDifferencesOf(patient(groups('a')), { patientName: 'a2', mrn: '' })).toEqual([])
})
