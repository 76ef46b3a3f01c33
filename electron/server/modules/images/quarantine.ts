import { setImmediate as nextTurn } from 'node:timers/promises'
import { note } from '#server/modules/audit/audit.ts'
import type { Corrections } from '#server/modules/corrections/corrections.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type { GroupOutcome } from '#shared/contract/images.ts'
import { ApiError } from '#shared/errors.ts'
import type { InstanceRecord, QuarantineGroup } from './instance-queries.ts'
import type { Actor, IntakeDeps } from './ports.ts'
import type { Settling } from './settling.ts'

/**
 * Instances that are decided on in one transaction; between two of them the event loop is let
 * through.
 */
const PORTION = 250

/** What a person decides about instances that were set aside. */
export interface Quarantine {
  /** @throws ApiError not-found; refused: it was corrected */
  release(instanceId: number, reason: string, actor: Actor): Promise<Outcome>
  /**
   * An earlier version takes its place again; the one it replaces is kept. @throws ApiError
   * not-found
   */
  restoreVersion(instanceId: number, reason: string, actor: Actor): Outcome
  /**
   * @throws ApiError not-found; StorageFault: the row is gone, the file goes to the recovery
   *   folder at the next start
   */
  discard(instanceId: number, reason: string, actor: Actor): Promise<Outcome>
  /**
   * As `release`, oldest first. What was decided stays where it cannot go on; it throws only where
   * nothing was.
   */
  releaseGroup(group: QuarantineGroup, reason: string, actor: Actor): Promise<GroupOutcome>
  /**
   * As `discard`; as `releaseGroup`. Files that cannot be deleted now are counted in the message.
   */
  discardGroup(group: QuarantineGroup, reason: string, actor: Actor): Promise<GroupOutcome>
}

export interface QuarantineDeps extends IntakeDeps {
  readonly settling: Pick<Settling, 'reopen'>
  readonly corrections: Pick<Corrections, 'isVersion' | 'restore'>
}

