import { describe, expect, it } from 'vitest'
import {
  idsByNumber,
  numbersOf,
  patientsOf,
  type StudyPatientIdentity,
  valuesOf,
} from '../../../../renderer/src/features/images/image-identities.ts'

const series = (more: Partial<StudyPatientIdentity> = {}): StudyPatientIdentity => ({
  ...{
    patientName: 'First^Frida',
    patientId: 'P-1',
    patientBirthDate: '19710503',
    patientSex: 'F',
    accessionNumber: 'A-1',
  },
  ...{ seriesInstanceUid: '1.1', seriesDescription: 'Thorax', modality: 'CT' },
  ...{ instanceIds: [11, 12, 13, 14], instanceNumbers: ['1', '2', '3', '10'] },
  ...more,
})

describe('what images say of their patient', () => {
  it('stands together where all of it is the same', () => {
    const [first, other] = [
      series(),
      series({ seriesInstanceUid: '1.3', patientId: 'P-2', instanceIds: [31] }),
    ]
    const again = series({ seriesInstanceUid: '1.2', instanceIds: [21, 22] })
    const patients = patientsOf([first, other, again])
    expect(
      patients.map(({ patientId, count, series }) => [patientId, count, series.length]),
    ).toEqual([
      ['P-1', 6, 2],
      ['P-2', 1, 1],
    ])
    expect(valuesOf([first, other, again], 'patientId')).toEqual(['P-1', 'P-2'])
  })
})

describe('images by their numbers', () => {
  it.each([
    ['2', [12]],
    ['1-3', [11, 12, 13]],
    [' 3 – 10 , 1', [13, 14, 11]],
    ['1-2, 2-3', [11, 12, 13]],
    ['1-99', [11, 12, 13, 14]],
  ])('are chosen by %s', (text, ids) => {
    expect(idsByNumber(series(), text)).toEqual(ids)
  })

  it.each(['', 'x', '4', '1,', '3-1', '4-9', '-2', '1-2-3', '1.5'])(
    'are not chosen by %s',
    (text) => {
      expect(idsByNumber(series(), text)).toBeUndefined()
    },
  )

  it('leave out those without a number', () => {
    const some = series({ instanceNumbers: ['', '2', '', '0'] })
    expect(idsByNumber(some, '0-5')).toEqual([12, 14])
    expect(numbersOf(some)).toEqual([0, 2])
  })

  it('cannot be chosen where numbers do not tell them apart', () => {
    expect(numbersOf(series({ instanceNumbers: ['', '', '', ''] }))).toBeUndefined()
    expect(numbersOf(series({ instanceNumbers: ['1', '1', '1', '1'] }))).toBeUndefined()
    expect(numbersOf(series())).toEqual([1, 10])
  })
})
