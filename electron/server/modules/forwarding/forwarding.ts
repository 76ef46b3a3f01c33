import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { SliceQuery } from '#server/database/page.ts'
import type { Outbound } from '#server/dicom/scu/outbound.ts'
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
  existingDestination,
  peerOf,
  removeDestination,
  updateDestination,
} from './destinations.ts'
import {
  countForwardsTo,
  type ForwardRecord,
  listForwardedStudies,
  listForwards,
  nextForwardDue,
} from './forward-queries.ts'
import { findPriors, rememberStudies } from './priors.ts'
import { Pulls } from './pulls.ts'
import {
  dropStudies,
  type MovedInstance,
  requeueCorrected,
  retryStudies,
  sendStudy,
  setInstancesAside,
  takeInstanceBack,
} from './queue.ts'
import { Sender } from './sender.ts'
import { ForwardingWorker } from './worker.ts'

type Operations = typeof dashboardDestinations

/** DIMSE out: the destinations, their queues, and priors. What waited at the last end goes on. */
export class Forwarding implements AsyncDisposable {
  readonly #context: Context
  readonly #outbound: Outbound
  readonly #transcoder: Transcoder
  readonly #onSent: (destinationId: string) => void
  readonly #sender: Sender
  readonly #workers = new Map<string, ForwardingWorker>()
  readonly pulls: Pulls

