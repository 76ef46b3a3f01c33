import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { SliceQuery } from '#server/database/page.ts'
import type { OutboundRequests } from '#server/dicom/scu/outbound.ts'
import type { Peer } from '#server/dicom/scu/requestor.ts'
import type { Transcoder } from '#server/dicom/transcoding/transcoder.ts'
import { devicePeer } from '#server/modules/devices/device-peer.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { Outcome, WindowOutcome } from '#shared/contract/conventions.ts'
import type {
  Destination,
  DestinationPatch,
  dashboardDestinations,
  EchoResult,
  Forward,
  NewDestination,
} from '#shared/contract/destinations.ts'
import type { Device } from '#shared/contract/devices.ts'
import { ApiError } from '#shared/errors.ts'
import { asSentence, isMessage, type Message, message } from '#shared/messages/message.ts'
import { messageOrNull } from '#shared/messages/message-schema.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import { type DestinationRecord, listDestinations } from './destination-queries.ts'
import {
  addDestination,
  peerOf,
  removeDestination,
  requireDestination,
  updateDestination,
} from './destinations.ts'
import {
  countForwardsTo,
  type ForwardRecord,
  listForwardedStudies,
  listForwards,
  nextForwardDue,
} from './forward-queries.ts'
import { cacheSummaries, findPriors } from './priors.ts'
import { Pulls } from './pulls.ts'
import {
  dropForwardsOfDeleted,
  dropForwardsOfQuarantined,
  dropStudies,
  type MovedInstance,
  requeueCorrected,
  retryStudies,
  sendStudy,
} from './queue.ts'
import { Sender } from './sender.ts'
import { ForwardingWorker } from './worker.ts'

type Operations = typeof dashboardDestinations

/**
 * Sends images to destinations and retrieves priors from them. Forwards that were waiting when the
 * gateway stopped are continued.
 */
export class Forwarding implements AsyncDisposable {
  readonly #context: Context
  readonly #outbound: OutboundRequests
  readonly #transcoder: Transcoder
  readonly #onSent: (destinationId: string) => void
  readonly #sender: Sender
  readonly #workers = new Map<string, ForwardingWorker>()
  readonly pulls: Pulls

  /**
   * @param onSent called when instances were sent to the destination, or unsent ones were dropped
   */
  constructor(
    context: Context,
    outbound: OutboundRequests,
    transcoder: Transcoder,
    onSent: (destinationId: string) => void,
  ) {
    this.#context = context
    this.#outbound = outbound
    this.#transcoder = transcoder
    this.#onSent = (destinationId) => void tryWrite(() => onSent(destinationId))
    this.#sender = new Sender(context, outbound, transcoder)
    this.pulls = new Pulls(context, outbound)
    for (const { destinationId } of listDestinations(context.database))
      this.#openWorker(destinationId)
  }

