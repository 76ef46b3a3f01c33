import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { MoveProgress } from '#server/dicom/scu/move.ts'
import type { OutboundRequests } from '#server/dicom/scu/outbound.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import type { PriorRetrieval } from '#shared/contract/destinations.ts'
import { ApiError } from '#shared/errors.ts'
import { asSentence, type Message, message } from '#shared/messages/message.ts'
import type { DestinationRecord } from './destination-queries.ts'
import { peerOf } from './destinations.ts'
import { summaryOfStudy } from './priors.ts'
import { networkFault } from './verdict.ts'

const MAX_PULLS = 50
const MAX_RUNNING_PULLS = 4
/** How long a C-MOVE may take to respond to its C-CANCEL when the gateway closes. */
const DRAIN_MS = 5_000

interface RunningPull {
  readonly destination: DestinationRecord
  readonly studyInstanceUid: string
  readonly ended: Promise<void>
}

/** Retrievals of studies by C-MOVE to this gateway. The images are received like any others. */
export class Pulls implements AsyncDisposable {
  readonly #context: Context
  readonly #outbound: OutboundRequests
  readonly #closing = new AbortController()
  readonly #running = new Map<string, RunningPull>()
  /** Lists of studies that are being erased. */
  readonly #blocked = new Set<readonly string[]>()
  #pulls: readonly PriorRetrieval[] = []

  constructor(context: Context, outbound: OutboundRequests) {
    this.#context = context
    this.#outbound = outbound
  }

  /**
   * Starts a retrieval, or returns the running one of the same study.
   * @throws ApiError refused if too many are running, or the study is being erased
   */
  start(destination: DestinationRecord, studyInstanceUid: string, actor: Actor): PriorRetrieval {
    const { database, clock, uuid } = this.#context
    const { destinationId } = destination
    const existing = this.#pulls.find(
      (pull) =>
        pull.state === 'running' &&
        pull.destinationId === destinationId &&
        pull.studyInstanceUid === studyInstanceUid,
    )
    if (existing) return existing
    if ([...this.#blocked].some((uids) => uids.includes(studyInstanceUid)))
      throw new ApiError('refused', message('forwarding.being-erased'))
    if (this.#running.size >= MAX_RUNNING_PULLS)
      throw new ApiError('refused', message('forwarding.pulls-full', { count: MAX_RUNNING_PULLS }))
    const pull: PriorRetrieval = {
      pullId: uuid(),
      destinationId,
      destinationName: destination.name,
      studyInstanceUid,
      ...summaryOfStudy(database, destinationId, studyInstanceUid),
      state: 'running',
      completed: 0,
      failed: 0,
      remaining: 0,
      detail: null,
      startedAt: instantOf(clock()),
      endedAt: null,
    }
    note(this.#context, actor, 'destination.pull', destinationId, { studyInstanceUid })
    this.#pulls = [pull, ...this.#pulls].filter(
      ({ state }, at) => at < MAX_PULLS || state === 'running',
    )
    const ended = this.#run(pull, destination).finally(() => this.#running.delete(pull.pullId))
    this.#running.set(pull.pullId, { destination, studyInstanceUid, ended })
    return pull
  }

  async #run(
    { pullId, studyInstanceUid }: PriorRetrieval,
    destination: DestinationRecord,
  ): Promise<void> {
    const end = (state: PriorRetrieval['state'], detail: Message) =>
      this.#change(pullId, {
        state,
        detail: asSentence(detail),
        endedAt: instantOf(this.#context.clock()),
      })
    const progress = ({ completed, warning, failed, remaining }: MoveProgress) =>
      this.#change(pullId, { completed: completed + warning, failed, remaining })
    try {
      const { signal } = this.#closing
      const moving = this.#outbound.moveStudy(peerOf(destination), studyInstanceUid, signal)
      let step = await moving.next()
      for (; !step.done; step = await moving.next()) progress(step.value)
      progress(step.value)
      end(step.value.isComplete ? 'done' : 'failed', step.value.detail)
    } catch (error) {
      const fault = networkFault(error)
      end('failed', fault ?? message('forwarding.internal-error'))
      if (fault === undefined) reportError(this.#context, error)
    }
  }

  /** Whether a retrieval of the study could start now, or is running. */
  mayStart({ destinationId }: DestinationRecord, studyInstanceUid: string): boolean {
    const isSame = (pull: RunningPull) =>
      pull.destination.destinationId === destinationId && pull.studyInstanceUid === studyInstanceUid
    return this.#running.size < MAX_RUNNING_PULLS || [...this.#running.values()].some(isSame)
  }

  /** Resolves when the retrieval has ended, however it ended. */
  async ended(pullId: string): Promise<void> {
    await this.#running.get(pullId)?.ended
  }

  #change(pullId: string, to: Partial<PriorRetrieval>): void {
    this.#pulls = this.#pulls.map((pull) => (pull.pullId === pullId ? { ...pull, ...to } : pull))
    this.#context.feed.noteImages()
    this.#context.feed.noteStatus()
  }

  /** The latest 50 since the gateway started, newest first. */
  list(): PriorRetrieval[] {
    return [...this.#pulls]
  }

  #runningOf = (studyInstanceUid: string): RunningPull[] =>
    [...this.#running.values()].filter((pull) => pull.studyInstanceUid === studyInstanceUid)

  isRetrieving = (studyInstanceUid: string): boolean => this.#runningOf(studyInstanceUid).length > 0

  /** Refuses retrievals of the studies until the result is disposed of. */
  block(studyInstanceUids: readonly string[]): Disposable {
    this.#blocked.add(studyInstanceUids)
    return { [Symbol.dispose]: () => void this.#blocked.delete(studyInstanceUids) }
  }

  /** The destination that a study is being retrieved from, if there is exactly one. */
  sourceOf(studyInstanceUid: string): DestinationRecord | undefined {
    const running = this.#runningOf(studyInstanceUid)
    return running.length === 1 ? running[0]?.destination : undefined
  }

  /**
   * Whether images from this caller, optionally of this study, may belong to a running retrieval.
   */
  expects(callingAeTitle: string, remoteAddress: string, studyInstanceUid?: string): boolean {
    return [...this.#running.values()].some(
      ({ destination: { aeTitle, host }, studyInstanceUid: wanted }) =>
        (studyInstanceUid === undefined || studyInstanceUid === wanted) &&
        aeTitle.toUpperCase() === callingAeTitle.toUpperCase() &&
        // A host that is configured by name may have any address.
        (isIP(host) === 0 || host === remoteAddress),
    )
  }

  async [Symbol.asyncDispose]() {
    this.#closing.abort()
    const ended = [...this.#running.values()].map((pull) => pull.ended)
    await Promise.race([Promise.all(ended), wait(DRAIN_MS, undefined, { ref: false })])
  }
}
