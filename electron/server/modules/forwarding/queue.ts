import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { recordCopies } from '#server/modules/images/instance-copy-queries.ts'
import {
  findInstance,
  type InstanceRecord,
  listStudyInstances,
} from '#server/modules/images/instance-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { message, storedMessage } from '#shared/messages/message.ts'
import { type DestinationRecord, findDestination, listDestinations } from './destination-queries.ts'
import { nodeKeyOf } from './destinations.ts'
import {
  appendForward,
  destinationsDroppedFor,
  destinationsSentTo,
  dropForwards,
  dropForwardsOfInstance,
  dueForwards,
  type ForwardRecord,
  openStudies,
  retryForwards,
  settleForward,
  supersedeForwards,
} from './forward-queries.ts'

// The forwarding queue in the database. Changes by users are audited.

/** Approximate number of instances that are retried or dropped in one transaction. */
const BATCH_SIZE = 1000

/** A forward and its instance. */
export interface DueForward {
  readonly forward: ForwardRecord
  readonly instance: InstanceRecord
}

/** An instance and its replacement. */
export interface MovedInstance {
  readonly before: InstanceRecord
  readonly now: InstanceRecord
}

/**
 * Queues a stored instance for every automatic destination that accepts its modality, except those
 * in `except`. Waiting or failed forwards of older versions are replaced. Must be called in the
 * transaction that stores the instance.
 */
export function enqueueInstance(
  context: Context,
  instance: InstanceRecord,
  except: readonly string[] = [],
): void {
  const { database, clock } = context
  const all = listDestinations(database)
  // Quarantined instances are not forwarded until a user releases them.
  if (all.length === 0 || instance.state !== 'current') return
  const { sopInstanceUid, studyInstanceUid, modality } = instance
  const at = instantOf(clock())
  const replaced = supersedeForwards(database, instance, {
    at,
    lastError: storedMessage(DROP_REASONS.superseded),
  })
  for (const destinationId of replaced)
    note(context, 'gateway', 'forward.replace', destinationId, { studyInstanceUid, sopInstanceUid })
  for (const { destinationId, isAutomatic, modalities } of all)
    if (
      !except.includes(destinationId) &&
      (replaced.includes(destinationId) || (isAutomatic && acceptsModality(modalities, modality)))
    )
      appendInstance(context, destinationId, instance)
}

/**
 * Like `enqueueInstance`, for an instance that becomes current again. It is also queued for every
 * destination from which it was dropped when it was quarantined or superseded. Must be called in
 * the transaction that changes its state.
 */
export function releaseInstance(context: Context, instance: InstanceRecord): void {
  const droppedDestinations = [DROP_REASONS.quarantined, DROP_REASONS.superseded].flatMap((why) =>
    destinationsDroppedFor(context.database, instance.instanceId, why),
  )
  enqueueInstance(context, instance)
  for (const destinationId of droppedDestinations) appendInstance(context, destinationId, instance)
}

/**
 * Records that the destination returned a copy of the instance that is the same as the file here.
 * Must be called within a transaction.
 */
export function noteReadBack(
  { database, clock }: Context,
  source: DestinationRecord,
  { instanceId, state }: InstanceRecord,
): void {
  const { destinationId, name } = source
  const now = findDestination(database, destinationId)
  // The destination may have become another node while it was sending.
  if (state !== 'current' || !now || nodeKeyOf(now) !== nodeKeyOf(source)) return
  recordCopies(database, [instanceId], {
    ...{ destinationId, destinationName: name, kind: 'read-back' },
    confirmedAt: instantOf(clock()),
  })
}

/**
 * Drops waiting and failed forwards of an instance whose row is deleted; the device will send it
 * again. Returns their destinations. Must be called in the transaction that deletes the row.
 */
export const dropForwardsOfDeleted = (
  { database, clock }: Context,
  { instanceId }: InstanceRecord,
) =>
  dropForwardsOfInstance(database, instanceId, {
    at: instantOf(clock()),
    lastError: storedMessage(DROP_REASONS.takenBack),
  })

/**
 * Drops waiting and failed forwards of instances that are quarantined. Returns their destinations.
 * Must be called in the transaction that quarantines them.
 */
