import { describe, expect, it } from 'vitest'
import type { Order } from '#server/modules/corrections/correction-rules.ts'
import { listStudyInstances } from '#server/modules/images/instance-queries.ts'
import * as studyService from '#server/modules/studies/service.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import type { CorrectionRequest } from '#shared/contract/corrections.ts'
import { bound } from '../../../../support/bound.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { ORDER, TO_ORDER } from '../../../../support/corrections.ts'
import { completedReport, draftReport } from '../../../../support/reports.ts'
import { textOf } from '../../../../support/saying.ts'
import { HANDED_OUT, image, openStage, STUDY, type Values } from '../images/intake-fixture.ts'

const TARGET = ORDER.studyInstanceUid
const PATIENT = {
  patientName: 'Sample^Sue',
  patientId: 'P7',
  patientBirthDate: '19900101',
  patientSex: 'F',
  accessionNumber: 'A7',
} as const
/** An image of the patient of the order, in the study of the order. */
const inTarget = (more: Values = {}): Values =>
  image(1, {
    StudyInstanceUID: TARGET,
    SeriesInstanceUID: `${TARGET}.1`,
    SOPInstanceUID: `${TARGET}.1.1`,
    PatientName: 'Other^Olga',
    PatientID: 'P200',
    PatientBirthDate: '19910102',
    PatientSex: 'F',
    AccessionNumber: 'A200',
    ...more,
  })

async function clinic({
  images = [image(1), image(2)],
  order = ORDER,
  isComplete = true,
}: {
  readonly images?: readonly Values[]
  readonly order?: Order
  /** Whether the studies were still receiving when the correction is planned. */
  readonly isComplete?: boolean
} = {}) {
  const stage = await openStage({
    handedOut: async ({ studyInstanceUid }) =>
      studyInstanceUid === STUDY ? HANDED_OUT : undefined,
    orders: {
      onDays: async () => [order],
      get: async (orderId) => (orderId === order.orderId ? order : undefined),
    },
  })
  for (const values of images) expect((await stage.send(values)).status).toBe(0)
  if (isComplete) {
    stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
    await stage.pass(61_000)
  }
  const preview = (request: CorrectionRequest) => stage.corrections.preview(STUDY, request)
  return {
    ...stage,
    ids: listStudyInstances(stage.store.database, STUDY).map(({ instanceId }) => instanceId),
    preview,
    obstacle: async (request: CorrectionRequest) => textOf((await preview(request)).obstacle),
    warnings: async (request: CorrectionRequest = TO_ORDER) =>
      (await preview(request)).warnings.map((warning) => textOf(warning)),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  }
}

const typed = (more: Partial<Record<keyof typeof PATIENT, string>>): CorrectionRequest => ({
  kind: 'correct',
  target: { to: 'patient', patient: { ...PATIENT, ...more } as typeof PATIENT },
})

describe('what keeps a correction from being made', () => {
  it('is a split that chooses every image, and not one that leaves an image', async () => {
    await using at = await clinic()
    const split = (instanceIds: readonly number[]): CorrectionRequest => ({
      ...{ kind: 'split', target: TO_ORDER.target },
      instanceIds: [...instanceIds],
    })
    expect(await at.obstacle(split(at.ids))).toBe(
      'All images of the study are selected: reassign the study instead.',
    )
    expect(await at.preview(split(at.ids.slice(0, 1)))).toMatchObject({
      ...{ obstacle: null, instances: 1, staying: 1, toStudyInstanceUid: TARGET },
    })
  })

  it('is a study without images', async () => {
    await using at = await clinic({ images: [image(1)] })
    const { digest } = await at.preview(TO_ORDER)
    await at.corrections.apply(
      STUDY,
      { ...TO_ORDER, cause: 'wrong-worklist-entry', reason: 'wrong entry', digest },
      'usr_1',
    )
    expect(await at.obstacle(TO_ORDER)).toBe('There are no images to correct.')
  })

  it('is a merge or a split into the study itself, and not a reassignment to it', async () => {
    await using at = await clinic()
    const target = { to: 'study', studyInstanceUid: STUDY } as const
    const already = 'The images are already in this study.'
    expect(await at.obstacle({ kind: 'merge', target })).toBe(already)
    expect(await at.obstacle({ kind: 'split', target, instanceIds: at.ids.slice(0, 1) })).toBe(
      already,
    )
    expect(await at.obstacle({ kind: 'reassign', target })).toMatch('Nothing would change')
  })

  it('is a target whose Study Instance UID is no DICOM UID', async () => {
    await using at = await clinic({ order: { ...ORDER, studyInstanceUid: '1.2.03' } })
    expect(await at.obstacle(TO_ORDER)).toBe(
      'The Study Instance UID of the target is not a valid DICOM UID.',
    )
  })

  it('is a patient without a name and an ID: one of them is enough', async () => {
    await using at = await clinic()
    expect(await at.obstacle(typed({ patientName: '', patientId: '' }))).toBe(
      'A patient needs a name or an ID.',
    )
    expect(await at.obstacle(typed({ patientName: '' }))).toBe('')
    expect(await at.obstacle(typed({ patientId: '' }))).toBe('')
  })

  it.each([
    [{ patientName: 'N'.repeat(64) }, ''],
    [{ patientName: `${'N'.repeat(64)}=${'漢'.repeat(64)}` }, ''],
    [{ patientName: 'N'.repeat(65) }, 'The patient name of the target does not fit into an image.'],
    [
      { patientName: `Sample=${'漢'.repeat(65)}` },
      'The patient name of the target does not fit into an image.',
    ],
    [{ patientName: 'Sam\\ple' }, 'The patient name of the target does not fit into an image.'],
    [{ patientId: 'P'.repeat(64) }, ''],
    [{ patientId: 'P'.repeat(65) }, 'The patient ID of the target does not fit into an image.'],
    [
      { patientId: `${'P='.repeat(33)}` },
      'The patient ID of the target does not fit into an image.',
    ],
    [{ patientId: 'P\n7' }, 'The patient ID of the target does not fit into an image.'],
    [{ accessionNumber: 'A'.repeat(16) }, ''],
    [
      { accessionNumber: 'A'.repeat(17) },
      'The accession number of the target does not fit into an image.',
    ],
  ] as const)('is a value that does not fit into an image: %j', async (patient, obstacle) => {
    await using at = await clinic({ images: [image(1)] })
    expect(await at.obstacle(typed(patient))).toBe(obstacle)
  })
})

