import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { recountInstances } from '#server/modules/images/image-study-writing-queries.ts'
import {
  findCurrentVersion,
  listFoundVersionUids,
} from '#server/modules/images/image-version-queries.ts'
import {
  findInstance,
  type InstanceRecord,
  listInstanceVersions,
  setInstanceState,
} from '#server/modules/images/instance-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { type OnCorrected, replaceImages, SUPERSEDED_MESSAGE } from './correction-commit.ts'
import type { Copy } from './correction-copies.ts'
import { changesOf, outdatedError, stateOfStudies } from './correction-plan.ts'
import type { CorrectedImage } from './correction-queries.ts'
import { identityOfHeader } from './correction-rules.ts'
import {
  headerOfInstance,
  headersOf,
  imagesOf,
  isReceived,
  requireImageStudy,
} from './study-images.ts'

// Corrections whose records are missing because an older database was restored. They are recorded
// again when a user releases their copies from quarantine.

/**
 * Pairs each copy with the image that it was made from; of several copies of one image, the last.
 */
export function copiesToRestore(
  database: Database,
  found: readonly InstanceRecord[],
): CorrectedImage[] {
  const candidates = found.flatMap((copy): CorrectedImage[] => {
    const foundUids = listFoundVersionUids(database, copy.instanceId)
    const original = findCurrentVersion(database, copy.sopInstanceUid, foundUids)
    return original ? [{ original, copy }] : []
  })
  // A copy of a copy lists both of its predecessors.
  const isCopyOf = (one: InstanceRecord, other: InstanceRecord) =>
    listFoundVersionUids(database, one.instanceId).includes(other.sopInstanceUid)
  const byOriginal = Map.groupBy(candidates, ({ original }) => original.instanceId)
  return [...byOriginal.values()].map((group) => {
    const last = group.find(({ copy }) =>
      group.every((other) => other.copy === copy || isCopyOf(copy, other.copy)),
    )
    if (!last) throw new ApiError('refused', message('corrections.several-versions'))
    return last
  })
}

/**
 * Records the correction that made these copies, which are all from one study and in one study.
 * @throws ApiError outdated
 */
export async function restoreCorrection(
  context: Context,
  onCorrected: OnCorrected,
  flushEvents: () => Promise<void>,
  pairs: readonly CorrectedImage[],
  reason: string,
  actor: Actor,
): Promise<void> {
  const { database } = context
  const [{ original, copy: sample }] = pairs as readonly [CorrectedImage, ...CorrectedImage[]]
  const [fromUid, to] = [original.studyInstanceUid, sample.studyInstanceUid]
  const moved = new Set(pairs.map((pair) => pair.original.instanceId))
  const remaining = imagesOf(database, fromUid).filter(
    (each) => isReceived(each) && !moved.has(each.instanceId),
  )
  const staying = await headersOf(context, remaining)
  const targetHeaders =
    fromUid === to ? staying : await headersOf(context, imagesOf(database, to).filter(isReceived))
  const copies: Copy[] = []
  for (const { original, copy: instance } of pairs) {
    const { file, dataSetOffset, bytes, crc32 } = instance
    const header = await headerOfInstance(context, instance)
    copies.push({ original, instance, header, file, dataSetOffset, bytes, crc32 })
  }
  const originals = await headersOf(
    context,
    pairs.map((pair) => pair.original),
  )
  const patient = identityOfHeader((copies[0] as Copy).header.study)
  const before = stateOfStudies(database, fromUid, to)
  await flushEvents()
  await database.commitSoon(() => {
    const isUnchanged = pairs.every(
      ({ copy }) => findInstance(database, copy.instanceId)?.state === 'quarantined',
    )
    if (!isUnchanged || stateOfStudies(database, fromUid, to) !== before) throw outdatedError()
    const [kind, cause] =
      fromUid === to
        ? (['correct', 'patient-safety'] as const)
        : (['reassign', 'wrong-worklist-entry'] as const)
    const from = requireImageStudy(database, fromUid)
    supersedeEarlier(database, pairs)
    const { correctionId } = replaceImages(context, onCorrected, copies, {
      from,
      staying,
      targetHeaders: targetHeaders,
      handedOut: (target) =>
        fromUid === to
          ? from.handedOut && { ...from.handedOut, ...patient }
          : (target?.handedOut ?? null),
      correction: {
        correctionId: context.uuid(),
        kind,
        cause,
        toStudyInstanceUid: to,
        userId: actor.replace(/^user:/, ''),
        at: instantOf(context.clock()),
        undoes: null,
      },
      details: { reason, changes: changesOf(originals, patient, fromUid, to) },
    })
    note(context, actor, 'images.correct', fromUid, {
      correctionId,
      kind,
      cause,
      reason,
      toStudyInstanceUid: to,
      instances: copies.length,
      isRestored: 1,
    })
  })
}

/** Supersedes quarantined versions from which the copies were made. */
function supersedeEarlier(database: Database, pairs: readonly CorrectedImage[]): void {
  const studies = new Set<string>()
  for (const { copy } of pairs)
    for (const uid of listFoundVersionUids(database, copy.instanceId))
      for (const { instanceId, state, studyInstanceUid } of listInstanceVersions(database, uid)) {
        if (state !== 'quarantined' || listFoundVersionUids(database, instanceId).length === 0)
          continue
        setInstanceState(database, instanceId, 'superseded', null, SUPERSEDED_MESSAGE)
        studies.add(studyInstanceUid)
      }
  for (const uid of studies) recountInstances(database, uid)
}
