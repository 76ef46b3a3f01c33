import { describe, expect, it } from 'vitest'
import {
  differencesBetween,
  differencesOf,
  withImage,
  withoutImages,
  withRow,
} from '#server/modules/images/mismatch.ts'
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
    expect(
      differencesOf({ ...HANDED_OUT, patientBirthDate: '', patientSex: '' }, HEADER, STUDY),
    ).toEqual([])
    expect(
      differencesOf(
        HANDED_OUT,
        { ...HEADER, accessionNumber: '', patientSex: '', patientBirthDate: '' },
        STUDY,
      ),
    ).toEqual([])
  })

  it('do not differ in padding, nor by the retired form of a date', () => {
    const header = {
      ...HEADER,
      patientId: ' P100 ',
      patientBirthDate: '1980.05.11',
      accessionNumber: 'A100 ',
    }
    expect(differencesOf(HANDED_OUT, header, STUDY)).toEqual([])
    expect(differencesOf({ ...HANDED_OUT, patientId: ' P100' }, HEADER, STUDY)).toEqual([])
    expect(differencesBetween(HEADER, header)).toEqual([])
    expect(differencesBetween(header, HEADER)).toEqual([])
  })

  it('differ where the images name no patient at all', () => {
    const fields = differencesOf(HANDED_OUT, { ...HEADER, patientName: '', patientId: '' }, STUDY)
    expect(fields.map(({ field, received }) => [field, received])).toEqual([
      ['patientName', ''],
      ['patientId', ''],
    ])
  })
})

describe('images of one study', () => {
  it('do not differ in how a name is written, nor in what not every object carries', () => {
    expect(
      differencesBetween(HEADER, {
        ...HEADER,
        patientName: 'SAMPLE^SAM^^',
        patientSex: 'm',
        accessionNumber: '',
      }),
    ).toEqual([])
    expect(
      differencesBetween(
        { ...HEADER, patientBirthDate: '' },
        { ...HEADER, patientBirthDate: '1980.05.11' },
      ),
    ).toEqual([])
  })

  it('differ where they name different patients or orders, or one of them names none', () => {
    expect(
      differencesBetween(HEADER, {
        ...HEADER,
        patientName: 'Other^Olga',
        patientId: '',
        accessionNumber: 'A2',
      }),
    ).toEqual([
      { field: 'patientName', first: 'Sample^Sam', other: 'Other^Olga' },
      { field: 'patientId', first: 'P100', other: '' },
      { field: 'accessionNumber', first: 'A100', other: 'A2' },
    ])
    expect(differencesBetween({ ...HEADER, patientId: '' }, HEADER)).toEqual([
      { field: 'patientId', first: '', other: 'P100' },
    ])
  })
})

describe('a mismatch that was found', () => {
  const fields = differencesOf(HANDED_OUT, { ...HEADER, patientId: 'P2' }, STUDY)
  const amongImages = differencesBetween(HEADER, { ...HEADER, patientId: 'P2' })
  const seen = { fields, amongImages, foundAt: '2026-03-10T08:00:00.000Z' }
  const fresh = { foundAt: NOW }

  it('stays the same while nothing else differs', () => {
    expect(withRow(seen, fields, NOW)).toBe(seen)
    expect(withImage(seen, amongImages, NOW)).toBe(seen)
  })

  it('is a new one where other values differ', () => {
    const others = differencesOf(HANDED_OUT, { ...HEADER, patientId: 'P3' }, STUDY)
    expect(withRow(seen, others, NOW)).toEqual({ fields: others, amongImages, ...fresh })
    const more = differencesBetween(HEADER, { ...HEADER, patientId: 'P3' })
    expect(withImage(seen, more, NOW)).toEqual({
      fields,
      amongImages: [...amongImages, ...more],
      ...fresh,
    })
  })

  it('keeps what images differ in among themselves when they do not differ from the row, and the other way round', () => {
    expect(withRow(seen, [], NOW)).toEqual({ fields: [], amongImages, ...fresh })
    expect(withoutImages(seen, NOW)).toEqual({ fields, amongImages: [], ...fresh })
  })

  it('begins with what is found first', () => {
    expect(withRow(null, fields, NOW)).toEqual({ fields, amongImages: [], ...fresh })
    expect(withImage(null, amongImages, NOW)).toEqual({ fields: [], amongImages, ...fresh })
  })

  it('is none any more where nothing differs', () => {
    expect(withRow(null, [], NOW)).toBeNull()
    expect(withImage(null, [], NOW)).toBeNull()
    expect(withoutImages(null, NOW)).toBeNull()
    expect(withRow({ ...seen, amongImages: [] }, [], NOW)).toBeNull()
    expect(withoutImages({ ...seen, fields: [] }, NOW)).toBeNull()
  })

  it('does not grow without end', () => {
    const patients = Array.from({ length: 50 }, (_, n) => ({
      field: 'patientId' as const,
      first: 'P100',
      other: `P${n}`,
    }))
    expect(withImage(null, patients, NOW)?.amongImages).toHaveLength(20)
  })
})
