import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type DataSet, readDataSet, tagOf } from '#gateway/dimse/data-set.ts'
import { readFileMeta } from '#gateway/dimse/file-meta.ts'
import { TRANSFER_SYNTAX } from '#gateway/dimse/uids.ts'
import type { CorrectionDone, Order } from '#gateway/intake/intake.ts'
import type { InstanceRecord } from '#gateway/store/instances.ts'
import type { Store } from '#gateway/store/store.ts'
import { identityOf } from '#gateway/store/study-identity.ts'
import type { CorrectionRequest } from '#shared/contract/corrections.ts'
import { HANDED_OUT, image, openStage, SERIES, STUDY, type Values } from './intake-fixture.ts'

const ORDER: Order = {
  orderId: '2026-03-10 1.2.3.200 S200',
  studyInstanceUid: '1.2.3.200',
  patientName: 'Other^Olga',
  patientId: 'P200',
  patientBirthDate: '19910102',
  patientSex: 'F',
  accessionNumber: 'A200',
  requestedProcedureId: 'R200',
  requestedProcedureDescription: 'CT chest',
  scheduledProcedureStepId: 'S200',
  scheduledProcedureStepDescription: 'Chest',
  studyDescription: '',
  referringPhysicianName: 'Refer^Dora',
  admissionId: 'ADM9',
  modality: 'CT',
  date: '20260310',
  time: '090000',
}

const TO_ORDER: CorrectionRequest = { kind: 'reassign', target: { to: 'order', orderId: ORDER.orderId } }

