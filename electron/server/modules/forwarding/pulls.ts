import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import type { MoveProgress } from '#server/dicom/scu/move.ts'
import type { Outbound } from '#server/dicom/scu/outbound.ts'
import { type Actor, note } from '#server/modules/audit/audit.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Pull } from '#shared/contract/destinations.ts'
import { ApiError } from '#shared/errors.ts'
import type { DestinationRecord } from './destination-queries.ts'
import { peerOf } from './destinations.ts'
import type { FoundStudies } from './priors.ts'
import { sentenceCase, sentenceOf } from './sentence.ts'

const MOST_KEPT = 50
const MOST_RUNNING = 4
/** What a C-MOVE may still take to answer its C-CANCEL when the gateway closes. */
const DRAIN_MS = 5_000

interface Running {
  readonly destination: DestinationRecord
  readonly studyInstanceUid: string
  readonly ended: Promise<void>
}

export type Pulls = ReturnType<typeof openPulls>

/**
 * C-MOVEs to ourselves; what they bring comes in by the acceptor like any image.
 * @param onError a fault of ours
 */
export function openPulls(
  context: Context,
  outbound: Outbound,
  about: FoundStudies['about'],
  {
    onChanged,
    onError,
  }: { readonly onChanged: () => void; readonly onError: (error: unknown) => void },
) {
  const { clock, uuid } = context
  const closing = new AbortController()
  const running = new Map<string, Running>()
  let pulls: readonly Pull[] = []

  function change(pullId: string, to: Partial<Pull>): void {
    pulls = pulls.map((pull) => (pull.pullId === pullId ? { ...pull, ...to } : pull))
    onChanged()
  }

  async function run(
    { pullId, studyInstanceUid }: Pull,
    destination: DestinationRecord,
  ): Promise<void> {
    const end = (state: Pull['state'], detail: string) =>
      change(pullId, { state, detail: sentenceCase(detail), endedAt: instantOf(clock()) })
    const tell = ({ completed, warning, failed, remaining }: MoveProgress) =>
      change(pullId, { completed: completed + warning, failed, remaining })
    try {
      const moving = outbound.moveStudy(peerOf(destination), studyInstanceUid, closing.signal)
      let step = await moving.next()
      for (; !step.done; step = await moving.next()) tell(step.value)
      tell(step.value)
      end(step.value.isComplete ? 'done' : 'failed', step.value.detail)
    } catch (error) {
      const sentence = sentenceOf(error)
      end('failed', sentence ?? 'the gateway has an internal error; its log says more')
      if (sentence === undefined) onError(error)
    }
  }

  return {
    /** @throws ApiError refused: too many are running */
    start(destination: DestinationRecord, studyInstanceUid: string, actor: Actor): Pull {
      const twin = pulls.find(
        (pull) =>
          pull.state === 'running' &&
          pull.destinationId === destination.destinationId &&
          pull.studyInstanceUid === studyInstanceUid,
      )
      if (twin) return twin
      if (running.size >= MOST_RUNNING)
        throw new ApiError(
          'refused',
          `${MOST_RUNNING} studies are being fetched already: wait until one of them is here.`,
        )
      const pull: Pull = {
        pullId: uuid(),
        destinationId: destination.destinationId,
        destinationName: destination.name,
        studyInstanceUid,
        ...about(destination.destinationId, studyInstanceUid),
        state: 'running',
        completed: 0,
        failed: 0,
        remaining: 0,
        detail: '',
        startedAt: instantOf(clock()),
        endedAt: null,
      }
      note(context, actor, 'destination.pull', destination.destinationId, { studyInstanceUid })
      pulls = [pull, ...pulls].filter(({ state }, at) => at < MOST_KEPT || state === 'running')
      const ended = run(pull, destination).finally(() => running.delete(pull.pullId))
      running.set(pull.pullId, { destination, studyInstanceUid, ended })
      return pull
    },
    /** Newest first. */
    list: () => [...pulls],
    /**
     * Whether images, or those of one study, that come under this AE title from this address may be
     * of a pull that runs.
     */
    expects: (callingAeTitle: string, remoteAddress: string, of?: string) =>
      [...running.values()].some(
        ({ destination: { aeTitle, host }, studyInstanceUid }) =>
          (of === undefined || of === studyInstanceUid) &&
          // A host known by its name only may have any address.
          aeTitle.toUpperCase() === callingAeTitle.toUpperCase() &&
          (isIP(host) === 0 || host === remoteAddress),
      ),
    async [Symbol.asyncDispose]() {
      closing.abort()
      const ended = [...running.values()].map((pull) => pull.ended)
      await Promise.race([Promise.all(ended), wait(DRAIN_MS, undefined, { ref: false })])
    },
  }
}
