import { describe, expect, it } from 'vitest'
import type { Order } from '#server/modules/corrections/correction-rules.ts'
import {
  type Orders,
  searchTargets,
  targetOf,
} from '#server/modules/corrections/correction-targets.ts'
import {
  countInstance,
  updateImageStudy,
} from '#server/modules/images/image-study-writing-queries.ts'
import { insertReportObject } from '#server/modules/reports/report-document-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import { createStudy } from '#server/modules/studies/service.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import type { CorrectedPatient, CorrectionTarget } from '#shared/contract/corrections.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { seedImages } from '../../../../support/images.ts'
import { completedReport } from '../../../../support/reports.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const OWN = '1.2.1'
/** Of the study whose images may be of somebody else. */
const HEADER: Partial<ImageHeader> = {
  ...{ patientName: 'Sample^Sam', patientId: 'P100', accessionNumber: 'A100' },
  ...{ studyDate: '20260305', studyDescription: 'CT head' },
}
const order = (number: number, more: Partial<Order> = {}): Order => ({
  ...{ orderId: `o${number}`, studyInstanceUid: `1.3.${number}` },
  ...{ patientName: `Other^Nr ${number}`, patientId: `P${number}`, patientBirthDate: '19910102' },
  ...{ patientSex: 'F', accessionNumber: `A${number}`, requestedProcedureId: 'R1' },
  ...{ requestedProcedureDescription: '', scheduledProcedureStepId: 'S1' },
  ...{ scheduledProcedureStepDescription: '', studyDescription: '', referringPhysicianName: '' },
  ...{ admissionId: '', modality: 'MR', date: '20260309', time: '101500' },
  ...more,
})

