import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import type { DestinationRecord } from './destination-queries.ts'
import type { Destinations } from './destinations.ts'
import type { ForwardRecord } from './forward-queries.ts'
import type { Due } from './sender.ts'

/** Instances that are retried or dropped in one transaction, give or take a study. */
const PORTION = 1000

export interface QueueDeps extends DomainDeps {
  readonly destinations: Pick<Destinations, 'list'>
}

/** An instance that another takes the place of. */
export interface MovedInstance {
  readonly before: InstanceRecord
  readonly now: InstanceRecord
}

/** What is to be sent where, as rows; each change by a person is in the audit trail. */
export interface Queue {
  /**
   * In the transaction that keeps the instance. It takes the place of an older version that waits,
   * or failed.
   */
  enqueue(instance: InstanceRecord): void
  /**
   * In the transaction that makes an instance current that was set aside or superseded: as
   * `enqueue`, and again for every destination it was kept from.
   */
  release(instance: InstanceRecord): void
  /**
   * In the transaction that takes back the row: what waits, or failed, of it is dropped, since it
   * is sent again. The destinations it was for.
   */
  takeBack(instance: InstanceRecord): string[]
  /**
   * In the transaction that sets the instances aside: what waits, or failed, of them is dropped.
   * The destinations it was for.
   */
  setAside(instances: readonly InstanceRecord[]): string[]
  /**
   * In the transaction that makes corrected copies the current instances, or the originals again:
   * what waits, or failed, of `before` is dropped, and `now` is queued for the destinations that
   * had it, or were to have it, and, unless it was fetched, for those that get everything; for none
   * of `except`. An original is queued again for the destinations that the correction kept it from.
   * The destinations of what was dropped.
   */
  correct(
    moved: readonly MovedInstance[],
    options: { readonly isFetched: boolean; readonly except: readonly string[] },
  ): string[]
  /**
   * The study's current instances; those that are there already are left out. How many were queued.
   * @throws ApiError not-found
   */
  send(destination: DestinationRecord, studyInstanceUid: string, actor: Actor): number
  /**
   * How many are due now: of the study, or of all in portions, with the event loop let through
   * between them.
   */
  retry(
    destination: DestinationRecord,
    studyInstanceUid: string | undefined,
    actor: Actor,
  ): Promise<number>
  /** How many were given up; as `retry`. */
  drop(
    destination: DestinationRecord,
    what: { readonly studyInstanceUid?: string | undefined; readonly reason: string },
    actor: Actor,
  ): Promise<number>
  /**
   * What is due, each with its current instance. One that is not current any more is given up, with
   * the reason.
   */
  due(destinationId: string, now: string, limit: number): Due[]
}

