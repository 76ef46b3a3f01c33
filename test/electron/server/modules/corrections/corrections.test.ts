import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Context } from '#server/context.ts'
import { rawQuery } from '#server/database/query.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { readDataSet, tagOf } from '#server/dicom/data-set/data-set.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { insertRejectionNote } from '#server/modules/corrections/correction-notice-queries.ts'
import type { CorrectionDone } from '#server/modules/corrections/correction-queries.ts'
import { listIdentities } from '#server/modules/corrections/corrections.ts'
import { findAnnotations, putAnnotations } from '#server/modules/images/annotation-queries.ts'
import {
  announceInstances,
  areAllReceived,
} from '#server/modules/images/announced-instance-queries.ts'
import { updateImageStudy } from '#server/modules/images/image-study-writing-queries.ts'
import {
  type InstanceRecord,
  listInstanceVersions,
  listStudyInstances,
} from '#server/modules/images/instance-queries.ts'
import { countQuarantined, listQuarantined } from '#server/modules/images/quarantine-queries.ts'
import { linkExam, undoDecision } from '#server/modules/reconciliation/decisions.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { addendumNeededSince } from '#server/modules/studies/needed-addendum-queries.ts'
import * as studyService from '#server/modules/studies/service.ts'
import { identityOf } from '#server/modules/studies/study-identity.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import type { Schedule } from '#server/modules/worklist/schedule.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { CorrectionRequest } from '#shared/contract/corrections.ts'
import type { Exam } from '#shared/contract/dashboard-exams.ts'
import { englishText } from '#shared/messages/english.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { ORDER, TO_ORDER } from '../../../../support/corrections.ts'
import { completedReport } from '../../../../support/reports.ts'
import { textOf as englishOf } from '../../../../support/saying.ts'
import {
  CT,
  HANDED_OUT,
  image,
  normalized,
  openStage,
  SERIES,
  STUDY,
  type Stage,
  type Values,
} from '../images/intake-fixture.ts'

async function clinic(
  images: readonly Values[] = [image(1), image(2)],
  {
    transferSyntax,
    isSent = false,
    ...ports
  }: Parameters<typeof openStage>[0] & {
    readonly transferSyntax?: string
    /** A destination may have got something of each correction. */
    readonly isSent?: boolean
  } = {},
) {
  const done: CorrectionDone[] = []
  const stage = await openStage({
    handedOut: async ({ studyInstanceUid }) =>
      studyInstanceUid === STUDY ? HANDED_OUT : undefined,
    orders: {
      onDays: async () => [ORDER],
      get: async (orderId) => (orderId === ORDER.orderId ? ORDER : undefined),
    },
    ...ports,
    onCorrected(one) {
      done.push(one)
      const { correctionId, fromStudyInstanceUid: studyInstanceUid, at } = one.correction
      const sopInstanceUid = `2.25.${done.length}`
      if (isSent && !one.isUndo)
        insertRejectionNote(stage.store.database, {
          correctionId,
          studyInstanceUid,
          sopInstanceUid,
          createdAt: at,
        })
    },
  })
  for (const values of images)
    expect((await stage.send(values, transferSyntax ? { transferSyntax } : {})).status).toBe(0)
  await stage.pass(60_000)
  const { corrections } = stage
  const apply = async (request: CorrectionRequest, studyInstanceUid = STUDY) => {
    const { digest } = await corrections.preview(studyInstanceUid, request)
    return corrections.apply(
      studyInstanceUid,
      { ...request, cause: 'wrong-worklist-entry', reason: 'wrong entry', digest },
      'usr_1',
    )
  }
  return {
    ...stage,
    get intake() {
      return stage.intake
    },
    stage,
    corrections,
    apply,
    done,
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  }
}

async function dataSetOfFile(store: Context, { file }: InstanceRecord): Promise<DataSet> {
  const path = store.imageFiles.pathOf(file)
  const { dataSetOffset, transferSyntaxUid } = await readFileMeta(path)
  return readDataSet(readFileSync(path).subarray(dataSetOffset), transferSyntaxUid, {
    elements: 10_000,
    depth: 8,
    bytes: 1 << 20,
  })
}

const bytesIn = (dataSet: DataSet, keyword: string) =>
  dataSet.find(({ tag }) => tag === tagOf(keyword))?.value
const textOf = (dataSet: DataSet, keyword: string) => {
  const value = bytesIn(dataSet, keyword)
  return Buffer.isBuffer(value) ? value.toString('utf8').replace(/[\0 ]+$/, '') : undefined
}
const itemsOf = (dataSet: DataSet, keyword: string) =>
  (bytesIn(dataSet, keyword) ?? []) as readonly DataSet[]

const stateOf = (store: Context, uid: string) =>
  identityOf(findImageStudy(store.database, uid), findStudyByUid(store.database, 'scribe', uid))
    .state