async function clinic(images: readonly Values[] = [image(1), image(2)], transferSyntax?: string) {
  const done: CorrectionDone[] = []
  const stage = await openStage({
    handedOut: async ({ studyInstanceUid }) => (studyInstanceUid === STUDY ? HANDED_OUT : undefined),
    orders: { onDays: async () => [ORDER], get: async (orderId) => (orderId === ORDER.orderId ? ORDER : undefined) },
    onCorrected(one) {
      done.push(one)
      return []
    },
  })
  for (const values of images) expect((await stage.send(values, transferSyntax ? { transferSyntax } : {})).status).toBe(0)
  await stage.pass(60_000)
  const { corrections } = stage.intake
  const apply = async (request: CorrectionRequest, studyInstanceUid = STUDY) => {
    const { digest } = await corrections.preview(studyInstanceUid, request)
    return corrections.apply(studyInstanceUid, { ...request, cause: 'wrong-worklist-entry', reason: 'wrong entry', digest }, 'usr_1')
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

async function dataSetOfFile(store: Store, { file }: InstanceRecord): Promise<DataSet> {
  const path = store.imageFiles.pathOf(file)
  const { dataSetOffset, transferSyntaxUid } = await readFileMeta(path)
  return readDataSet(readFileSync(path).subarray(dataSetOffset), transferSyntaxUid, { elements: 10_000, depth: 8, bytes: 1 << 20 })
}

const bytesIn = (dataSet: DataSet, keyword: string) => dataSet.find(({ tag }) => tag === tagOf(keyword))?.value
const textOf = (dataSet: DataSet, keyword: string) => {
  const value = bytesIn(dataSet, keyword)
  return Buffer.isBuffer(value) ? value.toString('utf8').replace(/[\0 ]+$/, '') : undefined
}
const itemsOf = (dataSet: DataSet, keyword: string) => (bytesIn(dataSet, keyword) ?? []) as readonly DataSet[]

const stateOf = (store: Store, uid: string) => identityOf(store.imageStudies.get(uid), store.studies.byUid('scribe', uid)).state

test('reassigning to an order makes corrected copies, and keeps the originals', async () => {
  await using at = await clinic()
  const { store, corrections, apply } = at
  const before = store.instances.ofStudy(STUDY)
  const files = before.map(({ file }) => readFileSync(store.imageFiles.pathOf(file)))

  const preview = await corrections.preview(STUDY, TO_ORDER)
  expect(preview).toMatchObject({ obstacle: '', instances: 2, toStudyInstanceUid: '1.2.3.200' })
  expect(preview.changes.map(({ field, before: [was], after }) => [field, was, after])).toEqual([
    ['patientName', 'Sample^Sam', 'Other^Olga'],
    ['patientId', 'P100', 'P200'],
    ['patientBirthDate', '19800511', '19910102'],
    ['patientSex', 'M', 'F'],
    ['accessionNumber', 'A100', 'A200'],
    ['studyInstanceUid', STUDY, '1.2.3.200'],
  ])
  const correction = await apply(TO_ORDER)
  expect(correction).toMatchObject({ kind: 'reassign', instances: 2, undone: null, undoObstacle: '' })

  expect(store.instances.ofStudy(STUDY)).toEqual([])
  const copies = store.instances.ofStudy('1.2.3.200')
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
  expect(textOf(itemsOf(copy, 'RequestAttributesSequence')[0] ?? [], 'ScheduledProcedureStepID')).toBe('S200')
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
  expect(store.imageStudies.get(STUDY)).toMatchObject({ instances: 0, series: 0, bytes: 0 })
})

test('an undo makes the originals current again', async () => {
  await using at = await clinic()
  const { store, corrections, apply, done } = at
  const before = store.instances.ofStudy(STUDY)
  const study = store.imageStudies.get(STUDY)
  const { correctionId } = await apply(TO_ORDER)
  const undone = await corrections.undo(correctionId, 'it was right', 'usr_2')
  expect(undone.undone).toMatchObject({ reason: 'it was right' })
  expect(store.instances.ofStudy(STUDY)).toEqual(before)
  expect(store.instances.ofStudy('1.2.3.200')).toEqual([])
  const { header, handedOut, mismatch, instances, series, bytes } = store.imageStudies.get(STUDY) ?? {}
  expect({ header, handedOut, mismatch, instances, series, bytes }).toEqual({
    ...{ header: study?.header, handedOut: study?.handedOut, mismatch: study?.mismatch },
    ...{ instances: study?.instances, series: study?.series, bytes: study?.bytes },
  })
  expect(done.map(({ isUndo, pairs }) => [isUndo, pairs.map(({ original, copy }) => [original.state, copy.state])])).toEqual([
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
  await expect(corrections.undo(correctionId, 'again', 'usr_2')).rejects.toThrow('It was undone already.')
})

test('what a device sends again of a corrected image does not bring it back', async () => {
  await using at = await clinic()
  const { store, apply, stage } = at
  await apply(TO_ORDER)
  expect((await stage.send(image(1))).status).toBe(0)
  expect((await stage.send(image(1), { transferSyntax: TRANSFER_SYNTAX.implicitLittleEndian })).status).toBe(0)
  expect(store.instances.ofStudy(STUDY)).toEqual([])
  expect(store.instances.quarantined({ limit: 5 }).items).toEqual([])
  expect((await stage.send(image(2, { StudyDescription: 'other' }))).status).toBe(0)
  const [set] = store.instances.quarantined({ limit: 5 }).items
  expect(set?.reason).toBe('different-content')
  expect(() => stage.intake.releaseInstance(set?.instanceId ?? 0, 'try', 'gateway')).toThrow('undo the correction')
  const original = store.instances.versions(`${SERIES}.1`)[0]
  expect(() => stage.intake.restoreVersion(original?.instanceId ?? 0, 'try', 'gateway')).toThrow('undo the correction')
})

test.each(Object.values(TRANSFER_SYNTAX))('%s is copied in its own transfer syntax', async (transferSyntax) => {
  await using at = await clinic([image(1)], transferSyntax)
  await at.apply(TO_ORDER)
  const [copy] = at.store.instances.ofStudy('1.2.3.200')
  expect(copy?.transferSyntaxUid).toBe(transferSyntax)
  const dataSet = await dataSetOfFile(at.store, copy as InstanceRecord)
  expect(textOf(dataSet, 'PatientID')).toBe('P200')
  expect((bytesIn(dataSet, 'Rows') as Buffer).readUInt16LE()).toBe(2)
  expect((bytesIn(dataSet, 'PixelData') as Buffer).toString()).toBe('pixels__')
})
