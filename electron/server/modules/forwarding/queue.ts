import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import {
  findInstance,
  type InstanceRecord,
  listStudyInstances,
} from '#server/modules/images/instance-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { message, storedMessage } from '#shared/messages/message.ts'
import { listDestinations } from './destination-queries.ts'
import {
  appendForward,
  destinationsKeptFrom,
  destinationsSentTo,
  dropForwards,
  dueForwards,
  type ForwardRecord,
  openStudies,
  retryForwards,
  setForwardsAside,
  settleForward,
  supersedeForwards,
} from './forward-queries.ts'

// What is to be sent where, as rows; each change by a person is in the audit trail.

/** Instances that are retried or dropped in one transaction, give or take a study. */
const PORTION = 1000

/** A forward with the instance it sends. */
export interface Due {
  readonly forward: ForwardRecord
  readonly instance: InstanceRecord
}

/** An instance that another takes the place of. */
export interface MovedInstance {
  readonly before: InstanceRecord
  readonly now: InstanceRecord
}

/**
 * Queues a kept instance for every automatic destination that takes its modality, but for those of
 * `except`, in the transaction that keeps it. It takes the place of an older version that waits, or
 * failed.
 */
export function enqueueInstance(
  context: Context,
  instance: InstanceRecord,
  except: readonly string[] = [],
): void {
  const { database, clock } = context
  const all = listDestinations(database)
  // What is set aside is not sent on until a person releases it.
  if (all.length === 0 || instance.state !== 'current') return
  const { sopInstanceUid, studyInstanceUid, modality } = instance
  const at = instantOf(clock())
  const replaced = supersedeForwards(database, instance, {
    at,
    lastError: storedMessage(GONE.superseded),
  })
  for (const destinationId of replaced)
    note(context, 'gateway', 'forward.replace', destinationId, { studyInstanceUid, sopInstanceUid })
  for (const { destinationId, isAutomatic, modalities } of all)
    if (
      !except.includes(destinationId) &&
      (replaced.includes(destinationId) || (isAutomatic && takes(modalities, modality)))
    )
      appendInstance(context, destinationId, instance)
}

/**
 * As `enqueueInstance`, in the transaction that makes an instance current that was set aside or
 * superseded: it is queued again for every destination it was kept from, too.
 */
export function releaseInstance(context: Context, instance: InstanceRecord): void {
  const kept = [GONE.quarantined, GONE.superseded].flatMap((why) =>
    destinationsKeptFrom(context.database, instance.instanceId, why),
  )
  enqueueInstance(context, instance)
  for (const destinationId of kept) appendInstance(context, destinationId, instance)
}

/**
 * In the transaction that takes back the row: what waits, or failed, of it is dropped, since it is
 * sent again. The destinations it was for.
 */
export const takeInstanceBack = ({ database, clock }: Context, { instanceId }: InstanceRecord) =>
  setForwardsAside(database, instanceId, {
    at: instantOf(clock()),
    lastError: storedMessage(GONE.takenBack),
  })

/**
 * In the transaction that sets the instances aside: what waits, or failed, of them is dropped. The
 * destinations it was for.
 */
export function setInstancesAside(context: Context, all: readonly InstanceRecord[]): string[] {
  const record = { at: instantOf(context.clock()), lastError: storedMessage(GONE.quarantined) }
  const dropped = all.flatMap(({ instanceId, studyInstanceUid }) =>
    setForwardsAside(context.database, instanceId, record).map((destinationId) => ({
      destinationId,
      studyInstanceUid,
    })),
  )
  const byStudy = Map.groupBy(
    dropped,
    ({ destinationId, studyInstanceUid }) => `${destinationId} ${studyInstanceUid}`,
  )
  for (const ofStudy of byStudy.values()) {
    const [{ destinationId, studyInstanceUid }] = ofStudy as [(typeof ofStudy)[number]]
    note(context, 'gateway', 'forward.set-aside', destinationId, {
      studyInstanceUid,
      instances: ofStudy.length,
    })
  }
  return [...new Set(dropped.map(({ destinationId }) => destinationId))]
}

/**
 * In the transaction that makes corrected copies the current instances, or the originals again:
 * what waits, or failed, of `before` is dropped, and `now` is queued for the destinations that had
 * it, or were to have it, and, unless it was fetched, for those that get everything; for none of
 * `except`. An original is queued again for the destinations that the correction kept it from. The
 * destinations of what was dropped.
 */