function stage(orders: readonly Order[] = [], header: Partial<ImageHeader> = {}) {
  const temp = tempStore('2026-03-10T23:30:00.000Z')
  const { store } = temp
  const asked: (readonly string[])[] = []
  store.settings.set('clinic.timeZone', 'UTC')
  const known: Orders = {
    async onDays(days) {
      asked.push(days)
      return [...orders]
    },
    get: async (orderId) => orders.find((one) => one.orderId === orderId),
  }
  const images = (uid: string, of: Partial<ImageHeader> = {}, instances = 1) =>
    seedImages(store, { uid, instances, header: { ...HEADER, ...of } })
  images(OWN, header)
  const key = newKey(store)
  return {
    ...temp,
    ...{ asked, images },
    /** A study that was created through the interface. */
    created: (studyInstanceUid: string, reportMetadata?: StudyReportMetadata) =>
      createStudy(store, key, 'scribe', {
        ...{ studyInstanceUid, studyDescription: 'CT of the interface', severity: 'normal' },
        ...(reportMetadata && { reportMetadata }),
      }).record,
    async search(text = '') {
      const study = findImageStudy(store.database, OWN)
      if (!study) throw new Error('the study has no images')
      return await searchTargets(store, known, study, text)
    },
    async found(text = '') {
      return (await this.search(text)).map(({ target }) =>
        target.to === 'order' ? target.orderId : target.to === 'study' && target.studyInstanceUid,
      )
    },
    target: (target: CorrectionTarget) => targetOf(store, known, target),
    studyTarget: (studyInstanceUid: string) =>
      targetOf(store, known, { to: 'study', studyInstanceUid }),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

const ADA: StudyReportMetadata = {
  ...{ patientName: ' Sample^Ada ', mrn: ' P7 ', dateOfBirth: '1971-05-03', sex: 'female' },
  scanDate: '2026-03-02',
}

describe('what images may belong to', () => {
  it('is asked of the days around the exam and around today', async () => {
    const around = ['2026-03-09', '2026-03-10', '2026-03-11']
    const days = async (studyDate: string) => {
      using on = stage([], { studyDate })
      await on.search()
      return on.asked[0]
    }
    for (const studyDate of ['20260228', '2026-02-28'])
      expect(await days(studyDate)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', ...around])
    expect(await days('20260310')).toEqual(around)
    expect(await days('20260311')).toEqual(['2026-03-10', '2026-03-11', '2026-03-12', '2026-03-09'])
    for (const studyDate of ['', '2026', '120260228', '202602281', 'soon'])
      expect(await days(studyDate)).toEqual(around)
  })

  it('is an order, with what its exam is called and how many images it has', async () => {
    const names = (number: number, ...[procedure = '', step = '', study = '']: string[]) =>
      order(number, {
        ...{ requestedProcedureDescription: procedure, scheduledProcedureStepDescription: step },
        studyDescription: study,
      })
    using on = stage([
      names(1, 'procedure', 'step', 'study'),
      names(2, '', 'step', 'study'),
      names(3, '', '', 'study'),
      names(4),
    ])
    on.images('1.3.3', {}, 2)
    const found = (await on.search()).filter(({ target }) => target.to === 'order')
    expect(found[0]).toEqual({
      target: { to: 'order', orderId: 'o1' },
      ...{ patientName: 'Other^Nr 1', patientId: 'P1', patientBirthDate: '19910102' },
      ...{ patientSex: 'F', accessionNumber: 'A1', description: 'procedure' },
      ...{ modality: 'MR', date: '20260309', time: '101500', instances: 0 },
    })
    expect(found.map(({ description }) => description)).toEqual(['procedure', 'step', 'study', ''])
    expect(found.map(({ instances }) => instances)).toEqual([0, 0, 2, 0])
  })

  it('is without a search another study with the same number or name, and never the study itself', async () => {
    using on = stage()
    on.images('1.2.2', { patientName: 'Other^Eva' })
    on.images('1.2.3', { patientId: 'P3' })
    on.images('1.2.4', { patientName: 'Other^Eva', patientId: 'P3' })
    on.images('1.2.5', {}, 0)
    expect((await on.found()).sort()).toEqual(['1.2.2', '1.2.3'])
    expect((await on.found('eva')).sort()).toEqual(['1.2.2', '1.2.4'])
    expect((await on.search('P3 eva'))[0]).toEqual({
      target: { to: 'study', studyInstanceUid: '1.2.4' },
      ...{ patientName: 'Other^Eva', patientId: 'P3', patientBirthDate: '19800131' },
      ...{ patientSex: 'F', accessionNumber: 'A100', description: 'CT head' },
      ...{ modality: 'CT', date: '20260305', time: '093000', instances: 1 },
    })
  })

  it('is not everything where the images name nobody', async () => {
    using on = stage([], { patientName: '', patientId: '' })
    on.images('1.2.2')
    expect(await on.found()).toEqual([])
  })

  it('shows the modalities of images, and counts them without copies of reports', async () => {
    using on = stage([order(2, { studyInstanceUid: '1.2.2' })])
    on.images('1.2.2', {}, 3)
    const series = (modality: string) => ({
      ...{ seriesInstanceUid: `1.2.2.${modality}`, modality, seriesNumber: '1' },
      seriesDescription: '',
    })
    const at = '2026-03-10T09:00:00.000Z'
    for (const modality of ['DOC', 'SR', 'PT'])
      on.store.database.transaction(() =>
        countInstance(on.store.database, '1.2.2', series(modality), 1000, at, 'current'),
      )
    const { studyId } = on.created('1.2.2')
    const reportId = completedReport(on.store, { studyId, userId: newUser(on.store).userId })
    for (const kind of ['pdf', 'sr'] as const)
      insertReportObject(on.store.database, { reportId, kind, sopInstanceUid: kind, createdAt: at })
    const counted = (await on.search()).map(({ modality, instances }) => [modality, instances])
    expect(counted).toEqual([
      ['CT, PT', 4],
      ['MR', 4],
    ])
  })

  it('is a study that was created through the interface and waits for images', async () => {
    using on = stage([order(3)])
    on.created('1.2.2', ADA)
    on.created('1.2.3')
    on.created('1.3.3', ADA)
    on.created('1.2.4', ADA)
    on.images('1.2.4', { patientName: 'Other^Eva', patientId: 'P3' })
    on.images('1.2.5', {}, 0)
    on.created('1.2.5', { scanDate: '2026-03-02' })
    on.created('1.2.6', ADA)
    saveStudy(
      on.store.database,
      { ...on.created('1.2.7', ADA), cancelledAt: '2026-03-10T09:00:00.000Z' } as never,
      findStudyByUid(on.store.database, 'scribe', '1.2.7') as never,
    )
    const waiting = (await on.search()).filter(({ target }) => target.to === 'study')
    const nobody = {
      ...{ patientName: '', patientId: '', patientBirthDate: '', patientSex: '' },
      ...{ accessionNumber: '', description: 'CT of the interface', modality: '', time: '' },
    }
    const study = (studyInstanceUid: string) => ({ to: 'study', studyInstanceUid })
    const ada = {
      ...{ ...nobody, patientName: 'Sample^Ada', patientId: 'P7', patientBirthDate: '19710503' },
      ...{ patientSex: 'F', date: '20260302', instances: 0 },
    }
    expect(waiting).toEqual([
      { ...nobody, target: study('1.2.5'), date: '20260302', instances: 0 },
      { ...nobody, target: study('1.2.3'), date: '', instances: 0 },
      { ...ada, target: study('1.2.6') },
      { ...ada, target: study('1.2.2') },
    ])
    expect(await on.found('ada interface')).toEqual(['1.2.6', '1.2.2'])
  })

  it('is found by every word, whatever its case and its marks', async () => {
    using on = stage([
      order(1, { patientName: 'Müller^Zoë', requestedProcedureDescription: 'MR knee' }),
      order(2, { patientName: 'Mueller^Zoe', requestedProcedureDescription: 'MR hip' }),
    ])
    for (const text of ['muller', 'zoë müller', ' knee ', 'mr  knee', 'a1', 'zoe a1', 'P1 a1'])
      expect(await on.found(text)).toEqual(['o1'])
    expect(await on.found('zoe')).toEqual(['o2', 'o1'])
    expect(await on.found('muller hip')).toEqual([])
    expect(await on.found('zoep1')).toEqual([])
  })

  it('begins with what is most similar: the accession number, then number and name, then the kind and the day of the exam', async () => {
    const none = { patientName: 'Zzyzx^Zoe', patientId: '', accessionNumber: '' }
    const same = {
      accession: { accessionNumber: 'A100' },
      patient: { patientId: 'P100' },
      name: { patientName: 'Sample^Sam' },
      kind: { modality: 'CT' },
      day: { date: '20260305' },
    }
    using on = stage([
      order(1, none),
      order(2, { ...none, ...same.day }),
      order(3, { ...none, ...same.kind }),
      order(4, { ...none, ...same.kind, ...same.day }),
      order(5, { ...none, ...same.name }),
      order(6, { ...none, ...same.name, ...same.day }),
      order(7, { ...none, ...same.patient, ...same.kind, ...same.day }),
      order(8, { ...none, ...same.accession }),
      order(9, { ...none, ...same.patient, ...same.name, ...same.day }),
      order(10, { ...none, ...same.accession, ...same.patient }),
      order(11, { ...none, patientName: 'Amberly^Amy' }),
    ])
    const byRank = ['o10', 'o9', 'o8', 'o7', 'o6', 'o5', 'o4', 'o3', 'o2', 'o11', 'o1']
    expect(await on.found()).toEqual(byRank)
  })

  it('has nothing in common with images that have no numbers', async () => {
    const empty = { patientId: '', accessionNumber: '' }
    using on = stage([order(1, { ...empty, patientName: 'B' }), order(2, { patientName: 'A' })], {
      ...empty,
    })
    expect(await on.found()).toEqual(['o2', 'o1'])
  })

  it('is not more than 60', async () => {
    using on = stage(Array.from({ length: 61 }, (_, number) => order(number)))
    expect(await on.found()).toHaveLength(60)
  })
})

describe('a target', () => {
  const NOTHING = {
    ...{ studyInstanceUid: undefined, order: undefined, header: undefined, row: undefined },
  }
  const ROW = {
    ...{ studyInstanceUid: '1.3.1', scheduledProcedureStepId: 'S1', requestedProcedureId: 'R1' },
    ...{ accessionNumber: 'A1', patientName: 'Other^Nr 1', patientId: 'P1' },
    ...{ patientBirthDate: '', patientSex: '', description: '', callingAeTitle: 'CT1' },
    at: '2026-03-10T09:00:00.000Z',
  }
  const OF_ORDER: CorrectedPatient = {
    ...{ patientName: 'Other^Nr 1', patientId: 'P1', patientBirthDate: '19910102' },
    ...{ patientSex: 'F', accessionNumber: 'A1' },
  }

  it('of typed values is these alone', async () => {
    using on = stage()
    const target = { to: 'patient', patient: OF_ORDER } as const
    expect(await on.target(target)).toEqual({ ...NOTHING, patient: OF_ORDER })
  })

  it('of an order is its patient, with what its study says where that has images', async () => {
    using on = stage([order(1)])
    const target = { to: 'order', orderId: 'o1' } as const
    const ofOrder = { patient: OF_ORDER, studyInstanceUid: '1.3.1', order: order(1) }
    expect(await on.target(target)).toEqual({ ...NOTHING, ...ofOrder })
    on.images('1.3.1')
    const { header } = findImageStudy(on.store.database, '1.3.1') ?? {}
    expect(await on.target(target)).toEqual({ ...NOTHING, ...ofOrder, header })
    updateImageStudy(on.store.database, '1.3.1', { handedOut: ROW })
    expect(await on.target(target)).toEqual({ ...ofOrder, header, row: ROW })
    expect(await on.target({ to: 'order', orderId: 'gone' })).toBeUndefined()
  })

  it('of a study with images is whom they name', async () => {
    using on = stage()
    on.images('1.2.2', { patientBirthDate: '1980.01.31' })
    updateImageStudy(on.store.database, '1.2.2', { handedOut: ROW })
    const { header } = findImageStudy(on.store.database, '1.2.2') ?? {}
    expect(await on.studyTarget('1.2.2')).toEqual({
      ...{ studyInstanceUid: '1.2.2', order: undefined, header, row: ROW },
      patient: {
        ...{ patientName: 'Sample^Sam', patientId: 'P100', patientBirthDate: '19800131' },
        ...{ patientSex: 'F', accessionNumber: 'A100' },
      },
    })
  })

  it('is not known where a study has no images of a device, and none was created', async () => {
    using on = stage()
    on.images('1.2.2', {}, 0)
    on.images('1.2.3')
    on.store.database.run(
      on.store.database.sql
        .updateTable('imageStudies')
        .set({ remoteAddress: OWN_ADDRESS })
        .where('studyInstanceUid', '=', '1.2.3'),
    )
    on.created('1.2.4')
    for (const uid of ['1.2.2', '1.2.3', '1.2.4', '1.2.9'])
      expect(await on.studyTarget(uid)).toBeUndefined()
  })

  it('of a study that waits for images is the patient that its metadata names, and its order', async () => {
    using on = stage([order(1), order(2)])
    on.created('1.3.2', ADA)
    on.created('1.2.2', ADA)
    on.created('1.2.3', { scanType: 'CT' })
    const ada = {
      ...{ patientName: 'Sample^Ada', patientId: 'P7', patientBirthDate: '19710503' },
      patientSex: 'F',
    }
    expect(await on.studyTarget('1.3.2')).toEqual({
      ...{ ...NOTHING, studyInstanceUid: '1.3.2', order: order(2) },
      patient: { ...ada, accessionNumber: 'A2' },
    })
    expect(on.asked[0]?.slice(0, 3)).toEqual(['2026-03-01', '2026-03-02', '2026-03-03'])
    expect(await on.studyTarget('1.2.2')).toEqual({
      ...{ ...NOTHING, studyInstanceUid: '1.2.2' },
      patient: { ...ada, accessionNumber: '' },
    })
    expect((await on.studyTarget('1.2.3'))?.patient).toEqual({
      ...{ patientName: '', patientId: '', patientBirthDate: '', patientSex: '' },
      accessionNumber: '',
    })
    expect(on.asked[2]).toHaveLength(3)
  })
})
