import { describe, expect, it } from 'vitest'
import {
  announceInstances,
  areAllReceived,
  countExpected,
  countExpectedBySeries,
} from '#server/modules/images/announced-instance-queries.ts'
import {
  type ImageStudyQuery,
  listEnrichmentDue,
  listImageSeries,
  listImageStudyRecords,
  listReceivingStudies,
  nextEnrichmentDue,
  summariseImages,
} from '#server/modules/images/image-study-list-queries.ts'
import {
  abortOpenTransfers,
  countInstance,
  recountInstances,
  uncountInstance,
  updateImageStudy,
} from '#server/modules/images/image-study-writing-queries.ts'
import {
  deleteInstance,
  findCurrentInstance,
  insertInstance,
  type NewInstance,
  setInstanceState,
} from '#server/modules/images/instance-queries.ts'
import { listStepStatuses } from '#server/modules/procedure-steps/performed-step-queries.ts'
import {
  listCreatedStudies,
  noteTouchedFields,
  saveCreatedStudy,
} from '#server/modules/studies/created-study-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { SentWorklistRow } from '#server/modules/studies/image-study-row.ts'
import { verbatim } from '#shared/messages/message.ts'
import { MISMATCH, quarantine, type SeededImages, seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-11-20T08:45:00.000Z'
const LATER = '2026-11-20T08:46:00.000Z'
const ROW: SentWorklistRow = {
  ...{
    studyInstanceUid: '1.2.9',
    scheduledProcedureStepId: 'S1',
    requestedProcedureId: 'R1',
    accessionNumber: 'A-100',
  },
  ...{
    patientName: 'MEIER^ANNA',
    patientId: 'P-4711',
    patientBirthDate: '19800131',
    patientSex: 'F',
    description: 'CT Thorax',
  },
  ...{ callingAeTitle: 'CT1', at: AT },
}

function stage(...studies: SeededImages[]) {
  const temp = tempStore()
  for (const study of studies) seedImages(temp.store, study)
  const { database } = temp.store
  return {
    ...{ ...temp, database },
    idOf: (sopInstanceUid: string) =>
      findCurrentInstance(database, sopInstanceUid)?.instanceId ?? 0,
    /** One more instance like the first of the study. */
    more(uid: string, fields: Partial<NewInstance>) {
      const like = findCurrentInstance(database, `${uid}.1.1`)
      if (!like) throw new Error('There is no such instance')
      const { instanceId: _, ...of } = like
      const made = insertInstance(database, {
        ...of,
        file: `00/1/${crypto.randomUUID()}.dcm`,
        ...fields,
      })
      const series = {
        seriesInstanceUid: made.seriesInstanceUid,
        modality: made.modality,
        seriesNumber: '10',
        seriesDescription: '',
      }
      countInstance(database, uid, series, made.bytes, made.receivedAt, 'current')
      return made
    },
    uids: (query: Partial<ImageStudyQuery>) =>
      listImageStudyRecords(
        database,
        { show: 'all', search: '', ...query },
        undefined,
        50,
      ).items.map(({ studyInstanceUid }) => studyInstanceUid),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

const announced = (uid: string, ...numbers: number[]) =>
  numbers.map((number) => ({ sopInstanceUid: `${uid}.1.${number}`, seriesInstanceUid: `${uid}.1` }))

describe('a study with images', () => {
  it('is kept as it was given, with everything that names the patient sealed', () => {
    using on = stage({ uid: '1.2', mismatch: MISMATCH })
    updateImageStudy(on.database, '1.2', { handedOut: ROW })
    const study = findImageStudy(on.database, '1.2')
    expect(study).toMatchObject({
      header: {
        patientName: 'MEIER^ANNA',
        patientId: 'P-4711',
        accessionNumber: 'A-100',
        modality: 'CT',
      },
      ...{
        handedOut: ROW,
        mismatch: MISMATCH,
        transfer: { how: 'released', detail: null, at: AT },
      },
      enrichment: { state: 'not-asked', askedAt: null, nextAt: null, detail: null, warnings: [] },
    })
    const row = on.database.get(on.database.sql.selectFrom('imageStudies').selectAll())
    const stored = Object.values(row ?? {}).map((value) =>
      Buffer.isBuffer(value) ? value.toString('latin1') : String(value),
    )
    for (const secret of ['MEIER', 'P-4711', 'A-100', '19800131'])
      expect(stored.join('\n')).not.toContain(secret)
  })

  it('changes in what a patch names alone', () => {
    using on = stage({ uid: '1.2', mismatch: MISMATCH, state: 'receiving', how: 'open' })
    const before = findImageStudy(on.database, '1.2')
    updateImageStudy(on.database, '1.2', {})
    expect(findImageStudy(on.database, '1.2')).toEqual(before)
    const transfer = {
      how: 'aborted',
      detail: verbatim('The connection was lost.'),
      at: LATER,
    } as const
    const enrichment = {
      state: 'waiting',
      askedAt: AT,
      nextAt: LATER,
      detail: verbatim('No answer.'),
      warnings: [verbatim('One.')],
    } as const
    updateImageStudy(on.database, '1.2', {
      transfer,
      enrichment: { ...enrichment, warnings: [...enrichment.warnings] },
      enrichmentAttempts: 2,
      dueAt: LATER,
    })
    expect(findImageStudy(on.database, '1.2')).toEqual({
      ...before,
      transfer,
      enrichment,
      enrichmentAttempts: 2,
      dueAt: LATER,
    })
    updateImageStudy(on.database, '1.2', { mismatch: null })
    expect(findImageStudy(on.database, '1.2')?.mismatch).toBeNull()
  })

  it('has a transfer that broke off with the last run where one was open at its end', () => {
    using on = stage(
      { uid: '1.2', how: 'open' },
      { uid: '1.3', how: 'released' },
      { uid: '1.4', how: 'open', state: 'receiving', at: LATER },
    )
    expect(abortOpenTransfers(on.database, verbatim('the gateway stopped unexpectedly'))).toBe(2)
    const transfers = ['1.2', '1.3', '1.4'].map((uid) => findImageStudy(on.database, uid)?.transfer)
    expect(transfers).toEqual([
      { how: 'aborted', detail: 'the gateway stopped unexpectedly', at: AT },
      { how: 'released', detail: null, at: AT },
      { how: 'aborted', detail: 'the gateway stopped unexpectedly', at: LATER },
    ])
    expect(on.uids({ show: 'incomplete' })).toEqual(['1.2'])
    expect(abortOpenTransfers(on.database, verbatim('again'))).toBe(0)
  })

  it('counts its instances, series and bytes as they come', () => {
    using on = stage({ uid: '1.2', instances: 2 })
    on.more('1.2', {
      sopInstanceUid: '1.2.2.1',
      seriesInstanceUid: '1.2.2',
      modality: 'SR',
      bytes: 1000,
      receivedAt: LATER,
    })
    quarantine(on.store, '1.2')
    expect(findImageStudy(on.database, '1.2')).toMatchObject({
      ...{
        instances: 3,
        series: 2,
        bytes: 2 * 526_000 + 1000,
        quarantined: 1,
        modalities: ['CT', 'SR'],
        createdAt: AT,
      },
    })
    expect(listImageSeries(on.database, '1.2')).toEqual([
      {
        ...{
          seriesInstanceUid: '1.2.1',
          modality: 'CT',
          seriesNumber: '2',
          seriesDescription: 'Thorax 1 mm',
        },
        ...{ instances: 2, bytes: 2 * 526_000, lastInstanceAt: AT },
      },
      {
        ...{
          seriesInstanceUid: '1.2.2',
          modality: 'SR',
          seriesNumber: '10',
          seriesDescription: '',
        },
        ...{ instances: 1, bytes: 1000, lastInstanceAt: LATER },
      },
    ])
  })

  it('counts the same anew after instances were set aside, let in, replaced or removed', () => {
    using on = stage({ uid: '1.2', instances: 2 })
    const aside = quarantine(on.store, '1.2', {
      sopInstanceUid: '1.2.3.1',
      seriesInstanceUid: '1.2.3',
      bytes: 700,
    })
    const counts = () => {
      recountInstances(on.database, '1.2')
      const { instances, series, bytes, quarantined } = findImageStudy(on.database, '1.2') ?? {}
      return [instances, series, bytes, quarantined]
    }
    expect(counts()).toEqual([2, 1, 1_052_000, 1])
    const before = findImageStudy(on.database, '1.2')
    recountInstances(on.database, '1.2')
    expect(findImageStudy(on.database, '1.2')).toEqual(before)
    setInstanceState(on.database, on.idOf('1.2.1.1'), 'superseded')
    expect(counts()).toEqual([1, 1, 526_000, 1])
    setInstanceState(on.database, on.idOf('1.2.1.2'), 'quarantined', 'wrong-step', verbatim('Why.'))
    expect(counts()).toEqual([0, 0, 0, 2])
    expect(listImageSeries(on.database, '1.2')).toEqual([])
    deleteInstance(on.database, aside.instanceId)
    expect(counts()).toEqual([0, 0, 0, 1])
  })

  it('counts no more what another of its series took the place of', () => {
    using on = stage({ uid: '1.2', instances: 2 })
    on.more('1.2', { sopInstanceUid: '1.2.1.3', bytes: 700 })
    setInstanceState(on.database, on.idOf('1.2.1.3'), 'superseded')
    uncountInstance(on.database, '1.2', '1.2.1', 700)
    const counted = findImageStudy(on.database, '1.2')
    expect(counted).toMatchObject({ instances: 2, series: 1, bytes: 1_052_000 })
    recountInstances(on.database, '1.2')
    expect(findImageStudy(on.database, '1.2')).toEqual(counted)
  })

  it('counts a series once when its first image was set aside, and tells of it once it is let in', () => {
    using on = stage({ uid: '1.2' })
    const series = {
      seriesInstanceUid: '1.2.5',
      modality: 'US',
      seriesNumber: '5',
      seriesDescription: 'Leber',
    }
    const aside = quarantine(on.store, '1.2', {
      sopInstanceUid: '1.2.5.1',
      seriesInstanceUid: '1.2.5',
      bytes: 700,
    })
    countInstance(on.database, '1.2', series, 700, AT, 'quarantined')
    expect(listImageSeries(on.database, '1.2')).toHaveLength(1)
    setInstanceState(on.database, aside.instanceId, 'current')
    recountInstances(on.database, '1.2')
    expect(listImageSeries(on.database, '1.2').at(-1)).toEqual({
      ...series,
      instances: 1,
      bytes: 700,
      lastInstanceAt: AT,
    })
    expect(findImageStudy(on.database, '1.2')).toMatchObject({
      series: 2,
      instances: 2,
      modalities: ['CT', 'US'],
    })
  })
})

describe('what was announced of a study', () => {
  it('is expected, and missing until it is here or set aside', () => {
    using on = stage({ uid: '1.2', instances: 2 })
    expect(countExpected(on.database, '1.2')).toEqual({ expected: null, missing: 0 })
    announceInstances(on.database, '1.2', announced('1.2', 1, 2, 3), AT)
    announceInstances(on.database, '1.2', announced('1.2', 3, 4), AT)
    expect(countExpected(on.database, '1.2')).toEqual({ expected: 4, missing: 2 })
    on.more('1.2', { sopInstanceUid: '1.2.1.3' })
    quarantine(on.store, '1.2', { sopInstanceUid: '1.2.1.4' })
    expect(countExpected(on.database, '1.2')).toEqual({ expected: 4, missing: 0 })
    expect(findImageStudy(on.database, '1.2')).toMatchObject({ expected: 4, missing: 0 })
    expect(countExpectedBySeries(on.database, '1.2')).toEqual(new Map([['1.2.1', 4]]))
  })

  it('is missing again when it is removed or only an older version of it is left', () => {
    using on = stage({ uid: '1.2', instances: 2 })
    announceInstances(on.database, '1.2', announced('1.2', 1, 2), AT)
    const missing = () => countExpected(on.database, '1.2').missing
    const [one, two] = [on.idOf('1.2.1.1'), on.idOf('1.2.1.2')]
    setInstanceState(on.database, one, 'quarantined', 'wrong-step', verbatim('Why.'))
    expect(missing()).toBe(0)
    deleteInstance(on.database, one)
    expect(missing()).toBe(1)
    setInstanceState(on.database, two, 'superseded')
    expect(missing()).toBe(2)
    setInstanceState(on.database, two, 'current')
    expect(missing()).toBe(1)
  })

  it('is all here only when each of it is', () => {
    using on = stage({ uid: '1.2', instances: 2 })
    quarantine(on.store, '1.2', { sopInstanceUid: '1.2.1.3' })
    expect(areAllReceived(on.database, ['1.2.1.1', '1.2.1.2', '1.2.1.3'])).toBe(true)
    expect(areAllReceived(on.database, ['1.2.1.1', '1.2.1.4'])).toBe(false)
    setInstanceState(on.database, on.idOf('1.2.1.2'), 'superseded')
    expect([areAllReceived(on.database, ['1.2.1.2']), areAllReceived(on.database, [])]).toEqual([
      false,
      true,
    ])
  })
})

describe('the list of studies with images', () => {
  it('has the one that last received an instance first, page by page', () => {
    using on = stage()
    for (let number = 0; number < 7; number++)
      seedImages(on.store, { uid: `1.2.${number}`, at: `2026-11-20T08:4${number % 3}:00.000Z` })
    const pages: string[][] = []
    for (let after: string | undefined, more = true; more; ) {
      const { items, next } = listImageStudyRecords(
        on.database,
        { show: 'all', search: '' },
        after,
        3,
      )
      pages.push(items.map(({ studyInstanceUid }) => studyInstanceUid))
      after = next
      more = next !== undefined
    }
    expect(pages).toEqual([['1.2.5', '1.2.2', '1.2.4'], ['1.2.1', '1.2.6', '1.2.3'], ['1.2.0']])
  })

  it('goes on after a study whose UID has a space', () => {
    using on = stage({ uid: '1.2 a b' }, { uid: '1.1' })
    const { next } = listImageStudyRecords(on.database, { show: 'all', search: '' }, undefined, 1)
    expect(
      listImageStudyRecords(on.database, { show: 'all', search: '' }, next, 1).items.map(
        ({ studyInstanceUid }) => studyInstanceUid,
      ),
    ).toEqual(['1.1'])
  })

  it('shows what is receiving, what is incomplete, and whose identity is a mismatch', () => {
    using on = stage(
      { uid: '1.1', state: 'receiving', how: 'aborted' },
      { uid: '1.2', how: 'aborted' },
      { uid: '1.3', mismatch: MISMATCH },
      { uid: '1.4', mismatch: MISMATCH },
      { uid: '1.5', how: 'aborted' },
    )
    announceInstances(on.database, '1.3', announced('1.3', 1, 2), AT)
    announceInstances(on.database, '1.5', announced('1.5', 1), AT)
    const differences = [
      { from: 'worklist', field: 'patientName', expected: 'MAIER^ANNA', received: 'MEIER^ANNA' },
    ] as const
    const override = {
      at: LATER,
      userId: 'usr_1',
      name: 'Eva Kern',
      reason: 'Confirmed.',
      differences,
    }
    updateImageStudy(on.database, '1.4', { override })
    expect(on.uids({ show: 'receiving' })).toEqual(['1.1'])
    expect(on.uids({ show: 'incomplete' })).toEqual(['1.3', '1.2'])
    expect(on.uids({ show: 'mismatch' })).toEqual(['1.3'])
    expect(on.uids({ show: 'incomplete', search: '1.3' })).toEqual(['1.3'])
    expect(on.uids({ show: 'mismatch', search: 'P-9' })).toEqual([])
  })

  it('leaves out what every instance was discarded of, in its sums too', () => {
    using on = stage({ uid: '1.1' }, { uid: '1.2', state: 'receiving', mismatch: MISMATCH })
    const aside = on.idOf('1.2.1.1')
    setInstanceState(on.database, aside, 'quarantined', 'wrong-step', verbatim('Why.'))
    recountInstances(on.database, '1.2')
    expect([on.uids({}), summariseImages(on.database, AT).mismatches]).toEqual([['1.2', '1.1'], 0])
    deleteInstance(on.database, aside)
    recountInstances(on.database, '1.2')
    expect(on.uids({})).toEqual(['1.1'])
    expect(on.uids({ show: 'receiving' })).toEqual([])
    expect(on.uids({ search: '1.1' })).toEqual(['1.1'])
    expect(summariseImages(on.database, AT)).toMatchObject({ receiving: 0, mismatches: 0 })
  })

  it('is searched by name, patient id, accession number and description, by each word, and by what a UID begins with', () => {
    using on = stage(
      { uid: '1.2.1', header: { patientId: 'p-1', accessionNumber: 'ACC7' } },
      { uid: '1.2.2', header: { patientId: 'P-1', accessionNumber: '' } },
      { uid: '1.3', header: { patientId: '', accessionNumber: 'P-1' } },
    )
    expect(on.uids({ search: 'P-1 ' })).toEqual(['1.3', '1.2.2', '1.2.1'])
    expect(on.uids({ search: 'acc7' })).toEqual(['1.2.1'])
    expect(on.uids({ search: 'P-' })).toEqual(['1.3', '1.2.2', '1.2.1'])
    expect(on.uids({ search: '1.2' })).toEqual(['1.2.2', '1.2.1'])
    const header = findImageStudy(on.database, '1.3')?.header
    if (header) updateImageStudy(on.database, '1.3', { header: { ...header, patientId: 'NEW' } })
    expect(on.uids({ search: 'new' })).toEqual(['1.3'])
  })

  it('is summed up for the status', () => {
    using on = stage(
      { uid: '1.1', instances: 3, at: AT },
      { uid: '1.2', at: LATER, state: 'receiving' },
      { uid: '1.3', mismatch: MISMATCH },
    )
    quarantine(on.store, '1.1')
    expect(summariseImages(on.database, AT)).toEqual({
      today: 6,
      receiving: 1,
      quarantined: 1,
      mismatches: 1,
      replaced: 0,
    })
    expect(summariseImages(on.database, LATER)).toMatchObject({ today: 1 })
  })
})

describe('what is to be done about studies', () => {
  it('is to settle those that receive, the one that is due first first', () => {
    using on = stage(
      { uid: '1.1', state: 'receiving' },
      { uid: '1.2', state: 'receiving' },
      { uid: '1.3' },
    )
    updateImageStudy(on.database, '1.1', { dueAt: LATER })
    expect(
      listReceivingStudies(on.database).map(({ studyInstanceUid }) => studyInstanceUid),
    ).toEqual(['1.2', '1.1'])
    updateImageStudy(on.database, '1.2', { state: 'settled', settledAt: LATER })
    expect(
      listReceivingStudies(on.database).map(({ studyInstanceUid }) => studyInstanceUid),
    ).toEqual(['1.1'])
  })

  it('is to ask the partner when enrichment is due', () => {
    using on = stage({ uid: '1.1' }, { uid: '1.2' }, { uid: '1.3' })
    expect(nextEnrichmentDue(on.database)).toBeUndefined()
    const waiting = (nextAt: string) => ({
      state: 'waiting' as const,
      askedAt: AT,
      nextAt,
      detail: null,
      warnings: [],
    })
    updateImageStudy(on.database, '1.2', { enrichment: waiting(LATER) })
    updateImageStudy(on.database, '1.1', { enrichment: waiting(AT) })
    expect(nextEnrichmentDue(on.database)).toBe(AT)
    expect(
      listEnrichmentDue(on.database, AT).map(({ studyInstanceUid }) => studyInstanceUid),
    ).toEqual(['1.1'])
    expect(
      listEnrichmentDue(on.database, LATER).map(({ studyInstanceUid }) => studyInstanceUid),
    ).toEqual(['1.1', '1.2'])
  })
})

describe('created studies', () => {
  it('keep what was last written, and when it was first, sealed', () => {
    using on = stage()
    saveCreatedStudy(on.database, '1.2', 'scribe', 'stu_1', AT, {
      patientName: 'MEIER^ANNA',
      tags: ['a'],
    })
    saveCreatedStudy(on.database, '1.2', 'viewer', 'stu_2', AT, {})
    noteTouchedFields(on.database, 'stu_1', ['severity'])
    noteTouchedFields(on.database, 'stu_1', ['mrn', 'severity'])
    noteTouchedFields(on.database, 'stu_9', ['severity'])
    saveCreatedStudy(on.database, '1.2', 'scribe', 'stu_1', LATER, { patientName: 'MAIER^ANNA' })
    expect(listCreatedStudies(on.database, '1.2')).toEqual([
      {
        area: 'scribe',
        studyId: 'stu_1',
        seededAt: AT,
        values: { patientName: 'MAIER^ANNA' },
        touched: ['mrn', 'severity'],
      },
      { area: 'viewer', studyId: 'stu_2', seededAt: AT, values: {}, touched: [] },
    ])
    expect(listCreatedStudies(on.database, '1.3')).toEqual([])
    const stored = on.database.all(on.database.sql.selectFrom('seeds').select('sealedSeed'))
    expect(stored.some(({ sealedSeed }) => sealedSeed.includes('MAIER'))).toBe(false)
  })
})

describe('the steps that images were made for', () => {
  const received = (on: ReturnType<typeof stage>, uid: string) =>
    listStepStatuses(on.database, uid).map(({ scheduledProcedureStepId, status, since }) => [
      scheduledProcedureStepId,
      status,
      since,
    ])

  it('are received once their study is settled, by every UID the worklist may know', () => {
    using on = stage({
      uid: '1.2',
      state: 'receiving',
      header: { requestStudyInstanceUid: '1.2.8' },
    })
    updateImageStudy(on.database, '1.2', { handedOut: ROW })
    expect(['1.2', '1.2.8', '1.2.9'].map((uid) => received(on, uid))).toEqual([[], [], []])
    updateImageStudy(on.database, '1.2', { state: 'settled', settledAt: LATER })
    for (const uid of ['1.2', '1.2.8', '1.2.9'])
      expect(received(on, uid)).toEqual([['S1', 'RECEIVED', LATER]])
  })

  it('stay received while late images come, and keep their time', () => {
    using on = stage({ uid: '1.2' })
    updateImageStudy(on.database, '1.2', { state: 'settled', settledAt: AT })
    on.more('1.2', { sopInstanceUid: '1.2.1.2', scheduledProcedureStepId: 'S2' })
    updateImageStudy(on.database, '1.2', { state: 'receiving', settledAt: null })
    recountInstances(on.database, '1.2')
    expect(received(on, '1.2')).toEqual([['S1', 'RECEIVED', AT]])
    updateImageStudy(on.database, '1.2', { state: 'settled', settledAt: LATER })
    expect(received(on, '1.2')).toEqual([
      ['S1', 'RECEIVED', AT],
      ['S2', 'RECEIVED', LATER],
    ])
  })

  it('are not when their images were set aside', () => {
    using on = stage({ uid: '1.2' })
    updateImageStudy(on.database, '1.2', { state: 'settled', settledAt: AT, handedOut: ROW })
    expect(received(on, '1.2.9')).toEqual([['S1', 'RECEIVED', AT]])
    setInstanceState(on.database, on.idOf('1.2.1.1'), 'quarantined', 'wrong-step', verbatim('Why.'))
    recountInstances(on.database, '1.2')
    expect(['1.2', '1.2.9'].map((uid) => received(on, uid))).toEqual([[], []])
  })

  it('are that of the row handed out where the images carry none, and not where they carry another', () => {
    using on = stage({ uid: '1.2' })
    const handedOut = { ...ROW, scheduledProcedureStepId: 'S7' }
    updateImageStudy(on.database, '1.2', { state: 'settled', settledAt: AT, handedOut })
    expect([received(on, '1.2'), received(on, '1.2.9')]).toEqual([[['S1', 'RECEIVED', AT]], []])
    on.more('1.2', { sopInstanceUid: '1.2.1.2', scheduledProcedureStepId: '' })
    recountInstances(on.database, '1.2')
    expect(received(on, '1.2.9')).toEqual([['S7', 'RECEIVED', AT]])
  })
})