export function requeueCorrected(
  context: Context,
  moved: readonly MovedInstance[],
  isFetched: boolean,
  except: readonly string[],
): string[] {
  const { database, clock } = context
  const record = { at: instantOf(clock()), lastError: storedMessage(GONE.corrected) }
  const restarted = new Set<string>()
  for (const { before, now } of moved) {
    const dropped = setForwardsAside(database, before.instanceId, record)
    for (const destinationId of dropped) restarted.add(destinationId)
    if (!isFetched) enqueueInstance(context, now, except)
    const kept = destinationsKeptFrom(database, now.instanceId, GONE.corrected)
    const wanted = new Set([
      ...destinationsSentTo(database, before.instanceId),
      ...dropped,
      ...kept,
    ])
    for (const destinationId of wanted)
      if (!except.includes(destinationId)) appendInstance(context, destinationId, now)
  }
  return [...restarted]
}

/**
 * Queues the study's current instances; those that are there already are left out. How many were
 * queued.
 * @throws ApiError not-found
 */
export function sendStudy(
  context: Context,
  destinationId: string,
  studyInstanceUid: string,
  actor: Actor,
): number {
  return context.database.transaction(() => {
    const current = listStudyInstances(context.database, studyInstanceUid)
    if (current.length === 0) throw new ApiError('not-found', message('images.none-of-study'))
    const instances = current.filter(
      (instance) => appendInstance(context, destinationId, instance) !== undefined,
    ).length
    note(context, actor, 'forward.send', destinationId, { studyInstanceUid, instances })
    return instances
  })
}

/**
 * How many are due now: of the study, or of all in portions, with the event loop let through
 * between them.
 */
export const retryStudies = (
  context: Context,
  destinationId: string,
  studyInstanceUid: string | undefined,
  actor: Actor,
) =>
  byPortions(
    context,
    destinationId,
    studyInstanceUid,
    (uid) => retryForwards(context.database, destinationId, uid, instantOf(context.clock())),
    { actor, action: 'forward.retry' },
  )

/** How many were given up; as `retryStudies`. */
export const dropStudies = (
  context: Context,
  destinationId: string,
  {
    studyInstanceUid,
    reason,
  }: { readonly studyInstanceUid?: string | undefined; readonly reason: string },
  actor: Actor,
) =>
  byPortions(
    context,
    destinationId,
    studyInstanceUid,
    (uid) => dropForwards(context.database, destinationId, uid, instantOf(context.clock())),
    { actor, action: 'forward.drop', reason },
  )

/**
 * What is due, each with its current instance. One that is not current any more is given up, with
 * the reason.
 */
export function takeDue(
  { database }: Context,
  destinationId: string,
  at: string,
  limit: number,
): Due[] {
  for (;;) {
    const rows = dueForwards(database, destinationId, at, limit)
    const found = rows.flatMap((forward): Due[] => {
      const instance = findInstance(database, forward.instanceId)
      return instance?.state === 'current' ? [{ forward, instance }] : []
    })
    if (found.length < rows.length)
      // In one transaction: the disk is waited for once, not for each of them.
      database.transaction(() => {
        for (const { forwardId, instanceId } of rows) {
          const state = findInstance(database, instanceId)?.state ?? 'discarded'
          // What is set aside waits for a decision already, and is queued again when it is
          // released.
          const end = state === 'quarantined' ? 'dropped' : 'failed'
          if (state === 'current') continue
          const lastError = storedMessage(GONE[state])
          settleForward(database, forwardId, end, { at, status: '', lastError })
        }
      })
    if (found.length > 0 || rows.length === 0) return found
  }
}

export const appendInstance = (
  context: Context,
  destinationId: string,
  { instanceId, sopInstanceUid, studyInstanceUid }: InstanceRecord,
) =>
  appendForward(context.database, {
    ...{ destinationId, instanceId, sopInstanceUid, studyInstanceUid },
    at: instantOf(context.clock()),
  })

/**
 * Changes what is open of the study, or of all; each portion is in the audit trail, in its own
 * transaction.
 */
async function byPortions(
  context: Context,
  destinationId: string,
  studyInstanceUid: string | undefined,
  change: (studyInstanceUid: string) => number,
  {
    actor,
    action,
    ...record
  }: { readonly actor: Actor; readonly action: string; readonly reason?: string },
): Promise<number> {
  const { database } = context
  const rest =
    studyInstanceUid === undefined ? openStudies(database, destinationId) : [studyInstanceUid]
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
      note(context, actor, action, destinationId, {
        ...record,
        ...(studyInstanceUid && { studyInstanceUid }),
        instances,
      })
      return instances
    })
  } while (rest.length > 0)
  return total
}

/** Why an instance that is not the current one is not sent. */
const GONE = {
  superseded: message('forwarding.superseded'),
  quarantined: message('forwarding.quarantined'),
  discarded: message('forwarding.discarded'),
  corrected: message('forwarding.corrected'),
  takenBack: message('forwarding.taken-back'),
} as const

const takes = (modalities: readonly string[], modality: string) =>
  modalities.length === 0 || modalities.includes(modality.trim().toUpperCase())
