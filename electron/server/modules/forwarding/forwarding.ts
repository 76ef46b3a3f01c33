import type { Slice, SliceQuery } from '#server/database/page.ts'
import type { moveStudy } from '#server/dicom/scu/move.ts'
import type { findStudies, testConnection } from '#server/dicom/scu/query.ts'
import type { Peer } from '#server/dicom/scu/requestor.ts'
import type { sendInstances } from '#server/dicom/scu/store.ts'
import type { Transcoder } from '#server/dicom/transcoding/transcoder.ts'
import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { devicePeer } from '#server/modules/devices/device-peer.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type {
  Destination,
  DestinationPatch,
  dashboardDestinations,
  EchoResult,
  Forward,
  ForwardedStudy,
  NativeModule,
  NewDestination,
  Pull,
} from '#shared/contract/destinations.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { SettingKey, SettingValue } from '#shared/contract/settings.ts'
import { ApiError } from '#shared/errors.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import type { DestinationRecord } from './destination-queries.ts'
import { openDestinations } from './destinations.ts'
import { imagesOf, type News, newsLine } from './feed.ts'
import type { ForwardRecord } from './forward-queries.ts'
import { openFoundStudies } from './found-studies.ts'
import { peerOf } from './peer.ts'
import { findPriors } from './priors.ts'
import { openPulls } from './pulls.ts'
import { openQueue, type Queue } from './queue.ts'
import { openSender } from './sender.ts'
import { sentenceCase } from './sentence.ts'
import { openWorker, type Worker } from './worker.ts'

export interface ForwardingDeps extends DomainDeps {
  readonly setting: <K extends SettingKey>(key: K) => SettingValue<K>
  readonly ownAeTitle: () => string
  readonly sendInstances: typeof sendInstances
  readonly moveStudy: typeof moveStudy
  readonly findStudies: typeof findStudies
  readonly testConnection: typeof testConnection
  readonly transcoder: Transcoder
  readonly onNews: (line: News) => void
  /** Queues changed: what the window shows of them is old. */
  readonly onChanged: () => void
  /** Instances were sent to the destination. */
  readonly onSent: (destinationId: string) => void
  /** A fault of ours. Its text may speak of a patient: not for a log as it is. */
  readonly onError: (error: unknown) => void
}

type Operations = typeof dashboardDestinations

/**
 * DIMSE out: the destinations, their queues, and priors. Every call of `dashboardDestinations` is a
 * function of its name.
 */