test('reassigning to an order makes corrected copies, and keeps the originals', async () => {
  await using at = await clinic()
  const { store, corrections, apply } = at
  const before = listStudyInstances(store.database, STUDY)
  const files = before.map(({ file }) => readFileSync(store.imageFiles.pathOf(file)))

  const preview = await corrections.preview(STUDY, TO_ORDER)
  expect(preview).toMatchObject({ obstacle: null, instances: 2, toStudyInstanceUid: '1.2.3.200' })
  expect(preview.changes.map(({ field, before: [was], after }) => [field, was, after])).toEqual([
    ['patientName', 'Sample^Sam', 'Other^Olga'],
    ['patientId', 'P100', 'P200'],
    ['patientBirthDate', '19800511', '19910102'],
    ['patientSex', 'M', 'F'],
    ['accessionNumber', 'A100', 'A200'],
    ['studyInstanceUid', STUDY, '1.2.3.200'],
  ])
  const correction = await apply(TO_ORDER)
  expect(correction).toMatchObject({
    kind: 'reassign',
    instances: 2,
    undone: null,
    undoObstacle: null,
  })

  expect(listStudyInstances(store.database, STUDY)).toEqual([])
  const copies = listStudyInstances(store.database, '1.2.3.200')
  expect(copies).toHaveLength(2)
  expect(new Set(copies.map(({ seriesInstanceUid }) => seriesInstanceUid)).size).toBe(1)
  for (const [index, { file }] of before.entries())
    expect(readFileSync(store.imageFiles.pathOf(file)).equals(files[index] as Buffer)).toBe(true)

  const copy = await dataSetOfFile(store, copies[0] as InstanceRecord)
  expect(textOf(copy, 'PatientName')).toBe('Other^Olga')
  expect(textOf(copy, 'StudyID')).toBe('R200')
  expect(textOf(copy, 'ReferringPhysicianName')).toBe('Refer^Dora')
  expect(textOf(copy, 'PatientWeight')).toBeUndefined()
  expect(textOf(copy, 'PixelData')).toBe('pixels__')
  expect(
    textOf(itemsOf(copy, 'RequestAttributesSequence')[0] ?? [], 'ScheduledProcedureStepID'),
  ).toBe('S200')
  const [original] = itemsOf(copy, 'OriginalAttributesSequence')
  const modified = itemsOf(original ?? [], 'ModifiedAttributesSequence')[0] ?? []
  expect(textOf(original ?? [], 'ReasonForTheAttributeModification')).toBe('CORRECT')
  expect(textOf(original ?? [], 'SourceOfPreviousValues')).toBe('CT1')
  expect(textOf(modified, 'PatientName')).toBe('Sample^Sam')
  expect(textOf(modified, 'PatientWeight')).toBe('81.5')
  expect(textOf(modified, 'SOPInstanceUID')).toBe(`${SERIES}.1`)
  expect(textOf(modified, 'StudyInstanceUID')).toBe(STUDY)

  await at.stage.pass(60_000)
  expect(stateOf(store, '1.2.3.200')).toBe('resolved')
  expect(stateOf(store, STUDY)).toBe('unverified')
  expect(findImageStudy(store.database, STUDY)).toMatchObject({ instances: 0, series: 0, bytes: 0 })
})

test('an undo makes the originals current again', async () => {
  await using at = await clinic()
  const { store, corrections, apply, done } = at
  const before = listStudyInstances(store.database, STUDY)
  const study = findImageStudy(store.database, STUDY)
  const { correctionId } = await apply(TO_ORDER)
  const undone = await corrections.undo(correctionId, 'it was right', 'usr_2')
  expect(undone.undone).toMatchObject({ reason: 'it was right' })
  expect(listStudyInstances(store.database, STUDY)).toEqual(before)
  expect(listStudyInstances(store.database, '1.2.3.200')).toEqual([])
  const { header, handedOut, mismatch, instances, series, bytes } =
    findImageStudy(store.database, STUDY) ?? {}
  expect({ header, handedOut, mismatch, instances, series, bytes }).toEqual({
    ...{ header: study?.header, handedOut: study?.handedOut, mismatch: study?.mismatch },
    ...{ instances: study?.instances, series: study?.series, bytes: study?.bytes },
  })
  expect(
    done.map(({ isUndo, pairs }) => [
      isUndo,
      pairs.map(({ original, copy }) => [original.state, copy.state]),
    ]),
  ).toEqual([
    [
      false,
      [
        ['superseded', 'current'],
        ['superseded', 'current'],
      ],
    ],
    [
      true,
      [
        ['current', 'superseded'],
        ['current', 'superseded'],
      ],
    ],
  ])
  await expect(corrections.undo(correctionId, 'again', 'usr_2')).rejects.toThrow(
    'It was already undone.',
  )
})

/** Links exams without an order to an order of this patient, as a person does on Reconcile. */
function linking(
  { store, intake }: Stage,
  { patientName, patientId, patientBirthDate, patientSex }: typeof TYPED,
) {
  const [scheduledProcedureStepId, studyInstanceUid] = ['S300', '1.2.3.350']
  const exam = {
    ...{
      studyInstanceUid,
      scheduledProcedureStepId,
      patientName,
      patientId,
      patientBirthDate,
      patientSex,
    },
    ...{
      accessionNumber: 'A300',
      modality: 'CT',
      description: 'CT head',
      location: '',
      startDate: '20260310',
      startTime: '084500',
    },
    ...{
      severity: 'normal',
      state: 'scheduled',
      since: null,
      images: 0,
      imageStudyUid: null,
      study: null,
      withheld: '',
    },
    ...{ remarks: [], isOverdue: false, isClosed: false, devices: [] },
  } as unknown as Exam
  const schedule: Pick<Schedule, 'scheduled'> = {
    scheduled: async () => ({
      exams: [{ exam, requestedProcedureId: 'R300' }],
      source: { kind: 'live', receivedAt: null, fault: null, awaySince: null },
      oldestAt: null,
    }),
  }
  const orderChanged: Parameters<typeof undoDecision>[3] = (uid, change) =>
    intake.completion.orderChanged(uid, change === 'unlinked')
  const manager = atTheWindow(newUser(store, { canManageStudies: true }))
  const orderId = `2026-03-10 ${studyInstanceUid} ${scheduledProcedureStepId}`
  return {
    link: (uid: string) => linkExam(store, schedule, manager, uid, orderId, orderChanged),
    unlink: (decisionId: number) => undoDecision(store, manager, decisionId, orderChanged),
  }
}

test('an undo does not overwrite a link that was made after the correction: the link is undone first', async () => {
  await using at = await clinic([image(1, { AccessionNumber: '' })], MADE_OF_IMAGES)
  const { store, corrections, apply, stage } = at
  stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
  await stage.pass(61_000)
  const { correctionId } = await apply({
    kind: 'correct',
    target: { to: 'patient', patient: { ...TYPED, accessionNumber: '' } },
  })
  await stage.pass(61_000)
  const on = linking(stage, TYPED)
  const { decisionId } = await on.link(STUDY)
  const linked = findImageStudy(store.database, STUDY)?.handedOut
  expect(linked).toMatchObject({ accessionNumber: 'A300', linkedBy: 'Una Malá' })

  const obstacle =
    'Since the correction, images were linked to the order A300: undo that under Reconcile first.'
  expect(corrections.list(STUDY)).toMatchObject([{ undoObstacle: obstacle }])
  await expect(corrections.undo(correctionId, 'as it was', 'usr_1')).rejects.toMatchObject({
    code: 'refused',
    message: obstacle,
  })
  expect(findImageStudy(store.database, STUDY)?.handedOut).toEqual(linked)
  stage.clock.pass(1000)
  on.unlink(decisionId)
  await corrections.undo(correctionId, 'as it was', 'usr_1')
  expect(findImageStudy(store.database, STUDY)?.handedOut).toBeNull()
})

