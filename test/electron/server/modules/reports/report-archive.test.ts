import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import type { Context } from '#server/context.ts'
import { readDataSet, tagOf } from '#server/dicom/data-set/data-set.ts'
import { HeaderReader, textOf } from '#server/dicom/data-set/header-reader.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { REPORT_SOP_CLASS } from '#server/dicom/objects/report-document.ts'
import { insertDestination } from '#server/modules/forwarding/destination-queries.ts'
import { countForwardsTo } from '#server/modules/forwarding/forward-queries.ts'
import { listImageSeries } from '#server/modules/images/image-study-list-queries.ts'
import { type InstanceRecord, listStudyInstances } from '#server/modules/images/instance-queries.ts'
import {
  archiveReport,
  sendReportCopies,
  storeObjects,
} from '#server/modules/reports/report-archive.ts'
import { listReportObjects } from '#server/modules/reports/report-document-queries.ts'
import type { ArchivedReport } from '#server/modules/reports/signed-report.ts'
import { listCreatedStudies } from '#server/modules/studies/created-study-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { createStudy } from '#server/modules/studies/service.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import { englishText } from '#shared/messages/english.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { reportPart } from '../../../../support/report-pdf.ts'
import { completedReport } from '../../../../support/reports.ts'
import { withSettings } from '../../../../support/temp-store.ts'
import { image, openStage, type Settings, STUDY, type Stage } from '../images/intake-fixture.ts'

const PDF = Buffer.from('%PDF-1.7 of an invented patient ')
const IDLE_MS = 10 * 60_000
const ACTOR = 'user:usr_0123456789abcdef0123456789abcdef'

/** Reports of a stage that are archived and sent; what a report says is given by the test. */
function reportsOf(stage: Stage, settings: Settings = {}) {
  const { store } = stage
  const known = new Map<string, ArchivedReport>()
  const context = withSettings(store, (key) =>
    Object.hasOwn(settings, key)
      ? settings[key]
      : key === 'clinic.timeZone'
        ? 'UTC'
        : SETTINGS[key].initial,
  )
  return {
    archive: (reportId: string) => storeObjects(context, known.get(reportId) ?? expect.fail()),
    /** As the outbox job does it. */
    work: (reportId: string) => archiveReport(context, reportId),
    send: (reportId: string, destinationId: string) =>
      sendReportCopies(context, reportId, destinationId, ACTOR),
    /** A signed report of the study, with its row. */
    sign(given: Partial<ArchivedReport> = {}): ArchivedReport {
      const of = { studyId: scribeStudy(store), userId: newUser(store).userId }
      const reportId = completedReport(store, of)
      const report: ArchivedReport = {
        ...{ reportId, studyInstanceUid: STUDY, studyDescription: 'CT head' },
        accessionNumber: 'A100',
        metadata: {
          ...{ patientName: 'Sample^Sam', mrn: 'P100', dateOfBirth: '1980-05-11', sex: 'male' },
          ...{ scanDate: '2026-03-10', scanTime: '08:45' },
        },
        parts: [{ reportId, ...reportPart() }],
        pdf: PDF,
        ...given,
      }
      known.set(reportId, report)
      return report
    },
  }
}

function scribeStudy(store: Context): string {
  const known = findStudyByUid(store.database, 'scribe', STUDY)
  if (known) return known.studyId
  return createStudy(store, newKey(store), 'scribe', {
    ...{ studyInstanceUid: STUDY, studyDescription: 'CT head', severity: 'normal' },
  }).record.studyId
}

/** As the file has it. */
function valuesOf({ store }: Stage, instance: InstanceRecord): (keyword: string) => string {
  const reader = new HeaderReader(
    TRANSFER_SYNTAX.explicitLittleEndian,
    WANTED.map((keyword) => tagOf(keyword) as number),
  )
  reader.push(readFileSync(store.imageFiles.pathOf(instance.file)).subarray(instance.dataSetOffset))
  const found = reader.end()
  return (keyword) => textOf(found, tagOf(keyword) as number)
}
const WANTED = [
  'PatientName',
  'PatientID',
  'StudyDate',
  'StudyTime',
  'AccessionNumber',
  'SeriesDescription',
  'Modality',
  'SOPInstanceUID',
]

