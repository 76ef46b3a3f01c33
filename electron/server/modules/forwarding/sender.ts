import { rmSync } from 'node:fs'
import { mkdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { nameOfUid, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { Outbound } from '#server/dicom/scu/outbound.ts'
import { RequestorError } from '#server/dicom/scu/requestor.ts'
import type { InstanceToSend, SendResult } from '#server/dicom/scu/store.ts'
import { TranscodingError } from '#server/dicom/transcoding/native-process.ts'
import type { Transcoder } from '#server/dicom/transcoding/transcoder.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import type { DestinationRecord } from './destination-queries.ts'
import { peerOf } from './destinations.ts'
import type { ForwardRecord } from './forward-queries.ts'
import type { Due } from './queue.ts'
import { sentenceOf } from './sentence.ts'
import { statusText, type Verdict, verdictOn } from './verdict.ts'

/** How the attempt to send one instance ended. */
export interface Attempt {
  readonly forward: ForwardRecord
  readonly verdict: Verdict
  /** Four hex digits; empty where there was no answer. */
  readonly status: string
  /** The destination's own words: for the screen, never for a log or the feed. */
  readonly comment: string
  /** Transfer syntax in words. */
  readonly sentAs: string
}

/** Transcoded instances that are on the disk at once. */
const TRANSCODED_AT_ONCE = 10
/**
 * With less free space a conversion that failed may have failed for it: this, and so many times the
 * file.
 */
const LEAST_FREE_BYTES = 64 << 20
const MOST_EXPANSION = 20
// PS3.5 §10.1: who takes the class at all takes it in Implicit VR Little Endian at least.
const TARGETS: readonly string[] = [
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
 * Yields once for each instance it got to.
 * @throws RequestorError where there is no association, or none any more
 */
export type Sender = (
  destination: DestinationRecord,
  due: readonly Due[],
  signal: AbortSignal,
) => AsyncGenerator<Attempt, void, void>

/**
 * Sends instances as they are; transcoded only those that the destination takes in another transfer
 * syntax alone.
 */
export function openSender(
  { folder: dataFolder, imageFiles, uuid }: Context,
  outbound: Outbound,
  transcoder: Transcoder,
): Sender {
  const folder = join(dataFolder, 'spool', 'forwarding')
  // What an earlier run was transcoding when it ended.
  rmSync(folder, { recursive: true, force: true })

  async function* send(
    destination: DestinationRecord,
    due: readonly Due[],
    signal: AbortSignal,
  ): AsyncGenerator<Attempt, void, void> {
    const toTranscode: Transcodable[] = []
    for await (const result of associate(destination, due.map(sendableOf), signal)) {
      if (result.outcome !== 'needs-transcoding') {
        yield attemptOf(result)
        continue
      }
      const sendable = result.instance
      const target = TARGETS.find((syntax) => result.accepts.includes(syntax))
      if (target === undefined) yield refusal(sendable, notTaken(sendable, result.accepts))
      else if (!transcoder.available().isAvailable)
        yield refusal(sendable, cannotTranscode(sendable, transcoder.available().detail))
      else toTranscode.push({ sendable, target })
    }
    for (let from = 0; from < toTranscode.length; from += TRANSCODED_AT_ONCE)
      yield* sendTranscoded(destination, toTranscode.slice(from, from + TRANSCODED_AT_ONCE), signal)
  }

  async function* sendTranscoded(
    destination: DestinationRecord,
    group: readonly Transcodable[],
    signal: AbortSignal,
  ) {
    const made: Sendable[] = []
    try {
      for (const { sendable, target } of group) {
        signal.throwIfAborted()
        const path = join(folder, `${uuid()}.dcm`)
        const transcoded: Sendable = { ...sendable, path, transferSyntaxUid: target }
        made.push(transcoded)
        try {
          await mkdir(folder, { recursive: true })
          await orAborted(transcoder.transcode(sendable.path, path, target), signal)
          const meta = await readFileMeta(path)
          if (meta.sopInstanceUid !== sendable.sopInstanceUid)
            throw new TranscodingError('the transcoded file is of another instance')
          made.splice(-1, 1, {
            ...transcoded,
            transferSyntaxUid: meta.transferSyntaxUid,
            dataSetOffset: meta.dataSetOffset,
          })
        } catch (error) {
          signal.throwIfAborted()
          made.pop()
          await rm(path, { force: true })
          yield await notTranscoded(sendable, error)
        }
      }
      for await (const result of associate(destination, made, signal))
        yield result.outcome === 'needs-transcoding'
          ? refusal(result.instance, notTaken(result.instance, result.accepts))
          : attemptOf(result)
    } finally {
      for (const { path } of made) await rm(path, { force: true })
    }
  }

  /** Final only where the image is the cause. */
  async function notTranscoded(sendable: Sendable, error: unknown): Promise<Attempt> {
    const kind = diskFaultKind(error)
    const hasRoom = kind !== 'full' && (await hasRoomFor(sendable))
    if (kind === undefined && hasRoom && error instanceof TranscodingError)
      return refusal(sendable, cannotTranscode(sendable, error.message))
    const why = hasRoom
      ? 'the gateway could not write it'
      : 'the gateway has too little disk space to convert it'
    const reason = cannotTranscode(sendable, why)
    return { ...UNANSWERED, forward: sendable.forward, verdict: { kind: 'later', reason } }
  }

  async function hasRoomFor({ bytes }: Sendable): Promise<boolean> {
    const space = await statfs(folder).catch(() => undefined)
    return (
      space === undefined || space.bavail * space.bsize >= LEAST_FREE_BYTES + MOST_EXPANSION * bytes
    )
  }

  async function* associate(
    destination: DestinationRecord,
    instances: readonly Sendable[],
    signal: AbortSignal,
  ) {
    for await (const result of outbound.sendInstances(peerOf(destination), instances, signal)) {
      // There is no association any more: what it did not get to waits without an attempt of its
      // own.
      if (result.outcome === 'failed' && !result.isTried && !isNotAccepted(result.error))
        throw result.error
      yield result
    }
  }

  const sendableOf = ({ forward, instance }: Due): Sendable => ({
    forward,
    sopClassUid: instance.sopClassUid,
    sopInstanceUid: instance.sopInstanceUid,
    transferSyntaxUid: instance.transferSyntaxUid,
    path: imageFiles.pathOf(instance.file),
    dataSetOffset: instance.dataSetOffset,
    bytes: instance.bytes,
  })

  return send
}

const UNANSWERED = { status: '', comment: '', sentAs: '' }

function attemptOf(
  result: Exclude<SendResult<Sendable>, { outcome: 'needs-transcoding' }>,
): Attempt {
  const { forward, transferSyntaxUid, sopClassUid } = result.instance
  if (result.outcome === 'failed') {
    if (isNotAccepted(result.error))
      return refusal(
        result.instance,
        `it does not take images of this kind (${nameOfUid(sopClassUid)})`,
      )
    return {
      ...UNANSWERED,
      forward,
      verdict: {
        kind: 'later',
        reason: sentenceOf(result.error) ?? 'its file cannot be read here',
      },
    }
  }
  return {
    forward,
    verdict: verdictOn(result.status),
    status: statusText(result.status),
    comment: result.outcome === 'refused' ? result.errorComment.trim() : '',
    sentAs: nameOfUid(transferSyntaxUid),
  }
}

const refusal = ({ forward }: Sendable, reason: string): Attempt => ({
  ...UNANSWERED,
  forward,
  verdict: { kind: 'refused', reason },
})

const notTaken = ({ sopClassUid }: Sendable, accepts: readonly string[]) =>
  `it takes ${nameOfUid(sopClassUid)} only as ${accepts.map(nameOfUid).join(', ')}, which cannot be made here`

const isNotAccepted = (error: Error) =>
  error instanceof RequestorError && error.kind === 'not-accepted'

const cannotTranscode = ({ transferSyntaxUid }: Sendable, why: string) =>
  `it does not take ${nameOfUid(transferSyntaxUid)}, and the image cannot be converted here: ${why}`

/** The module's process ends by itself, within its own time; nothing waits for that. */
async function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
