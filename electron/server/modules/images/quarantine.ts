import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { findImageStudy, updateMismatch } from '#server/modules/studies/image-study-queries.ts'
import { reportError } from '#server/platform/log.ts'
import type { WindowOutcome } from '#shared/contract/conventions.ts'
import type { GroupOutcome } from '#shared/contract/quarantine.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message, sentences } from '#shared/messages/message.ts'
import { notifyImagesChanged } from './image-feed.ts'
import { recountInstances } from './image-study-writing-queries.ts'
import { findCurrentVersion, listFoundVersionUids } from './image-version-queries.ts'
import {
  deleteInstance,
  findCurrentInstance,
  findInstance,
  findWithdrawnInstance,
  type InstanceRecord,
  type OnInstanceChange,
  setInstanceState,
} from './instance-queries.ts'
import {
  countQuarantinedIn,
  listQuarantinedIn,
  type QuarantineGroup,
} from './quarantine-queries.ts'
import { reopenStudy } from './study-completion.ts'

/** Instances per transaction; the event loop can run between two of them. */
const BATCH_SIZE = 250

const REPLACED_MESSAGE = message('images.took-place')
const NOT_IN_QUARANTINE: WindowOutcome = {
  success: false,
  message: message('images.not-set-aside'),
}

/**
 * Replaces images with the quarantined instances that are other versions of them; returns their
 * number.
 * @throws ApiError outdated, unavailable
 */
export type RestoreVersions = (
  found: readonly InstanceRecord[],
  reason: string,
  actor: Actor,
) => Promise<number>

/** The result of a decision about a group, which is processed in batches. */
interface GroupProgress {
  readonly decided: number
  readonly left: number
  readonly fault: string | undefined
}

/** Releases or discards quarantined instances, as decided by a user. */
export class Quarantine {
  readonly #context: Context
  readonly #onChange: OnInstanceChange
  readonly #restoreVersions: RestoreVersions

  constructor(context: Context, onChange: OnInstanceChange, restoreVersions: RestoreVersions) {
    this.#context = context
    this.#onChange = onChange
    this.#restoreVersions = restoreVersions
  }

