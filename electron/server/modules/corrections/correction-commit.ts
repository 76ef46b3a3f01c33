import { type Arrivals, identityOf } from '#server/modules/images/arrivals.ts'
import type { InstanceHeader } from '#server/modules/images/header.ts'
import type {
  HandedOutRow,
  ImageStudyRecord,
  Mismatch,
} from '#server/modules/images/image-study-queries.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import {
  differencesAmong,
  differencesOf,
  withImage,
  withoutImages,
  withRow,
} from '#server/modules/images/mismatch.ts'
import type {
  Actor,
  CorrectedImage,
  CorrectionDone,
  IntakeDeps,
} from '#server/modules/images/ports.ts'
import { openSeeds } from '#server/modules/images/seeds.ts'
import type { Settling } from '#server/modules/images/settling.ts'
import { OWN_ADDRESS } from '#server/modules/images/study-identity.ts'
import type { StudyImages } from '#server/modules/images/study-images.ts'
import type { Copy } from './correction-copies.ts'
import type { CorrectionRecord } from './correction-queries.ts'
import { patientOf } from './correction-rules.ts'

interface Replacing {
  readonly from: ImageStudyRecord
  readonly toStudyInstanceUid: string
  /** Of the originals that stay in `from`, and of what is in the target already. */
  readonly staying: readonly InstanceHeader[]
  readonly there: readonly InstanceHeader[]
  readonly handedOut: (to: ImageStudyRecord | undefined) => HandedOutRow | null
  /** Of `from`; that it has where it is not given. */
  readonly handedOutFrom?: HandedOutRow | null
  readonly record: Omit<
    CorrectionRecord,
    'instances' | 'undoneAt' | 'undoneBy' | 'undoneWith' | 'details'
  > & {
    readonly details: Omit<CorrectionRecord['details'], 'handedOut' | 'undoReason'>
  }
}

export interface CorrectionCommitDeps extends IntakeDeps {
  readonly arrivals: Pick<Arrivals, 'forget'>
  readonly settling: Pick<Settling, 'reopen'>
  readonly images: Pick<StudyImages, 'imagesOf'>
}

export type CorrectionCommit = ReturnType<typeof openCorrectionCommit>

/** What a correction changes in the database; each function within a transaction. */
export function openCorrectionCommit(deps: CorrectionCommitDeps) {
  const { arrivals, settling } = deps
  const { database, corrections, imageStudies, instances } = deps.store
  const { imagesOf } = deps.images
  const seeds = openSeeds(deps)

  /** The copies take the places of their originals. */
  function replace(
    copies: readonly Copy[],
    {
      from,
      toStudyInstanceUid: to,
      staying,
      there,
      handedOut,
      handedOutFrom = from.handedOut,
      record,
    }: Replacing,
  ): CorrectionRecord {
    const now = record.at
    const target = imageStudies.get(to)
    const [first] = copies as readonly [Copy, ...Copy[]]
    const isNew = target === undefined || target.instances === 0
    const details = {
      ...record.details,
      handedOut: { from: from.handedOut, to: target?.handedOut ?? null },
      undoReason: '',
    }
    if (!target) imageStudies.insert(newStudy(from, to, first, now))
    for (const { original } of copies)
      instances.setState(original.instanceId, 'superseded', null, SUPERSEDED)
    const pairs = copies.map((copy): CorrectedImage => {
      const { original, header } = copy
      const { studyInstanceUid, seriesInstanceUid, seriesNumber, seriesDescription } = header
      if (copy.instance) {
        const found = { ...copy.instance, state: 'current' as const, reason: null, detail: '' }
        instances.setState(found.instanceId, found.state)
        return { original: { ...original, state: 'superseded' }, copy: found }
      }
      const instance = instances.insert(rowOf(copy))
      const series = {
        seriesInstanceUid,
        modality: instance.modality,
        seriesNumber,
        seriesDescription,
      }
      imageStudies.count(studyInstanceUid, series, instance.bytes, now, 'current')
      return { original: { ...original, state: 'superseded' }, copy: instance }
    })
    const correction = { ...record, details, instances: pairs.length }
    corrections.insert(
      correction,
      pairs.map(({ original, copy }) => ({
        originalId: original.instanceId,
        correctedId: copy.instanceId,
      })),
    )
    const kept = { ...correction, undoneAt: null, undoneBy: null, undoneWith: null }
    moveWhatNames(pairs, from.studyInstanceUid, to, now)
    const corrected = copies
      .filter(({ original }) => original.remoteAddress !== OWN_ADDRESS)
      .map(({ header }) => header)
    const sender = senderOf(copies.map(({ original }) => original)) ?? {}
    restate(to, [...there, ...corrected], handedOut(target), sender, now)
    if (from.studyInstanceUid !== to)
      restate(from.studyInstanceUid, staying, handedOutFrom, {}, now)
    finish({ correction: kept, pairs, isUndo: false })
    settling.reopen(to, isNew && !from.isFetched)
    return kept
  }

  /** What refers to the images elsewhere follows them. */
  function moveWhatNames(
    pairs: readonly CorrectedImage[],
    from: string,
    to: string,
    at: string,
  ): void {
    const uids = new Map([[from, to]])
    const moved = new Set<string>()
    const isEmpty = imagesOf(from).every(({ studyInstanceUid }) => studyInstanceUid === to)
    for (const { original, copy } of pairs) {
      uids
        .set(original.sopInstanceUid, copy.sopInstanceUid)
        .set(original.seriesInstanceUid, copy.seriesInstanceUid)
      moved.add(original.sopInstanceUid)
      // Of a series that others stay in, what is drawn on the series as a whole stays with them.
      if (isEmpty) moved.add(original.seriesInstanceUid)
    }
    corrections.moveAnnotations({ from, to, uids, moved, at })
    for (const { original, copy } of pairs) corrections.moveFound(original.sopInstanceUid, copy)
    corrections.moveAnnounced(
      pairs.map(({ original, copy: { sopInstanceUid, studyInstanceUid, seriesInstanceUid } }) => ({
        ...{ before: original.sopInstanceUid, sopInstanceUid, studyInstanceUid, seriesInstanceUid },
      })),
    )
  }

  /** Within a transaction, once the rows are what they are to be: forwards, counters, hooks. */
  function finish(done: CorrectionDone): void {
    const { fromStudyInstanceUid, toStudyInstanceUid } = done.correction
    const { at, userId, undoneAt, undoneBy } = done.correction
    const actor: Actor = `user:${done.isUndo ? undoneBy : userId}`
    for (const uid of new Set([fromStudyInstanceUid, toStudyInstanceUid])) {
      imageStudies.recount(uid)
      seeds.followImages(uid, (done.isUndo ? undoneAt : undefined) ?? at, actor)
    }
    deps.onCorrected(done)
    deps.performedSteps.changed()
    database.afterCommit(() => {
      arrivals.forget(fromStudyInstanceUid)
      arrivals.forget(toStudyInstanceUid)
    })
  }

  /** What the study says of itself, by the images that count now. */
  function restate(
    studyInstanceUid: string,
    images: readonly InstanceHeader[],
    handedOut: HandedOutRow | null,
    sender: Partial<Pick<ImageStudyRecord, 'remoteAddress' | 'callingAeTitle' | 'deviceName'>>,
    now: string,
  ): void {
    const study = imageStudies.get(studyInstanceUid)
    if (!study) return
    const [first] = images
    if (!first) {
      // The copies of reports that are left say nothing of a patient.
      // Nor does the patient of the images that left: the study is that of its worklist row again.
      const header = handedOut ? { ...study.header, ...patientOf(handedOut) } : study.header
      seeds.follow(study, header)
      imageStudies.update(studyInstanceUid, { header, mismatch: null, remoteAddress: OWN_ADDRESS })
      return
    }
    const header = first.study
    let mismatch: Mismatch | null = withoutImages(study.mismatch, now)
    for (const other of images)
      mismatch = withImage(mismatch, differencesAmong(header, other.study), now)
    mismatch = withRow(
      mismatch,
      handedOut ? differencesOf(handedOut, header, studyInstanceUid) : [],
      now,
    )
    const isFresh = study.remoteAddress === OWN_ADDRESS
    seeds.follow(study, header)
    imageStudies.update(studyInstanceUid, { header, handedOut, mismatch, ...(isFresh && sender) })
    // A study of the interface that was made of the images says what they say now.
    if (!study.isFetched && identityOf(study.header) !== identityOf(header))
      settling.reopen(studyInstanceUid, true)
  }

  return { replace, moveWhatNames, finish, restate }
}

