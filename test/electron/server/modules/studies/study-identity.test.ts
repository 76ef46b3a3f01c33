import { describe, expect, it } from 'vitest'
import { summariseImages } from '#server/modules/images/image-study-list-queries.ts'
import { updateImageStudy } from '#server/modules/images/image-study-writing-queries.ts'
import {
  computeMissingMismatches,
  findImageStudy,
  hasUncomputedMismatch,
  isStudyMismatched,
} from '#server/modules/studies/image-study-queries.ts'
import type {
  ImageStudyRecord,
  Mismatch,
  SentWorklistRow,
} from '#server/modules/studies/image-study-row.ts'
import {
  identityOf,
  isUnscheduled,
  OWN_ADDRESS,
  studyDifferencesOf,
} from '#server/modules/studies/study-identity.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { MISMATCH, seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const NAMES = {
  from: 'worklist',
  field: 'patientName',
  expected: 'MAIER^ANNA',
  received: 'MEIER^ANNA',
} as const

/** The record of a study with images, and the study of the interface beside it. */
function images(more: Partial<ImageStudyRecord> = {}): ImageStudyRecord {
  using temp = tempStore()
  seedImages(temp.store, { uid: '1.2.3' })
  const record = findImageStudy(temp.store.database, '1.2.3')
  if (!record) throw new Error('there is no record')
  return { ...record, ...more }
}
const study = (
  reportMetadata: StudyReportMetadata,
  createdByApiKeyId: string | null = 'key_1',
) => ({
  ...{ detail: { reportMetadata }, createdByApiKeyId, createdByUserId: null },
})
const ROW = {} as SentWorklistRow
const SAME = {
  patientName: 'Anna Meier',
  mrn: 'P-4711',
  dateOfBirth: '1980-01-31',
  sex: 'female',
} as const
const OVERRIDE = {
  at: '2026-11-20T09:00:00.000Z',
  userId: 'usr_1',
  name: 'Una Malá',
  reason: 'Confirmed by phone',
}