export function openQuarantine({ settling, corrections, ...deps }: QuarantineDeps): Quarantine {
  const { store, uuid, onReleased, onChanged, onError } = deps
  const { database, instances, imageStudies, imageFiles } = store

  function existing(instanceId: number): InstanceRecord {
    const instance = instances.get(instanceId)
    if (!instance) throw new ApiError('not-found', 'There is no such instance.')
    return instance
  }

  /**
   * @throws ApiError refused: the image was corrected, and what is here of it names the wrong
   *   patient or order
   */
  function demandStanding(instance: InstanceRecord): void {
    if (instances.withdrawn(instance.sopInstanceUid) || corrections.isVersion(instance))
      throw new ApiError('refused', CORRECTED)
  }

  function record(
    actor: Actor,
    action: string,
    { instanceId, sopInstanceUid, studyInstanceUid, reason: because }: InstanceRecord,
    reason: string,
  ): void {
    note(deps.store, actor, action, String(instanceId), {
      sopInstanceUid,
      studyInstanceUid,
      because,
      reason,
    })
  }

  /**
   * Within a transaction: instances of one study take their places, the newest version last. How
   * many they took the place of.
   */
  function letIn(studyInstanceUid: string, released: readonly InstanceRecord[]): number {
    const study = imageStudies.get(studyInstanceUid)
    const isFetched = study?.isFetched === true
    const studies = new Set([studyInstanceUid])
    let replacing = 0
    for (const instance of released) {
      // One that was let in just now is another version of it.
      if (corrections.isVersion(instance)) continue
      const replaced = instances.current(instance.sopInstanceUid)
      if (replaced) {
        instances.setState(replaced.instanceId, 'superseded')
        studies.add(replaced.studyInstanceUid)
        replacing++
      }
      instances.setState(instance.instanceId, 'current')
      // An earlier exam is neither sent on by itself nor put up for reading.
      if (!isFetched) onReleased({ ...instance, state: 'current', reason: null, detail: '' })
    }
    for (const uid of studies) imageStudies.recount(uid)
    deps.performedSteps.changed()
    settling.reopen(studyInstanceUid, study?.instances === 0 && !isFetched)
    return replacing
  }

  /**
   * Within a transaction: rows of one study go, and images that some of them put in doubt are
   * compared anew.
   */
  function removed(discarded: readonly InstanceRecord[]): void {
    const others = new Set(
      discarded.flatMap(({ instanceId }) => store.corrections.foundBeside(instanceId)),
    )
    for (const { instanceId } of discarded) instances.remove(instanceId)
    for (const { studyInstanceUid } of discarded.slice(0, 1)) imageStudies.recount(studyInstanceUid)
    const studies = new Set(
      [...others].flatMap((uid) => instances.current(uid)?.studyInstanceUid ?? []),
    )
    for (const studyInstanceUid of studies) imageStudies.compareAnew(studyInstanceUid)
  }

  /**
   * Portion by portion, each in a transaction of its own with its row in the audit trail, until
   * none is left or one fails.
   */
  async function byPortions(
    group: QuarantineGroup,
    { action, reason, actor, isDecided = () => true }: GroupDecision,
    decide: (portion: readonly InstanceRecord[]) => void,
    afterwards: (portion: readonly InstanceRecord[]) => Promise<void> = async () => undefined,
  ): Promise<{
    readonly decided: number
    readonly left: number
    readonly fault: string | undefined
  }> {
    const { studyInstanceUid, because } = group
    let decided = 0
    let fault: string | undefined
    try {
      for (let after = 0; ; await nextTurn()) {
        const { found, portion } = database.transaction(() => {
          const found = instances.quarantinedIn(group, { after, limit: PORTION })
          const portion = found.filter(isDecided)
          if (portion.length === 0) return { found, portion }
          decide(portion)
          note(deps.store, actor, action, studyInstanceUid, {
            because,
            reason,
            instances: portion.length,
          })
          return { found, portion }
        })
        decided += portion.length
        await afterwards(portion)
        after = found.at(-1)?.instanceId ?? 0
        if (found.length < PORTION) break
      }
    } catch (error) {
      if (decided === 0) throw error
      fault = uuid().slice(0, 8)
      onError(fault, error)
    }
    onChanged()
    return { decided, left: instances.countQuarantinedIn(group), fault }
  }

  /**
   * Those of the group that are other versions of images that are shown. How many took their
   * places.
   */
  async function restoreVersions(
    group: QuarantineGroup,
    reason: string,
    actor: Actor,
  ): Promise<number> {
    const versions: InstanceRecord[] = []
    for (let after = 0; ; ) {
      const found = instances.quarantinedIn(group, { after, limit: PORTION })
      versions.push(...found.filter((instance) => corrections.isVersion(instance)))
      after = found.at(-1)?.instanceId ?? 0
      if (found.length < PORTION) break
    }
    return versions.length === 0 ? 0 : await corrections.restore(versions, reason, actor)
  }

  return {
    async release(instanceId, reason, actor) {
      const found = existing(instanceId)
      if (found.state === 'quarantined' && corrections.isVersion(found)) {
        await corrections.restore([found], reason, actor)
        return { success: true, message: REPLACED }
      }
      const outcome = database.transaction((): Outcome => {
        const instance = existing(instanceId)
        if (instance.state !== 'quarantined') return NOT_IN_QUARANTINE
        demandStanding(instance)
        record(actor, 'instance.release', instance, reason)
        const isReplacing = letIn(instance.studyInstanceUid, [instance]) > 0
        return {
          success: true,
          message: isReplacing ? REPLACED : 'It is part of its study now.',
        }
      })
      onChanged()
      return outcome
    },

    restoreVersion(instanceId, reason, actor) {
      const outcome = database.transaction((): Outcome => {
        const instance = existing(instanceId)
        if (instance.state !== 'superseded')
          return { success: false, message: 'It is the version that is shown already.' }
        demandStanding(instance)
        record(actor, 'instance.restore-version', instance, reason)
        letIn(instance.studyInstanceUid, [instance])
        return {
          success: true,
          message: 'The earlier version is shown again; the later one is kept.',
        }
      })
      onChanged()
      return outcome
    },

    async discard(instanceId, reason, actor) {
      const discarded = database.transaction(() => {
        const instance = existing(instanceId)
        if (instance.state !== 'quarantined') return undefined
        removed([instance])
        record(actor, 'instance.discard', instance, reason)
        return instance
      })
      if (!discarded) return NOT_IN_QUARANTINE
      onChanged()
      // Only now: a file without a row goes to the recovery folder at the next start, a row without
      // its file cannot be mended.
      await imageFiles.remove(discarded.file)
      return { success: true, message: 'It was deleted.' }
    },

    async releaseGroup(group, reason, actor) {
      let replacing = await restoreVersions(group, reason, actor)
      const before = replacing
      // One that was corrected stays set aside.
      const isDecided = (instance: InstanceRecord) =>
        !instances.withdrawn(instance.sopInstanceUid) && !corrections.isVersion(instance)
      const done = await byPortions(
        group,
        { action: 'instances.release', reason, actor, isDecided },
        (portion) => {
          const ofPortion = letIn(group.studyInstanceUid, portion)
          // What is rolled back replaced nothing.
          database.afterCommit(() => {
            replacing += ofPortion
          })
        },
      )
      const more =
        replacing > 0 ? `; ${replacing} of them took the place of others, which are kept` : ''
      const decided = before + done.decided
      return outcomeOf({ ...done, decided }, `${partOf(decided)}${more}.`)
    },

    async discardGroup(group, reason, actor) {
      let undeleted = 0
      const done = await byPortions(
        group,
        { action: 'instances.discard', reason, actor },
        removed,
        async (portion) => {
          // The rows are gone, and the files go: one that cannot be deleted holds up no other.
          for (const { file } of portion)
            await imageFiles.remove(file).catch((error: unknown) => {
              undeleted++
              onError(uuid().slice(0, 8), error)
            })
        },
      )
      const { success, ...outcome } = outcomeOf(done, `${deleted(done.decided)}.`)
      if (undeleted === 0) return { success, ...outcome }
      const files = `${undeleted === 1 ? 'The file of 1 of them' : `The files of ${undeleted} of them`} could not be deleted now`
      return {
        ...outcome,
        success: false,
        message: `${outcome.message} ${files}: the next start moves them to the recovery folder.`,
      }
    },
  }
}