export interface Forwarding extends AsyncDisposable {
  /**
   * Queues a kept instance for every automatic destination that takes its modality. Call it in the
   * transaction that keeps the instance.
   */
  enqueue(instance: InstanceRecord): void
  /**
   * As `enqueue`, of an instance that was set aside or superseded: it is queued again for every
   * destination it was kept from, too.
   */
  release(instance: InstanceRecord): void
  /**
   * Drops what waits, or failed, of an instance whose row is taken back. Call it in the transaction
   * that does so.
   */
  takeBack(instance: InstanceRecord): void
  /**
   * Drops what waits, or failed, of instances that are set aside; what is under way is ended. Call
   * it in the transaction that does so.
   */
  setAside(instances: readonly InstanceRecord[]): void
  /**
   * Queues what takes the place of corrected images, or of their copies, for the destinations of
   * what was before (`Queue.correct`). Call it in the transaction that does so.
   */
  correct(...moved: Parameters<Queue['correct']>): void
  /**
   * Writes the outcomes that are in memory while the disk takes no records. Call it before it is
   * decided by the queues who has an image. In a transaction of the caller they are written with
   * it.
   * @throws the error of the disk, in a transaction of the caller alone
   */
  flush(): void
  list(): { destinations: Destination[]; native: NativeModule }
  /** @throws ApiError refused: another destination has that name */
  add(destination: NewDestination, actor: Actor): Destination
  /** @throws ApiError not-found, or as `add` */
  update(destinationId: string, patch: DestinationPatch, actor: Actor): Destination
  /**
   * @throws ApiError not-found; refused: instances wait for it, or failed and nobody has decided
   */
  remove(destinationId: string, actor: Actor): Outcome
  /** @throws ApiError not-found */
  echo(destinationId: string): Promise<EchoResult>
  /** C-ECHO of a device at the port it listens at. */
  echoDevice(device: Device): Promise<EchoResult>
  /** The study that last changed first. */
  studies(
    query: SliceQuery &
      Pick<CallOf<Operations['studies']>['query'], 'destinationId' | 'studyInstanceUid' | 'show'>,
  ): Slice<ForwardedStudy>
  /** What is not sent first. @throws ApiError not-found */
  instances(of: CallOf<Operations['instances']>['params'], query: SliceQuery): Slice<Forward>
  /**
   * @throws ApiError not-found: no such destination, or no images of the study are here; refused:
   *   the destination is switched off
   */
  send(destinationId: string, studyInstanceUid: string, actor: Actor): Outcome
  /**
   * Tries now what waits or was given up. @throws ApiError not-found; refused: the destination is
   * switched off
   */
  retry(destinationId: string, studyInstanceUid: string | undefined, actor: Actor): Promise<Outcome>
  /** Gives up what waits or failed. @throws ApiError not-found */
  drop(
    destinationId: string,
    what: CallOf<Operations['drop']>['body'],
    actor: Actor,
  ): Promise<Outcome>
  /**
   * @throws ApiError not-found; refused: it is not asked for priors, or cannot be asked;
   *   unavailable: it does not answer
   */
  findPriors(
    destinationId: string,
    keys: CallOf<Operations['findPriors']>['body'],
    actor: Actor,
  ): Promise<ReplyOf<Operations['findPriors']>>
  /**
   * Begins a C-MOVE to ourselves; `pulls` tells how it goes. @throws ApiError not-found, refused
   */
  pull(destinationId: string, studyInstanceUid: string, actor: Actor): Pull
  /** The latest 50 since the start of the gateway, newest first. */
  pulls(): Pull[]
  /**
   * Whether images, or those of one study, that come under this AE title from this address may be
   * of a pull that runs.
   */
  expectsFrom(callingAeTitle: string, remoteAddress: string, studyInstanceUid?: string): boolean
  /** Instances that wait and that were given up, of all destinations. */
  summary(): { readonly waiting: number; readonly failed: number }
  /**
   * Sends what is due; resolves when nothing is, or every destination that is left takes nothing
   * now.
   */
  settled(): Promise<void>
}