const ofReports = (store: Context) =>
  listStudyInstances(store.database, STUDY).filter(({ remoteAddress }) => remoteAddress === '')

describe('DICOM copies of a signed report', () => {
  it('are kept beside the images as a PDF and a structured report, and are on the disk with their rows', async () => {
    await using stage = await openStage()
    await stage.send(image(1))
    await stage.pass(IDLE_MS)
    const reports = reportsOf(stage)
    const { reportId } = reports.sign()
    const noteImages = vi.spyOn(stage.store.feed, 'noteImages')
    await reports.archive(reportId)

    const kept = ofReports(stage.store)
    expect(kept.map(({ sopClassUid }) => sopClassUid)).toEqual([
      REPORT_SOP_CLASS.pdf,
      REPORT_SOP_CLASS.sr,
    ])
    expect(listReportObjects(stage.store.database, reportId).map(({ kind }) => kind)).toEqual([
      'pdf',
      'sr',
    ])
    expect(stage.files()).toMatchObject({ images: { length: 3 }, spool: [] })
    for (const instance of kept) {
      const of = valuesOf(stage, instance)
      expect(of('SOPInstanceUID')).toBe(instance.sopInstanceUid)
      expect([of('PatientName'), of('PatientID'), of('AccessionNumber')]).toEqual([
        'Sample^Sam',
        'P100',
        'A100',
      ])
      expect(instance.sopInstanceUid).toMatch(/^2\.25\.[1-9]\d{0,38}$/)
    }
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      instances: 3,
      series: 3,
      modalities: ['CT', 'DOC', 'SR'],
    })
    expect(
      listImageSeries(stage.store.database, STUDY).map(
        ({ seriesDescription }) => seriesDescription,
      ),
    ).toContain('Report')
    expect(noteImages).toHaveBeenCalledTimes(1)
    expect(stage.store.imageFiles.arriving.size).toBe(0)
  })

  it('leave their study as it was: settled, with its last image, without a mismatch, and with nothing sent on by itself', async () => {
    const asked: unknown[] = []
    await using stage = await openStage({
      askEnrichment: async (question) => {
        asked.push(question)
        return {}
      },
    })
    await stage.send(image(1))
    await stage.pass(IDLE_MS)
    const before = findImageStudy(stage.store.database, STUDY)
    const questions = asked.length
    stage.kept.length = 0
    const reports = reportsOf(stage)
    // The report names the patient as a person writes it, which no image does.
    await reports.archive(reports.sign({ metadata: { patientName: 'Sam Sample' } }).reportId)
    await stage.pass(IDLE_MS)
    const {
      instances: _,
      series: __,
      bytes: ___,
      modalities: ____,
      ...after
    } = findImageStudy(stage.store.database, STUDY) ?? expect.fail()
    expect(before).toMatchObject(after)
    expect(after).toMatchObject({ state: 'settled', mismatch: null })
    expect(asked.length).toBe(questions)
    expect(stage.kept).toEqual([])
  })

  it('do not hold up a study that still receives', async () => {
    await using stage = await openStage()
    await stage.send(image(1))
    const { lastInstanceAt } = findImageStudy(stage.store.database, STUDY) ?? expect.fail()
    stage.clock.pass(5000)
    const reports = reportsOf(stage)
    await reports.archive(reports.sign().reportId)
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'receiving',
      lastInstanceAt,
    })
  })

  it('are made once, with the same UIDs, however often they are asked for', async () => {
    await using stage = await openStage()
    const reports = reportsOf(stage)
    const { reportId } = reports.sign()
    await Promise.all([reports.archive(reportId), reports.archive(reportId)])
    await reports.archive(reportId)
    expect(ofReports(stage.store)).toHaveLength(2)
    expect(stage.files()).toMatchObject({ images: { length: 2 }, spool: [] })
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({ instances: 2, series: 2 })
  })

  it('are made again after a crash at any write, without anything left or twice', async () => {
    for (const fault of ['write', 'finish', 'place', 'secure', 'commit'] as const) {
      for (const nth of [1, 2]) {
        await using stage = await openStage()
        const reports = reportsOf(stage)
        const report = reports.sign()
        const { reportId } = report
        if (fault === 'commit' && nth === 2) continue
        const broken = failing(stage.store, fault, nth)
        const breaking = storeObjects(broken, report)
        await expect(breaking).rejects.toThrow('the disk is gone')
        expect(ofReports(stage.store)).toEqual([])
        expect(listReportObjects(stage.store.database, reportId)).toEqual([])
        expect(stage.store.imageFiles.arriving.size).toBe(0)
        expect(stage.files()).toEqual({ images: [], spool: [] })
        await reports.archive(reportId)
        expect(ofReports(stage.store)).toHaveLength(2)
        expect(stage.files()).toMatchObject({ images: { length: 2 }, spool: [] })
      }
    }
  })

  it('are whole after a restart, which removes a file that got no row', async () => {
    await using stage = await openStage()
    const reports = reportsOf(stage)
    await reports.archive(reports.sign().reportId)
    await stage.reopen()
    await stage.intake.settled()
    expect(ofReports(stage.store)).toHaveLength(2)
    expect(stage.files().images).toHaveLength(2)
  })

  it('begin the row of a study that has no images here, which is settled and never seeded', async () => {
    await using stage = await openStage()
    const reports = reportsOf(stage)
    await reports.archive(reports.sign().reportId)
    const study = findImageStudy(stage.store.database, STUDY)
    expect(study).toMatchObject({
      state: 'settled',
      instances: 2,
      isFetched: false,
      mismatch: null,
      enrichment: { state: 'not-asked' },
    })
    expect(study?.header).toMatchObject({
      patientName: 'Sample^Sam',
      patientId: 'P100',
      accessionNumber: 'A100',
    })
    await stage.pass(IDLE_MS)
    expect(listCreatedStudies(stage.store.database, STUDY)).toEqual([])
  })

  it('do not stand in the way of images that come after them: what the device says is the first word on the study', async () => {
    await using stage = await openStage({ settings: { 'intake.areas': ['scribe', 'viewer'] } })
    const reports = reportsOf(stage)
    await reports.archive(
      reports.sign({ metadata: { patientName: 'Sam Sample (outpatient)' }, accessionNumber: '' })
        .reportId,
    )
    await stage.send(image(1))
    const study = findImageStudy(stage.store.database, STUDY)
    expect(study).toMatchObject({
      state: 'receiving',
      settledAt: null,
      mismatch: null,
      callingAeTitle: 'CT1',
      instances: 3,
    })
    expect(study?.header).toMatchObject({ patientName: 'Sample^Sam', accessionNumber: 'A100' })
    await stage.pass(IDLE_MS)
    // Of the areas, the viewer did not know it.
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'settled',
      mismatch: null,
    })
    expect(listCreatedStudies(stage.store.database, STUDY).map(({ area }) => area)).toEqual([
      'viewer',
    ])
    expect(stage.news.filter(({ text }) => /another patient/.test(englishText(text)))).toEqual([])
    // The second image finds the study as any other does.
    await stage.send(image(2, { PatientName: 'Other^Olga' }))
    expect(findImageStudy(stage.store.database, STUDY)?.mismatch?.amongImages).toHaveLength(1)
  })

  it('do not turn an earlier exam that is fetched later into one to be read', async () => {
    await using stage = await openStage({ isFetching: () => true })
    const reports = reportsOf(stage)
    await reports.archive(reports.sign().reportId)
    await stage.send(image(1))
    await stage.pass(IDLE_MS)
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      isFetched: true,
      state: 'settled',
    })
    expect(listCreatedStudies(stage.store.database, STUDY)).toEqual([])
  })

  it('name the patient as the images do, unless those are of somebody else', async () => {
    await using stage = await openStage()
    await stage.send(image(1))
    const reports = reportsOf(stage)
    await reports.archive(
      reports.sign({ metadata: { patientName: 'Sam Sample', mrn: 'P100', scanDate: '2026-03-09' } })
        .reportId,
    )
    const [first] = ofReports(stage.store)
    if (!first) return expect.fail()
    const same = valuesOf(stage, first)
    expect([same('PatientName'), same('PatientID'), same('StudyDate'), same('StudyTime')]).toEqual([
      'Sample^Sam',
      'P100',
      '20260310',
      '084512.5',
    ])

    await reports.archive(
      reports.sign({
        metadata: { patientName: 'Olga Other\\x', mrn: 'P999' },
        accessionNumber: 'A999',
      }).reportId,
    )
    const last = ofReports(stage.store).at(-1)
    if (!last) return expect.fail()
    const other = valuesOf(stage, last)
    expect([other('PatientName'), other('PatientID'), other('AccessionNumber')]).toEqual([
      'Olga Other/x',
      'P999',
      'A999',
    ])
  })

  it('leave out an identifier that DICOM has no room for: a part of it would be somebody else’s', async () => {
    await using stage = await openStage()
    const reports = reportsOf(stage)
    await reports.archive(
      reports.sign({
        metadata: { patientName: 'x'.repeat(500), mrn: '9'.repeat(65) },
        studyDescription: 'y'.repeat(1000),
      }).reportId,
    )
    const [first] = ofReports(stage.store)
    if (!first) return expect.fail()
    const of = valuesOf(stage, first)
    expect(of('PatientID')).toBe('')
    expect(of('PatientName')).toBe('x'.repeat(64))
  })

  it('are an object of their own for an addendum, which names the report it contains', async () => {
    await using stage = await openStage()
    const reports = reportsOf(stage)
    const primary = reports.sign()
    await reports.archive(primary.reportId)
    const addendum = reports.sign()
    const own = { reportId: addendum.reportId, ...reportPart({ isAddendum: true, text: 'More.' }) }
    const whole = { ...addendum, parts: [...primary.parts, own] }
    await storeObjects(stage.store, whole)
    const kept = ofReports(stage.store)
    expect(new Set(kept.map(({ sopInstanceUid }) => sopInstanceUid)).size).toBe(4)
    const last = kept.at(-1)
    if (!last) return expect.fail()
    expect(valuesOf(stage, last)('SeriesDescription')).toBe('Report with addendum 1')
    const bytes = readFileSync(stage.store.imageFiles.pathOf(last.file)).subarray(
      last.dataSetOffset,
    )
    const predecessors = readDataSet(bytes, TRANSFER_SYNTAX.explicitLittleEndian, {
      elements: 5000,
      depth: 20,
      bytes: 1 << 24,
    }).find(({ tag }) => tag === tagOf('PredecessorDocumentsSequence'))
    expect(JSON.stringify(predecessors?.value)).toContain(
      JSON.stringify(Buffer.from(String(kept[1]?.sopInstanceUid))).slice(20, 60),
    )
  })

  it('are not made where the clinic does not want them, nor of a report that is gone', async () => {
    await using stage = await openStage()
    const off = reportsOf(stage, { 'reports.archiveCopies': false })
    await off.work(off.sign().reportId)
    await reportsOf(stage).work('rep_00000000000000000000000000000000')
    expect(listStudyInstances(stage.store.database, STUDY)).toEqual([])
    expect(stage.files().images).toEqual([])
  })
})