  #openWorker(destinationId: string): void {
    const onSent = () => this.#onSent(destinationId)
    this.#workers.set(
      destinationId,
      new ForwardingWorker(this.#context, destinationId, this.#sender, onSent),
    )
  }

  /**
   * Drops waiting and failed forwards of an instance whose row is deleted. Must be called in the
   * transaction that deletes it.
   */
  instanceDeleted(instance: InstanceRecord): void {
    this.#restartAfterCommit(dropForwardsOfDeleted(this.#context, instance))
  }

  /**
   * Drops waiting and failed forwards of instances that are quarantined, and ends the current
   * association to their destinations. Must be called in the transaction that quarantines them.
   */
  instancesQuarantined(instances: readonly InstanceRecord[]): void {
    this.#restartAfterCommit(dropForwardsOfQuarantined(this.#context, instances))
  }

  /**
   * Queues the instances that replace corrected ones (`requeueCorrected`). Must be called in the
   * transaction of the correction or its undo.
   */
  correct(moved: readonly MovedInstance[], isFetched: boolean, except: readonly string[]): void {
    this.#restartAfterCommit(requeueCorrected(this.#context, moved, isFetched, except))
  }

  /** A dropped forward may currently be being sent, and may have been the only unsent one. */
  #restartAfterCommit(destinationIds: readonly string[]): void {
    this.#context.database.afterCommit(() => {
      for (const destinationId of destinationIds) {
        this.#workers.get(destinationId)?.restart()
        this.#onSent(destinationId)
      }
    })
  }

  /**
   * Writes outcomes that are only in memory because the disk was not writable. Must be called
   * before the queues are used to determine which destination has an image. Within a transaction of
   * the caller, they are written in it.
   * @throws the error of the disk, only within a transaction of the caller
   */
  flush(): void {
    for (const worker of this.#workers.values()) worker.flush()
  }

  list() {
    const { database } = this.#context
    return {
      destinations: listDestinations(database).map((one) => this.#view(one)),
      native: this.#transcoder.available(),
    }
  }

  /**
   * Adds a destination.
   * @throws ApiError refused if another destination has this name or is the same node
   */
  add(given: NewDestination, actor: Actor): Destination {
    const added = addDestination(this.#context, given, actor)
    this.#openWorker(added.destinationId)
    return this.#view(added)
  }

  /**
   * Updates a destination.
   * @throws ApiError not-found, or as `add`
   */
  update(destinationId: string, patch: DestinationPatch, actor: Actor): Destination {
    const changed = updateDestination(this.#context, destinationId, patch, actor)
    this.#workers.get(destinationId)?.restart()
    return this.#view(changed)
  }

  /**
   * Deletes a destination.
   * @throws ApiError not-found; refused if instances are waiting for it, or have failed and were
   *   not dropped
   */
  remove(destinationId: string, actor: Actor): Outcome {
    const worker = this.#workers.get(destinationId)
    worker?.flush()
    removeDestination(this.#context, destinationId, actor)
    this.#workers.delete(destinationId)
    // It has nothing to send, so its end need not be awaited.
    void worker?.[Symbol.asyncDispose]()
    return { success: true }
  }

  /** Adapts the workers to destinations that were changed without the methods above. */
  refresh(): void {
    const existingIds = new Set(
      listDestinations(this.#context.database).map(({ destinationId }) => destinationId),
    )
    for (const [destinationId, worker] of this.#workers) {
      if (existingIds.has(destinationId)) worker.restart()
      else {
        this.#workers.delete(destinationId)
        void worker[Symbol.asyncDispose]()
      }
    }
    for (const destinationId of existingIds)
      if (!this.#workers.has(destinationId)) this.#openWorker(destinationId)
  }

  /**
   * Sends a C-ECHO to a destination.
   * @throws ApiError not-found
   */
  echo(destinationId: string): Promise<EchoResult> {
    return this.#echo(peerOf(requireDestination(this.#context.database, destinationId)))
  }

  /** Sends a C-ECHO to the listener of a device. */
  async echoDevice(device: Device): Promise<EchoResult> {
    const peer = devicePeer(device)
    return isMessage(peer) ? { success: false, message: peer, tookMs: 0 } : this.#echo(peer)
  }

  async #echo(peer: Peer): Promise<EchoResult> {
    const result = await this.#outbound.echo(peer)
    return { ...result, message: asSentence(result.message) }
  }

  /** Lists studies with forwards, most recently changed first. */
  studies(query: Parameters<typeof listForwardedStudies>[1]) {
    const { database } = this.#context
    const page = listForwardedStudies(database, query)
    const names = new Map(
      listDestinations(database).map(({ destinationId, name }) => [destinationId, name]),
    )
    const items = page.items.map((study) => ({
      ...study,
      lastError: asDisplayed(messageOrNull(study.lastError)),
      destinationName: names.get(study.destinationId) ?? '',
      patientName: findImageStudy(database, study.studyInstanceUid)?.header.patientName ?? '',
    }))
    return { ...page, items }
  }

  /**
   * Lists the forwards of a study to a destination, unsent ones first.
   * @throws ApiError not-found
   */
  instances(
    { destinationId, studyInstanceUid }: CallOf<Operations['instances']>['params'],
    query: SliceQuery,
  ) {
    const { database } = this.#context
    requireDestination(database, destinationId)
    const page = listForwards(database, { ...query, destinationId, studyInstanceUid })
    return { ...page, items: page.items.map((forward) => this.#forwardView(forward)) }
  }

  /**
   * Queues the images of a study.
   * @throws ApiError not-found if the destination does not exist or the study has no images;
   *   refused if the destination is disabled
   */
  send(destinationId: string, studyInstanceUid: string, actor: Actor): WindowOutcome {
    const { name } = this.#requireEnabled(destinationId)
    const count = sendStudy(this.#context, destinationId, studyInstanceUid, actor)
    const text =
      count === 0
        ? message('forwarding.all-sent', { name })
        : message('forwarding.queued', { count, name })
    return { success: true, message: text }
  }

  /**
   * Retries waiting and failed forwards now.
   * @throws ApiError not-found; refused if the destination is disabled
   */
  async retry(
    destinationId: string,
    studyInstanceUid: string | undefined,
    actor: Actor,
  ): Promise<WindowOutcome> {
    this.#requireEnabled(destinationId)
    this.#workers.get(destinationId)?.flush()
    const count = await retryStudies(this.#context, destinationId, studyInstanceUid, actor)
    this.#workers.get(destinationId)?.restart()
    return {
      success: true,
      message:
        count === 0 ? message('forwarding.none-waits') : message('forwarding.retried', { count }),
    }
  }

  /**
   * Drops waiting and failed forwards.
   * @throws ApiError not-found
   */
  async drop(
    destinationId: string,
    what: CallOf<Operations['drop']>['body'],
    actor: Actor,
  ): Promise<WindowOutcome> {
    requireDestination(this.#context.database, destinationId)
    this.#workers.get(destinationId)?.flush()
    const count = await dropStudies(this.#context, destinationId, what, actor)
    return { success: true, message: message('forwarding.dropped', { count }) }
  }

  /**
   * Queries a destination for prior studies.
   * @throws ApiError not-found; refused if the destination is disabled or not configured for
   *   priors; unavailable if it does not respond
   */
  async findPriors(
    destinationId: string,
    keys: CallOf<Operations['findPriors']>['body'],
    actor: Actor,
  ): Promise<ReplyOf<Operations['findPriors']>> {
    const destination = this.#requireArchive(destinationId)
    // As for all read access, a failure to write the audit entry is ignored.
    tryWrite(() => note(this.#context, actor, 'destination.find-priors', destinationId))
    const reply = await findPriors(this.#context, this.#outbound, destination, keys)
    cacheSummaries(this.#context.database, destinationId, reply.studies)
    return reply
  }

  /**
   * Starts a C-MOVE to this gateway; `pulls` reports its progress.
   * @throws ApiError not-found, refused
   */
  pull(destinationId: string, studyInstanceUid: string, actor: Actor) {
    return this.pulls.start(this.#requireArchive(destinationId), studyInstanceUid, actor)
  }

  /** Requires that the destination exists and is enabled. */
  #requireEnabled(destinationId: string): DestinationRecord {
    const destination = requireDestination(this.#context.database, destinationId)
    if (!destination.isEnabled)
      throw new ApiError('refused', message('destinations.is-off', { name: destination.name }))
    return destination
  }

  /** Requires that the destination can be queried for priors. */
  #requireArchive(destinationId: string): DestinationRecord {
    const destination = this.#requireEnabled(destinationId)
    if (!destination.hasPriors)
      throw new ApiError('refused', message('destinations.no-priors', { name: destination.name }))
    return destination
  }

  #view(destination: DestinationRecord): Destination {
    const { database } = this.#context
    const { destinationId, isEnabled } = destination
    const next = isEnabled ? nextForwardDue(database, destinationId) : undefined
    return {
      ...destination,
      lastError: asDisplayed(destination.lastError),
      queue: countForwardsTo(database, destinationId),
      nextAttemptAt: next === undefined ? null : this.#attemptAt(destinationId, next),
    }
  }

  #forwardView({ destinationId, nextAt, ...forward }: ForwardRecord): Forward {
    return {
      forwardId: forward.forwardId,
      sopInstanceUid: forward.sopInstanceUid,
      state: forward.state,
      attempts: forward.attempts,
      nextAt: nextAt === null ? null : this.#attemptAt(destinationId, nextAt),
      status: forward.status,
      lastError: asDisplayed(messageOrNull(forward.lastError)),
      sentAs: forward.sentAs,
      updatedAt: forward.updatedAt,
    }
  }

  /** The next attempt of a forward, taking into account that its destination may be paused. */
  #attemptAt(destinationId: string, nextAt: string): string {
    const pausedUntil = this.#workers.get(destinationId)?.pausedUntil()
    return pausedUntil !== undefined && pausedUntil > nextAt ? pausedUntil : nextAt
  }

  /**
   * Sends what is due; resolves when nothing is due, or when every remaining destination is paused.
   */
  async settled(): Promise<void> {
    for (const worker of this.#workers.values()) await worker.settled()
  }

  async [Symbol.asyncDispose]() {
    const parts = [this.pulls, ...this.#workers.values()]
    await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()))
  }
}

/** Stored errors are parts of sentences; a list shows them as whole sentences. */
const asDisplayed = (lastError: Message | null) => lastError && asSentence(lastError)