test('an undo does not take the images out of a study that was linked after they were moved to it', async () => {
  await using at = await clinic(
    [image(1), image(2, { ...WRONG, AccessionNumber: '' })],
    MADE_OF_IMAGES,
  )
  const { store, corrections, apply, stage } = at
  stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
  await stage.pass(61_000)
  const [, second] = listStudyInstances(store.database, STUDY)
  const patient = { ...TYPED, accessionNumber: '' }
  const request: CorrectionRequest = {
    kind: 'split',
    target: { to: 'patient', patient },
    instanceIds: [second?.instanceId ?? 0],
  }
  const { correctionId, toStudyInstanceUid } = await apply(request)
  await stage.pass(61_000)
  await linking(stage, TYPED).link(toStudyInstanceUid)
  await expect(corrections.undo(correctionId, 'as it was', 'usr_1')).rejects.toThrow(
    'linked to the order A300',
  )
  expect(listStudyInstances(store.database, toStudyInstanceUid)).toHaveLength(1)
})

test.each([false, true])(
  'an undo keeps the worklist row that was found after the correction, sent: %s',
  async (isSent) => {
    await using at = await clinic(undefined, {
      handedOut: async () => undefined,
      isSent,
    })
    const { store, corrections, apply, stage } = at
    const { correctionId } = await apply({
      kind: 'correct',
      target: { to: 'patient', patient: TYPED },
    })
    updateImageStudy(store.database, STUDY, { handedOut: HANDED_OUT })
    await corrections.undo(correctionId, 'as it was', 'usr_1')
    await stage.pass(60_000)
    expect(findImageStudy(store.database, STUDY)).toMatchObject({
      handedOut: HANDED_OUT,
      mismatch: null,
    })
    expect(stateOf(store, STUDY)).toBe(isSent ? 'resolved' : 'matched')
  },
)

test.each([false, true])(
  'an undo takes the row of the order back, that the correction gave a study with images, sent: %s',
  async (isSent) => {
    const uids = {
      StudyInstanceUID: ORDER.studyInstanceUid,
      SeriesInstanceUID: '1.2.3.200.1',
      SOPInstanceUID: '1.2.3.200.1.1',
    }
    const there = image(1, { ...WRONG, ...uids })
    await using at = await clinic([image(1), there], {
      handedOut: async () => undefined,
      isSent,
    })
    const { store, corrections, apply } = at
    const { correctionId } = await apply(TO_ORDER)
    expect(findImageStudy(store.database, ORDER.studyInstanceUid)?.handedOut).toMatchObject({
      accessionNumber: 'A200',
    })
    await corrections.undo(correctionId, 'as it was', 'usr_1')
    expect(findImageStudy(store.database, ORDER.studyInstanceUid)).toMatchObject({
      handedOut: null,
      instances: 1,
    })
  },
)

test('what a device sends again of a corrected image does not bring it back', async () => {
  await using at = await clinic()
  const { store, apply, stage } = at
  await apply(TO_ORDER)
  expect((await stage.send(image(1))).status).toBe(0)
  expect(
    (await stage.send(image(1), { transferSyntax: TRANSFER_SYNTAX.implicitLittleEndian })).status,
  ).toBe(0)
  expect(listStudyInstances(store.database, STUDY)).toEqual([])
  expect(listQuarantined(store.database, { limit: 5 }).items).toEqual([])
  expect((await stage.send(image(2, { StudyDescription: 'other' }))).status).toBe(0)
  const [set] = listQuarantined(store.database, { limit: 5 }).items
  expect(set?.reason).toBe('different-content')
  await expect(
    stage.intake.quarantine.release(set?.instanceId ?? 0, 'try', 'gateway'),
  ).rejects.toThrow('undo the correction')
  const original = listInstanceVersions(store.database, `${SERIES}.1`)[0]
  expect(() =>
    stage.intake.quarantine.restoreVersion(original?.instanceId ?? 0, 'try', 'gateway'),
  ).toThrow('undo the correction')
})

test.each(Object.values(TRANSFER_SYNTAX))(
  '%s is copied in its own transfer syntax',
  async (transferSyntax) => {
    await using at = await clinic([image(1)], { transferSyntax })
    await at.apply(TO_ORDER)
    const [copy] = listStudyInstances(at.store.database, '1.2.3.200')
    expect(copy?.transferSyntaxUid).toBe(transferSyntax)
    const dataSet = await dataSetOfFile(at.store, copy as InstanceRecord)
    expect(textOf(dataSet, 'PatientID')).toBe('P200')
    expect((bytesIn(dataSet, 'Rows') as Buffer).readUInt16LE()).toBe(2)
    expect((bytesIn(dataSet, 'PixelData') as Buffer).toString()).toBe('pixels__')
  },
)

const TYPED = {
  patientName: 'Sample^Sue',
  patientId: 'P7',
  patientBirthDate: '19900101',
  patientSex: 'F',
  accessionNumber: 'A7',
} as const
const WRONG: Values = {
  PatientName: 'Other^Olga',
  PatientID: 'P200',
  PatientBirthDate: '19910102',
  PatientSex: 'F',
  AccessionNumber: 'A200',
}

