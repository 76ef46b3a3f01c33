import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { deviceActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type {
  Retrieval,
  RetrievalRequest,
  RetrievalScp,
  SubOperationResult,
} from '#server/dicom/dimse/service.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import type { OutboundRequests } from '#server/dicom/scu/outbound.ts'
import { RequestorError } from '#server/dicom/scu/requestor.ts'
import type { SendResult } from '#server/dicom/scu/store.ts'
import { TranscodingError } from '#server/dicom/transcoding/native-process.ts'
import type { TranscodedCopies } from '#server/dicom/transcoding/transcoded-copies.ts'
import { LOSSLESS_SYNTAXES } from '#server/dicom/transcoding/transcoder.ts'
import type { AccessAudit } from '#server/modules/audit/access-audit.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import { ensureLocalFile, FILES_AHEAD, fetchAhead } from '#server/modules/images/local-files.ts'
import { TurnQueue } from '#server/platform/turn-queue.ts'
import { message } from '#shared/messages/message.ts'
import { explanationOf } from '#shared/messages/message-error.ts'
import { moveDestination } from './move-destination.ts'
import { studiesOfPatient } from './patient-studies.ts'
import { type RetrievalKeys, readRetrievalKeys } from './retrieval-keys.ts'
import {
  listSelectedInstances,
  readStoredFiles,
  type SelectedInstance,
  type SelectedUids,
  type StoredFile,
} from './retrieval-queries.ts'

/** The counts of a response have 16 bits (PS3.7 §9.1.4.1.7). */
const MAX_INSTANCES = 65_535
/** Instances whose files are known at a time; those of a C-MOVE share an association. */
const BATCH_SIZE = 500
/** Size of a batch of which files have to be fetched: it is sent when all of them are on this PC. */
const FETCHED_BATCH_SIZE = 25
/** How long a destination that refuses the association of a later batch is left alone. */
const RETRY_MS = 1000
/** Retrievals at a time; others wait for their turn. */
const MAX_RUNNING_RETRIEVALS = 8
/** Transcoded copies on the disk at a time, for each retrieval. */
const TRANSCODING_BATCH_SIZE = 10
/** How long the instance that is being sent by a C-MOVE may take after C-CANCEL. */
const CANCEL_GRACE_MS = 5000

/** Sends a batch of instances, to the destination of a C-MOVE or to the requestor of a C-GET. */
type SendBatch = <I extends Sendable>(
  instances: readonly I[],
  signal: AbortSignal,
) => AsyncGenerator<SendResult<I>, void, void>

interface SentBatch {
  readonly length: number
  readonly fault: Error | undefined
}

interface Sendable extends StoredFile {
  readonly path: string
}

/** C-MOVE and C-GET of the gateway (decision 0055). */
export class Retrievals implements RetrievalScp {
  readonly #context: Context
  readonly #outbound: OutboundRequests
  readonly #copies: TranscodedCopies
  readonly #accesses: AccessAudit
  readonly #turns = new TurnQueue(MAX_RUNNING_RETRIEVALS)

  constructor(
    context: Context,
    outbound: OutboundRequests,
    copies: TranscodedCopies,
    accesses: AccessAudit,
  ) {
    this.#context = context
    this.#outbound = outbound
    this.#copies = copies
    this.#accesses = accesses
  }

  async retrieve(request: RetrievalRequest): Promise<Retrieval> {
    const { association, signal } = request
    const { callingAeTitle, remoteAddress } = association
    const device = recogniseDevice(this.#context, callingAeTitle, remoteAddress)
    // The right may have been taken away since the association was accepted.
    if (device?.retrieval !== 'retrieve')
      throw new DimseError(0x0124, message('query-retrieve.not-authorized'))
    const send = this.#sendOf(request)
    const selected = await this.#select(readRetrievalKeys(request), signal)
    const detail =
      'send' in request.to
        ? { service: 'C-GET' }
        : { service: 'C-MOVE', destination: request.to.moveDestination }
    for (const target of new Set(selected.map(({ studyInstanceUid }) => studyInstanceUid)))
      this.#accesses.note({
        actor: deviceActor(device.deviceId),
        action: 'read.images',
        target,
        detail,
      })
    return {
      instances: selected.length,
      perform: () => this.#perform(selected, send, signal),
    }
  }

  #sendOf({ association, messageId, to }: RetrievalRequest): SendBatch {
    if ('send' in to) return (instances) => to.send(instances)
    const peer = moveDestination(this.#context, to.moveDestination, association)
    const originator = {
      moveOriginatorAeTitle: association.callingAeTitle,
      moveOriginatorMessageId: messageId,
    }
    return (instances, signal) => this.#outbound.sendInstances(peer, instances, signal, originator)
  }

  async #select(keys: RetrievalKeys, signal: AbortSignal): Promise<readonly SelectedInstance[]> {
    const { patientId, ...uids } = keys
    const studyInstanceUids =
      patientId === ''
        ? uids.studyInstanceUids
        : await studiesOfPatient(this.#context, patientId, uids.studyInstanceUids, signal)
    if (patientId !== '' && studyInstanceUids.length === 0) return []
    const selection: SelectedUids = { ...uids, studyInstanceUids }
    const selected = listSelectedInstances(this.#context.database, selection, MAX_INSTANCES + 1)
    if (selected.length > MAX_INSTANCES)
      throw new DimseError(0xa701, message('query-retrieve.too-many', { most: MAX_INSTANCES }))
    return selected
  }

  async *#perform(
    selected: readonly SelectedInstance[],
    send: SendBatch,
    signal: AbortSignal,
  ): AsyncGenerator<SubOperationResult, void, void> {
    if (selected.length === 0) return
    using turn = await this.#turns.take(signal)
    if (!turn) return
    const abortController = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const abort = () => {
      // An instance that is being sent is not interrupted by C-CANCEL unless it takes too long.
      const ms = signal.reason === 'cancel' ? CANCEL_GRACE_MS : 0
      timer = setTimeout(() => abortController.abort(signal.reason), ms)
    }
    signal.addEventListener('abort', abort)
    try {
      for (let from = 0; from < selected.length && !abortController.signal.aborted; ) {
        const next = selected.slice(from, from + BATCH_SIZE + FILES_AHEAD)
        const trySend = from === 0 ? send : twice(send)
        const { length, fault } = yield* this.#sendBatch(next, trySend, abortController.signal)
        from += length
        if (!fault) continue
        for (const { sopInstanceUid } of selected.slice(from))
          yield { sopInstanceUid, outcome: 'failed', reason: reasonOf(fault) }
        return
      }
    } finally {
      signal.removeEventListener('abort', abort)
      clearTimeout(timer)
    }
  }

  /**
   * Sends the next batch, and has the files after it fetched meanwhile.
   * @param next a batch of the largest size, and the instances after it
   * @returns its length, and the fault if the peer cannot be reached, so that no further batch is
   *   attempted
   */
  async *#sendBatch(
    next: readonly SelectedInstance[],
    send: SendBatch,
    signal: AbortSignal,
  ): AsyncGenerator<SubOperationResult, SentBatch, void> {
    const { database, imageFiles } = this.#context
    const instanceIds = next.map(({ instanceId }) => instanceId)
    using _kept = imageFiles.inUse.keep(instanceIds)
    const files = readStoredFiles(database, instanceIds)
    const listed = instanceIds.map((instanceId) => files.get(instanceId))
    const length = lengthOfBatch(listed)
    const instances: Sendable[] = []
    const toTranscode: { readonly instance: Sendable; readonly target: string }[] = []
    let fault: Error | undefined
    for (const [index, { sopInstanceUid }] of next.slice(0, length).entries()) {
      if (signal.aborted) return { length, fault }
      fetchAhead(this.#context, listed, index)
      const stored = listed[index]
      if (!stored) {
        // It was replaced, quarantined or deleted after the retrieval had started.
        yield { sopInstanceUid, outcome: 'failed', reason: message('query-retrieve.gone') }
        continue
      }
      try {
        instances.push(await this.#fileOf(stored))
      } catch (error) {
        yield { sopInstanceUid, outcome: 'failed', reason: explanationOf(error) }
      }
    }
    for await (const result of send(instances, signal)) {
      if (result.outcome !== 'needs-transcoding') {
        if (isUnreachable(result)) fault = result.error
        yield resultOf(result)
        continue
      }
      const { instance, acceptedSyntaxes } = result
      const target = LOSSLESS_SYNTAXES.find((syntax) => acceptedSyntaxes.includes(syntax))
      if (target === undefined) yield resultOf(result)
      else toTranscode.push({ instance, target })
    }
    for (let at = 0; at < toTranscode.length; at += TRANSCODING_BATCH_SIZE)
      yield* this.#sendTranscoded(toTranscode.slice(at, at + TRANSCODING_BATCH_SIZE), send, signal)
    // Lets other connections proceed.
    await setImmediate()
    return { length, fault }
  }

  /** The stored file, which is fetched if it is not on this PC. */
  async #fileOf(stored: StoredFile): Promise<Sendable> {
    if (stored.localRemovedAt !== null)
      return await ensureLocalFile(this.#context, stored.instanceId)
    return { ...stored, path: this.#context.imageFiles.pathOf(stored.file) }
  }

  async *#sendTranscoded(
    group: readonly { readonly instance: Sendable; readonly target: string }[],
    send: SendBatch,
    signal: AbortSignal,
  ): AsyncGenerator<SubOperationResult, void, void> {
    const copies = await Promise.allSettled(
      group.map(({ instance, target }) => this.#copies.make(instance, target, signal)),
    )
    const made = copies.flatMap((copy) => (copy.status === 'fulfilled' ? [copy.value] : []))
    try {
      for (const [index, copy] of copies.entries()) {
        const sopInstanceUid = group[index]?.instance.sopInstanceUid ?? ''
        if (copy.status === 'rejected')
          yield { sopInstanceUid, outcome: 'failed', reason: reasonOf(copy.reason) }
      }
      for await (const result of send(made, signal)) yield resultOf(result)
    } finally {
      for (const copy of made) await this.#copies.remove(copy)
    }
  }
}

/** How many of the next instances are sent together. */
function lengthOfBatch(next: readonly (StoredFile | undefined)[]): number {
  const largest = Math.min(next.length, BATCH_SIZE)
  const toFetch = next.findIndex((file) => file !== undefined && file.localRemovedAt !== null)
  return toFetch === -1 ? largest : Math.min(largest, Math.max(toFetch, FETCHED_BATCH_SIZE))
}

/**
 * Sends once more, after a pause, what was not attempted because the destination could not be
 * associated with: it stored instances of the same retrieval a moment ago, and may be busy.
 */
const twice = (send: SendBatch): SendBatch =>
  async function* (instances, signal) {
    const unsent: SendResult<(typeof instances)[number]>[] = []
    for await (const result of send(instances, signal))
      if (isUnreachable(result)) unsent.push(result)
      else yield result
    if (unsent.length === 0) return
    await pause(RETRY_MS, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) yield* unsent
    else
      yield* send(
        unsent.map(({ instance }) => instance),
        signal,
      )
  }

/** Whether the destination could not be associated with, so that no instance was attempted. */
const isUnreachable = <I extends Sendable>(
  result: SendResult<I>,
): result is SendResult<I> & { readonly outcome: 'failed' } =>
  result.outcome === 'failed' &&
  !result.wasAttempted &&
  !(result.error instanceof RequestorError && result.error.kind === 'not-accepted')

function resultOf(result: SendResult<Sendable>): SubOperationResult {
  const { sopInstanceUid } = result.instance
  if (result.outcome === 'sent')
    return { sopInstanceUid, outcome: result.status === 0x0000 ? 'completed' : 'warning' }
  const reason =
    result.outcome === 'failed'
      ? reasonOf(result.error)
      : message(
          result.outcome === 'refused'
            ? 'query-retrieve.not-stored'
            : 'query-retrieve.syntax-not-accepted',
        )
  return { sopInstanceUid, outcome: 'failed', reason }
}

const reasonOf = (error: unknown) =>
  error instanceof RequestorError || error instanceof TranscodingError
    ? error.explanation
    : message('query-retrieve.not-read')