  /** `onSent`: instances were sent to the destination, or what was not sent was dropped. */
  constructor(
    context: Context,
    outbound: Outbound,
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
   * In the transaction that takes the instance's row back: what waits, or failed, of it is dropped.
   */
  takeBack(instance: InstanceRecord): void {
    this.#restartAfterCommit(takeInstanceBack(this.#context, instance))
  }

  /**
   * In the transaction that sets the instances aside: what waits, or failed, of them is dropped; an
   * association that is under way is ended.
   */
  setAside(instances: readonly InstanceRecord[]): void {
    this.#restartAfterCommit(setInstancesAside(this.#context, instances))
  }

  /**
   * In the transaction that corrects images, or undoes it: queues what replaces them
   * (`requeueCorrected`).
   */
  correct(moved: readonly MovedInstance[], isFetched: boolean, except: readonly string[]): void {
    this.#restartAfterCommit(requeueCorrected(this.#context, moved, isFetched, except))
  }

  /** What was dropped may be on its way at this moment, and may be all that was not sent yet. */
  #restartAfterCommit(destinationIds: readonly string[]): void {
    this.#context.database.afterCommit(() => {
      for (const destinationId of destinationIds) {
        this.#workers.get(destinationId)?.restart()
        this.#onSent(destinationId)
      }
    })
  }

  /**
   * Writes the outcomes that are in memory while the disk takes no records. Call it before it is
   * decided by the queues who has an image. In a transaction of the caller they are written with
   * it.
   * @throws the error of the disk, in a transaction of the caller alone
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

  /** @throws ApiError refused: another destination has that name */
  add(given: NewDestination, actor: Actor): Destination {
    const made = addDestination(this.#context, given, actor)
    this.#openWorker(made.destinationId)
    return this.#view(made)
  }

  /** @throws ApiError not-found, or as `add` */
  update(destinationId: string, patch: DestinationPatch, actor: Actor): Destination {
    const changed = updateDestination(this.#context, destinationId, patch, actor)
    this.#workers.get(destinationId)?.restart()
    return this.#view(changed)
  }

  /** @throws ApiError not-found; refused: instances wait for it, or failed and are not given up */
  remove(destinationId: string, actor: Actor): Outcome {
    const worker = this.#workers.get(destinationId)
    worker?.flush()
    removeDestination(this.#context, destinationId, actor)
    this.#workers.delete(destinationId)
    // It has nothing to send, so nothing waits for its end.
    void worker?.[Symbol.asyncDispose]()
    return { success: true }
  }

  /** @throws ApiError not-found */
  echo(destinationId: string): Promise<EchoResult> {
    return this.#echo(peerOf(existingDestination(this.#context.database, destinationId)))
  }

  /** C-ECHO of a device at the port it listens at. */
  async echoDevice(device: Device): Promise<EchoResult> {
    const peer = devicePeer(device)
    return isMessage(peer) ? { success: false, message: peer, tookMs: 0 } : this.#echo(peer)
  }

  async #echo(peer: Peer): Promise<EchoResult> {
    const result = await this.#outbound.echo(peer)
    return { ...result, message: asSentence(result.message) }
  }

  /** The study that last changed first. */
  studies(query: Parameters<typeof listForwardedStudies>[1]) {
    const { database } = this.#context
    const page = listForwardedStudies(database, query)
    const names = new Map(
      listDestinations(database).map(({ destinationId, name }) => [destinationId, name]),
    )
    const items = page.items.map((study) => ({
      ...study,
      lastError: shown(messageOrNull(study.lastError)),
      destinationName: names.get(study.destinationId) ?? '',
      patientName: findImageStudy(database, study.studyInstanceUid)?.header.patientName ?? '',
    }))
    return { ...page, items }
  }

  /** What is not sent first. @throws ApiError not-found */
  instances(
    { destinationId, studyInstanceUid }: CallOf<Operations['instances']>['params'],
    query: SliceQuery,
  ) {
    const { database } = this.#context
    existingDestination(database, destinationId)
    const page = listForwards(database, { ...query, destinationId, studyInstanceUid })
    return { ...page, items: page.items.map((forward) => this.#forwardView(forward)) }
  }

  /**
   * @throws ApiError not-found: no such destination, or no images of the study are here; refused:
   *   the destination is switched off
   */
  send(destinationId: string, studyInstanceUid: string, actor: Actor): WindowOutcome {
    const { name } = this.#inUse(destinationId)
    const count = sendStudy(this.#context, destinationId, studyInstanceUid, actor)
    const said =
      count === 0
        ? message('forwarding.all-sent', { name })
        : message('forwarding.queued', { count, name })
    return { success: true, message: said }
  }

  /**
   * Tries now what waits or was given up.
   * @throws ApiError not-found; refused: the destination is switched off
   */
  async retry(
    destinationId: string,
    studyInstanceUid: string | undefined,
    actor: Actor,
  ): Promise<WindowOutcome> {
    this.#inUse(destinationId)
    this.#workers.get(destinationId)?.flush()
    const count = await retryStudies(this.#context, destinationId, studyInstanceUid, actor)
    this.#workers.get(destinationId)?.restart()
    return {
      success: true,
      message:
        count === 0 ? message('forwarding.none-waits') : message('forwarding.retried', { count }),
    }
  }

  /** Gives up what waits or failed. @throws ApiError not-found */
  async drop(
    destinationId: string,
    what: CallOf<Operations['drop']>['body'],
    actor: Actor,
  ): Promise<WindowOutcome> {
    existingDestination(this.#context.database, destinationId)
    this.#workers.get(destinationId)?.flush()
    const count = await dropStudies(this.#context, destinationId, what, actor)
    return { success: true, message: message('forwarding.dropped', { count }) }
  }

  /**
   * @throws ApiError not-found; refused: it is not asked for priors, or cannot be asked;
   *   unavailable: it does not answer
   */
  async findPriors(
    destinationId: string,
    keys: CallOf<Operations['findPriors']>['body'],
    actor: Actor,
  ): Promise<ReplyOf<Operations['findPriors']>> {
    const destination = this.#archive(destinationId)
    // As all reading: the entry is lost where the disk does not take it.
    tryWrite(() => note(this.#context, actor, 'destination.find-priors', destinationId))
    const reply = await findPriors(this.#context, this.#outbound, destination, keys)
    rememberStudies(this.#context.database, destinationId, reply.studies)
    return reply
  }

  /** Begins a C-MOVE to ourselves; `pulls` has its progress. @throws ApiError not-found, refused */
  pull(destinationId: string, studyInstanceUid: string, actor: Actor) {
    return this.pulls.start(this.#archive(destinationId), studyInstanceUid, actor)
  }

  /** A destination that may be called. */
  #inUse(destinationId: string): DestinationRecord {
    const destination = existingDestination(this.#context.database, destinationId)
    if (!destination.isEnabled)
      throw new ApiError('refused', message('destinations.is-off', { name: destination.name }))
    return destination
  }

  /** A destination that can be asked for priors. */
  #archive(destinationId: string): DestinationRecord {
    const destination = this.#inUse(destinationId)
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
      lastError: shown(destination.lastError),
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
      lastError: shown(messageOrNull(forward.lastError)),
      sentAs: forward.sentAs,
      updatedAt: forward.updatedAt,
    }
  }

  /** What is due while its destination takes nothing waits as long as that. */
  #attemptAt(destinationId: string, nextAt: string): string {
    const pausedUntil = this.#workers.get(destinationId)?.pausedUntil()
    return pausedUntil !== undefined && pausedUntil > nextAt ? pausedUntil : nextAt
  }

  /**
   * Sends what is due; resolves when nothing is, or every destination that is left takes nothing
   * now.
   */
  async settled(): Promise<void> {
    for (const worker of this.#workers.values()) await worker.settled()
  }

  async [Symbol.asyncDispose]() {
    const parts = [this.pulls, ...this.#workers.values()]
    await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()))
  }
}

/** Parts of sentences are stored; a list shows them alone. */
const shown = (lastError: Message | null) => lastError && asSentence(lastError)