describe('sending the copies', () => {
  it('goes to the destination of the setting by itself, in the transaction that keeps them, and once', async () => {
    await using stage = await openStage()
    const destinationId = addDestination(stage.store)
    const reports = reportsOf(stage, { 'reports.destinationId': destinationId })
    const { reportId } = reports.sign()
    await reports.archive(reportId)
    await reports.archive(reportId)
    expect(countForwardsTo(stage.store.database, destinationId)).toMatchObject({ waiting: 2 })
    expect(reports.send(reportId, destinationId)).toEqual({
      success: true,
      message: 'The report was already sent to PACS, or is queued to be sent.',
    })
  })

  it('goes nowhere where the destination of the setting was removed', async () => {
    await using stage = await openStage()
    const reports = reportsOf(stage, { 'reports.destinationId': randomUUID() })
    await reports.archive(reports.sign().reportId)
    expect(ofReports(stage.store)).toHaveLength(2)
  })

  it('goes to a destination that a person names, and says so in the audit trail', async () => {
    await using stage = await openStage()
    const destinationId = addDestination(stage.store)
    const reports = reportsOf(stage)
    const { reportId } = reports.sign()
    await reports.archive(reportId)
    expect(countForwardsTo(stage.store.database, destinationId)).toMatchObject({ waiting: 0 })
    expect(reports.send(reportId, destinationId)).toEqual({
      success: true,
      message: 'The report is queued for PACS.',
    })
    expect(countForwardsTo(stage.store.database, destinationId)).toMatchObject({ waiting: 2 })
    expect(reports.send(reportId, destinationId).message).toEqual(
      'The report was already sent to PACS, or is queued to be sent.',
    )
    const noted = stage.store.audit
      .list({ limit: 20 })
      .items.filter(({ action }) => action === 'report.send')
    expect(noted).toMatchObject(
      Array(2).fill({ actor: ACTOR, target: reportId, detail: { destinationId, objects: 2 } }),
    )
  })

  it('is refused for a destination that is gone or switched off, and for a report without objects', async () => {
    await using stage = await openStage()
    const destinationId = addDestination(stage.store)
    const off = addDestination(stage.store, { name: 'Old PACS', isEnabled: false })
    const reports = reportsOf(stage)
    const { reportId } = reports.sign()
    expect(() => reports.send(reportId, randomUUID())).toThrow('There is no such destination.')
    expect(() => reports.send(reportId, off)).toThrow('Old PACS is disabled')
    expect(() => reports.send(reportId, destinationId)).toThrow(
      'has not been saved as DICOM objects yet',
    )
    const never = reportsOf(stage, { 'reports.archiveCopies': false })
    expect(() => never.send(reportId, destinationId)).toThrow('reports.archiveCopies')
  })
})

