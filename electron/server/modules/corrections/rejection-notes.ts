import { derivedUid } from '#server/dicom/data-set/uids.ts'
import {
  KEY_OBJECT_SELECTION,
  type RejectedInstance,
  type RejectionCause,
  rejectionNote,
} from '#server/dicom/objects/rejection-note.ts'
import { note } from '#server/modules/audit/audit.ts'
import { findDestination } from '#server/modules/forwarding/destination-queries.ts'
import { appendForward, destinationsHolding } from '#server/modules/forwarding/forward-queries.ts'
import type { ImageHeader } from '#server/modules/images/image-study-queries.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import {
  type OwnInstance,
  type OwnInstancesDeps,
  openOwnInstances,
} from '#server/modules/images/own-instances.ts'
import type { CorrectionDone, IntakeDeps } from '#server/modules/images/ports.ts'
import { readStart } from '#server/modules/images/stored-object.ts'
import { dicomTime, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { CorrectionNotices } from './correction-notices.ts'

/** Outbox rows: the rejection note and the copies of a correction are to be queued. */
export const CORRECTION_REJECT = 'correction.reject'

export interface RejectionNotesDeps extends OwnInstancesDeps, Pick<IntakeDeps, 'onChanged'> {
  readonly notices: Pick<CorrectionNotices, 'add' | 'undo'>
  /**
   * Within the transaction: writes the outcomes of sending that are in memory (`Forwarding.flush`).
   */
  readonly flushQueues: () => void
  /**
   * Within the transaction: images take the places of others in the queues of all destinations but
   * `except`.
   */
  readonly requeue: (
    moved: readonly { readonly before: InstanceRecord; readonly now: InstanceRecord }[],
    options: { readonly isFetched: boolean; readonly except: readonly string[] },
  ) => void
}

/** The payload of the outbox row. */
interface Rejection {
  readonly cause: RejectionCause
  readonly studyInstanceUid: string
  readonly at: string
  readonly destinationIds: readonly string[]
  readonly pairs: readonly { readonly originalId: number; readonly copyId: number }[]
}

/**
 * Corrections on their way to destinations (IHE RAD IOCM): whoever has an original is sent a
 * rejection note, then the corrected copies.
 */
export interface RejectionNotes {
  /**
   * In the transaction that corrects images, or makes the originals current again: the queues
   * change, and notices are written. Destinations that have a wrong version get the corrected
   * images after the rejection note.
   */
  corrected(done: CorrectionDone): void
  /**
   * Works off the outbox row: makes the note and queues it before the copies, in one transaction;
   * again it changes nothing. @throws StorageFault
   */
  send(correctionId: string, payload: unknown): Promise<void>
}

export function openRejectionNotes(deps: RejectionNotesDeps): RejectionNotes {
  const { store, clock, setting, notices, flushQueues, requeue, onChanged } = deps
  const { correctionNotices, database, instances, outbox } = store
  const own = openOwnInstances(deps)
  const now = () => instantOf(clock())

  const append = (
    destinationId: string,
    { instanceId, sopInstanceUid, studyInstanceUid }: InstanceRecord,
  ) =>
    appendForward(store.database, {
      destinationId,
      instanceId,
      sopInstanceUid,
      studyInstanceUid,
      at: now(),
    })

  const found = (ids: readonly number[]) => ids.flatMap((id) => instances.get(id) ?? [])

  /** Those that have originals, or are about to get them as copies of an earlier correction. */
  function holdersOf(originals: readonly InstanceRecord[]): string[] {
    const ids = originals.map(({ instanceId }) => instanceId)
    const all = new Set([
      ...destinationsHolding(database, ids),
      ...correctionNotices.informedWith(ids),
    ])
    return [...all].filter((destinationId) => findDestination(database, destinationId))
  }

  return {
    corrected(done) {
      const { correctionId, cause, fromStudyInstanceUid, at } = done.correction
      flushQueues()
      const isFetched = store.imageStudies.isFetched(fromStudyInstanceUid)
      if (done.isUndo) {
        outbox.drop(CORRECTION_REJECT, correctionId, now())
        notices.undo(done)
        const moved = done.pairs.map(({ original, copy }) => ({ before: copy, now: original }))
        requeue(moved, { isFetched, except: [] })
        return
      }
      const destinationIds = holdersOf(done.pairs.map(({ original }) => original))
      notices.add(done, destinationIds)
      if (destinationIds.length > 0) {
        const pairs = done.pairs.map(({ original, copy }) => ({
          originalId: original.instanceId,
          copyId: copy.instanceId,
        }))
        const payload: Rejection = {
          cause,
          studyInstanceUid: fromStudyInstanceUid,
          at,
          destinationIds,
          pairs,
        }
        outbox.append({ kind: CORRECTION_REJECT, subject: correctionId, payload, at })
      }
      const moved = done.pairs.map(({ original, copy }) => ({ before: original, now: copy }))
      requeue(moved, { isFetched, except: destinationIds })
    },

    async send(correctionId, payload) {
      const { cause, studyInstanceUid, at, pairs, destinationIds } = payload as Rejection
      if (correctionNotices.noteOf(correctionId)) return
      const originals = found(pairs.map(({ originalId }) => originalId))
      const [first] = originals
      if (!first) return
      const header = await headerOf(first)
      const made = noteOf(correctionId, {
        cause,
        at,
        rejected: originals,
        header,
        studyInstanceUid,
      })
      const isWanted = () =>
        !correctionNotices.noteOf(correctionId) &&
        outbox.latest(CORRECTION_REJECT, correctionId)?.state === 'waiting'
      try {
        await own.keep([made], header, ([kept]) => {
          if (!kept || !isWanted()) throw new Withdrawn()
          // Copies that were corrected again meanwhile are of that correction.
          const copies = found(pairs.map(({ copyId }) => copyId)).filter(
            ({ state }) => state === 'current',
          )
          queue(correctionId, kept, copies, {
            studyInstanceUid,
            destinationIds,
            rejected: originals.length,
          })
        })
      } catch (error) {
        if (!(error instanceof Withdrawn)) throw error
      }
      onChanged()
    },
  }

  /** In the transaction that keeps the note. */
  function queue(
    correctionId: string,
    kept: InstanceRecord,
    copies: readonly InstanceRecord[],
    {
      studyInstanceUid,
      destinationIds,
      rejected,
    }: Pick<Rejection, 'studyInstanceUid' | 'destinationIds'> & { readonly rejected: number },
  ): void {
    const { sopInstanceUid } = kept
    correctionNotices.insertNote({
      correctionId,
      studyInstanceUid,
      sopInstanceUid,
      createdAt: now(),
    })
    for (const destinationId of destinationIds) {
      // One that was removed since has a notice.
      if (!findDestination(database, destinationId)) continue
      append(destinationId, kept)
      for (const copy of copies) append(destinationId, copy)
      const sent = {
        correctionId,
        studyInstanceUid,
        sopInstanceUid,
        rejected,
        instances: copies.length,
      }
      note(deps.store, 'gateway', 'correction.send', destinationId, sent)
    }
  }

  /** As the file has it: the study may have other values since. */
  async function headerOf(original: InstanceRecord): Promise<ImageHeader> {
    const start = await readStart(store.imageFiles.pathOf(original.file)).catch(() => undefined)
    const known = start?.header.study ?? store.imageStudies.get(original.studyInstanceUid)?.header
    if (!known) throw new Error('The header of a rejected image cannot be read.')
    return known
  }

  interface NoteValues {
    readonly cause: RejectionCause
    readonly at: string
    readonly rejected: readonly InstanceRecord[]
    readonly header: ImageHeader
    readonly studyInstanceUid: string
  }

  function noteOf(
    correctionId: string,
    { cause, at, rejected, header, studyInstanceUid }: NoteValues,
  ): OwnInstance {
    const about = {
      ...{
        sopInstanceUid: uidOf(correctionId, 'note'),
        seriesInstanceUid: uidOf(correctionId, 'series'),
      },
      ...{ seriesNumber: '9999', seriesDescription: 'Rejection note', studyInstanceUid },
    }
    const { patientName, patientId, patientBirthDate, patientSex, studyDate, studyTime, studyId } =
      header
    const { studyDescription, accessionNumber, referringPhysicianName } = header
    const dataSet = rejectionNote(
      {
        ...{ patientName, patientId, patientBirthDate, patientSex, studyDate, studyTime, studyId },
        ...{ studyDescription, accessionNumber, referringPhysicianName, ...about },
        institutionName: header.institutionName,
      },
      dicomTime(at, timeZoneOf(setting('clinic.timeZone'))),
      { cause, rejected: rejected.map(rejectedOf) },
    )
    return {
      ...about,
      sopClassUid: KEY_OBJECT_SELECTION,
      modality: 'KO',
      isUncounted: true,
      dataSet,
    }
  }
}

const rejectedOf = ({
  seriesInstanceUid,
  sopClassUid,
  sopInstanceUid,
  image,
}: InstanceRecord): RejectedInstance => ({
  ...{ seriesInstanceUid, sopClassUid, sopInstanceUid },
  isImage: image !== null,
})

const uidOf = (correctionId: string, what: string): string =>
  derivedUid(`isthmus rejection ${what} of ${correctionId}`)

/** The correction was undone, or its note was queued, while it was written: nothing is kept. */
class Withdrawn extends Error {}