test('two patients in one study are split, and neither is a mismatch any more', async () => {
  const reference = (number: number) => ({
    ReferencedSOPClassUID: '1.2',
    ReferencedSOPInstanceUID: `${SERIES}.${number}`,
  })
  await using at = await clinic([
    image(1),
    image(2, WRONG),
    image(3, { ...WRONG, SourceImageSequence: [reference(1), reference(2)] }),
  ])
  const { store, corrections, apply, stage } = at
  expect(stateOf(store, STUDY)).toBe('mismatch')
  const identities = await listIdentities(store, STUDY)
  expect(
    identities.map(({ patientName, instanceIds, instanceNumbers }) => [
      patientName,
      instanceIds.length,
      instanceNumbers,
    ]),
  ).toEqual([
    ['Sample^Sam', 1, ['1']],
    ['Other^Olga', 2, ['2', '3']],
  ])
  const instanceIds = identities[1]?.instanceIds ?? []
  const request: CorrectionRequest = { kind: 'split', target: TO_ORDER.target, instanceIds }
  expect(await corrections.preview(STUDY, request)).toMatchObject({
    instances: 2,
    staying: 1,
    obstacle: null,
  })
  await apply(request)
  await stage.pass(60_000)
  expect([stateOf(store, STUDY), stateOf(store, '1.2.3.200')]).toEqual(['resolved', 'resolved'])
  expect(
    listStudyInstances(store.database, STUDY).map(({ sopInstanceUid }) => sopInstanceUid),
  ).toEqual([`${SERIES}.1`])
  const [second, third] = listStudyInstances(store.database, '1.2.3.200') as [
    InstanceRecord,
    InstanceRecord,
  ]
  const sources = itemsOf(await dataSetOfFile(store, third), 'SourceImageSequence')
  expect(sources.map((item) => textOf(item, 'ReferencedSOPInstanceUID'))).toEqual([
    `${SERIES}.1`,
    second.sopInstanceUid,
  ])
})

test('a study is merged into another, whose attributes it takes', async () => {
  const other = {
    StudyInstanceUID: '1.2.3.300',
    SeriesInstanceUID: '1.2.3.300.1',
    SOPInstanceUID: '1.2.3.300.1.1',
  }
  await using at = await clinic([
    image(1, WRONG),
    image(1, { ...other, StudyDescription: 'CT abdomen', StudyTime: '070000' }),
  ])
  const { store, apply, stage } = at
  const request: CorrectionRequest = {
    kind: 'merge',
    target: { to: 'study', studyInstanceUid: '1.2.3.300' },
  }
  await apply(request)
  await stage.pass(60_000)
  const [, copy] = listStudyInstances(store.database, '1.2.3.300') as [
    InstanceRecord,
    InstanceRecord,
  ]
  const dataSet = await dataSetOfFile(store, copy)
  const texts = [
    'PatientName',
    'PatientID',
    'StudyDescription',
    'StudyTime',
    'AccessionNumber',
  ].map((keyword) => textOf(dataSet, keyword))
  expect(texts).toEqual(['Sample^Sam', 'P100', 'CT abdomen', '070000', 'A100'])
  expect(stateOf(store, '1.2.3.300')).toBe('resolved')
  expect(findImageStudy(store.database, '1.2.3.300')).toMatchObject({ instances: 2, series: 2 })
})

test('where something left the gateway, an undo is a further correction with the original values', async () => {
  await using at = await clinic([image(1), image(2)], { isSent: true })
  const { store, corrections, apply, done } = at
  const before = listStudyInstances(store.database, STUDY)
  const { correctionId } = await apply(TO_ORDER)
  await corrections.undo(correctionId, 'it was right', 'usr_2')
  const now = listStudyInstances(store.database, STUDY)
  expect(now).toHaveLength(2)
  expect(listStudyInstances(store.database, '1.2.3.200')).toEqual([])
  for (const [index, copy] of now.entries()) {
    const [was, is] = [
      await dataSetOfFile(store, before[index] as InstanceRecord),
      await dataSetOfFile(store, copy),
    ]
    const changed = ['SOPInstanceUID', 'SeriesInstanceUID', 'OriginalAttributesSequence'].map(tagOf)
    const rest = (dataSet: DataSet) => dataSet.filter(({ tag }) => !changed.includes(tag))
    expect(rest(is)).toEqual(rest(was))
    expect(copy.sopInstanceUid).not.toBe(before[index]?.sopInstanceUid)
  }
  expect(done.map(({ isUndo, correction }) => [isUndo, correction.undoes !== null])).toEqual([
    [false, false],
    [false, true],
  ])
  const [further, first] = done.map(({ correction }) => correction).reverse()
  expect(further).toMatchObject({ kind: 'reassign', undoes: correctionId, userId: 'usr_2' })
  expect(further?.details).toMatchObject({ reason: 'it was right', undoReason: '' })
  expect(further?.details.changes).toEqual(
    first?.details.changes.map(({ field, before: [value = ''], after }) => ({
      ...{ field, before: [after], after: value },
    })),
  )
  expect(
    store.audit
      .list({ limit: 50, cursor: undefined })
      .items.find(({ action }) => action === 'images.undo-correction'),
  ).toMatchObject({
    ...{ actor: 'user:usr_2', target: STUDY },
    detail: {
      ...{ correctionId, reason: 'it was right', instances: 2 },
      furtherCorrectionId: further?.correctionId,
    },
  })
  // The original stays withdrawn: an archive that rejected it does not show it again.
  expect((await at.stage.send(image(1))).status).toBe(0)
  expect(listStudyInstances(store.database, STUDY)).toEqual(now)
  const listed = corrections.list(STUDY)
  // Both were made in the same millisecond.
  expect(listed.map(({ undoObstacle }) => englishOf(undoObstacle)).sort()).toEqual([
    'It was already undone.',
    'This correction undid another one and cannot be undone: correct the images again instead.',
  ])
})

test('an order that is not what was shown is refused', async () => {
  await using at = await clinic()
  const { corrections, stage } = at
  const { digest } = await corrections.preview(STUDY, TO_ORDER)
  await stage.send(image(3))
  const order = { ...TO_ORDER, cause: 'wrong-worklist-entry', reason: 'test', digest } as const
  await expect(corrections.apply(STUDY, order, 'usr_1')).rejects.toMatchObject({ code: 'outdated' })
  expect(listStudyInstances(at.store.database, STUDY)).toHaveLength(3)
})