function addDestination(store: Context, more: { name?: string; isEnabled?: boolean } = {}): string {
  const destinationId = randomUUID()
  const at = '2026-03-10T08:00:00.000Z'
  insertDestination(store.database, {
    ...{
      destinationId,
      name: 'PACS',
      aeTitle: 'PACS',
      host: '10.0.0.9',
      port: 104,
      isTls: false,
      isEnabled: true,
      isAutomatic: true,
    },
    ...{
      hasPriors: false,
      modalities: [],
      createdAt: at,
      updatedAt: at,
      lastSentAt: null,
      lastError: '',
      certificate: null,
    },
    ...more,
  } as never)
  return destinationId
}

/** The store whose disk, or database, gives up at the nth call. */
function failing(
  store: Context,
  fault: 'write' | 'finish' | 'place' | 'secure' | 'commit',
  nth: number,
): Context {
  let calls = 0
  const gone = () => {
    if (++calls === nth) throw new Error('the disk is gone')
  }
  const database = new Proxy(store.database, {
    get(target, name) {
      if (fault === 'commit' && name === 'commitSoon') return async () => gone()
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const begin: Context['imageFiles']['begin'] = () => {
    const part = store.imageFiles.begin()
    const broken = Object.create(part) as typeof part
    const methods = ['write', 'finish', 'place', 'secure', 'discard'] as const
    for (const name of methods)
      Object.assign(broken, {
        [name]: async (...given: never[]) => {
          if (name === fault) gone()
          return (part[name] as (...all: never[]) => Promise<void>)(...given)
        },
      })
    Object.defineProperty(broken, 'bytes', { get: () => part.bytes })
    return broken
  }
  const imageFiles = new Proxy(store.imageFiles, {
    get(target, name) {
      if (name === 'begin') return begin
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...store, database, imageFiles }
}
