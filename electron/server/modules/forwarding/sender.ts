import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import { nameOfUid, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { OutboundRequests } from '#server/dicom/scu/outbound.ts'
import { RequestorError } from '#server/dicom/scu/requestor.ts'
import type { InstanceToSend, SendResult } from '#server/dicom/scu/store.ts'
import { TranscodingError } from '#server/dicom/transcoding/native-process.ts'
import { TranscodedCopies } from '#server/dicom/transcoding/transcoded-copies.ts'
import type { Transcoder } from '#server/dicom/transcoding/transcoder.ts'
import { ensureLocalFile } from '#server/modules/images/local-files.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { DestinationRecord } from './destination-queries.ts'
import { peerOf } from './destinations.ts'
import type { ForwardRecord } from './forward-queries.ts'
import type { DueForward } from './queue.ts'
import { networkFault, statusText, type Verdict, verdictOf } from './verdict.ts'

/** The outcome of an attempt to send one instance. */
export interface SendAttempt {
  readonly forward: ForwardRecord
  readonly verdict: Verdict
  /** Four hexadecimal digits; empty if there was no response. */
  readonly status: string
  /**
   * The destination's Error Comment. It is shown on screen, but never written to the log or the
   * feed.
   */
  readonly comment: string
  /** Name of the transfer syntax. */
  readonly sentAs: string
}

/** Maximum number of transcoded instances on the disk. */
const TRANSCODE_BATCH_SIZE = 10
/**
 * If less than this is free, plus `MAX_EXPANSION_FACTOR` times the size of the file, a failed
 * conversion is attributed to the lack of space.
 */
const MIN_FREE_BYTES = 64 << 20
const MAX_EXPANSION_FACTOR = 20
// Every SCP must accept one of these for each SOP class; Implicit VR Little Endian is the DICOM
// default.
const TARGET_SYNTAXES: readonly string[] = [
  TRANSFER_SYNTAX.explicitLittleEndian,
  TRANSFER_SYNTAX.implicitLittleEndian,
  TRANSFER_SYNTAX.explicitBigEndian,
]

interface Sendable extends InstanceToSend {
  readonly forward: ForwardRecord
  readonly bytes: number
}
interface Transcodable {
  readonly sendable: Sendable
  readonly target: string
}

/**
 * Sends instances in their stored transfer syntax, and transcodes only those that the destination
 * accepts in no other way.
 */
export class Sender {
  readonly #context: Context
  readonly #outbound: OutboundRequests
  readonly #transcoder: Transcoder
  readonly #copies: TranscodedCopies

  constructor(context: Context, outbound: OutboundRequests, transcoder: Transcoder) {
    this.#context = context
    this.#outbound = outbound
    this.#transcoder = transcoder
    const { folder, uuid } = context
    this.#copies = new TranscodedCopies(
      join(folder, 'spool', 'forwarding'),
      transcoder.transcode,
      uuid,
    )
  }

  /**
   * Yields one result per attempted instance.
   * @throws RequestorError if the association cannot be established or is lost
   */
  async *send(
    destination: DestinationRecord,
    due: readonly DueForward[],
    signal: AbortSignal,
  ): AsyncGenerator<SendAttempt, void, void> {
    const toTranscode: Transcodable[] = []
    const { instances, faults } = await this.#sendablesOf(due)
    yield* faults
    for await (const result of this.#associate(destination, instances, signal)) {
      if (result.outcome !== 'needs-transcoding') {
        yield attemptOf(result)
        continue
      }
      const sendable = result.instance
      const target = TARGET_SYNTAXES.find((syntax) => result.acceptedSyntaxes.includes(syntax))
      const { detail } = this.#transcoder.available()
      if (target === undefined)
        yield refusal(sendable, unsupportedSyntaxMessage(sendable, result.acceptedSyntaxes))
      else if (detail) yield refusal(sendable, transcodingFailureMessage(sendable, detail))
      else toTranscode.push({ sendable, target })
    }
    for (let from = 0; from < toTranscode.length; from += TRANSCODE_BATCH_SIZE) {
      const group = toTranscode.slice(from, from + TRANSCODE_BATCH_SIZE)
      yield* this.#sendTranscoded(destination, group, signal)
    }
  }

  async *#sendTranscoded(
    destination: DestinationRecord,
    group: readonly Transcodable[],
    signal: AbortSignal,
  ) {
    const transcoded: Sendable[] = []
    try {
      for (const { sendable, target } of group) {
        try {
          transcoded.push(await this.#copies.make(sendable, target, signal))
        } catch (error) {
          signal.throwIfAborted()
          yield await this.#transcodingFailure(sendable, error)
        }
      }
      for await (const result of this.#associate(destination, transcoded, signal))
        yield result.outcome === 'needs-transcoding'
          ? refusal(
              result.instance,
              unsupportedSyntaxMessage(result.instance, result.acceptedSyntaxes),
            )
          : attemptOf(result)
    } finally {
      for (const copy of transcoded) await this.#copies.remove(copy)
    }
  }

  /** A refusal is final only if the image itself is the cause. */
  async #transcodingFailure(sendable: Sendable, error: unknown): Promise<SendAttempt> {
    const kind = diskFaultKind(error)
    const hasSpace = kind !== 'full' && (await this.#hasSpaceFor(sendable))
    if (kind === undefined && hasSpace && error instanceof TranscodingError)
      return refusal(sendable, transcodingFailureMessage(sendable, error.explanation))
    const why = message(hasSpace ? 'forwarding.not-written' : 'forwarding.too-little-space')
    const reason = transcodingFailureMessage(sendable, why)
    return { ...NO_RESPONSE, forward: sendable.forward, verdict: { kind: 'later', reason } }
  }

  async #hasSpaceFor({ bytes }: Sendable): Promise<boolean> {
    const space = await statfs(this.#context.folder).catch(() => undefined)
    return (
      space === undefined ||
      space.bavail * space.bsize >= MIN_FREE_BYTES + MAX_EXPANSION_FACTOR * bytes
    )
  }

  async *#associate(
    destination: DestinationRecord,
    instances: readonly Sendable[],
    signal: AbortSignal,
  ) {
    const results = this.#outbound.sendInstances(peerOf(destination), instances, signal)
    for await (const result of results) {
      // The association is lost. Instances that were not attempted keep waiting, without a failed
      // attempt.
      if (result.outcome === 'failed' && !result.wasAttempted && !isNotAccepted(result.error))
        throw result.error
      yield result
    }
  }

  /** Files that are not on this PC are fetched; one that cannot be fetched now is sent later. */
  async #sendablesOf(due: readonly DueForward[]) {
    const instances: Sendable[] = []
    const faults: SendAttempt[] = []
    for (const { forward, instance } of due) {
      try {
        const hasLocalFile = instance.localRemovedAt === null
        const path = this.#context.imageFiles.pathOf(instance.file)
        const local = hasLocalFile
          ? { ...instance, path }
          : await this.#fetched(instance.instanceId)
        instances.push(sendableOf(forward, local))
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const verdict = { kind: 'later', reason: error.explanation } as const
        faults.push({ ...NO_RESPONSE, forward, verdict })
      }
    }
    return { instances, faults }
  }

  #fetched = (instanceId: number) => ensureLocalFile(this.#context, instanceId)
}