test('what cannot be done is said in the preview, and refused', async () => {
  await using at = await clinic()
  const { corrections, store } = at
  const [first] = listStudyInstances(store.database, STUDY)
  const obstacle = async (request: CorrectionRequest) =>
    englishOf((await corrections.preview(STUDY, request)).obstacle)
  const same = {
    patientName: 'Sample^Sam',
    patientId: 'P100',
    patientBirthDate: '19800511',
    patientSex: 'M',
    accessionNumber: 'A100',
  } as const
  expect(await obstacle({ kind: 'split', target: TO_ORDER.target })).toBe('No image is selected.')
  expect(
    await obstacle({
      kind: 'split',
      target: TO_ORDER.target,
      instanceIds: [first?.instanceId ?? 0, 999],
    }),
  ).toMatch('no longer in the study')
  expect(await obstacle({ kind: 'merge', target: TO_ORDER.target })).toMatch(
    'only into a study that has images',
  )
  expect(await obstacle({ kind: 'correct', target: TO_ORDER.target })).toMatch('in their study')
  expect(await obstacle({ kind: 'correct', target: { to: 'patient', patient: same } })).toMatch(
    'Nothing would change',
  )
  expect(await obstacle({ kind: 'reassign', target: { to: 'order', orderId: 'gone' } })).toMatch(
    'no longer exists',
  )
  const { digest } = await corrections.preview(STUDY, { kind: 'merge', target: TO_ORDER.target })
  const order = {
    kind: 'merge',
    target: TO_ORDER.target,
    cause: 'patient-safety',
    reason: 'test',
    digest,
  } as const
  await expect(corrections.apply(STUDY, order, 'usr_1')).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('only into a study that has images'),
  })
})

test('a correction says who made it and who undid it, and the audit trail what it was', async () => {
  await using at = await clinic()
  const { store, corrections } = at
  const [maker, undoer] = [
    newUser(store, { firstName: 'Mia', lastName: 'Maker' }),
    newUser(store, { firstName: 'Uwe', lastName: '' }),
  ]
  const { digest } = await corrections.preview(STUDY, TO_ORDER)
  const said = { cause: 'wrong-worklist-entry', reason: 'wrong entry' } as const
  const made = await corrections.apply(STUDY, { ...TO_ORDER, ...said, digest }, maker.userId)
  const { correctionId } = made
  const studies = { fromStudyInstanceUid: STUDY, toStudyInstanceUid: ORDER.studyInstanceUid }
  expect(made).toMatchObject({ ...said, ...studies, by: 'Mia Maker', undone: null })
  expect(made.changes).toHaveLength(6)
  expect(corrections.list(STUDY)).toEqual([made])
  expect(corrections.list(ORDER.studyInstanceUid)).toEqual([made])
  const audited = store.audit.list({ limit: 20, cursor: undefined }).items
  expect(audited.find(({ action }) => action === 'images.correct')).toMatchObject({
    ...{ actor: `user:${maker.userId}`, target: STUDY },
    detail: {
      ...{ correctionId, kind: 'reassign', ...said, instances: 2 },
      toStudyInstanceUid: ORDER.studyInstanceUid,
    },
  })
  const undone = await corrections.undo(correctionId, 'it was right', undoer.userId)
  expect(undone.undone).toMatchObject({ by: 'Uwe', reason: 'it was right' })
  expect(
    store.audit
      .list({ limit: 20, cursor: undefined })
      .items.find(({ action }) => action === 'images.undo-correction'),
  ).toMatchObject({
    ...{ actor: `user:${undoer.userId}`, target: STUDY },
    detail: { correctionId, reason: 'it was right', instances: 2 },
  })
  // Of an account that is gone the name is not known.
  const { by } = await at.apply(TO_ORDER)
  expect(by).toBe('')
})

test('images of one patient are listed for each series, as their device describes it', async () => {
  const other = { SeriesInstanceUID: '1.2.3.100.2', SOPInstanceUID: '1.2.3.100.2.1' }
  await using at = await clinic([
    image(1, { SeriesDescription: 'Head' }),
    image(2),
    image(3, other),
    image(4, { ...other, SOPInstanceUID: '1.2.3.100.2.4', PatientID: 'P1' }),
  ])
  const sam = { patientName: 'Sample^Sam', patientId: 'P100', modality: 'CT' }
  expect(await listIdentities(at.store, STUDY)).toMatchObject([
    { ...sam, seriesInstanceUid: SERIES, seriesDescription: 'Head', instanceNumbers: ['1', '2'] },
    { ...sam, seriesInstanceUid: '1.2.3.100.2', seriesDescription: '', instanceNumbers: ['3'] },
    { ...sam, patientId: 'P1', seriesInstanceUid: '1.2.3.100.2', instanceNumbers: ['4'] },
  ])
})

test('of studies and corrections that are not known nothing is said', async () => {
  await using at = await clinic()
  const { corrections } = at
  const unknown = { code: 'not-found', message: 'There are no images for this study.' }
  await expect(listIdentities(at.store, '1.2.9')).rejects.toMatchObject(unknown)
  await expect(corrections.targets('1.2.9', '')).rejects.toMatchObject(unknown)
  expect(() => corrections.list('1.2.9')).toThrow(expect.objectContaining(unknown))
  const none = { code: 'not-found', message: 'There is no such correction.' }
  await expect(corrections.undo('gone', 'no', 'usr_1')).rejects.toMatchObject(none)
})

test('a corrected patient keeps the study and everything that is not of the patient', async () => {
  await using at = await clinic([
    image(1, {
      RequestAttributesSequence: [{ ScheduledProcedureStepID: 'S100', AccessionNumber: 'A100' }],
    }),
  ])
  const { store, apply } = at
  await apply({ kind: 'correct', target: { to: 'patient', patient: TYPED } })
  const [copy] = listStudyInstances(store.database, STUDY)
  const dataSet = await dataSetOfFile(store, copy as InstanceRecord)
  expect(textOf(dataSet, 'StudyInstanceUID')).toBe(STUDY)
  expect(textOf(dataSet, 'PatientWeight')).toBe('81.5')
  expect(textOf(dataSet, 'ReferringPhysicianName')).toBe('Refer^Rita')
  const [requested] = itemsOf(dataSet, 'RequestAttributesSequence')
  expect(textOf(requested ?? [], 'AccessionNumber')).toBe('A7')
  expect(textOf(requested ?? [], 'ScheduledProcedureStepID')).toBe('S100')
  // What was corrected is what the row should have said.
  expect(stateOf(store, STUDY)).toBe('resolved')
  expect((await at.corrections.targets(STUDY, 'olga'))[0]).toMatchObject({
    target: TO_ORDER.target,
    patientName: 'Other^Olga',
  })
})