export const senderOf = (records: readonly InstanceRecord[]) => {
  const device = records.find(({ remoteAddress }) => remoteAddress !== OWN_ADDRESS)
  return (
    device && {
      remoteAddress: device.remoteAddress,
      callingAeTitle: device.callingAeTitle,
      deviceName: device.deviceName,
    }
  )
}

function newStudy(from: ImageStudyRecord, studyInstanceUid: string, { header }: Copy, now: string) {
  const { createdAt, callingAeTitle, remoteAddress, deviceName, transfer, isFetched } = from
  return {
    ...{
      studyInstanceUid,
      createdAt,
      lastInstanceAt: now,
      callingAeTitle,
      remoteAddress,
      deviceName,
      transfer,
      isFetched,
    },
    ...{ state: 'receiving' as const, settledAt: isFetched ? now : null, dueAt: now },
    ...{ header: header.study, handedOut: null, mismatch: null, enrichmentAttempts: 0 },
    enrichment: {
      state: 'not-asked' as const,
      askedAt: null,
      nextAt: null,
      detail: '',
      warnings: [],
    },
  }
}

function rowOf({ original, header, file, dataSetOffset, bytes, crc32 }: Copy) {
  const {
    sopClassUid,
    transferSyntaxUid,
    callingAeTitle,
    remoteAddress,
    deviceName,
    receivedAt,
    structure,
  } = original
  const { sopInstanceUid, studyInstanceUid, seriesInstanceUid, instanceNumber, image, study } =
    header
  return {
    ...{
      sopInstanceUid,
      sopClassUid,
      studyInstanceUid,
      seriesInstanceUid,
      transferSyntaxUid,
      file,
      dataSetOffset,
      bytes,
      crc32,
    },
    ...{
      callingAeTitle,
      remoteAddress,
      deviceName,
      structure,
      associationId: '',
      receivedAt,
      lastSeenAt: receivedAt,
    },
    ...{
      state: 'current' as const,
      reason: null,
      detail: '',
      modality: study.modality,
      instanceNumber,
      image,
    },
    ...{ scheduledProcedureStepId: study.scheduledProcedureStepId, patientName: study.patientName },
  }
}

export const SUPERSEDED = 'Its identity was corrected: a corrected copy is shown.'