describe('what a person should know before a correction', () => {
  it('is nothing where all is at rest', async () => {
    await using at = await clinic()
    expect(await at.warnings()).toEqual([])
    expect(await at.preview(TO_ORDER)).toMatchObject({ signedReports: 0, destinations: [] })
  })

  it('is that a study is still receiving, the target too', async () => {
    await using at = await clinic({ images: [image(1), inTarget()], isComplete: false })
    expect(await at.warnings()).toEqual([
      'The study is still receiving images: images that arrive later are not corrected.',
      'The target study is still receiving images.',
    ])
    expect(await at.warnings(typed({}))).toEqual([
      'The study is still receiving images: images that arrive later are not corrected.',
    ])
  })

  it('is that a report is being written, and how many are signed', async () => {
    await using at = await clinic()
    const studies = bound(studyService, at.store)
    const { userId } = newUser(at.store)
    const here = findStudyByUid(at.store.database, 'scribe', STUDY)?.studyId ?? ''
    const there = studies.createStudy(newKey(at.store), 'scribe', {
      ...{ studyInstanceUid: TARGET, studyDescription: 'CT', severity: 'normal' },
    }).record.studyId
    const signedAt = '2026-03-10T09:00:00.000Z'
    completedReport(at.store, { studyId: here, userId, signedAt })
    expect(await at.preview(TO_ORDER)).toMatchObject({ signedReports: 1, warnings: [] })
    draftReport(at.store, { studyId: here, userId })
    expect(await at.warnings()).toEqual(['A report for the study is being written.'])
    completedReport(at.store, { studyId: there, userId, signedAt })
    expect(await at.warnings()).toEqual([
      'A report for the study is being written.',
      'A report of the target study is already signed: it will need an addendum, and everyone who received it must be notified.',
    ])
  })

  it('is nothing of the target where its only images are the ones that are corrected', async () => {
    await using at = await clinic({ order: { ...ORDER, studyInstanceUid: STUDY } })
    const request = { ...TO_ORDER, kind: 'correct' } as const
    expect(await at.obstacle(request)).toBe('')
    expect(await at.warnings(request)).toEqual([])
  })

  it.each([[{ PatientID: 'P300' }], [{ PatientName: 'Sample^Sam' }]])(
    'is that the images of the target name another patient: %j',
    async (other) => {
      await using at = await clinic({ images: [image(1), inTarget(other)] })
      expect(await at.warnings()).toEqual([
        'The images that are already in the target study name another patient.',
      ])
    },
  )

  it('is not that the target names the patient of the order', async () => {
    await using at = await clinic({ images: [image(1), inTarget()] })
    expect(await at.warnings()).toEqual([])
  })

  it('is that the order is for another modality', async () => {
    await using at = await clinic({ order: { ...ORDER, modality: ' MR ' } })
    expect(await at.warnings()).toEqual(['The order is for MR, but the images are CT.'])
  })

  it('is that the images name no modality where the order does', async () => {
    await using at = await clinic({ images: [image(1, { Modality: '' })] })
    expect(await at.warnings()).toEqual([
      'The order is for CT, but the images are of another kind.',
    ])
  })

  it('is not the modality of an order that names none', async () => {
    await using at = await clinic({ order: { ...ORDER, modality: ' ' } })
    expect(await at.warnings()).toEqual([])
  })

  it('is that documents keep the text they show', async () => {
    const pdf = image(3, {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.1',
      SeriesInstanceUID: '1.2.3.100.2',
      SOPInstanceUID: '1.2.3.100.2.1',
      Modality: 'DOC',
      MIMETypeOfEncapsulatedDocument: 'application/pdf',
    })
    const { Rows: _, Columns: __, PixelData: ___, ...document } = pdf
    await using at = await clinic({ images: [image(1), document] })
    expect(await at.warnings()).toEqual([
      'Documents among the images may show the patient in their text, which is not changed.',
    ])
  })
})
