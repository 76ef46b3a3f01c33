import type { Context } from '#server/context.ts'
import type { Slice, SliceQuery } from '#server/database/page.ts'
import type { Outbound } from '#server/dicom/scu/outbound.ts'
import type { Peer } from '#server/dicom/scu/requestor.ts'
import type { Transcoder } from '#server/dicom/transcoding/transcoder.ts'
import { type Actor, note } from '#server/modules/audit/audit.ts'
import { devicePeer } from '#server/modules/devices/device-peer.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type {
  Destination,
  DestinationPatch,
  dashboardDestinations,
  EchoResult,
  Forward,
  ForwardedStudy,
  NewDestination,
} from '#shared/contract/destinations.ts'
import type { Device } from '#shared/contract/devices.ts'
import { ApiError } from '#shared/errors.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import { type DestinationRecord, findDestination, listDestinations } from './destination-queries.ts'
import {
  addDestination,
  existingDestination,
  peerOf,
  removeDestination,
  updateDestination,
} from './destinations.ts'
import { imagesOf, type News, newsLine } from './feed.ts'
import {
  countForwards,
  countForwardsTo,
  type ForwardRecord,
  listForwardedStudies,
  listForwards,
  nextForwardDue,
} from './forward-queries.ts'
import { findPriors, openFoundStudies } from './priors.ts'
import { openPulls } from './pulls.ts'
import {
  dropStudies,
  type MovedInstance,
  requeueCorrected,
  retryStudies,
  sendStudy,
  setInstancesAside,
  takeInstanceBack,
} from './queue.ts'
import { openSender } from './sender.ts'
import { sentenceCase } from './sentence.ts'
import { openWorker, type Worker } from './worker.ts'

type Operations = typeof dashboardDestinations

/** Who hears what becomes of images on their way. */
export interface ForwardingListeners {
  readonly onNews: (line: News) => void
  /** Queues changed: what the window shows of them is old. */
  readonly onChanged: () => void
  /** Instances were sent to the destination. */
  readonly onSent: (destinationId: string) => void
  /** A fault of ours. Its text may speak of a patient: not for a log as it is. */
  readonly onError: (error: unknown) => void
}

export type Forwarding = ReturnType<typeof openForwarding>

/**
 * DIMSE out: the destinations, their queues, and priors. What waited at the last end goes on. Every
 * call of `dashboardDestinations` is a function of its name.
 */
