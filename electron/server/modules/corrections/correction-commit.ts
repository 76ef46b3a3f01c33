import type { Context } from '#server/context.ts'
import { applyCorrectedHeader, updateCancellation } from '#server/modules/images/created-studies.ts'
import { type InstanceHeader, identityKeyOf } from '#server/modules/images/header.ts'
import {
  countInstance,
  insertImageStudy,
  recountInstances,
  updateImageStudy,
} from '#server/modules/images/image-study-writing-queries.ts'
import {
  type InstanceRecord,
  insertInstance,
  setInstanceState,
} from '#server/modules/images/instance-queries.ts'
import {
  differencesBetween,
  differencesOf,
  withImage,
  withoutImages,
  withRow,
} from '#server/modules/images/mismatch.ts'
import { reopenStudy } from '#server/modules/images/study-completion.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type {
  ImageStudyRecord,
  Mismatch,
  SentWorklistRow,
} from '#server/modules/studies/image-study-row.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import { message } from '#shared/messages/message.ts'
import type { Copy } from './correction-copies.ts'
import {
  type CorrectedImage,
  type CorrectionDone,
  type CorrectionRecord,
  insertCorrection,
  moveAnnotations,
  moveAnnouncedInstances,
  moveFoundVersions,
} from './correction-queries.ts'
import { patientOf } from './correction-rules.ts'
import { imagesOf } from './study-images.ts'

// The database changes of a correction. Each function must be called within a transaction.

/** Called in the transaction of a correction or its undo. */
export type OnCorrected = (done: CorrectionDone) => void

export interface Replacement {
  readonly from: ImageStudyRecord
  /** Headers of the originals that remain in `from`, and of the instances already in the target. */
  readonly staying: readonly InstanceHeader[]
  readonly targetHeaders: readonly InstanceHeader[]
  readonly handedOut: (to: ImageStudyRecord | undefined) => SentWorklistRow | null
  /** The worklist row of `from` afterwards; unchanged by default. */
  readonly handedOutFrom?: SentWorklistRow | null
  readonly correction: Pick<
    CorrectionRecord,
    'correctionId' | 'kind' | 'cause' | 'toStudyInstanceUid' | 'userId' | 'at' | 'undoes'
  >
  readonly details: Pick<CorrectionRecord['details'], 'reason' | 'changes'>
}

/** Replaces originals with their corrected copies and records the correction. */
export function replaceImages(
  context: Context,
  onCorrected: OnCorrected,
  copies: readonly Copy[],
  {
    from,
    staying,
    targetHeaders,
    handedOut,
    handedOutFrom = from.handedOut,
    ...replacing
  }: Replacement,
): CorrectionRecord {
  const { database } = context
  const { at, toStudyInstanceUid: to } = replacing.correction
  const { studyInstanceUid: fromUid } = from
  const target = findImageStudy(database, to)
  if (!target) insertImageStudy(database, newStudy(from, to, copies[0] as Copy, at))
  for (const { original } of copies)
    setInstanceState(database, original.instanceId, 'superseded', null, SUPERSEDED_MESSAGE)
  const pairs = copies.map(
    (copy): CorrectedImage => ({
      original: { ...copy.original, state: 'superseded' },
      copy: makeCopyCurrent(context, copy, at),
    }),
  )
  const correction = {
    ...replacing.correction,
    fromStudyInstanceUid: fromUid,
    instances: pairs.length,
    details: {
      ...replacing.details,
      handedOut: { from: from.handedOut, to: target?.handedOut ?? null },
      undoReason: '',
    },
  }
  insertCorrection(
    database,
    correction,
    pairs.map(({ original, copy }) => ({
      originalId: original.instanceId,
      correctedId: copy.instanceId,
    })),
  )
  const record = { ...correction, undoneAt: null, undoneBy: null, undoneWith: null }
  moveReferences(context, pairs, fromUid, to, at)
  const corrected = copies
    .filter(({ original }) => original.remoteAddress !== OWN_ADDRESS)
    .map(({ header }) => header)
  const sender = senderOf(copies.map(({ original }) => original))
  recomputeStudy(context, to, [...targetHeaders, ...corrected], handedOut(target), at, sender)
  if (fromUid !== to) recomputeStudy(context, fromUid, staying, handedOutFrom, at)
  finishCorrection(context, onCorrected, { correction: record, pairs, isUndo: false })
  const isNew = target === undefined || target.instances === 0
  reopenStudy(context, to, isNew && !from.isFetched)
  return record
}

/** Makes the copy the current instance: its existing row, if it has one, or a new row. */
function makeCopyCurrent(
  { database }: Context,
  { instance, original, header, file, dataSetOffset, bytes, crc32 }: Copy,
  at: string,
): InstanceRecord {
  if (instance) {
    setInstanceState(database, instance.instanceId, 'current')
    return { ...instance, state: 'current', reason: null, detail: null }
  }
  const { study, studyInstanceUid, seriesInstanceUid } = header
  const { seriesNumber, seriesDescription } = header
  const { modality } = study
  const inserted = insertInstance(database, {
    sopInstanceUid: header.sopInstanceUid,
    sopClassUid: original.sopClassUid,
    studyInstanceUid,
    seriesInstanceUid,
    transferSyntaxUid: original.transferSyntaxUid,
    file,
    dataSetOffset,
    bytes,
    crc32,
    callingAeTitle: original.callingAeTitle,
    remoteAddress: original.remoteAddress,
    deviceName: original.deviceName,
    structure: original.structure,
    associationId: '',
    receivedAt: original.receivedAt,
    lastSeenAt: original.receivedAt,
    state: 'current',
    reason: null,
    detail: null,
    modality,
    instanceNumber: header.instanceNumber,
    image: header.image,
    scheduledProcedureStepId: study.scheduledProcedureStepId,
    patientName: study.patientName,
  })
  const series = { seriesInstanceUid, modality, seriesNumber, seriesDescription }
  countInstance(database, studyInstanceUid, series, bytes, at, 'current')
  return inserted
}

