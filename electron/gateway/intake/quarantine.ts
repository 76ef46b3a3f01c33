import { note } from '#gateway/domain/audit.ts'
import type { InstanceRecord } from '#gateway/store/instances.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import { ApiError } from '#shared/errors.ts'
import type { Actor, IntakeDeps } from './ports.ts'
import type { Settling } from './settling.ts'

/** What a person decides about instances that were set aside. */
export interface Quarantine {
  /** @throws ApiError not-found */
  release(instanceId: number, reason: string, actor: Actor): Outcome
  /** @throws ApiError not-found; StorageFault: the row is gone, the file goes at the next start */
  discard(instanceId: number, reason: string, actor: Actor): Promise<Outcome>
}

export function openQuarantine(deps: IntakeDeps, settling: Pick<Settling, 'reopen'>): Quarantine {
  const { store, onKept, onChanged } = deps
  const { database, instances, imageStudies, imageFiles } = store

  function existing(instanceId: number): InstanceRecord {
    const instance = instances.get(instanceId)
    if (!instance) throw new ApiError('not-found', 'There is no such instance.')
    return instance
  }

  function record(
    actor: Actor,
    action: string,
    { instanceId, sopInstanceUid, studyInstanceUid, reason: because }: InstanceRecord,
    reason: string,
  ): void {
    note(deps, actor, action, String(instanceId), { sopInstanceUid, studyInstanceUid, because, reason })
  }

  return {
    release(instanceId, reason, actor) {
      const outcome = database.transaction((): Outcome => {
        const instance = existing(instanceId)
        if (instance.state !== 'quarantined') return NOT_IN_QUARANTINE
        const study = imageStudies.get(instance.studyInstanceUid)
        const isFetched = study?.isFetched === true
        const replaced = instances.current(instance.sopInstanceUid)
        if (replaced) instances.setState(replaced.instanceId, 'superseded')
        instances.setState(instanceId, 'current')
        for (const studyInstanceUid of new Set([instance, ...(replaced ? [replaced] : [])].map((of) => of.studyInstanceUid)))
          imageStudies.recount(studyInstanceUid)
        deps.performedSteps.changed()
        record(actor, 'instance.release', instance, reason)
        // An earlier exam is neither sent on by itself nor put up for reading.
        if (!isFetched) onKept({ ...instance, state: 'current', reason: null, detail: '' })
        settling.reopen(instance.studyInstanceUid, study?.instances === 0 && !isFetched)
        return {
          success: true,
          message: replaced ? 'It took the place of the object that was here; that one is kept.' : 'It is part of its study now.',
        }
      })
      onChanged()
      return outcome
    },

    async discard(instanceId, reason, actor) {
      const discarded = database.transaction(() => {
        const instance = existing(instanceId)
        if (instance.state !== 'quarantined') return undefined
        instances.remove(instanceId)
        imageStudies.recount(instance.studyInstanceUid)
        record(actor, 'instance.discard', instance, reason)
        return instance
      })
      if (!discarded) return NOT_IN_QUARANTINE
      onChanged()
      // Only now: a row without a file would be a lie, a file without a row is removed at the next start.
      await imageFiles.remove(discarded.file)
      return { success: true, message: 'It was deleted.' }
    },
  }
}

const NOT_IN_QUARANTINE: Outcome = { success: false, message: 'It is not in quarantine any more.' }
