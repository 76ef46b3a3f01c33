import { openAlarm } from '#server/jobs/due-job-scheduler.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { Ending, Tally } from '#server/platform/counts.ts'
import type { Arrivals, Kept } from './arrivals.ts'
import type { ReceivingStudy } from './image-study-queries.ts'
import { openLookups } from './lookups.ts'
import type { IntakeDeps, News } from './ports.ts'
import type { Seeding } from './seeding.ts'

const GATEWAY_ENDED: Ending = { kind: 'aborted', detail: 'the gateway stopped suddenly' }
/** Its image was still on its way to the disk. */
const SENDER_ENDED: Ending = {
  kind: 'aborted',
  detail: 'the connection ended before the gateway could answer',
}

/** A study that could not be settled is not tried again for so long. */
const AGAIN_MS = 60_000
/** After a long stop many are due, and each asks the partner. */
const AT_A_TIME = 4

const IDENTITY = {
  corrected: {
    tone: 'warning',
    text: 'The device sent images again that name another patient or order now: what they say now is used.',
  },
  other: {
    tone: 'danger',
    text: 'Images of one study name different patients or orders: what the first of them say is used.',
  },
} as const satisfies Record<Exclude<Kept['identity'], 'same'>, Pick<News, 'tone' | 'text'>>

const REPLACED =
  'The device sent other pixels under the identifier of an image that is here: the new version is shown, the earlier one is kept.'

export interface SettlingDeps extends IntakeDeps {
  readonly arrivals: Arrivals
  readonly tally: Tally
  readonly seeding: Seeding
}

/**
 * When a study is complete (dicom-field §5.7): all that was announced is here, or it has been quiet
 * and no association that sent to it is open, or it has taken long enough. By rows, so that a
 * restart forgets nothing.
 */
export interface Settling extends AsyncDisposable {
  /** After the commit of an instance. */
  arrived(kept: Kept): void
  /** After the commit of what a device announced, or of its saying that it is done. */
  announced(studyInstanceUid: string): void
  associationClosed(associationId: string, how: Ending): void
  /**
   * Within a transaction: a person let an image in; `isNew`: the first of its study that counts,
   * which is to be seeded.
   */
  reopen(studyInstanceUid: string, isNew: boolean): void
  wake(): void
  settled(): Promise<void>
}