export function openQueue(deps: QueueDeps): Queue {
  const { store, clock, destinations } = deps
  const { forwards, instances, database } = store
  const now = () => instantOf(clock())

  const append = (
    destinationId: string,
    { instanceId, sopInstanceUid, studyInstanceUid }: InstanceRecord,
  ) => forwards.append({ destinationId, instanceId, sopInstanceUid, studyInstanceUid, at: now() })

  function enqueue(instance: InstanceRecord, except: readonly string[] = []): void {
    const all = destinations.list()
    // What is set aside is not sent on until a person releases it.
    if (all.length === 0 || instance.state !== 'current') return
    const { sopInstanceUid, studyInstanceUid, modality } = instance
    const replaced = forwards.supersede(instance, { at: now(), lastError: GONE.superseded })
    for (const destinationId of replaced)
      note(deps.store, 'gateway', 'forward.replace', destinationId, {
        studyInstanceUid,
        sopInstanceUid,
      })
    for (const { destinationId, isAutomatic, modalities } of all)
      if (
        !except.includes(destinationId) &&
        (replaced.includes(destinationId) || (isAutomatic && takes(modalities, modality)))
      )
        append(destinationId, instance)
  }

  return {
    enqueue: (instance) => enqueue(instance),
    release(instance) {
      const kept = [GONE.quarantined, GONE.superseded].flatMap((why) =>
        forwards.keptFrom(instance.instanceId, why),
      )
      enqueue(instance)
      for (const destinationId of kept) append(destinationId, instance)
    },
    takeBack: ({ instanceId }) =>
      forwards.setAside(instanceId, { at: now(), lastError: GONE.takenBack }),
    setAside(all) {
      const dropped = all.flatMap((instance) =>
        forwards
          .setAside(instance.instanceId, { at: now(), lastError: GONE.quarantined })
          .map((destinationId) => ({ destinationId, studyInstanceUid: instance.studyInstanceUid })),
      )
      const byStudy = Map.groupBy(
        dropped,
        ({ destinationId, studyInstanceUid }) => `${destinationId} ${studyInstanceUid}`,
      )
      for (const ofStudy of byStudy.values()) {
        const [{ destinationId, studyInstanceUid }] = ofStudy as [(typeof ofStudy)[number]]
        note(deps.store, 'gateway', 'forward.set-aside', destinationId, {
          studyInstanceUid,
          instances: ofStudy.length,
        })
      }
      return [...new Set(dropped.map(({ destinationId }) => destinationId))]
    },
    correct(moved, { isFetched, except }) {
      const restarted = new Set<string>()
      for (const { before, now: instance } of moved) {
        const dropped = forwards.setAside(before.instanceId, {
          at: now(),
          lastError: GONE.corrected,
        })
        for (const destinationId of dropped) restarted.add(destinationId)
        if (!isFetched) enqueue(instance, except)
        const kept = forwards.keptFrom(instance.instanceId, GONE.corrected)
        const wanted = new Set([...forwards.sentTo(before.instanceId), ...dropped, ...kept])
        for (const destinationId of wanted)
          if (!except.includes(destinationId)) append(destinationId, instance)
      }
      return [...restarted]
    },
    send: ({ destinationId }, studyInstanceUid, actor) =>
      database.transaction(() => {
        const current = instances.ofStudy(studyInstanceUid)
        if (current.length === 0)
          throw new ApiError('not-found', 'There are no images of this study.')
        const queued = current.filter(
          (instance) => append(destinationId, instance) !== undefined,
        ).length
        note(deps.store, actor, 'forward.send', destinationId, {
          studyInstanceUid,
          instances: queued,
        })
        return queued
      }),
    retry: ({ destinationId }, studyInstanceUid, actor) =>
      byPortions(
        destinationId,
        studyInstanceUid,
        (uid) => forwards.retry(destinationId, uid, now()),
        { actor, action: 'forward.retry' },
      ),
    drop: ({ destinationId }, { studyInstanceUid, reason }, actor) =>
      byPortions(
        destinationId,
        studyInstanceUid,
        (uid) => forwards.drop(destinationId, uid, now()),
        {
          actor,
          action: 'forward.drop',
          reason,
        },
      ),
    due(destinationId, at, limit) {
      for (;;) {
        const rows = forwards.due(destinationId, at, limit)
        const found = rows.flatMap((forward): Due[] => {
          const instance = instances.get(forward.instanceId)
          return instance?.state === 'current' ? [{ forward, instance }] : []
        })
        if (found.length < rows.length) giveUpGone(rows, at)
        if (found.length > 0 || rows.length === 0) return found
      }
    },
  }

  /**
   * Changes what is open of the study, or of all; each portion is in the audit trail, in its own
   * transaction.
   */
  async function byPortions(
    destinationId: string,
    studyInstanceUid: string | undefined,
    change: (studyInstanceUid: string) => number,
    {
      actor,
      action,
      ...said
    }: { readonly actor: Actor; readonly action: string; readonly reason?: string },
  ): Promise<number> {
    const rest =
      studyInstanceUid === undefined ? forwards.openStudies(destinationId) : [studyInstanceUid]
    let total = 0
    do {
      if (total > 0) await nextTurn()
      total += database.transaction(() => {
        let instances = 0
        for (
          let uid = rest.pop();
          uid !== undefined;
          uid = instances < PORTION ? rest.pop() : undefined
        )
          instances += change(uid)
        note(deps.store, actor, action, destinationId, {
          ...said,
          ...(studyInstanceUid && { studyInstanceUid }),
          instances,
        })
        return instances
      })
    } while (rest.length > 0)
    return total
  }

  /** In one transaction: the disk is waited for once, not for each of them. */
  function giveUpGone(rows: readonly ForwardRecord[], at: string): void {
    database.transaction(() => {
      for (const { forwardId, instanceId } of rows) {
        const state = instances.get(instanceId)?.state ?? 'discarded'
        // What is set aside waits for a decision already, and is queued again when it is released.
        const end = state === 'quarantined' ? 'dropped' : 'failed'
        if (state !== 'current')
          forwards.settle(forwardId, end, { at, status: '', lastError: GONE[state] })
      }
    })
  }
}

/** Why an instance that is not the current one is not sent. */
const GONE = {
  superseded: 'a newer version of the image took its place',
  quarantined: 'the image was set aside here: it is sent only once a person has released it',
  discarded: 'the image was discarded here',
  corrected: 'the identity of the image was corrected: a corrected copy took its place',
  takenBack: 'the image was not received to its end: its device sends it again',
} as const

const takes = (modalities: readonly string[], modality: string) =>
  modalities.length === 0 || modalities.includes(modality.trim().toUpperCase())
