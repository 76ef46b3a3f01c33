import type { Context } from '#server/context.ts'
import {
  type CorrectedImage,
  type CorrectionDone,
  findCorrection,
  insertCorrection,
  setCorrectionUndone,
} from '#server/modules/corrections/correction-queries.ts'
import type { Order } from '#server/modules/corrections/correction-rules.ts'
import { recountInstances } from '#server/modules/images/image-study-writing-queries.ts'
import { setInstanceState } from '#server/modules/images/instance-queries.ts'
import type { CorrectionRequest } from '#shared/contract/corrections.ts'

/** An order of another patient, in a study of its own, that images are reassigned to. */
export const ORDER: Order = {
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
export const TO_ORDER = {
  kind: 'reassign',
  target: { to: 'order', orderId: ORDER.orderId },
} as const satisfies CorrectionRequest

export const CORRECTION = '3d1f6a52-8c0b-4e97-a1d4-5b7f60c2e983'

/**
 * Rows of a correction with the originals superseded, as the engine leaves them, for tests of those
 * who hear of it. Within a transaction.
 */
export function correctionRows(
  store: Context,
  pairs: readonly CorrectedImage[],
  {
    correctionId = CORRECTION,
    at = '2026-03-10T09:00:00.000Z',
    undoes = null as string | null,
  } = {},
): CorrectionDone {
  const { database } = store
  const [first] = pairs
  if (!first) throw new Error('a correction is of an image')
  const [from, to] = [first.original.studyInstanceUid, first.copy.studyInstanceUid]
  const details = {
    reason: 'wrong entry',
    changes: [],
    handedOut: { from: null, to: null },
    undoReason: '',
  }
  const correction = {
    ...({
      correctionId,
      kind: 'correct',
      cause: 'wrong-worklist-entry',
      userId: 'usr_1',
      at,
      undoes,
    } as const),
    ...{ fromStudyInstanceUid: from, toStudyInstanceUid: to, instances: pairs.length, details },
  }
  insertCorrection(
    database,
    correction,
    pairs.map(({ original, copy }) => ({
      originalId: original.instanceId,
      correctedId: copy.instanceId,
    })),
  )
  for (const { original, copy } of pairs) {
    setInstanceState(database, original.instanceId, 'superseded')
    setInstanceState(database, copy.instanceId, 'current')
  }
  for (const uid of new Set([from, to])) recountInstances(database, uid)
  return {
    correction: { ...correction, undoneAt: null, undoneBy: null, undoneWith: null },
    pairs,
    isUndo: false,
  }
}

/** Undoes it as the engine does where nothing of it left the gateway. Within a transaction. */
export function undoneRows(
  store: Context,
  { correction, pairs }: CorrectionDone,
  at: string,
): CorrectionDone {
  const { database } = store
  for (const { copy } of pairs) setInstanceState(database, copy.instanceId, 'superseded')
  for (const { original } of pairs) setInstanceState(database, original.instanceId, 'current')
  const { correctionId } = correction
  setCorrectionUndone(database, correctionId, {
    at,
    by: 'usr_1',
    with: null,
    reason: 'right entry',
  })
  return { correction: findCorrection(database, correctionId) ?? correction, pairs, isUndo: true }
}