export function openSettling(deps: SettlingDeps): Settling {
  const { store, clock, uuid, setting, arrivals, tally, seeding, onChanged, onError } = deps
  const { database, imageStudies, performedSteps } = store
  /** Studies of which everything that was announced is here. */
  const whole = new Set<string>()
  /**
   * Of studies that something was announced of: instances to come before it is worth counting
   * again.
   */
  const left = new Map<string, number>()
  const notBefore = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  const lookups = openLookups(deps, (studyInstanceUid) => arrivals.forget(studyInstanceUid))
  const failed = (error: unknown) => onError(uuid().slice(0, 8), error)

  const alarm = openAlarm({
    clock,
    next() {
      const [first] = imageStudies
        .receiving()
        .map(dueAt)
        .sort((a, b) => a - b)
      return first === undefined ? undefined : instantOf(first)
    },
    async work(signal) {
      const due = imageStudies.receiving().filter((study) => dueAt(study) <= clock())
      const rest = due.values()
      const settleRest = async () => {
        for (const { studyInstanceUid } of rest)
          if (!signal.aborted) await settle(studyInstanceUid, signal)
      }
      await Promise.all(Array.from({ length: AT_A_TIME }, settleRest))
    },
    onError: failed,
  })

  /** Ms since 1970. */
  function dueAt({ studyInstanceUid, lastInstanceAt, dueAt: latest }: ReceivingStudy): number {
    const now = clock()
    const idleMs = setting('intake.idleSeconds') * 1000
    const quiet = tally.isOpen(studyInstanceUid)
      ? Number.POSITIVE_INFINITY
      : within(msOf(lastInstanceAt) + idleMs, idleMs)
    const due = whole.has(studyInstanceUid)
      ? now
      : Math.min(quiet, within(msOf(latest), setting('intake.capMinutes') * 60_000))
    return Math.max(due, within(notBefore.get(studyInstanceUid) ?? now, AGAIN_MS))
  }

  /** The time, or now where it is further away than it can be: the clock was set back since. */
  function within(at: number, mostMs: number): number {
    const now = clock()
    return at - now > mostMs ? now : at
  }

  async function settle(studyInstanceUid: string, signal: AbortSignal): Promise<void> {
    try {
      await lookups.lookUp(studyInstanceUid)
      lookups.compare(studyInstanceUid)
      const study = imageStudies.get(studyInstanceUid)
      if (study?.state !== 'receiving') return
      // Late images open the counts again, no more.
      if (study.settledAt === null) await seeding.settle(study, signal)
      else closeAgain(studyInstanceUid)
      for (const known of [whole, left, notBefore]) known.delete(studyInstanceUid)
      arrivals.forget(studyInstanceUid)
    } catch (error) {
      if (signal.aborted) return
      notBefore.set(studyInstanceUid, clock() + AGAIN_MS)
      failed(error)
    }
  }

  function closeAgain(studyInstanceUid: string): void {
    database.transaction(() => {
      imageStudies.update(studyInstanceUid, { state: 'settled', settledAt: instantOf(clock()) })
      deps.performedSteps.changed()
    })
    onChanged()
  }

  /** Counts what was announced and is here. */
  function count(studyInstanceUid: string): void {
    const { expected, missing } = imageStudies.expectedOf(studyInstanceUid)
    if (expected === null) left.delete(studyInstanceUid)
    else if (missing > 0) left.set(studyInstanceUid, missing)
    else {
      left.set(studyInstanceUid, 1)
      // A step that still goes on may announce more.
      if (performedSteps.standing(studyInstanceUid).some(({ status }) => status === 'IN PROGRESS'))
        return
      whole.add(studyInstanceUid)
      alarm.wake()
    }
  }

  /**
   * An association that has sent since then ended. With another one that is open the transfer goes
   * on, and what broke off is not mended by one that was open already.
   */
  function closeSoon(studies: readonly string[], { kind, detail }: Ending, since: number): void {
    const transfer = { how: kind, detail: kind === 'aborted' ? detail : '', at: instantOf(clock()) }
    const isOver = (studyInstanceUid: string) => {
      const before = imageStudies.get(studyInstanceUid)?.transfer
      return (
        !tally.isOpen(studyInstanceUid) && !(before?.how === 'aborted' && msOf(before.at) >= since)
      )
    }
    database
      .commitSoon(() => {
        for (const studyInstanceUid of studies)
          if (kind === 'aborted' || isOver(studyInstanceUid))
            imageStudies.update(studyInstanceUid, { transfer })
      })
      .then(onChanged, failed)
  }

  function lookUpSoon(studyInstanceUid: string): void {
    const job = lookups.lookUp(studyInstanceUid).catch(failed)
    underWay.add(job)
    void job.finally(() => underWay.delete(job))
  }

  imageStudies.breakOff(GATEWAY_ENDED.detail)
  for (const { studyInstanceUid } of imageStudies.receiving()) count(studyInstanceUid)
  alarm.wake()

  return {
    arrived({ instance: { studyInstanceUid, associationId, change }, isOpened, identity }) {
      onChanged()
      if (!tally.isSending(associationId)) closeSoon([studyInstanceUid], SENDER_ENDED, 0)
      if (isOpened || identity === 'corrected') {
        lookUpSoon(studyInstanceUid)
        alarm.wake()
      }
      if (identity !== 'same') {
        const { tone, text } = IDENTITY[identity]
        tally.told(associationId, tone, text, studyInstanceUid)
      }
      if (change === 'pixels' || change === 'unknown')
        tally.told(associationId, 'danger', REPLACED, studyInstanceUid)
      const toCome = left.get(studyInstanceUid)
      if (toCome !== undefined && toCome > 1) left.set(studyInstanceUid, toCome - 1)
      else if (toCome !== undefined || isOpened) count(studyInstanceUid)
    },
    announced(studyInstanceUid) {
      if (imageStudies.get(studyInstanceUid)?.state === 'receiving') count(studyInstanceUid)
    },
    associationClosed(associationId, how) {
      const sender = tally.closed(associationId, how)
      if (!sender || sender.studies.length === 0) return
      closeSoon(sender.studies, how, sender.since)
      alarm.wake()
    },
    reopen(studyInstanceUid, isNew) {
      imageStudies.update(studyInstanceUid, {
        state: 'receiving',
        dueAt: instantOf(clock()),
        ...(isNew && { settledAt: null }),
      })
      database.afterCommit(() => {
        arrivals.forget(studyInstanceUid)
        alarm.wake()
      })
    },
    wake: () => alarm.wake(),
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
      await alarm.settled()
    },
    async [Symbol.asyncDispose]() {
      await alarm[Symbol.asyncDispose]()
      await Promise.all(underWay)
    },
  }
}