export function dropForwardsOfQuarantined(
  context: Context,
  all: readonly InstanceRecord[],
): string[] {
  const record = {
    at: instantOf(context.clock()),
    lastError: storedMessage(DROP_REASONS.quarantined),
  }
  const dropped = all.flatMap(({ instanceId, studyInstanceUid }) =>
    dropForwardsOfInstance(context.database, instanceId, record).map((destinationId) => ({
      destinationId,
      studyInstanceUid,
    })),
  )
  const byStudy = Map.groupBy(
    dropped,
    ({ destinationId, studyInstanceUid }) => `${destinationId} ${studyInstanceUid}`,
  )
  for (const forwardsOfStudy of byStudy.values()) {
    const [{ destinationId, studyInstanceUid }] = forwardsOfStudy as [
      (typeof forwardsOfStudy)[number],
    ]
    note(context, 'gateway', 'forward.set-aside', destinationId, {
      studyInstanceUid,
      instances: forwardsOfStudy.length,
    })
  }
  return [...new Set(dropped.map(({ destinationId }) => destinationId))]
}

/**
 * Replaces the forwards of corrected instances: drops waiting and failed forwards of `before`, and
 * queues `now` for the destinations of `before` and, unless it was retrieved from an archive, for
 * the automatic ones; never for those in `except`. An original that becomes current again is also
 * queued for the destinations from which the correction dropped it. Returns the destinations with
 * dropped forwards. Must be called in the transaction that changes the instances.
 */
export function requeueCorrected(
  context: Context,
  moved: readonly MovedInstance[],
  isFetched: boolean,
  except: readonly string[],
): string[] {
  const { database, clock } = context
  const record = { at: instantOf(clock()), lastError: storedMessage(DROP_REASONS.corrected) }
  const restartedDestinations = new Set<string>()
  for (const { before, now } of moved) {
    const dropped = dropForwardsOfInstance(database, before.instanceId, record)
    for (const destinationId of dropped) restartedDestinations.add(destinationId)
    if (!isFetched) enqueueInstance(context, now, except)
    const droppedDestinations = destinationsDroppedFor(
      database,
      now.instanceId,
      DROP_REASONS.corrected,
    )
    const targets = new Set([
      ...destinationsSentTo(database, before.instanceId),
      ...dropped,
      ...droppedDestinations,
    ])
    for (const destinationId of targets)
      if (!except.includes(destinationId)) appendInstance(context, destinationId, now)
  }
  return [...restartedDestinations]
}

/**
 * Queues the study's current instances, except those that are already queued or sent. Returns the
 * number of queued instances.
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
 * Makes forwards of the study, or of all studies, due now; returns their number. Works in batches
 * between which the event loop can run.
 */
export const retryStudies = (
  context: Context,
  destinationId: string,
  studyInstanceUid: string | undefined,
  actor: Actor,
) =>
  inBatches(
    context,
    destinationId,
    studyInstanceUid,
    (uid) => retryForwards(context.database, destinationId, uid, instantOf(context.clock())),
    { actor, action: 'forward.retry' },
  )

/** Drops forwards; returns their number. Works in batches like `retryStudies`. */
export const dropStudies = (
  context: Context,
  destinationId: string,
  {
    studyInstanceUid,
    reason,
  }: { readonly studyInstanceUid?: string | undefined; readonly reason: string },
  actor: Actor,
) =>
  inBatches(
    context,
    destinationId,
    studyInstanceUid,
    (uid) => dropForwards(context.database, destinationId, uid, instantOf(context.clock())),
    { actor, action: 'forward.drop', reason },
  )

/**
 * The due forwards with their instances. Forwards of instances that are no longer current are
 * settled with the reason.
 */
export function takeDueForwards(
  { database }: Context,
  destinationId: string,
  at: string,
  limit: number,
): DueForward[] {
  for (;;) {
    const rows = dueForwards(database, destinationId, at, limit)
    const found = rows.flatMap((forward): DueForward[] => {
      const instance = findInstance(database, forward.instanceId)
      return instance?.state === 'current' ? [{ forward, instance }] : []
    })
    if (found.length < rows.length)
      // One transaction, so that there is only one wait for the disk.
      database.transaction(() => {
        for (const { forwardId, instanceId } of rows) {
          const state = findInstance(database, instanceId)?.state ?? 'discarded'
          // A quarantined instance awaits a user's decision, and is queued again if it is released.
          const end = state === 'quarantined' ? 'dropped' : 'failed'
          if (state === 'current') continue
          const lastError = storedMessage(DROP_REASONS[state])
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
 * Applies `change` to the study, or to all open studies, in batches. Each batch is a transaction
 * with its own audit entry.
 */
async function inBatches(
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
        uid = instances < BATCH_SIZE ? rest.pop() : undefined
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

/** Why an instance that is not current is not sent. */
const DROP_REASONS = {
  superseded: message('forwarding.superseded'),
  quarantined: message('forwarding.quarantined'),
  discarded: message('forwarding.discarded'),
  corrected: message('forwarding.corrected'),
  takenBack: message('forwarding.taken-back'),
} as const

const acceptsModality = (modalities: readonly string[], modality: string) =>
  modalities.length === 0 || modalities.includes(modality.trim().toUpperCase())