test('what was announced and drawn follows the images, and comes back', async () => {
  await using at = await clinic()
  const { store, corrections, apply } = at
  const uids = [1, 2].map((number) => ({
    sopInstanceUid: `${SERIES}.${number}`,
    seriesInstanceUid: SERIES,
  }))
  announceInstances(store.database, STUDY, uids, '2026-03-10T09:00:00.000Z')
  const drawn = { data: 'Length', referencedImageId: `isthmus:${STUDY}/${SERIES}.1/1` }
  putAnnotations(store.database, {
    ...{ studyInstanceUid: STUDY, owner: 'usr_9', revision: 3 },
    ...{ annotations: [drawn, 'without an image'], updatedAt: '2026-03-10T09:00:00.000Z' },
  })
  const { correctionId } = await apply(TO_ORDER)
  expect(findImageStudy(store.database, STUDY)).toMatchObject({ expected: null, missing: 0 })
  expect(findImageStudy(store.database, '1.2.3.200')).toMatchObject({
    expected: 2,
    missing: 0,
    instances: 2,
  })
  // A late announcement of an original says nothing new.
  announceInstances(store.database, STUDY, uids, '2026-03-10T09:30:00.000Z')
  expect(findImageStudy(store.database, STUDY)).toMatchObject({ expected: null, missing: 0 })
  expect(
    areAllReceived(
      store.database,
      uids.map(({ sopInstanceUid }) => sopInstanceUid),
    ),
  ).toBe(true)
  const [copy] = listStudyInstances(store.database, '1.2.3.200')
  expect(findAnnotations(store.database, '1.2.3.200', 'usr_9')?.annotations).toEqual([
    { ...drawn, referencedImageId: `isthmus:1.2.3.200/${copy?.sopInstanceUid}/1` },
  ])
  expect(findAnnotations(store.database, STUDY, 'usr_9')).toEqual({
    revision: 4,
    annotations: ['without an image'],
  })
  await corrections.undo(correctionId, 'as it was', 'usr_1')
  expect(findImageStudy(store.database, STUDY)).toMatchObject({ expected: 2, missing: 0 })
  expect(findAnnotations(store.database, STUDY, 'usr_9')?.annotations).toEqual([
    'without an image',
    drawn,
  ])
})

test('an original is committed to its device after it was corrected', async () => {
  await using at = await clinic([image(1)], { settings: { 'commitment.isOn': true } })
  await at.apply(TO_ORDER)
  const TransactionUID = '1.2.3.900'
  const item = { ReferencedSOPClassUID: CT, ReferencedSOPInstanceUID: `${SERIES}.1` }
  const asked = normalized(
    { TransactionUID, ReferencedSOPSequence: [item] },
    { sopInstanceUid: '1.2.840.10008.1.20.1.1' },
  )
  expect(await at.stage.intake.commitments.action({ ...asked, actionTypeId: 1 })).toEqual({
    status: 0,
  })
  await at.stage.pass(60_000)
  const committed = [{ sopClassUid: CT, sopInstanceUid: `${SERIES}.1` }]
  expect(at.stage.reports).toEqual([{ transactionUid: TransactionUID, committed, failed: [] }])
  expect(findImageStudy(at.store.database, STUDY)).toMatchObject({ expected: null })
})

test('a study of the interface that was made of the images says what they say after a correction, and after its undo', async () => {
  await using at = await clinic([image(1)], {
    settings: { 'intake.areas': ['scribe'] },
    handedOut: async () => undefined,
  })
  const { store, corrections, apply, stage } = at
  const named = () => findStudyByUid(store.database, 'scribe', STUDY)?.detail.reportMetadata?.mrn
  stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
  await stage.pass(61_000)
  expect(named()).toBe('P100')
  const { correctionId } = await apply({
    kind: 'correct',
    target: { to: 'patient', patient: TYPED },
  })
  await stage.pass(60_000)
  expect([named(), stateOf(store, STUDY)]).toEqual(['P7', 'resolved'])
  await corrections.undo(correctionId, 'as it was', 'usr_1')
  await stage.pass(60_000)
  expect([named(), stateOf(store, STUDY)]).toEqual(['P100', 'unverified'])
})

/** Holds a correction whose copies are written, before they take their places. */
function gated() {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const pass = () => {
    reached.resolve()
    return opened.promise
  }
  return { pass, reached: reached.promise, open: opened.resolve, fail: opened.reject }
}

test('a correction that is under way when the gateway stops changes nothing', async () => {
  const folders: string[] = []
  await using at = await clinic(
    [1, 2, 3].map((number) => image(number)),
    { longMs: 0 },
  )
  const { store, apply, stage } = at
  await apply(TO_ORDER)
  await stage.reopen(() => folders.push(...stage.files().images))
  expect(folders).toHaveLength(3)
  expect(listStudyInstances(store.database, STUDY)).toHaveLength(3)
  expect(stage.news.map(({ text }) => englishText(text))).toContainEqual(
    expect.stringContaining('failed. Nothing was changed'),
  )
})

test('a correction that takes long is answered while it is under way, and no other of these images begins', async () => {
  const gate = gated()
  await using at = await clinic(undefined, { longMs: 0, flushEvents: gate.pass })
  const { store, corrections, apply, stage } = at
  const correction = await apply(TO_ORDER)
  expect(correction).toMatchObject({
    kind: 'reassign',
    instances: 2,
    undone: null,
    progress: expect.any(Number),
  })
  expect(englishOf(correction.undoObstacle)).toContain('is in progress')
  expect(corrections.list(STUDY)).toMatchObject([
    { correctionId: correction.correctionId, progress: expect.any(Number) },
  ])
  expect(await corrections.preview(STUDY, TO_ORDER)).toMatchObject({
    obstacle: correction.undoObstacle,
  })
  await expect(apply(TO_ORDER)).rejects.toThrow('is in progress')
  // Until it is done nothing has changed.
  expect(listStudyInstances(store.database, STUDY)).toHaveLength(2)
  await gate.reached
  gate.open()
  await stage.reopen()
  expect(listStudyInstances(store.database, '1.2.3.200')).toHaveLength(2)
  expect(stage.corrections.list(STUDY)).toMatchObject([
    { correctionId: correction.correctionId, progress: null, undoObstacle: null },
  ])
})

