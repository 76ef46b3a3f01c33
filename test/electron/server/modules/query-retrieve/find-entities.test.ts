import { describe, expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import { rawQuery } from '#server/database/query.ts'
import { tagOf } from '#server/dicom/data-set/dictionary.ts'
import {
  recountInstances,
  updateImageStudy,
} from '#server/modules/images/image-study-writing-queries.ts'
import { findCurrentInstance, setInstanceState } from '#server/modules/images/instance-queries.ts'
import { RETRIEVAL_ATTRIBUTES } from '#server/modules/query-retrieve/attributes.ts'
import type {
  EntitiesEnd,
  EntityQuery,
  FoundEntity,
  QueryLevel,
} from '#server/modules/query-retrieve/entity-query.ts'
import { findEntities } from '#server/modules/query-retrieve/find-entities.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { fillSearchIndex } from '#server/modules/studies/search-fill-queries.ts'
import { quarantine, seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const tag = (keyword: string): number => {
  const found = tagOf(keyword)
  if (found === undefined) throw new Error(`no attribute ${keyword}`)
  return found
}

interface Answer {
  readonly entities: FoundEntity[]
  readonly end: EntitiesEnd
}

async function answerOf(store: Context, query: EntityQuery): Promise<Answer> {
  const entities: FoundEntity[] = []
  const found = findEntities(store, query, new AbortController().signal)
  for (;;) {
    const next = await found.next()
    if (next.done) return { entities, end: next.value }
    entities.push(next.value)
  }
}

async function found(
  store: Context,
  level: QueryLevel,
  keys: Readonly<Record<string, string>>,
  returned = level === 'IMAGE' ? 'SOPInstanceUID' : 'StudyInstanceUID',
  more: Partial<EntityQuery> = {},
): Promise<(string | undefined)[]> {
  const { entities } = await answerOf(store, {
    level,
    keys: Object.entries(keys).map(([keyword, text]) => ({ tag: tag(keyword), text })),
    returnKeys: [tag(returned)],
    ...more,
  })
  return entities.map(({ values }) => values.get(tag(returned)))
}

/** Three studies of two patients, the last received first in each answer. */
function seeded(): ReturnType<typeof tempStore> {
  const temp = tempStore()
  const { store } = temp
  seedImages(store, { uid: '1.1', instances: 2, header: { studyTime: '093000' } })
  seedImages(store, {
    uid: '1.2',
    header: {
      ...{ patientName: 'GARCÍA^LUIS', patientId: 'Q-1', patientBirthDate: '19700401' },
      ...{ accessionNumber: 'B-200', studyDate: '20261121', studyTime: '0700', studyId: '77' },
      studyDescription: 'MR Knee',
    },
  })
  seedImages(store, {
    uid: '1.3',
    header: { accessionNumber: 'A-101', studyDate: '20261122', studyTime: '220000' },
  })
  return temp
}

describe('a query for studies', () => {
  it.each<[string, Readonly<Record<string, string>>, string[]]>([
    ['of everything', {}, ['1.3', '1.2', '1.1']],
    ['by Patient ID', { PatientID: 'P-4711' }, ['1.3', '1.1']],
    ['by several Patient IDs', { PatientID: 'P-4711\\Q-1' }, ['1.3', '1.2', '1.1']],
    ['by the beginning of a Patient ID', { PatientID: 'P-4*' }, ['1.3', '1.1']],
    ['by a Patient ID in other letters', { PatientID: 'p-4711' }, []],
    ['by a family name', { PatientName: 'meier' }, ['1.3', '1.1']],
    ['by a name without its accent', { PatientName: 'Garcia^Luis' }, ['1.2']],
    ['by the beginning of a name', { PatientName: 'GARC*' }, ['1.2']],
    ['by one letter of a name', { PatientName: 'g*' }, ['1.2']],
    ['by a part of a name', { PatientName: '*eier*' }, ['1.3', '1.1']],
    ['by a question mark', { PatientName: 'M?IER*' }, ['1.3', '1.1']],
    ['by a part of a name that is not at its beginning', { PatientName: 'EIER' }, []],
    ['by accession number', { AccessionNumber: 'B-200' }, ['1.2']],
    ['by the beginning of an accession number', { AccessionNumber: 'A-10*' }, ['1.3', '1.1']],
    ['by study ID', { StudyID: '77' }, ['1.2']],
    ['by birth date', { PatientBirthDate: '19700401' }, ['1.2']],
    ['by a range of birth dates', { PatientBirthDate: '19790101-' }, ['1.3', '1.1']],
    ['by date', { StudyDate: '20261121' }, ['1.2']],
    ['by a range of dates', { StudyDate: '20261121-20261130' }, ['1.3', '1.2']],
    ['up to a date', { StudyDate: '-20261121' }, ['1.2', '1.1']],
    ['by a time', { StudyTime: '0700-0930' }, ['1.2', '1.1']],
    ['by modality', { ModalitiesInStudy: 'CT' }, ['1.3', '1.2', '1.1']],
    ['by modality and date', { ModalitiesInStudy: 'CT', StudyDate: '20261120' }, ['1.1']],
    ['by another modality', { ModalitiesInStudy: 'MR' }, []],
    [
      'by one of several modalities',
      { ModalitiesInStudy: 'MR\\C?', StudyDate: '20261122-' },
      ['1.3'],
    ],
    ['by description', { StudyDescription: '*Knee*' }, ['1.2']],
    ['by a list of UIDs', { StudyInstanceUID: '1.1\\1.2\\9.9' }, ['1.2', '1.1']],
    ['by name and date', { PatientName: 'MEIER^*', StudyDate: '20261122' }, ['1.3']],
    ['by a key of a lower level, which is ignored', { SeriesNumber: '99' }, ['1.3', '1.2', '1.1']],
    ['by an attribute that is not supported', { OperatorsName: 'X' }, ['1.3', '1.2', '1.1']],
  ])('%s', async (_, keys, uids) => {
    using temp = seeded()
    expect(await found(temp.store, 'STUDY', keys)).toEqual(uids)
  })

  it('combines ranges of date and time only if that was negotiated', async () => {
    using temp = seeded()
    const night = { StudyDate: '20261121-20261122', StudyTime: '0600-2100' }
    expect(await found(temp.store, 'STUDY', night)).toEqual(['1.2'])
    const combined = { combinesDateTime: true }
    const nights = { StudyDate: '20261120-20261121', StudyTime: '2200-0730' }
    expect(await found(temp.store, 'STUDY', nights, 'StudyInstanceUID', combined)).toEqual(['1.2'])
    await expect(found(temp.store, 'STUDY', nights)).rejects.toMatchObject({
      result: { status: 0xa900, offendingElements: [tag('StudyTime')] },
    })
  })

  it('returns the values of the attributes that are supported', async () => {
    using temp = seeded()
    const { entities, end } = await answerOf(temp.store, {
      level: 'STUDY',
      keys: [{ tag: tag('StudyInstanceUID'), text: '1.1' }],
      returnKeys: [...RETRIEVAL_ATTRIBUTES.keys(), tag('OperatorsName')],
    })
    expect(end).toEqual({ outcome: 'complete' })
    const values = Object.fromEntries(
      [...(entities[0]?.values ?? [])].map(([key, value]) => [
        RETRIEVAL_ATTRIBUTES.get(key)?.keyword,
        value,
      ]),
    )
    expect(values).toMatchObject({
      ...{ PatientName: 'MEIER^ANNA', PatientID: 'P-4711', NumberOfPatientRelatedStudies: '2' },
      ...{ NumberOfPatientRelatedSeries: '2', NumberOfPatientRelatedInstances: '3' },
      ...{ ModalitiesInStudy: 'CT', SOPClassesInStudy: '1.2.840.10008.5.1.4.1.1.2' },
      ...{ NumberOfStudyRelatedSeries: '1', NumberOfStudyRelatedInstances: '2' },
      ...{ RetrieveAETitle: 'ISTHMUS', InstanceAvailability: 'ONLINE' },
    })
    expect(values).not.toHaveProperty('SeriesInstanceUID')
  })

  it('skips and limits', async () => {
    using temp = seeded()
    const { entities, end } = await answerOf(temp.store, {
      ...{ level: 'STUDY', keys: [], returnKeys: [], limit: 1, offset: 1 },
    })
    expect(entities.map(({ studyInstanceUid }) => studyInstanceUid)).toEqual(['1.2'])
    expect(end).toEqual({ outcome: 'complete' })
  })

  it('is refused if a date is none', async () => {
    using temp = seeded()
    await expect(found(temp.store, 'STUDY', { StudyDate: 'yesterday' })).rejects.toMatchObject({
      result: { status: 0xa900, offendingElements: [tag('StudyDate')] },
    })
  })

  it('ends when it is cancelled', async () => {
    using temp = seeded()
    const controller = new AbortController()
    const all = findEntities(
      temp.store,
      { level: 'STUDY', keys: [], returnKeys: [] },
      controller.signal,
    )
    await all.next()
    controller.abort('cancel')
    const rest = async () => {
      while (!(await all.next()).done);
    }
    await expect(rest()).rejects.toBe('cancel')
  })
})

describe('a query of another level', () => {
  it('finds each patient once', async () => {
    using temp = seeded()
    expect(await found(temp.store, 'PATIENT', {}, 'PatientID')).toEqual(['P-4711', 'Q-1'])
    expect(await found(temp.store, 'PATIENT', { PatientName: 'M*' }, 'PatientID')).toEqual([
      'P-4711',
    ])
  })

  it('finds series, within a study or among all', async () => {
    using temp = seeded()
    const series = (keys: Readonly<Record<string, string>>) =>
      found(temp.store, 'SERIES', keys, 'SeriesInstanceUID')
    expect(await series({ StudyInstanceUID: '1.1' })).toEqual(['1.1.1'])
    expect(await series({ SeriesInstanceUID: '1.2.1' })).toEqual(['1.2.1'])
    expect(await series({ Modality: 'CT', PatientID: 'Q-1' })).toEqual(['1.2.1'])
    expect(await series({ Modality: 'MR' })).toEqual([])
    expect(await found(temp.store, 'SERIES', {}, 'SeriesDescription', { limit: 1 })).toEqual([
      'Thorax 1 mm',
    ])
  })

  it('finds instances, within a series or among all', async () => {
    using temp = seeded()
    const images = (keys: Readonly<Record<string, string>>) => found(temp.store, 'IMAGE', keys)
    expect(await images({ StudyInstanceUID: '1.1', SeriesInstanceUID: '1.1.1' })).toEqual([
      '1.1.1.1',
      '1.1.1.2',
    ])
    expect(await images({ StudyInstanceUID: '1.1', InstanceNumber: '2' })).toEqual(['1.1.1.2'])
    expect(await images({ SOPInstanceUID: '1.2.1.1\\1.1.1.2' })).toEqual(['1.2.1.1', '1.1.1.2'])
    expect(await images({ PatientID: 'P-4711', SOPInstanceUID: '1.2.1.1' })).toEqual([])
  })
})

describe('what changes', () => {
  it('is found with the corrected identity only', async () => {
    using temp = seeded()
    const { store } = temp
    const header = findImageStudy(store.database, '1.1')?.header
    if (!header) throw new Error('no study')
    updateImageStudy(store.database, '1.1', {
      header: { ...header, patientId: 'R-9', patientName: 'MEYER^EVA', studyDate: '20261201' },
    })
    expect(await found(store, 'STUDY', { PatientID: 'P-4711' })).toEqual(['1.3'])
    expect(await found(store, 'STUDY', { PatientName: 'MEIER*' })).toEqual(['1.3'])
    expect(await found(store, 'STUDY', { PatientName: 'meyer*', PatientID: 'R*' })).toEqual(['1.1'])
    expect(await found(store, 'STUDY', { ModalitiesInStudy: 'CT', StudyDate: '20261201' })).toEqual(
      ['1.1'],
    )
    expect(await found(store, 'STUDY', { ModalitiesInStudy: 'CT', StudyDate: '20261120' })).toEqual(
      [],
    )
  })

  it('is not found while it is quarantined or when it was replaced', async () => {
    using temp = seeded()
    const { store } = temp
    quarantine(store, '1.3')
    expect(await found(store, 'IMAGE', { StudyInstanceUID: '1.3' })).toEqual(['1.3.1.1'])
    const instance = findCurrentInstance(store.database, '1.3.1.1')
    setInstanceState(store.database, instance?.instanceId ?? 0, 'superseded')
    recountInstances(store.database, '1.3')
    for (const level of ['STUDY', 'SERIES', 'IMAGE'] as const) {
      expect(await found(store, level, { StudyInstanceUID: '1.3' })).toEqual([])
      expect(await found(store, level, { ModalitiesInStudy: 'CT', StudyDate: '20261122' })).toEqual(
        [],
      )
    }
    expect(await found(store, 'PATIENT', {}, 'NumberOfPatientRelatedStudies')).toEqual(['1', '1'])
  })

  it('is added to the index in the background where it is older', async () => {
    using temp = seeded()
    const { database } = temp.store
    database.run(rawQuery('delete from retrievalStudies', []))
    database.run(rawQuery(`insert into searchFill (what, below) values ('retrieval', 4)`, []))
    const query: EntityQuery = { level: 'STUDY', keys: [], returnKeys: [] }
    expect(await answerOf(temp.store, query)).toEqual({
      entities: [],
      end: { outcome: 'indexing' },
    })
    expect(await found(temp.store, 'STUDY', { StudyInstanceUID: '1.2' })).toEqual(['1.2'])
    while (fillSearchIndex(database, 1));
    const { entities, end } = await answerOf(temp.store, query)
    expect(entities.map(({ studyInstanceUid }) => studyInstanceUid)).toEqual(['1.3', '1.2', '1.1'])
    expect(end).toEqual({ outcome: 'complete' })
  })
})

it('holds no identifier in clear in the index', () => {
  using temp = seeded()
  const { database } = temp.store
  const rows = database.all(rawQuery<object>('select * from retrievalStudies', []))
  const text = JSON.stringify(rows)
  for (const secret of ['P-4711', 'MEIER', 'meier', 'B-200', '19700401'])
    expect(text).not.toContain(secret)
  expect(rows).toHaveLength(3)
})
