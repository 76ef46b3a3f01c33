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
import { noteImagesChanged } from './image-feed.ts'
import { recountInstances } from './image-study-writing-queries.ts'
import { findRivalVersion, listFoundBeside } from './image-version-queries.ts'
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

/**
 * Instances that are decided on in one transaction; between two of them the event loop is let
 * through.
 */
const PORTION = 250

const REPLACED = message('images.took-place')
const NOT_IN_QUARANTINE: WindowOutcome = {
  success: false,
  message: message('images.not-set-aside'),
}

/**
 * Those of the instances that were set aside as other versions of images that are shown take their
 * places. How many did. @throws ApiError outdated, unavailable
 */
export type RestoreVersions = (
  found: readonly InstanceRecord[],
  reason: string,
  actor: Actor,
) => Promise<number>

/** What was decided of a group, in portions. */
interface Decided {
  readonly decided: number
  readonly left: number
  readonly fault: string | undefined
}

/** What a person decides about instances that were set aside. */
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
   * The instance takes its place in its study; the one it replaces is kept.
   * @throws ApiError not-found; refused: it was corrected
   */
  async release(instanceId: number, reason: string, actor: Actor): Promise<WindowOutcome> {
    const { database } = this.#context
    const found = existing(database, instanceId)
    if (found.state === 'quarantined' && isVersion(database, found)) {
      await this.#restoreVersions([found], reason, actor)
      return { success: true, message: REPLACED }
    }
    const outcome = database.transaction((): WindowOutcome => {
      const instance = existing(database, instanceId)
      if (instance.state !== 'quarantined') return NOT_IN_QUARANTINE
      demandStanding(database, instance)
      this.#record(actor, 'instance.release', instance, reason)
      const isReplacing = this.#letIn(instance.studyInstanceUid, [instance]) > 0
      return { success: true, message: isReplacing ? REPLACED : message('images.released') }
    })
    noteImagesChanged(this.#context)
    return outcome
  }

  /**
   * An earlier version takes its place again; the one it replaces is kept. @throws ApiError
   * not-found
   */
  restoreVersion(instanceId: number, reason: string, actor: Actor): WindowOutcome {
    const { database } = this.#context
    const outcome = database.transaction((): WindowOutcome => {
      const instance = existing(database, instanceId)
      if (instance.state !== 'superseded')
        return { success: false, message: message('images.shown-already') }
      demandStanding(database, instance)
      this.#record(actor, 'instance.restore-version', instance, reason)
      this.#letIn(instance.studyInstanceUid, [instance])
      return { success: true, message: message('images.version-restored') }
    })
    noteImagesChanged(this.#context)
    return outcome
  }

  /**
   * Row and file are deleted for good.
   * @throws ApiError not-found; StorageFault: the row is gone, the file goes to the recovery folder
   *   at the next start
   */
  async discard(instanceId: number, reason: string, actor: Actor): Promise<WindowOutcome> {
    const { database, imageFiles } = this.#context
    const discarded = database.transaction(() => {
      const instance = existing(database, instanceId)
      if (instance.state !== 'quarantined') return undefined
      remove(database, [instance])
      this.#record(actor, 'instance.discard', instance, reason)
      return instance
    })
    if (!discarded) return NOT_IN_QUARANTINE
    noteImagesChanged(this.#context)
    // Only now: a file without a row goes to the recovery folder at the next start, a row without
    // its file cannot be repaired.
    await imageFiles.remove(discarded.file)
    return { success: true, message: message('images.deleted') }
  }

  /**
   * As `release`, oldest first. What was decided stays where it cannot go on; it throws only where
   * nothing was.
   */
  async releaseGroup(group: QuarantineGroup, reason: string, actor: Actor): Promise<GroupOutcome> {
    const { database } = this.#context
    const restored = await this.#restoreGroup(group, reason, actor)
    let replacing = restored
    const done = await this.#byPortions(
      group,
      (portion) => {
        // One that was corrected stays set aside.
        const released = portion.filter(
          (instance) =>
            !findWithdrawnInstance(database, instance.sopInstanceUid) &&
            !isVersion(database, instance),
        )
        if (released.length === 0) return released
        const ofPortion = this.#letIn(group.studyInstanceUid, released)
        this.#recordGroup(actor, 'instances.release', group, reason, released.length)
        // What is rolled back replaced nothing.
        database.afterCommit(() => {
          replacing += ofPortion
        })
        return released
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
   * As `discard`; as `releaseGroup`. Files that cannot be deleted now are counted in the message.
   */
  async discardGroup(group: QuarantineGroup, reason: string, actor: Actor): Promise<GroupOutcome> {
    const { database, imageFiles } = this.#context
    let undeleted = 0
    const done = await this.#byPortions(
      group,
      (portion) => {
        if (portion.length === 0) return portion
        remove(database, portion)
        this.#recordGroup(actor, 'instances.discard', group, reason, portion.length)
        return portion
      },
      async (portion) => {
        // The rows are gone, and the files go: one that cannot be deleted holds up no other.
        for (const { file } of portion)
          await imageFiles.remove(file).catch((error: unknown) => {
            undeleted++
            reportError(this.#context, error)
          })
      },
    )
    const { decided } = done
    const outcome = outcomeOf(done, message('images.group-deleted', { count: decided }))
    if (undeleted === 0) return outcome
    const files = message('images.files-left', { count: undeleted })
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
   * Within a transaction: instances of one study take their places, the newest version last. How
   * many they took the place of.
   */
  #letIn(studyInstanceUid: string, released: readonly InstanceRecord[]): number {
    const { database } = this.#context
    const study = findImageStudy(database, studyInstanceUid)
    const isFetched = study?.isFetched === true
    const studies = new Set([studyInstanceUid])
    let replacing = 0
    for (const instance of released) {
      // One that was let in just now is another version of it.
      if (isVersion(database, instance)) continue
      const replaced = findCurrentInstance(database, instance.sopInstanceUid)
      if (replaced) {
        setInstanceState(database, replaced.instanceId, 'superseded')
        studies.add(replaced.studyInstanceUid)
        replacing++
      }
      setInstanceState(database, instance.instanceId, 'current')
      // An earlier exam is neither sent on by itself nor put up for reading.
      if (!isFetched)
        this.#onChange('released', [{ ...instance, state: 'current', reason: null, detail: null }])
    }
    for (const uid of studies) recountInstances(database, uid)
    reopenStudy(this.#context, studyInstanceUid, study?.instances === 0 && !isFetched)
    return replacing
  }

  /**
   * Portion by portion, each in a transaction of its own, until none is left or one fails. `decide`
   * returns those that were decided on.
   */
  async #byPortions(
    group: QuarantineGroup,
    decide: (portion: readonly InstanceRecord[]) => readonly InstanceRecord[],
    afterwards: (decided: readonly InstanceRecord[]) => Promise<void>,
  ): Promise<Decided> {
    const { database, uuid } = this.#context
    let decided = 0
    let fault: string | undefined
    try {
      for (let after = 0; ; await nextTurn()) {
        const { found, portion } = database.transaction(() => {
          const found = listQuarantinedIn(database, group, { after, limit: PORTION })
          return { found, portion: decide(found) }
        })
        decided += portion.length
        await afterwards(portion)
        after = found.at(-1)?.instanceId ?? 0
        if (found.length < PORTION) break
      }
    } catch (error) {
      if (decided === 0) throw error
      fault = uuid().slice(0, 8)
      reportError(this.#context, error, fault)
    }
    noteImagesChanged(this.#context)
    return { decided, left: countQuarantinedIn(database, group), fault }
  }

  /**
   * Those of the group that are other versions of images that are shown. How many took their
   * places.
   */
  async #restoreGroup(group: QuarantineGroup, reason: string, actor: Actor): Promise<number> {
    const { database } = this.#context
    const versions: InstanceRecord[] = []
    for (let after = 0; ; ) {
      const found = listQuarantinedIn(database, group, { after, limit: PORTION })
      versions.push(...found.filter((instance) => isVersion(database, instance)))
      after = found.at(-1)?.instanceId ?? 0
      if (found.length < PORTION) break
    }
    return versions.length === 0 ? 0 : await this.#restoreVersions(versions, reason, actor)
  }
}

function existing(database: Database, instanceId: number): InstanceRecord {
  const instance = findInstance(database, instanceId)
  if (!instance) throw new ApiError('not-found', message('images.no-instance'))
  return instance
}

/** Whether it was found as another version of an image that is shown. */
const isVersion = (database: Database, { instanceId, sopInstanceUid }: InstanceRecord): boolean =>
  findRivalVersion(database, sopInstanceUid, listFoundBeside(database, instanceId)) !== undefined

/**
 * @throws ApiError refused: the image was corrected, and what is here of it names the wrong patient
 *   or order
 */
function demandStanding(database: Database, instance: InstanceRecord): void {
  if (findWithdrawnInstance(database, instance.sopInstanceUid) || isVersion(database, instance))
    throw new ApiError('refused', message('images.corrected'))
}

/**
 * Within a transaction: rows of one study go, and images that some of them put in doubt are
 * compared anew.
 */
function remove(database: Database, discarded: readonly InstanceRecord[]): void {
  const others = new Set(
    discarded.flatMap(({ instanceId }) => listFoundBeside(database, instanceId)),
  )
  for (const { instanceId } of discarded) deleteInstance(database, instanceId)
  for (const { studyInstanceUid } of discarded.slice(0, 1))
    recountInstances(database, studyInstanceUid)
  const studies = new Set(
    [...others].flatMap((uid) => findCurrentInstance(database, uid)?.studyInstanceUid ?? []),
  )
  for (const studyInstanceUid of studies) updateMismatch(database, studyInstanceUid)
}

function outcomeOf({ decided, left, fault }: Decided, said: Message): GroupOutcome {
  if (decided === 0)
    return { success: false, message: message('images.none-set-aside'), decided, left }
  if (fault === undefined) return { success: true, message: said, decided, left }
  const rest = message('images.group-stopped', { reference: fault, count: left })
  return { success: false, message: sentences(said, rest), decided, left }
}