describe('the identity of a study', () => {
  it.each([
    ['no images', undefined, study(SAME), 'unverified'],
    ['images with nothing to compare them with', images(), undefined, 'unverified'],
    ['a study that was created from its own images', images(), study(SAME, null), 'unverified'],
    ['a study that names no patient', images(), study({ facilityName: 'North' }), 'unverified'],
    [
      'images that were all set aside',
      images({ instances: 0, mismatch: MISMATCH }),
      undefined,
      'unverified',
    ],
    [
      'reports of the gateway alone',
      images({ remoteAddress: OWN_ADDRESS, mismatch: MISMATCH }),
      undefined,
      'unverified',
    ],
    ['the same as the worklist row', images({ handedOut: ROW }), undefined, 'matched'],
    ['the same as the study of a partner', images(), study(SAME), 'matched'],
    [
      'the same name as the study of a partner',
      images(),
      study({ patientName: 'Anna Meier' }),
      'matched',
    ],
    [
      'the same record number as the study of a partner',
      images(),
      study({ mrn: 'P-4711' }),
      'matched',
    ],
    [
      'the same as the study of a person',
      images(),
      { ...study(SAME, null), createdByUserId: 'usr_1' },
      'matched',
    ],
    ['images that were corrected', images({ isCorrected: true }), undefined, 'resolved'],
    [
      'images that were corrected to their row',
      images({ isCorrected: true, handedOut: ROW }),
      study(SAME),
      'resolved',
    ],
    [
      'corrected images that differ',
      images({ isCorrected: true, mismatch: MISMATCH }),
      undefined,
      'mismatch',
    ],
    [
      'another name than the worklist row',
      images({ handedOut: ROW, mismatch: MISMATCH }),
      study(SAME),
      'mismatch',
    ],
    [
      'another name than the study',
      images({ handedOut: ROW }),
      study({ ...SAME, patientName: 'Jan Novák' }),
      'mismatch',
    ],
    [
      'another name than a study of its own',
      images(),
      study({ patientName: 'Jan Novák' }, null),
      'mismatch',
    ],
  ] as const)('%s: %#', (_, record, of, state) => expect(identityOf(record, of).state).toBe(state))

  it('is a mismatch where images of the study name different patients', () => {
    const amongImages: Mismatch['amongImages'] = [
      { field: 'patientId', first: 'P-4711', other: 'P-9' },
    ]
    const identity = identityOf(
      images({ handedOut: ROW, mismatch: { ...MISMATCH, fields: [], amongImages } }),
      study(SAME),
    )
    expect(identity).toEqual({
      state: 'mismatch',
      differences: [{ from: 'images', field: 'patientId', expected: 'P-4711', received: 'P-9' }],
      override: null,
    })
  })

  it('is a mismatch while another version of the images says something else, be it the study alone', () => {
    const { header } = images()
    const inDoubt = {
      header: { ...header, patientName: 'OTHER^OLGA', accessionNumber: '' },
      studyInstanceUid: '1.2.3',
    }
    const patientName = {
      from: 'version',
      field: 'patientName',
      expected: 'OTHER^OLGA',
      received: header.patientName,
    }
    const differences = identityOf(
      images({ inDoubt, handedOut: ROW, mismatch: MISMATCH }),
      study({ mrn: 'P-1' }),
    ).differences
    expect(differences[0]).toEqual(patientName)
    expect(differences.map(({ from }) => from)).toEqual(['version', 'version', 'worklist', 'study'])
    const elsewhere = identityOf(
      images({ inDoubt: { header, studyInstanceUid: '1.9' }, handedOut: ROW }),
      undefined,
    )
    expect(elsewhere).toEqual({
      state: 'mismatch',
      differences: [
        { from: 'version', field: 'studyInstanceUid', expected: '1.9', received: '1.2.3' },
      ],
      override: null,
    })
    expect(
      identityOf(images({ inDoubt: { header, studyInstanceUid: '1.2.3' } }), undefined),
    ).toMatchObject({
      ...{ state: 'mismatch', differences: [] },
    })
  })

  it('is matched where a device made a UID of its own, and says so', () => {
    const fields: Mismatch['fields'] = [
      { field: 'studyInstanceUid', handedOut: '1.9', received: '1.2.3' },
    ]
    const record = images({ handedOut: ROW, mismatch: { ...MISMATCH, fields } })
    expect(identityOf(record, undefined)).toMatchObject({
      state: 'matched',
      differences: [{ field: 'studyInstanceUid' }],
    })
    const both = images({
      handedOut: ROW,
      mismatch: { ...MISMATCH, fields: [...fields, ...MISMATCH.fields] },
    })
    expect(identityOf(both, undefined)).toMatchObject({ state: 'mismatch' })
  })

  it('is overridden for exactly the differences that a person has seen', () => {
    const override = { ...OVERRIDE, differences: [NAMES] }
    const { at, name, reason } = OVERRIDE
    expect(identityOf(images({ mismatch: MISMATCH, override }), undefined)).toEqual({
      ...{ state: 'overridden', differences: [NAMES], override: { at, name, reason } },
    })
    const more = identityOf(images({ mismatch: MISMATCH, override }), study({ mrn: 'P-1' }))
    expect(more).toMatchObject({ state: 'mismatch', override: null })
    expect(more.differences).toHaveLength(2)
    expect(identityOf(images({ override }), undefined).state).toBe('unverified')
  })
})