/** Opens the queues: what waited at the last end goes on. */
export function openForwarding(deps: ForwardingDeps): Forwarding {
  const { store, clock, setting, ownAeTitle, testConnection, transcoder, onNews, onChanged } = deps
  const { forwards, imageStudies } = store
  const destinations = openDestinations(deps)
  const queue = openQueue({ ...deps, destinations })
  const sender = openSender(deps)
  const foundStudies = openFoundStudies(store)
  const pulls = openPulls({ ...deps, about: foundStudies.about })
  const workers = new Map<string, Worker>()
  /**
   * A notice of a correction is open until all copies that are sent at all are at the destination.
   */
  const noteComplete = (destinationId: string) => void tryWrite(() => deps.onSent(destinationId))
  const find = (destinationId: string) =>
    destinations.list().find((one) => one.destinationId === destinationId)

  const workerOf = (destinationId: string): Worker =>
    openWorker({
      ...{ store, clock, sender, destinationId, onChanged },
      destination: () => find(destinationId),
      due: queue.due,
      giveUpHours: () => setting('forwarding.giveUpHours'),
      // Images are sent without these records where the disk takes none, or only one of them.
      noteSent() {
        tryWrite(() => destinations.noteSent(destinationId))
        noteComplete(destinationId)
      },
      noteError: (lastError) =>
        void tryWrite(() => destinations.noteError(destinationId, lastError)),
      onNews(news) {
        const destination = find(destinationId)
        if (destination) onNews(newsLine(destination, news))
      },
      onError: deps.onError,
    })
  for (const { destinationId } of destinations.list())
    workers.set(destinationId, workerOf(destinationId))
  const wakeAll = () => {
    for (const worker of workers.values()) worker.wake()
  }
  const stopListening = forwards.onAppend(wakeAll)
  wakeAll()

  function viewOf(destination: DestinationRecord): Destination {
    const { destinationId, isEnabled } = destination
    const next = isEnabled ? forwards.nextDue(destinationId) : undefined
    return {
      ...destination,
      lastError: sentenceCase(destination.lastError),
      queue: forwards.queue(destinationId),
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
    const result = await testConnection(peer, ownAeTitle())
    return { ...result, message: sentenceCase(result.message) }
  }

  /** What was dropped may be on its way at this moment. */
  const restartAfterCommit = (destinationIds: readonly string[]) =>
    store.database.afterCommit(() => {
      for (const destinationId of destinationIds) {
        workers.get(destinationId)?.restart()
        // What was dropped may be all that was not sent yet.
        noteComplete(destinationId)
      }
    })

  /** One that may be called. */
  function inUse(destinationId: string): DestinationRecord {
    const destination = destinations.existing(destinationId)
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
    enqueue: queue.enqueue,
    release: queue.release,
    takeBack: (instance) => restartAfterCommit(queue.takeBack(instance)),
    setAside: (instances) => restartAfterCommit(queue.setAside(instances)),
    correct: (...moved) => restartAfterCommit(queue.correct(...moved)),
    flush() {
      for (const worker of workers.values()) worker.flush()
    },
    list: () => ({ destinations: destinations.list().map(viewOf), native: transcoder.available() }),
    add(given, actor) {
      const made = destinations.add(given, actor)
      workers.set(made.destinationId, workerOf(made.destinationId))
      return viewOf(made)
    },
    update(destinationId, patch, actor) {
      const changed = destinations.update(destinationId, patch, actor)
      workers.get(destinationId)?.restart()
      return viewOf(changed)
    },
    remove(destinationId, actor) {
      workers.get(destinationId)?.flush()
      destinations.remove(destinationId, actor)
      const worker = workers.get(destinationId)
      workers.delete(destinationId)
      // It has nothing to send, so nothing waits for its end.
      void worker?.[Symbol.asyncDispose]()
      return { success: true }
    },
    echo: async (destinationId) => echo(peerOf(destinations.existing(destinationId))),
    async echoDevice(device) {
      const peer = devicePeer(device)
      return typeof peer === 'string' ? { success: false, message: peer, tookMs: 0 } : echo(peer)
    },

    studies(query) {
      const { items, ...rest } = forwards.studies(query)
      const names = new Map(
        destinations.list().map(({ destinationId, name }) => [destinationId, name]),
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
    instances({ destinationId, studyInstanceUid }, query) {
      destinations.existing(destinationId)
      const { items, ...rest } = forwards.instances({ ...query, destinationId, studyInstanceUid })
      return { items: items.map(forwardView), ...rest }
    },
    send(destinationId, studyInstanceUid, actor) {
      const destination = inUse(destinationId)
      const queued = queue.send(destination, studyInstanceUid, actor)
      const message =
        queued === 0
          ? `Every image of it is at ${destination.name}, or on its way there.`
          : `${imagesOf(queued)} queued for ${destination.name}.`
      return { success: true, message }
    },
    async retry(destinationId, studyInstanceUid, actor) {
      const destination = inUse(destinationId)
      workers.get(destinationId)?.flush()
      const retried = await queue.retry(destination, studyInstanceUid, actor)
      workers.get(destinationId)?.restart()
      return {
        success: true,
        message: retried === 0 ? 'Nothing waits.' : `${imagesOf(retried)} tried now.`,
      }
    },
    async drop(destinationId, what, actor) {
      const destination = destinations.existing(destinationId)
      workers.get(destinationId)?.flush()
      const dropped = await queue.drop(destination, what, actor)
      return { success: true, message: `${imagesOf(dropped)} given up.` }
    },

    async findPriors(destinationId, keys, actor) {
      const destination = archive(destinationId)
      // As all reading: the entry is lost where the disk does not take it.
      tryWrite(() => note(deps.store, actor, 'destination.find-priors', destinationId))
      const reply = await findPriors(destination, keys, deps)
      foundStudies.remember(destinationId, reply.studies)
      return reply
    },
    pull: (destinationId, studyInstanceUid, actor) =>
      pulls.start(archive(destinationId), studyInstanceUid, actor),
    pulls: pulls.list,
    expectsFrom: pulls.expects,
    summary: () => forwards.summary(),
    async settled() {
      for (const worker of workers.values()) await worker.settled()
    },
    async [Symbol.asyncDispose]() {
      stopListening()
      await Promise.all([pulls, ...workers.values()].map((part) => part[Symbol.asyncDispose]()))
    },
  }
}
