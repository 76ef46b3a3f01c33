import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { derivedUid } from '#server/dicom/data-set/uids.ts'
import {
  KEY_OBJECT_SELECTION,
  type RejectedInstance,
  rejectionNote,
} from '#server/dicom/objects/rejection-note.ts'
import {
  addOutboxJob,
  dropOutboxJobs,
  findLatestOutboxJob,
  type OutboxRow,
} from '#server/jobs/outbox-queries.ts'
import type { Settlement } from '#server/jobs/outbox-worker.ts'
import { findDestination } from '#server/modules/forwarding/destination-queries.ts'
import { destinationsHolding } from '#server/modules/forwarding/forward-queries.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import { appendInstance } from '#server/modules/forwarding/queue.ts'
import { notifyImagesChanged } from '#server/modules/images/image-feed.ts'
import { findInstance, type InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { localPathOf } from '#server/modules/images/local-files.ts'
import { type OwnInstance, storeOwnInstances } from '#server/modules/images/own-instances.ts'
import { readFileHeader } from '#server/modules/images/stored-object.ts'
import { findImageStudy, isStudyFetched } from '#server/modules/studies/image-study-queries.ts'
import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import { dicomTime, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import {
  findRejectionNote,
  insertRejectionNote,
  listDestinationsSentCopies,
} from './correction-notice-queries.ts'
import { addNotices, addUndoNotices } from './correction-notices.ts'
import type { CorrectionDone, CorrectionRecord } from './correction-queries.ts'

// Sends corrections to destinations (IHE RAD IOCM). A destination that has an original receives a
// rejection note, followed by the corrected copies.

/** Kind of the outbox jobs that queue the rejection note and the copies of a correction. */
export const CORRECTION_REJECT = 'correction.reject'

/** Payload of the job. */
interface Rejection {
  readonly cause: CorrectionRecord['cause']
  readonly studyInstanceUid: string
  readonly at: string
  readonly destinationIds: readonly string[]
  readonly pairs: readonly { readonly originalId: number; readonly copyId: number }[]
}

/**
 * Updates the forwarding queues and creates notices. Destinations that have a wrong version receive
 * the rejection note and then the corrected images. Must be called in the transaction that corrects
 * images or makes the originals current again.
 */
export function queueCorrection(
  context: Context,
  forwarding: Pick<Forwarding, 'flush' | 'correct'>,
  done: CorrectionDone,
): void {
  const { database, clock } = context
  const { correctionId, cause, fromStudyInstanceUid: studyInstanceUid, at } = done.correction
  // The queues determine which destination has an image.
  forwarding.flush()
  const isFetched = isStudyFetched(database, studyInstanceUid)
  if (done.isUndo) {
    dropOutboxJobs(database, CORRECTION_REJECT, correctionId, instantOf(clock()))
    addUndoNotices(context, done)
    const moved = done.pairs.map(({ original, copy }) => ({ before: copy, now: original }))
    forwarding.correct(moved, isFetched, [])
    return
  }
  const destinationIds = destinationsToCorrect(context, done)
  addNotices(context, done, destinationIds)
  if (destinationIds.length > 0) {
    const pairs = done.pairs.map(({ original, copy }) => ({
      originalId: original.instanceId,
      copyId: copy.instanceId,
    }))
    const payload: Rejection = { cause, studyInstanceUid, at, destinationIds, pairs }
    addOutboxJob(database, { kind: CORRECTION_REJECT, subject: correctionId, payload, at })
  }
  const moved = done.pairs.map(({ original, copy }) => ({ before: original, now: copy }))
  forwarding.correct(moved, isFetched, destinationIds)
}

/** Destinations that have originals, or will receive them as copies of an earlier correction. */
function destinationsToCorrect({ database }: Context, { pairs }: CorrectionDone): string[] {
  const ids = pairs.map(({ original }) => original.instanceId)
  const all = new Set([
    ...destinationsHolding(database, ids),
    ...listDestinationsSentCopies(database, ids),
  ])
  return [...all].filter((destinationId) => findDestination(database, destinationId))
}

/**
 * Processes the job: creates the rejection note and queues it before the copies, in one
 * transaction. Idempotent.
 * @throws StorageFault
 */
export async function sendRejection(
  context: Context,
  { subject: correctionId, payload }: Pick<OutboxRow<unknown>, 'subject' | 'payload'>,
): Promise<Settlement> {
  const { database } = context
  const rejection = payload as Rejection
  const originals = findInstances(
    context,
    rejection.pairs.map(({ originalId }) => originalId),
  )
  const [first] = originals
  if (!first || findRejectionNote(database, correctionId)) return { outcome: 'sent' }
  const header = await headerOf(context, first)
  const instance = buildNote(context, correctionId, rejection, originals, header)
  try {
    await storeOwnInstances(context, [instance], header, ([kept]) => {
      const isWanted =
        !findRejectionNote(database, correctionId) &&
        findLatestOutboxJob(database, CORRECTION_REJECT, correctionId)?.state === 'waiting'
      if (!kept || !isWanted) throw new WithdrawnError()
      queueRejection(context, correctionId, rejection, kept, originals.length)
    })
  } catch (error) {
    if (!(error instanceof WithdrawnError)) throw error
  }
  notifyImagesChanged(context)
  return { outcome: 'sent' }
}

/**
 * Records the rejection note, and queues it and the copies for each destination. Must be called in
 * the transaction that stores the note.
 */
function queueRejection(
  context: Context,
  correctionId: string,
  { studyInstanceUid, destinationIds, pairs }: Rejection,
  kept: InstanceRecord,
  rejected: number,
): void {
  const { database, clock } = context
  const { sopInstanceUid } = kept
  // Copies that were corrected again in the meantime belong to the later correction.
  const copies = findInstances(
    context,
    pairs.map(({ copyId }) => copyId),
  ).filter(({ state }) => state === 'current')
  const createdAt = instantOf(clock())
  insertRejectionNote(database, { correctionId, studyInstanceUid, sopInstanceUid, createdAt })
  for (const destinationId of destinationIds) {
    // A destination that was deleted in the meantime has a notice.
    if (!findDestination(database, destinationId)) continue
    for (const instance of [kept, ...copies]) appendInstance(context, destinationId, instance)
    note(context, 'gateway', 'correction.send', destinationId, {
      correctionId,
      studyInstanceUid,
      sopInstanceUid,
      rejected,
      instances: copies.length,
    })
  }
}

const findInstances = ({ database }: Context, ids: readonly number[]) =>
  ids.flatMap((id) => findInstance(database, id) ?? [])

/** Reads the header from the file, because the values of the study may have changed. */
async function headerOf(context: Context, original: InstanceRecord): Promise<ImageHeader> {
  const start = await localPathOf(context, original)
    .then(readFileHeader)
    .catch(() => undefined)
  const known =
    start?.header.study ?? findImageStudy(context.database, original.studyInstanceUid)?.header
  if (!known) throw new Error('The header of a rejected image cannot be read.')
  return known
}

function buildNote(
  { settings }: Context,
  correctionId: string,
  { cause, at, studyInstanceUid }: Rejection,
  rejected: readonly InstanceRecord[],
  header: ImageHeader,
): OwnInstance {
  const about = {
    sopInstanceUid: derivedUid(`isthmus rejection note of ${correctionId}`),
    seriesInstanceUid: derivedUid(`isthmus rejection series of ${correctionId}`),
    seriesNumber: '9999',
    seriesDescription: 'Rejection note',
    studyInstanceUid,
  }
  const dataSet = rejectionNote(
    { ...header, ...about },
    dicomTime(at, timeZoneOf(settings.get('clinic.timeZone'))),
    { cause, rejected: rejected.map(rejectedInstanceOf) },
  )
  return {
    ...about,
    sopClassUid: KEY_OBJECT_SELECTION,
    modality: 'KO',
    isUncounted: true,
    dataSet,
  }
}

const rejectedInstanceOf = ({
  seriesInstanceUid,
  sopClassUid,
  sopInstanceUid,
  image,
}: InstanceRecord): RejectedInstance => ({
  seriesInstanceUid,
  sopClassUid,
  sopInstanceUid,
  isImage: image !== null,
})

/** The correction was undone, or its note was queued, while the note was being written. */
class WithdrawnError extends Error {}