describe('images and the study of the interface', () => {
  const header = {
    patientName: 'MEIER^ANNA',
    patientId: '004711',
    patientBirthDate: '1980.01.31',
    patientSex: 'F',
  }

  it('are the same however the partner writes it', () => {
    expect(
      studyDifferencesOf(header, {
        patientName: 'Anna Meier',
        mrn: '4711',
        dateOfBirth: '1980-01-31',
        sex: 'female',
      }),
    ).toEqual([])
    expect(studyDifferencesOf(header, {})).toEqual([])
    expect(studyDifferencesOf({ ...header, patientSex: 'O' }, { sex: 'female' })).toEqual([])
    expect(studyDifferencesOf({ ...header, patientSex: '' }, { sex: 'male' })).toEqual([])
    expect(studyDifferencesOf({ ...header, patientSex: ' f ' }, { sex: 'female' })).toEqual([])
    expect(studyDifferencesOf(header, { sex: 'other' })).toEqual([])
    expect(studyDifferencesOf(header, { patientName: 'Anna Meier' })).toEqual([])
    expect(
      studyDifferencesOf({ ...header, patientBirthDate: '' }, { dateOfBirth: '1980-01-30' }),
    ).toEqual([])
  })

  it('differ in name, record number, date of birth and sex', () => {
    const other = {
      patientName: 'Jan Novák',
      mrn: '4712',
      dateOfBirth: '1980-01-30',
      sex: 'male',
    } as const
    const from = 'study'
    expect(studyDifferencesOf(header, other)).toEqual([
      { from, field: 'patientName', expected: 'Jan Novák', received: 'MEIER^ANNA' },
      { from, field: 'patientId', expected: '4712', received: '004711' },
      { from, field: 'patientBirthDate', expected: '19800130', received: '1980.01.31' },
      { from, field: 'patientSex', expected: 'M', received: 'F' },
    ])
    expect(studyDifferencesOf({ ...header, patientSex: 'm' }, { sex: 'female' })).toEqual([
      { from, field: 'patientSex', expected: 'F', received: 'M' },
    ])
  })
})

describe('images without an order', () => {
  const settled = (more: Partial<ImageStudyRecord> = {}) =>
    images({ state: 'settled', handedOut: null, isFetched: false, ...more })
  const made = (by: object) => ({ createdByApiKeyId: null, createdByUserId: null, ...by })

  it.each([
    ['that a device made', settled(), undefined, true],
    ['whose study was made from them', settled(), made({}), true],
    ['none', undefined, undefined, false],
    ['all of them set aside', settled({ instances: 0 }), undefined, false],
    ['of the gateway itself', settled({ remoteAddress: OWN_ADDRESS }), undefined, false],
    ['fetched from an archive', settled({ isFetched: true }), undefined, false],
    ['that are still arriving', settled({ state: 'receiving' }), undefined, false],
    ['of a row of the worklist', settled({ handedOut: ROW }), undefined, false],
    ['of a study that a partner created', settled(), made({ createdByApiKeyId: 'key_1' }), false],
    ['of a study that a person created', settled(), made({ createdByUserId: 'usr_1' }), false],
  ] as const)('%s: %#', (_, record, of, expected) =>
    expect(isUnscheduled(record, of)).toBe(expected),
  )
})

describe('the index of studies with a mismatch', () => {
  it('says when one ends, after the commit', () => {
    using temp = tempStore()
    const { database } = temp.store
    let ended = 0
    const stop = database.subscribe('mismatches', () => ended++)
    seedImages(temp.store, { uid: '1.2.3', mismatch: MISMATCH })
    expect(isStudyMismatched(database, '1.2.3')).toBe(true)
    database.transaction(() => {
      updateImageStudy(database, '1.2.3', { mismatch: null })
      expect(ended).toBe(0)
    })
    expect([isStudyMismatched(database, '1.2.3'), ended]).toEqual([false, 1])
    stop()
  })

  it('is computed anew for studies that are older than it is', () => {
    using temp = tempStore()
    const { database } = temp.store
    for (const uid of ['1.1', '1.2', '1.3']) seedImages(temp.store, { uid, mismatch: MISMATCH })
    database.run(database.sql.updateTable('imageStudies').set({ isMismatched: null }))
    expect([hasUncomputedMismatch(database), summariseImages(database, '').mismatches]).toEqual([
      true,
      0,
    ])
    expect([computeMissingMismatches(database, 2), computeMissingMismatches(database, 2)]).toEqual([
      true,
      false,
    ])
    expect([hasUncomputedMismatch(database), summariseImages(database, '').mismatches]).toEqual([
      false,
      3,
    ])
  })
})