test('a correction that fails after it was answered changes nothing, and the failure is shown', async () => {
  const gate = gated()
  await using at = await clinic(undefined, { longMs: 0, flushEvents: gate.pass })
  const { store, corrections, apply, stage } = at
  await apply(TO_ORDER)
  await gate.reached
  gate.fail(new Error('the events cannot be written'))
  await stage.reopen()
  expect(corrections.list(STUDY)).toEqual([])
  expect(listStudyInstances(store.database, STUDY)).toHaveLength(2)
  expect(stage.files().images).toHaveLength(2)
  expect(stage.errors).toEqual([
    expect.objectContaining({ message: 'the events cannot be written' }),
  ])
  expect(stage.news.map(({ text }) => englishText(text))).toContainEqual(
    expect.stringContaining('failed. Nothing was changed'),
  )
})

const MADE_OF_IMAGES = {
  settings: { 'intake.areas': ['scribe', 'viewer'] },
  handedOut: async () => undefined,
} as const
const AREAS = ['scribe', 'viewer'] as const

test('a study of the interface that a correction leaves without images is cancelled, and active again with its undo', async () => {
  await using at = await clinic([image(1)], MADE_OF_IMAGES)
  const { store, corrections, apply, stage } = at
  stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
  await stage.pass(61_000)
  const cancelled = () =>
    AREAS.map((area) => findStudyByUid(store.database, area, STUDY)?.cancelledAt !== null)
  expect(cancelled()).toEqual([false, false])
  stage.clock.pass(1000)
  const { correctionId } = await apply(TO_ORDER)
  expect(cancelled()).toEqual([true, true])
  const audited = () =>
    store.audit
      .list({ limit: 50, cursor: undefined })
      .items.filter(({ action }) => action.startsWith('study.') && action.endsWith('cancel'))
  expect(audited().map(({ actor, action }) => [actor, action])).toEqual([
    ['user:usr_1', 'study.cancel'],
    ['user:usr_1', 'study.cancel'],
  ])
  stage.clock.pass(1000)
  await corrections.undo(correctionId, 'as it was', 'usr_2')
  expect(cancelled()).toEqual([false, false])
  expect(
    audited().filter(({ actor, action }) => actor === 'user:usr_2' && action === 'study.uncancel'),
  ).toHaveLength(2)

  // Images that come late are not hidden either.
  stage.clock.pass(1000)
  await apply(TO_ORDER)
  expect(cancelled()).toEqual([true, true])
  await stage.send(image(9), { association: { associationId: 'a9' } })
  stage.intake.completion.associationClosed('a9', { kind: 'released', detail: null })
  await stage.pass(61_000)
  expect(listStudyInstances(store.database, STUDY)).toHaveLength(1)
  expect(cancelled()).toEqual([false, false])
})

test('a study that a person cancelled, or created, stays as it is when its images leave and come back', async () => {
  await using at = await clinic([image(1)], MADE_OF_IMAGES)
  const { store, corrections, apply, stage } = at
  stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
  await stage.pass(61_000)
  const study = (area: (typeof AREAS)[number]) => {
    const found = findStudyByUid(store.database, area, STUDY)
    if (!found) throw new Error('there is no such study')
    return found
  }
  const by = '2026-03-10T09:00:30.000Z'
  saveStudy(store.database, { ...study('scribe'), cancelledAt: by }, study('scribe'))
  const { userId } = newUser(store)
  store.database.run(
    rawQuery('update studies set createdByUserId = ? where studyId = ?', [
      userId,
      study('viewer').studyId,
    ]),
  )
  stage.clock.pass(1000)
  const { correctionId } = await apply(TO_ORDER)
  expect([study('scribe').cancelledAt, study('viewer').cancelledAt]).toEqual([by, null])
  stage.clock.pass(1000)
  await corrections.undo(correctionId, 'as it was', 'usr_2')
  expect([study('scribe').cancelledAt, study('viewer').cancelledAt]).toEqual([by, null])
})

test('files of copies that a run had not completed are deleted at the next start, and not taken for images', async () => {
  await using at = await clinic()
  const { stage, store } = at
  const [first] = listStudyInstances(store.database, STUDY)
  const file = (first?.file ?? '').replace(/[0-9a-f-]{36}/, '00000000-0000-4000-8000-000000000001')
  await stage.reopen(() => {
    store.imageFiles.copies.note([file])
    writeFileSync(
      store.imageFiles.pathOf(file),
      readFileSync(store.imageFiles.pathOf(first?.file ?? '')),
    )
  })
  await stage.intake.settled()
  expect(stage.files().images.some((path) => path.endsWith('000000000001.dcm'))).toBe(false)
  expect(stage.intake.recovery.count()).toBe(0)
  expect(store.imageFiles.copies.list()).toEqual([])
  expect(listStudyInstances(store.database, STUDY)).toHaveLength(2)
})

test('complete copies are kept at the next start, also where the database does not know them', async () => {
  await using at = await clinic()
  const { stage, store, apply } = at
  const tables = ['imageStudies', 'imageSeries', 'instances']
  const run = (sql: string) => store.database.run(rawQuery(sql, []))
  for (const table of tables) run(`create temp table older_${table} as select * from ${table}`)
  const { copies } = store.imageFiles
  const forget = copies.forget.bind(copies)
  store.imageFiles.copies.forget = () => undefined
  await apply(TO_ORDER)
  await stage.intake.settled()
  await stage.reopen(() => {
    // The process was killed right after the commit, and an older database restored by hand.
    store.imageFiles.copies.forget = forget
    for (const table of ['correctedInstances', 'corrections']) run(`delete from ${table}`)
    for (const table of tables.toReversed()) run(`delete from ${table}`)
    for (const table of tables) run(`insert into ${table} select * from older_${table}`)
    rmSync(join(stage.folder, 'images', '.swept'), { force: true })
  })
  await stage.intake.settled()
  expect(stage.files().images).toHaveLength(4)
  expect(countQuarantined(store.database)).toBe(2)
  expect(store.imageFiles.copies.list()).toEqual([])
})