const sendableOf = (
  forward: DueForward['forward'],
  instance: DueForward['instance'] & { readonly path: string },
): Sendable => {
  const { sopClassUid, sopInstanceUid, transferSyntaxUid, path, dataSetOffset, bytes } = instance
  return { forward, sopClassUid, sopInstanceUid, transferSyntaxUid, path, dataSetOffset, bytes }
}

const NO_RESPONSE = { status: '', comment: '', sentAs: '' }

function attemptOf(
  result: Exclude<SendResult<Sendable>, { outcome: 'needs-transcoding' }>,
): SendAttempt {
  const { forward, transferSyntaxUid, sopClassUid } = result.instance
  if (result.outcome === 'failed') {
    if (isNotAccepted(result.error))
      return refusal(
        result.instance,
        message('forwarding.kind-not-taken', { sopClass: nameOfUid(sopClassUid) }),
      )
    return {
      ...NO_RESPONSE,
      forward,
      verdict: {
        kind: 'later',
        reason: networkFault(result.error) ?? message('forwarding.file-unreadable'),
      },
    }
  }
  return {
    forward,
    verdict: verdictOf(result.status),
    status: statusText(result.status),
    comment: result.outcome === 'refused' ? result.errorComment.trim() : '',
    sentAs: nameOfUid(transferSyntaxUid),
  }
}

const refusal = ({ forward }: Sendable, reason: Message): SendAttempt => ({
  ...NO_RESPONSE,
  forward,
  verdict: { kind: 'refused', reason },
})

const unsupportedSyntaxMessage = ({ sopClassUid }: Sendable, acceptedSyntaxes: readonly string[]) =>
  message('forwarding.syntax-not-taken', {
    sopClass: nameOfUid(sopClassUid),
    syntaxes: acceptedSyntaxes.map(nameOfUid).join(', '),
  })

const isNotAccepted = (error: Error) =>
  error instanceof RequestorError && error.kind === 'not-accepted'

const transcodingFailureMessage = ({ transferSyntaxUid }: Sendable, why: Message) =>
  message('forwarding.not-converted', { syntax: nameOfUid(transferSyntaxUid), why })