  /**
   * Makes the instance current; the one that it replaces is kept as a superseded version.
   * @throws ApiError not-found; refused if it was corrected
   */
  async release(instanceId: number, reason: string, actor: Actor): Promise<WindowOutcome> {
    const { database } = this.#context
    const found = requireInstance(database, instanceId)
    if (found.state === 'quarantined' && isOtherVersion(database, found)) {
      await this.#restoreVersions([found], reason, actor)
      return { success: true, message: REPLACED_MESSAGE }
    }
    const outcome = database.transaction((): WindowOutcome => {
      const instance = requireInstance(database, instanceId)
      if (instance.state !== 'quarantined') return NOT_IN_QUARANTINE
      requireUncorrected(database, instance)
      this.#record(actor, 'instance.release', instance, reason)
      const isReplacing = this.#makeCurrent(instance.studyInstanceUid, [instance]) > 0
      return { success: true, message: isReplacing ? REPLACED_MESSAGE : message('images.released') }
    })
    notifyImagesChanged(this.#context)
    return outcome
  }

  /**
   * Makes a superseded version current again; the one that it replaces is kept.
   * @throws ApiError not-found
   */
  restoreVersion(instanceId: number, reason: string, actor: Actor): WindowOutcome {
    const { database } = this.#context
    const outcome = database.transaction((): WindowOutcome => {
      const instance = requireInstance(database, instanceId)
      if (instance.state !== 'superseded')
        return { success: false, message: message('images.shown-already') }
      requireUncorrected(database, instance)
      this.#record(actor, 'instance.restore-version', instance, reason)
      this.#makeCurrent(instance.studyInstanceUid, [instance])
      return { success: true, message: message('images.version-restored') }
    })
    notifyImagesChanged(this.#context)
    return outcome
  }

  /**
   * Deletes the row and the file permanently.
   * @throws ApiError not-found; StorageFault if the file could not be deleted. It is moved to the
   *   recovery folder at the next start.
   */
  async discard(instanceId: number, reason: string, actor: Actor): Promise<WindowOutcome> {
    const { database, imageFiles } = this.#context
    const discarded = database.transaction(() => {
      const instance = requireInstance(database, instanceId)
      if (instance.state !== 'quarantined') return undefined
      deleteRows(database, [instance])
      this.#record(actor, 'instance.discard', instance, reason)
      return instance
    })
    if (!discarded) return NOT_IN_QUARANTINE
    notifyImagesChanged(this.#context)
    // The row is deleted first: a file without a row is moved to the recovery folder at the next
    // start, but a row without its file cannot be repaired.
    await imageFiles.remove(discarded.file)
    return { success: true, message: message('images.deleted') }
  }

  /**
   * Releases a group like `release`, oldest first. Decisions made before an error remain; it throws
   * only if there were none.
   */
  async releaseGroup(group: QuarantineGroup, reason: string, actor: Actor): Promise<GroupOutcome> {
    const { database } = this.#context
    const restored = await this.#restoreGroup(group, reason, actor)
    let replacing = restored
    const done = await this.#inBatches(
      group,
      (portion) => {
        // Corrected instances stay in quarantine.
        const releasable = portion.filter(
          (instance) =>
            !findWithdrawnInstance(database, instance.sopInstanceUid) &&
            !isOtherVersion(database, instance),
        )
        if (releasable.length === 0) return releasable
        const replacedCount = this.#makeCurrent(group.studyInstanceUid, releasable)
        this.#recordGroup(actor, 'instances.release', group, reason, releasable.length)
        // Not counted if the transaction is rolled back.
        database.afterCommit(() => {
          replacing += replacedCount
        })
        return releasable
      },
      async () => undefined,
    )
    const decided = restored + done.decided
    return outcomeOf(
      { ...done, decided },
      message('images.group-released', { count: decided, replacing }),
    )
  }

  /**
   * Discards a group like `discard`; errors are handled as in `releaseGroup`. Files that could not
   * be deleted are counted in the message.
   */
  async discardGroup(group: QuarantineGroup, reason: string, actor: Actor): Promise<GroupOutcome> {
    const { database, imageFiles } = this.#context
    let undeletedCount = 0
    const done = await this.#inBatches(
      group,
      (portion) => {
        if (portion.length === 0) return portion
        deleteRows(database, portion)
        this.#recordGroup(actor, 'instances.discard', group, reason, portion.length)
        return portion
      },
      async (portion) => {
        // The rows are deleted. A file that cannot be deleted does not prevent the others from
        // being deleted.
        for (const { file } of portion)
          await imageFiles.remove(file).catch((error: unknown) => {
            undeletedCount++
            reportError(this.#context, error)
          })
      },
    )
    const { decided } = done
    const outcome = outcomeOf(done, message('images.group-deleted', { count: decided }))
    if (undeletedCount === 0) return outcome
    const files = message('images.files-left', { count: undeletedCount })
    return { ...outcome, success: false, message: sentences(outcome.message, files) }
  }

  #record(actor: Actor, action: string, instance: InstanceRecord, reason: string): void {
    const { instanceId, sopInstanceUid, studyInstanceUid, reason: because } = instance
    const detail = { sopInstanceUid, studyInstanceUid, because, reason }
    note(this.#context, actor, action, String(instanceId), detail)
  }

  #recordGroup(
    actor: Actor,
    action: string,
    { studyInstanceUid, because }: QuarantineGroup,
    reason: string,
    instances: number,
  ): void {
    note(this.#context, actor, action, studyInstanceUid, { because, reason, instances })
  }

  /**
   * Makes instances of one study current, the newest version last. Returns the number of instances
   * that they replaced. Must be called within a transaction.
   */
  #makeCurrent(studyInstanceUid: string, released: readonly InstanceRecord[]): number {
    const { database } = this.#context
    const study = findImageStudy(database, studyInstanceUid)
    const isFetched = study?.isFetched === true
    const studies = new Set([studyInstanceUid])
    let replacing = 0
    for (const instance of released) {
      // An instance that was just released is another version of it.
      if (isOtherVersion(database, instance)) continue
      const replaced = findCurrentInstance(database, instance.sopInstanceUid)
      if (replaced) {
        setInstanceState(database, replaced.instanceId, 'superseded')
        studies.add(replaced.studyInstanceUid)
        replacing++
      }
      setInstanceState(database, instance.instanceId, 'current')
      // Priors are neither forwarded automatically nor offered for reading.
      if (!isFetched)
        this.#onChange('released', [{ ...instance, state: 'current', reason: null, detail: null }])
    }
    for (const uid of studies) recountInstances(database, uid)
    reopenStudy(this.#context, studyInstanceUid, study?.instances === 0 && !isFetched)
    return replacing
  }

  /**
   * Processes a group in batches, each in a transaction, until none is left or one fails. `decide`
   * returns the instances that it processed.
   */
  async #inBatches(
    group: QuarantineGroup,
    decide: (portion: readonly InstanceRecord[]) => readonly InstanceRecord[],
    afterwards: (decided: readonly InstanceRecord[]) => Promise<void>,
  ): Promise<GroupProgress> {
    const { database, uuid } = this.#context
    let decided = 0
    let fault: string | undefined
    try {
      for (let after = 0; ; await nextTurn()) {
        const { found, portion } = database.transaction(() => {
          const found = listQuarantinedIn(database, group, { after, limit: BATCH_SIZE })
          return { found, portion: decide(found) }
        })
        decided += portion.length
        await afterwards(portion)
        after = found.at(-1)?.instanceId ?? 0
        if (found.length < BATCH_SIZE) break
      }
    } catch (error) {
      if (decided === 0) throw error
      fault = uuid().slice(0, 8)
      reportError(this.#context, error, fault)
    }
    notifyImagesChanged(this.#context)
    return { decided, left: countQuarantinedIn(database, group), fault }
  }

  /**
   * Releases those of the group that are other versions of shown images; returns the number of
   * images that they replaced.
   */
  async #restoreGroup(group: QuarantineGroup, reason: string, actor: Actor): Promise<number> {
    const { database } = this.#context
    const versions: InstanceRecord[] = []
    for (let after = 0; ; ) {
      const found = listQuarantinedIn(database, group, { after, limit: BATCH_SIZE })
      versions.push(...found.filter((instance) => isOtherVersion(database, instance)))
      after = found.at(-1)?.instanceId ?? 0
      if (found.length < BATCH_SIZE) break
    }
    return versions.length === 0 ? 0 : await this.#restoreVersions(versions, reason, actor)
  }
}

function requireInstance(database: Database, instanceId: number): InstanceRecord {
  const instance = findInstance(database, instanceId)
  if (!instance) throw new ApiError('not-found', message('images.no-instance'))
  return instance
}

/** Whether it was detected as another version of a shown image. */
const isOtherVersion = (
  database: Database,
  { instanceId, sopInstanceUid }: InstanceRecord,
): boolean =>
  findCurrentVersion(database, sopInstanceUid, listFoundVersionUids(database, instanceId)) !==
  undefined

/**
 * Requires that the image was not corrected, since this version would identify the wrong patient or
 * order.
 * @throws ApiError refused
 */
function requireUncorrected(database: Database, instance: InstanceRecord): void {
  if (
    findWithdrawnInstance(database, instance.sopInstanceUid) ||
    isOtherVersion(database, instance)
  )
    throw new ApiError('refused', message('images.corrected'))
}

/**
 * Deletes rows of one study, and compares images again that were in doubt because of them. Must be
 * called within a transaction.
 */
function deleteRows(database: Database, discarded: readonly InstanceRecord[]): void {
  const others = new Set(
    discarded.flatMap(({ instanceId }) => listFoundVersionUids(database, instanceId)),
  )
  for (const { instanceId } of discarded) deleteInstance(database, instanceId)
  for (const { studyInstanceUid } of discarded.slice(0, 1))
    recountInstances(database, studyInstanceUid)
  const studies = new Set(
    [...others].flatMap((uid) => findCurrentInstance(database, uid)?.studyInstanceUid ?? []),
  )
  for (const studyInstanceUid of studies) updateMismatch(database, studyInstanceUid)
}

function outcomeOf({ decided, left, fault }: GroupProgress, doneMessage: Message): GroupOutcome {
  if (decided === 0)
    return { success: false, message: message('images.none-set-aside'), decided, left }
  if (fault === undefined) return { success: true, message: doneMessage, decided, left }
  const rest = message('images.group-stopped', { reference: fault, count: left })
  return { success: false, message: sentences(doneMessage, rest), decided, left }
}