export function openForwarding(
  context: Context,
  setting: Settings['get'],
  outbound: Outbound,
  transcoder: Transcoder,
  listeners: ForwardingListeners,
) {
  const { database, imageStudies } = context
  const send = openSender(context, outbound, transcoder)
  const foundStudies = openFoundStudies(context)
  const pulls = openPulls(context, outbound, foundStudies.about, listeners)
  const workers = new Map<string, Worker>()
  /**
   * A notice of a correction is open until all copies that are sent at all are at the destination.
   */
  const noteComplete = (destinationId: string) =>
    void tryWrite(() => listeners.onSent(destinationId))

  const workerOf = (destinationId: string) =>
    openWorker(context, destinationId, send, () => setting('forwarding.giveUpHours'), {
      onNews(news) {
        const destination = findDestination(database, destinationId)
        if (destination) listeners.onNews(newsLine(destination, news))
      },
      onChanged: listeners.onChanged,
      onSent: () => noteComplete(destinationId),
      onError: listeners.onError,
    })
  for (const { destinationId } of listDestinations(database))
    workers.set(destinationId, workerOf(destinationId))
  const wakeAll = () => {
    for (const worker of workers.values()) worker.wake()
  }
  const stopListening = database.subscribe('forwards', wakeAll)
  wakeAll()

  function viewOf(destination: DestinationRecord): Destination {
    const { destinationId, isEnabled } = destination
    const next = isEnabled ? nextForwardDue(database, destinationId) : undefined
    return {
      ...destination,
      lastError: sentenceCase(destination.lastError),
      queue: countForwardsTo(database, destinationId),
      nextAttemptAt: next === undefined ? null : attemptAt(destinationId, next),
    }
  }

  /** What is due while its destination takes nothing waits as long as that. */
  function attemptAt(destinationId: string, nextAt: string): string {
    const pausedUntil = workers.get(destinationId)?.pausedUntil()
    return pausedUntil !== undefined && pausedUntil > nextAt ? pausedUntil : nextAt
  }

  const forwardView = ({ destinationId, nextAt, ...forward }: ForwardRecord): Forward => ({
    forwardId: forward.forwardId,
    sopInstanceUid: forward.sopInstanceUid,
    state: forward.state,
    attempts: forward.attempts,
    nextAt: nextAt === null ? null : attemptAt(destinationId, nextAt),
    status: forward.status,
    lastError: sentenceCase(forward.lastError),
    sentAs: forward.sentAs,
    updatedAt: forward.updatedAt,
  })

  async function echo(peer: Peer): Promise<EchoResult> {
    const result = await outbound.echo(peer)
    return { ...result, message: sentenceCase(result.message) }
  }

  /** What was dropped may be on its way at this moment. */
  const restartAfterCommit = (destinationIds: readonly string[]) =>
    database.afterCommit(() => {
      for (const destinationId of destinationIds) {
        workers.get(destinationId)?.restart()
        // What was dropped may be all that was not sent yet.
        noteComplete(destinationId)
      }
    })

  /** One that may be called. */
  function inUse(destinationId: string): DestinationRecord {
    const destination = existingDestination(database, destinationId)
    if (!destination.isEnabled)
      throw new ApiError('refused', `${destination.name} is switched off: switch it on first.`)
    return destination
  }

  /** One that can be asked for priors. */
  function archive(destinationId: string): DestinationRecord {
    const destination = inUse(destinationId)
    if (!destination.hasPriors)
      throw new ApiError(
        'refused',
        `${destination.name} is not set up to be asked for earlier studies.`,
      )
    return destination
  }

  return {
    /**
     * Drops what waits, or failed, of an instance whose row is taken back. Call it in the
     * transaction that does so.
     */
    takeBack: (instance: InstanceRecord) => restartAfterCommit(takeInstanceBack(context, instance)),
    /**
     * Drops what waits, or failed, of instances that are set aside; what is under way is ended.
     * Call it in the transaction that does so.
     */
    setAside: (instances: readonly InstanceRecord[]) =>
      restartAfterCommit(setInstancesAside(context, instances)),
    /**
     * Queues what takes the place of corrected images, or of their copies (`requeueCorrected`).
     * Call it in the transaction that does so.
     */
    correct: (
      moved: readonly MovedInstance[],
      options: { readonly isFetched: boolean; readonly except: readonly string[] },
    ) => restartAfterCommit(requeueCorrected(context, moved, options)),
    /**
     * Writes the outcomes that are in memory while the disk takes no records. Call it before it is
     * decided by the queues who has an image. In a transaction of the caller they are written with
     * it.
     * @throws the error of the disk, in a transaction of the caller alone
     */
    flush() {
      for (const worker of workers.values()) worker.flush()
    },
    list: () => ({
      destinations: listDestinations(database).map(viewOf),
      native: transcoder.available(),
    }),
    /** @throws ApiError refused: another destination has that name */
    add(given: NewDestination, actor: Actor): Destination {
      const made = addDestination(context, setting, given, actor)
      workers.set(made.destinationId, workerOf(made.destinationId))
      return viewOf(made)
    },
    /** @throws ApiError not-found, or as `add` */
    update(destinationId: string, patch: DestinationPatch, actor: Actor): Destination {
      const changed = updateDestination(context, setting, destinationId, patch, actor)
      workers.get(destinationId)?.restart()
      return viewOf(changed)
    },
    /**
     * @throws ApiError not-found; refused: instances wait for it, or failed and nobody has decided
     */
    remove(destinationId: string, actor: Actor): Outcome {
      workers.get(destinationId)?.flush()
      removeDestination(context, destinationId, actor)
      const worker = workers.get(destinationId)
      workers.delete(destinationId)
      // It has nothing to send, so nothing waits for its end.
      void worker?.[Symbol.asyncDispose]()
      return { success: true }
    },
    /** @throws ApiError not-found */
    echo: async (destinationId: string) =>
      echo(peerOf(existingDestination(database, destinationId))),
    /** C-ECHO of a device at the port it listens at. */
    async echoDevice(device: Device): Promise<EchoResult> {
      const peer = devicePeer(device)
      return typeof peer === 'string' ? { success: false, message: peer, tookMs: 0 } : echo(peer)
    },

    /** The study that last changed first. */
    studies(
      query: SliceQuery &
        Pick<CallOf<Operations['studies']>['query'], 'destinationId' | 'studyInstanceUid' | 'show'>,
    ): Slice<ForwardedStudy> {
      const { items, ...rest } = listForwardedStudies(database, query)
      const names = new Map(
        listDestinations(database).map(({ destinationId, name }) => [destinationId, name]),
      )
      return {
        items: items.map((study) => ({
          ...study,
          lastError: sentenceCase(study.lastError),
          destinationName: names.get(study.destinationId) ?? '',
          patientName: imageStudies.get(study.studyInstanceUid)?.header.patientName ?? '',
        })),
        ...rest,
      }
    },
    /** What is not sent first. @throws ApiError not-found */
    instances(
      { destinationId, studyInstanceUid }: CallOf<Operations['instances']>['params'],
      query: SliceQuery,
    ): Slice<Forward> {
      existingDestination(database, destinationId)
      const { items, ...rest } = listForwards(database, {
        ...query,
        destinationId,
        studyInstanceUid,
      })
      return { items: items.map(forwardView), ...rest }
    },
    /**
     * @throws ApiError not-found: no such destination, or no images of the study are here; refused:
     *   the destination is switched off
     */
    send(destinationId: string, studyInstanceUid: string, actor: Actor): Outcome {
      const destination = inUse(destinationId)
      const queued = sendStudy(context, destinationId, studyInstanceUid, actor)
      const message =
        queued === 0
          ? `Every image of it is at ${destination.name}, or on its way there.`
          : `${imagesOf(queued)} queued for ${destination.name}.`
      return { success: true, message }
    },
    /**
     * Tries now what waits or was given up.
     * @throws ApiError not-found; refused: the destination is switched off
     */
    async retry(
      destinationId: string,
      studyInstanceUid: string | undefined,
      actor: Actor,
    ): Promise<Outcome> {
      inUse(destinationId)
      workers.get(destinationId)?.flush()
      const retried = await retryStudies(context, destinationId, studyInstanceUid, actor)
      workers.get(destinationId)?.restart()
      return {
        success: true,
        message: retried === 0 ? 'Nothing waits.' : `${imagesOf(retried)} tried now.`,
      }
    },
    /** Gives up what waits or failed. @throws ApiError not-found */
    async drop(
      destinationId: string,
      what: CallOf<Operations['drop']>['body'],
      actor: Actor,
    ): Promise<Outcome> {
      existingDestination(database, destinationId)
      workers.get(destinationId)?.flush()
      const dropped = await dropStudies(context, destinationId, what, actor)
      return { success: true, message: `${imagesOf(dropped)} given up.` }
    },

    /**
     * @throws ApiError not-found; refused: it is not asked for priors, or cannot be asked;
     *   unavailable: it does not answer
     */
    async findPriors(
      destinationId: string,
      keys: CallOf<Operations['findPriors']>['body'],
      actor: Actor,
    ): Promise<ReplyOf<Operations['findPriors']>> {
      const destination = archive(destinationId)
      // As all reading: the entry is lost where the disk does not take it.
      tryWrite(() => note(context, actor, 'destination.find-priors', destinationId))
      const reply = await findPriors(context, outbound, destination, keys)
      foundStudies.remember(destinationId, reply.studies)
      return reply
    },
    /**
     * Begins a C-MOVE to ourselves; `pulls` says how it goes. @throws ApiError not-found, refused
     */
    pull: (destinationId: string, studyInstanceUid: string, actor: Actor) =>
      pulls.start(archive(destinationId), studyInstanceUid, actor),
    /** The latest 50 since the start of the gateway, newest first. */
    pulls: pulls.list,
    expectsFrom: pulls.expects,
    /** Instances that wait and that were given up, of all destinations. */
    summary: () => countForwards(database),
    /**
     * Sends what is due; resolves when nothing is, or every destination that is left takes nothing
     * now.
     */
    async settled() {
      for (const worker of workers.values()) await worker.settled()
    },
    async [Symbol.asyncDispose]() {
      stopListening()
      await Promise.all([pulls, ...workers.values()].map((part) => part[Symbol.asyncDispose]()))
    },
  }
}
