import { describe, expect, it } from 'vitest'
import { differencesOf, mismatchOf } from '#gateway/intake/mismatch.ts'
import { HANDED_OUT, HEADER, STUDY } from './intake-fixture.ts'

const NOW = '2026-03-10T09:00:00.000Z'

describe('the row handed out and the images that came back', () => {
  it('are the same where they say the same', () => {
    expect(differencesOf(HANDED_OUT, HEADER, STUDY)).toEqual([])
  })

  it('differ side by side, field by field', () => {
    const header = {
      ...HEADER,
      patientName: 'Other^Olga',
      patientId: 'P2',
      patientBirthDate: '19700101',
      patientSex: 'F',
      accessionNumber: 'A2',
    }
    expect(differencesOf(HANDED_OUT, header, '1.2.3.9')).toEqual([
      { field: 'patientName', handedOut: 'Sample^Sam', received: 'Other^Olga' },
      { field: 'patientId', handedOut: 'P100', received: 'P2' },
      { field: 'patientBirthDate', handedOut: '19800511', received: '19700101' },
      { field: 'patientSex', handedOut: 'M', received: 'F' },
      { field: 'accessionNumber', handedOut: 'A100', received: 'A2' },
      { field: 'studyInstanceUid', handedOut: STUDY, received: '1.2.3.9' },
    ])
  })

  it('do not differ in what the row leaves open, nor in what few consoles copy', () => {
    expect(differencesOf({ ...HANDED_OUT, patientBirthDate: '', patientSex: '' }, HEADER, STUDY)).toEqual([])
    expect(differencesOf(HANDED_OUT, { ...HEADER, accessionNumber: '', patientSex: '', patientBirthDate: '' }, STUDY)).toEqual([])
  })

  it('differ where the images name no patient at all', () => {
    const fields = differencesOf(HANDED_OUT, { ...HEADER, patientName: '', patientId: '' }, STUDY)
    expect(fields.map(({ field, received }) => [field, received])).toEqual([
      ['patientName', ''],
      ['patientId', ''],
    ])
  })
})

describe('a mismatch that a person has looked at', () => {
  const fields = differencesOf(HANDED_OUT, { ...HEADER, patientId: 'P2' }, STUDY)
  const seen = { fields, foundAt: '2026-03-10T08:00:00.000Z', acknowledgedAt: NOW, acknowledgedBy: 'usr_1', note: 'typed by hand' }

  it('stays looked at while it is the same', () => {
    expect(mismatchOf(fields, seen, NOW)).toBe(seen)
  })

  it('is a new one where other values differ', () => {
    const others = differencesOf(HANDED_OUT, { ...HEADER, patientId: 'P3' }, STUDY)
    expect(mismatchOf(others, seen, NOW)).toEqual({ fields: others, foundAt: NOW, acknowledgedAt: null, acknowledgedBy: '', note: '' })
  })

  it('is none any more where nothing differs', () => {
    expect(mismatchOf([], seen, NOW)).toBeNull()
  })
})