/** A decision on all instances of a group. */
interface GroupDecision {
  readonly action: string
  readonly reason: string
  readonly actor: Actor
  /** Others of the group stay as they are. */
  readonly isDecided?: (instance: InstanceRecord) => boolean
}

const CORRECTED =
  'The identity of this image was corrected, and its corrected copy is shown: undo the correction to show it again.'
const REPLACED = 'It took the place of the image that was here; that one is kept.'
const NOT_IN_QUARANTINE: Outcome = { success: false, message: 'It is not set aside any more.' }

const images = (count: number) => (count === 1 ? '1 image' : `${count} images`)
const partOf = (count: number) =>
  `${images(count)} ${count === 1 ? 'is part of its' : 'are part of their'} study now`
const deleted = (count: number) => `${images(count)} ${count === 1 ? 'was' : 'were'} deleted`

function outcomeOf(
  {
    decided,
    left,
    fault,
  }: { readonly decided: number; readonly left: number; readonly fault: string | undefined },
  said: string,
): GroupOutcome {
  if (decided === 0)
    return { success: false, message: 'None of them is set aside any more.', decided, left }
  if (fault === undefined) return { success: true, message: said, decided, left }
  const rest = `Then the gateway could not go on (reference ${fault}): ${images(left)} still set aside. Try again.`
  return { success: false, message: `${said} ${rest}`, decided, left }
}