test('a correction is reported as made where only its clean-up fails', async () => {
  await using at = await clinic()
  const { stage, store, apply } = at
  store.imageFiles.copies.forget = () => {
    throw new Error('the note cannot be deleted')
  }
  expect(await apply(TO_ORDER)).toMatchObject({ kind: 'reassign', instances: 2 })
  expect(listStudyInstances(store.database, '1.2.3.200')).toHaveLength(2)
  expect(stage.errors).toEqual([expect.objectContaining({ message: 'the note cannot be deleted' })])
})

test('a worklist row that is linked while copies are made is not overwritten', async () => {
  const gate = gated()
  await using at = await clinic(undefined, { flushEvents: gate.pass })
  const { store, apply } = at
  const applying = apply({ kind: 'correct', target: { to: 'patient', patient: TYPED } })
  const refused = expect(applying).rejects.toThrow('have changed')
  await gate.reached
  const linked = { ...HANDED_OUT, accessionNumber: 'A101' }
  updateImageStudy(store.database, STUDY, { handedOut: linked })
  gate.open()
  await refused
  expect(findImageStudy(store.database, STUDY)?.handedOut).toEqual(linked)
})

test('a correction that fills the disk meanwhile is given up, and changes nothing', async () => {
  const settings = { 'intake.stopGigabytes': 5 }
  await using at = await clinic([image(1, { PixelData: 'pixels__'.repeat(10 << 20) })], {
    settings,
  })
  const { stage, store, apply } = at
  let looked = 0
  store.imageFiles.space = () => ({ freeBytes: ++looked > 2 ? 4e9 : 9e9, totalBytes: 10e9 })
  await expect(apply(TO_ORDER)).rejects.toThrow('not enough disk space')
  expect(listStudyInstances(store.database, STUDY)).toHaveLength(1)
  expect(stage.files().images).toHaveLength(1)
})

test('a signed report is marked where images were merged into its study', async () => {
  const other = {
    StudyInstanceUID: '1.2.3.300',
    SeriesInstanceUID: '1.2.3.300.1',
    SOPInstanceUID: '1.2.3.300.1.1',
  }
  await using at = await clinic([image(1), image(2, other)])
  const { store, corrections, apply } = at
  const studies = bound(studyService, store)
  const { userId } = newUser(store)
  const signed = [STUDY, '1.2.3.300'].map((studyInstanceUid) => {
    const study = { studyInstanceUid, studyDescription: 'CT', severity: 'normal' } as const
    const { seq, studyId } = studies.createStudy(newKey(store), 'scribe', study).record
    completedReport(store, { studyId, userId, signedAt: '2026-03-10T09:00:00.000Z' })
    return seq
  })
  const needed = () => signed.map((seq) => addendumNeededSince(store.database, seq) !== null)
  expect(needed()).toEqual([false, false])
  const { correctionId } = await apply({
    kind: 'merge',
    target: { to: 'study', studyInstanceUid: '1.2.3.300' },
  })
  expect(needed()).toEqual([true, true])
  await corrections.undo(correctionId, 'as it was', 'usr_1')
  expect(needed()).toEqual([false, false])
})

test('a correction is not undone once a report of the study that the images were taken from was signed', async () => {
  await using at = await clinic([image(1), image(2)], MADE_OF_IMAGES)
  const { store, corrections, apply, stage } = at
  stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
  await stage.pass(61_000)
  const [first] = listStudyInstances(store.database, STUDY)
  const { correctionId, undoObstacle } = await apply({
    kind: 'split',
    target: TO_ORDER.target,
    instanceIds: [first?.instanceId ?? 0],
  })
  expect(undoObstacle).toBeNull()
  const from = findStudyByUid(store.database, 'scribe', STUDY)?.studyId
  completedReport(store, {
    studyId: from ?? '',
    userId: newUser(store).userId,
    signedAt: instantOf(store.clock() + 1),
  })
  await expect(corrections.undo(correctionId, 'as it was', 'usr_1')).rejects.toThrow(
    'the images were taken from was signed',
  )
})

test('nothing is undone once a report of the corrected images is signed', async () => {
  await using at = await clinic([image(1)])
  const { store, corrections, apply } = at
  const { studyId } = bound(studyService, store).createStudy(newKey(store), 'scribe', {
    ...{ studyInstanceUid: ORDER.studyInstanceUid, studyDescription: 'CT', severity: 'normal' },
  }).record
  const { correctionId, undoObstacle } = await apply(TO_ORDER)
  expect(undoObstacle).toBeNull()
  const signedAt = instantOf(store.clock() + 1)
  completedReport(store, { studyId, userId: newUser(store).userId, signedAt })
  const obstacle = 'A report was signed with the corrected images.'
  expect(corrections.list(STUDY).map((one) => englishOf(one.undoObstacle))).toEqual([obstacle])
  await expect(corrections.undo(correctionId, 'as it was', 'usr_1')).rejects.toMatchObject({
    ...{ code: 'refused', message: obstacle },
  })
  expect(listStudyInstances(store.database, STUDY)).toEqual([])
})

test('a study of the interface that somebody works with is not cancelled when its images leave', async () => {
  await using at = await clinic([image(1)], MADE_OF_IMAGES)
  const { store, apply, stage } = at
  stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
  await stage.pass(61_000)
  const study = findStudyByUid(store.database, 'scribe', STUDY)
  if (!study) throw new Error('there is no such study')
  saveStudy(store.database, { ...study, assignedTo: newUser(store).userId }, study)
  await apply(TO_ORDER)
  expect(
    AREAS.map((area) => findStudyByUid(store.database, area, STUDY)?.cancelledAt !== null),
  ).toEqual([false, true])
})

test('a study of the interface whose images are in quarantine is not cancelled when the others leave', async () => {
  await using at = await clinic([image(1)], MADE_OF_IMAGES)
  const { store, apply, stage } = at
  stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
  await stage.pass(61_000)
  await stage.send(image(1, { PixelData: 'other___' }), {
    association: { callingAeTitle: 'CT2', associationId: 'a2' },
  })
  expect(findImageStudy(store.database, STUDY)?.quarantined).toBe(1)
  await apply(TO_ORDER)
  expect(AREAS.map((area) => findStudyByUid(store.database, area, STUDY)?.cancelledAt)).toEqual([
    null,
    null,
  ])
})
