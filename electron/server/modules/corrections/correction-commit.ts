import type { Context } from '#server/context.ts'
import { followHeader, followImages } from '#server/modules/images/created-studies.ts'
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
  differencesAmong,
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

// What a correction changes in the database; each function within a transaction.

/** Called in the transaction of a correction or its undo. */
export type OnCorrected = (done: CorrectionDone) => void

export interface Replacing {
  readonly from: ImageStudyRecord
  /** Headers of the originals that stay in `from`, and of what is in the target already. */
  readonly staying: readonly InstanceHeader[]
  readonly there: readonly InstanceHeader[]
  readonly handedOut: (to: ImageStudyRecord | undefined) => SentWorklistRow | null
  /** Of `from`; the one it has where it is not given. */
  readonly handedOutFrom?: SentWorklistRow | null
  readonly correction: Pick<
    CorrectionRecord,
    'correctionId' | 'kind' | 'cause' | 'toStudyInstanceUid' | 'userId' | 'at' | 'undoes'
  >
  readonly details: Pick<CorrectionRecord['details'], 'reason' | 'changes'>
}

/** The copies replace their originals. */
export function replaceImages(
  context: Context,
  onCorrected: OnCorrected,
  copies: readonly Copy[],
  { from, staying, there, handedOut, handedOutFrom = from.handedOut, ...replacing }: Replacing,
): CorrectionRecord {
  const { database } = context
  const { at, toStudyInstanceUid: to } = replacing.correction
  const { studyInstanceUid: fromUid } = from
  const target = findImageStudy(database, to)
  if (!target) insertImageStudy(database, newStudy(from, to, copies[0] as Copy, at))
  for (const { original } of copies)
    setInstanceState(database, original.instanceId, 'superseded', null, SUPERSEDED)
  const pairs = copies.map(
    (copy): CorrectedImage => ({
      original: { ...copy.original, state: 'superseded' },
      copy: currentInstance(context, copy, at),
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
  const kept = { ...correction, undoneAt: null, undoneBy: null, undoneWith: null }
  moveReferences(context, pairs, fromUid, to, at)
  const corrected = copies
    .filter(({ original }) => original.remoteAddress !== OWN_ADDRESS)
    .map(({ header }) => header)
  const sender = senderOf(copies.map(({ original }) => original))
  restateStudy(context, to, [...there, ...corrected], handedOut(target), at, sender)
  if (fromUid !== to) restateStudy(context, fromUid, staying, handedOutFrom, at)
  finishCorrection(context, onCorrected, { correction: kept, pairs, isUndo: false })
  const isNew = target === undefined || target.instances === 0
  reopenStudy(context, to, isNew && !from.isFetched)
  return kept
}

/** The copy as a row that counts: its own, where it has one, else a new one. */
function currentInstance(
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
  const made = insertInstance(database, {
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
  return made
}

/** What refers to the images elsewhere follows them. */
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
    // Of a series that others stay in, what is drawn on the series as a whole stays with them.
    if (isEmpty) moved.add(original.seriesInstanceUid)
  }
  moveAnnotations(database, { from, to, uids, moved, at })
  for (const { original, copy } of pairs) {
    moveFoundVersions(database, original.sopInstanceUid, copy)
    moveAnnouncedInstances(database, original.sopInstanceUid, copy)
  }
}

/** Once the rows are what they are to be: counters, studies of the interface, forwards, notices. */
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
    followImages(
      context,
      uid,
      (done.isUndo ? undoneAt : undefined) ?? at,
      `user:${done.isUndo ? undoneBy : userId}`,
    )
  }
  onCorrected(done)
  database.notify('image studies')
}

/** What the study says of itself, by the images that count now. */
export function restateStudy(
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
  // The copies of reports that are left say nothing of a patient, nor does the patient of the
  // images that were moved: the study is that of its worklist row again.
  if (!first) {
    const header = handedOut ? { ...study.header, ...patientOf(handedOut) } : study.header
    followHeader(context, study, header)
    const own = { header, mismatch: null, remoteAddress: OWN_ADDRESS }
    updateImageStudy(database, studyInstanceUid, own)
    return
  }
  const header = first.study
  let mismatch: Mismatch | null = withoutImages(study.mismatch, at)
  for (const other of images)
    mismatch = withImage(mismatch, differencesAmong(header, other.study), at)
  const differences = handedOut ? differencesOf(handedOut, header, studyInstanceUid) : []
  followHeader(context, study, header)
  updateImageStudy(database, studyInstanceUid, {
    header,
    handedOut,
    mismatch: withRow(mismatch, differences, at),
    ...(study.remoteAddress === OWN_ADDRESS && sender),
  })
  // A study of the interface that was made of the images says what they say now.
  if (!study.isFetched && identityKeyOf(study.header) !== identityKeyOf(header))
    reopenStudy(context, studyInstanceUid, true)
}

/** The device that sent one of the images, where one did. */
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

export const SUPERSEDED = message('corrections.superseded')