/** Updates what refers to the images: annotations, found versions and announced instances. */
export function moveReferences(
  { database }: Context,
  pairs: readonly CorrectedImage[],
  from: string,
  to: string,
  at: string,
): void {
  const uids = new Map([[from, to]])
  const moved = new Set<string>()
  const isEmpty = imagesOf(database, from).every(({ studyInstanceUid }) => studyInstanceUid === to)
  for (const { original, copy } of pairs) {
    uids.set(original.sopInstanceUid, copy.sopInstanceUid)
    uids.set(original.seriesInstanceUid, copy.seriesInstanceUid)
    moved.add(original.sopInstanceUid)
    // Annotations of a whole series remain with the images that remain in it.
    if (isEmpty) moved.add(original.seriesInstanceUid)
  }
  moveAnnotations(database, { from, to, uids, moved, at })
  for (const { original, copy } of pairs) {
    moveFoundVersions(database, original.sopInstanceUid, copy)
    moveAnnouncedInstances(database, original.sopInstanceUid, copy)
  }
}

/** Updates counters, studies of the API, forwards and notices once the rows are final. */
export function finishCorrection(
  context: Context,
  onCorrected: OnCorrected,
  done: CorrectionDone,
): void {
  const { database } = context
  const { fromStudyInstanceUid, toStudyInstanceUid, at, userId, undoneAt, undoneBy } =
    done.correction
  for (const uid of new Set([fromStudyInstanceUid, toStudyInstanceUid])) {
    recountInstances(database, uid)
    updateCancellation(
      context,
      uid,
      (done.isUndo ? undoneAt : undefined) ?? at,
      `user:${done.isUndo ? undoneBy : userId}`,
    )
  }
  onCorrected(done)
  database.notify('image studies')
}

/** Recomputes the header and the mismatch of the study from its current images. */
export function recomputeStudy(
  context: Context,
  studyInstanceUid: string,
  images: readonly InstanceHeader[],
  handedOut: SentWorklistRow | null,
  at: string,
  sender?: ReturnType<typeof senderOf>,
): void {
  const { database } = context
  const study = findImageStudy(database, studyInstanceUid)
  if (!study) return
  const [first] = images
  // The study has no received images left. Copies of reports do not identify a patient, and neither
  // do the images that were moved, so the study takes the identity of its worklist row.
  if (!first) {
    const header = handedOut ? { ...study.header, ...patientOf(handedOut) } : study.header
    applyCorrectedHeader(context, study, header)
    const patch = { header, mismatch: null, remoteAddress: OWN_ADDRESS }
    updateImageStudy(database, studyInstanceUid, patch)
    return
  }
  const header = first.study
  let mismatch: Mismatch | null = withoutImages(study.mismatch, at)
  for (const other of images)
    mismatch = withImage(mismatch, differencesBetween(header, other.study), at)
  const differences = handedOut ? differencesOf(handedOut, header, studyInstanceUid) : []
  applyCorrectedHeader(context, study, header)
  updateImageStudy(database, studyInstanceUid, {
    header,
    handedOut,
    mismatch: withRow(mismatch, differences, at),
    ...(study.remoteAddress === OWN_ADDRESS && sender),
  })
  // The study of the API that was created from the images must be updated, too.
  if (!study.isFetched && identityKeyOf(study.header) !== identityKeyOf(header))
    reopenStudy(context, studyInstanceUid, true)
}

/** The device that sent one of the images; `undefined` if the gateway made all of them. */
export const senderOf = (records: readonly InstanceRecord[]) => {
  const sent = records.find(({ remoteAddress }) => remoteAddress !== OWN_ADDRESS)
  return (
    sent && {
      remoteAddress: sent.remoteAddress,
      callingAeTitle: sent.callingAeTitle,
      deviceName: sent.deviceName,
    }
  )
}

function newStudy(from: ImageStudyRecord, studyInstanceUid: string, { header }: Copy, now: string) {
  const { createdAt, callingAeTitle, remoteAddress, deviceName, transfer, isFetched } = from
  return {
    studyInstanceUid,
    createdAt,
    lastInstanceAt: now,
    callingAeTitle,
    remoteAddress,
    deviceName,
    transfer,
    isFetched,
    state: 'receiving' as const,
    settledAt: isFetched ? now : null,
    dueAt: now,
    header: header.study,
    handedOut: null,
    mismatch: null,
    enrichmentAttempts: 0,
    enrichment: {
      state: 'not-asked' as const,
      askedAt: null,
      nextAt: null,
      detail: null,
      warnings: [],
    },
  }
}

export const SUPERSEDED_MESSAGE = message('corrections.superseded')
