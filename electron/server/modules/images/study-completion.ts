import type { Context } from '#server/context.ts'
import { Worker } from '#server/jobs/worker.ts'
import { listStepStatuses } from '#server/modules/procedure-steps/performed-step-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import { message } from '#shared/messages/message.ts'
import { countExpected } from './announced-instance-queries.ts'
import type { Arrivals, StoreResult } from './arrivals.ts'
import type { AssociationStatistics, Ending } from './association-statistics.ts'
import { notifyImagesChanged } from './image-feed.ts'
import { listReceivingStudies, type ReceivingStudy } from './image-study-list-queries.ts'
import { abortOpenTransfers, updateImageStudy } from './image-study-writing-queries.ts'
import type { StudyCreation } from './study-creation.ts'
import { compareNames, type FindWorklistRow, lookUpRow } from './worklist-lookup.ts'

/** The association ended while its image was still being written. */
const SENDER_ENDED: Ending = {
  kind: 'aborted',
  detail: message('images.sender-ended'),
}

/** Delay before completing a study is retried after an error. */
const RETRY_MS = 60_000
/**
 * Studies completed in parallel. After a long downtime, many are due, and each sends a request to
 * the partner.
 */
const MAX_PARALLEL_STUDIES = 4

const IDENTITY_CODES = {
  corrected: { tone: 'warning', text: message('images.identity-corrected') },
  other: { tone: 'danger', text: message('images.identities-differ') },
} as const

/**
 * Determines when a study is complete: all announced instances have been received; or no image has
 * arrived for the idle time and no association that sent images of it is open; or the maximum time
 * has passed. The state is in the database, so that it survives a restart.
 */
export class StudyCompletion implements AsyncDisposable {
  readonly #context: Context
  readonly #arrivals: Arrivals
  readonly #statistics: AssociationStatistics
  readonly #creation: StudyCreation
  readonly #findRow: FindWorklistRow
  /** Studies whose announced instances have all been received. */
  readonly #allReceived = new Set<string>()
  /**
   * For studies with announced instances: the number of instances to be received before counting
   * again is worthwhile.
   */
  readonly #remaining = new Map<string, number>()
  readonly #notBefore = new Map<string, number>()
  readonly #lookups = new Set<Promise<void>>()
  readonly #worker: Worker

  constructor(
    context: Context,
    arrivals: Arrivals,
    statistics: AssociationStatistics,
    creation: StudyCreation,
    findRow: FindWorklistRow,
  ) {
    this.#context = context
    this.#arrivals = arrivals
    this.#statistics = statistics
    this.#creation = creation
    this.#findRow = findRow
    const { database } = context
    this.#worker = new Worker(
      context,
      () => this.#nextDue(),
      (signal) => this.#completeDue(signal),
      'image studies',
    )
    abortOpenTransfers(database, message('images.gateway-ended'))
    for (const { studyInstanceUid } of listReceivingStudies(database)) this.#count(studyInstanceUid)
    this.#worker.wake()
  }

  /** Updates the study after the commit of an instance. */
  arrived({ instance, wasStudyOpened, identity }: StoreResult): void {
    const { studyInstanceUid, associationId, change } = instance
    notifyImagesChanged(this.#context)
    if (!this.#statistics.isSending(associationId))
      this.#endTransfers([studyInstanceUid], SENDER_ENDED, 0)
    if (wasStudyOpened || identity === 'corrected') {
      this.#lookUpSoon(studyInstanceUid)
      this.#worker.wake()
    }
    if (identity !== 'same') {
      const { tone, text } = IDENTITY_CODES[identity]
      this.#statistics.note(associationId, tone, text, studyInstanceUid)
    }
    if (change === 'pixels' || change === 'unknown')
      this.#statistics.note(associationId, 'danger', message('images.replaced'), studyInstanceUid)
    const remainingCount = this.#remaining.get(studyInstanceUid)
    if (remainingCount !== undefined && remainingCount > 1)
      this.#remaining.set(studyInstanceUid, remainingCount - 1)
    else if (remainingCount !== undefined || wasStudyOpened) this.#count(studyInstanceUid)
  }

  /** Updates the study after the commit of an announcement, or of the end of a performed step. */
  announced(studyInstanceUid: string): void {
    if (findImageStudy(this.#context.database, studyInstanceUid)?.state === 'receiving')
      this.#count(studyInstanceUid)
  }

  /** Updates the association's studies after its end. */
  associationClosed(associationId: string, how: Ending): void {
    const sender = this.#statistics.closed(associationId, how)
    if (!sender || sender.studies.length === 0) return
    this.#endTransfers(sender.studies, how, sender.since)
    this.#worker.wake()
  }

  /**
   * Updates what depends on the order of a study. Must be called in the transaction that sets or
   * removes (`isUnlinked`) the order.
   */
  orderChanged(studyInstanceUid: string, isUnlinked: boolean): void {
    this.#creation.requestAgain(studyInstanceUid, isUnlinked)
    this.#context.database.afterCommit(() => this.#arrivals.forget(studyInstanceUid))
  }

  /** Checks immediately what is due, because a setting or a device changed. */
  wake(): void {
    this.#worker.wake()
  }

  /** Resolves when nothing that is due is in progress. */
  async settled(): Promise<void> {
    while (this.#lookups.size > 0) await Promise.all(this.#lookups)
    await this.#worker.settled()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker[Symbol.asyncDispose]()
    await Promise.all(this.#lookups)
  }

  #nextDue(): string | undefined {
    const [first] = listReceivingStudies(this.#context.database)
      .map((study) => this.#dueAt(study))
      .sort((a, b) => a - b)
    return first === undefined ? undefined : instantOf(first)
  }

  async #completeDue(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#context
    const due = listReceivingStudies(database).filter((study) => this.#dueAt(study) <= clock())
    const rest = due.values()
    const completeRest = async () => {
      for (const { studyInstanceUid } of rest)
        if (!signal.aborted) await this.#complete(studyInstanceUid, signal)
    }
    await Promise.all(Array.from({ length: MAX_PARALLEL_STUDIES }, completeRest))
  }

  /** When the study is due to be completed (ms since 1970). */
  #dueAt({ studyInstanceUid, lastInstanceAt, dueAt: latest }: ReceivingStudy): number {
    const { settings, clock } = this.#context
    const now = clock()
    // The given time, or now if it is further away than possible, because the clock was set back.
    const clampDue = (at: number, mostMs: number) => (at - now > mostMs ? now : at)
    const idleMs = settings.get('intake.idleSeconds') * 1000
    const untilQuietMs = this.#statistics.isStudyOpen(studyInstanceUid)
      ? Number.POSITIVE_INFINITY
      : clampDue(msOf(lastInstanceAt) + idleMs, idleMs)
    const due = this.#allReceived.has(studyInstanceUid)
      ? now
      : Math.min(untilQuietMs, clampDue(msOf(latest), settings.get('intake.capMinutes') * 60_000))
    return Math.max(due, clampDue(this.#notBefore.get(studyInstanceUid) ?? now, RETRY_MS))
  }

  async #complete(studyInstanceUid: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#lookUp(studyInstanceUid)
      compareNames(this.#context, studyInstanceUid)
      const study = findImageStudy(this.#context.database, studyInstanceUid)
      if (study?.state !== 'receiving') return
      // Late images only change the counters.
      if (study.settledAt === null) await this.#creation.complete(study, signal)
      else this.#creation.close(studyInstanceUid, {})
      for (const known of [this.#allReceived, this.#remaining, this.#notBefore])
        known.delete(studyInstanceUid)
      this.#arrivals.forget(studyInstanceUid)
    } catch (error) {
      if (signal.aborted) return
      this.#notBefore.set(studyInstanceUid, this.#context.clock() + RETRY_MS)
      reportError(this.#context, error)
    }
  }

  /** Counts the announced and the received instances. */
  #count(studyInstanceUid: string): void {
    const { database } = this.#context
    const { expected, missing } = countExpected(database, studyInstanceUid)
    if (expected === null) this.#remaining.delete(studyInstanceUid)
    else if (missing > 0) this.#remaining.set(studyInstanceUid, missing)
    else {
      this.#remaining.set(studyInstanceUid, 1)
      // A step in progress may announce more instances.
      const steps = listStepStatuses(database, studyInstanceUid)
      if (steps.some(({ status }) => status === 'IN PROGRESS')) return
      this.#allReceived.add(studyInstanceUid)
      this.#worker.wake()
    }
  }

  /**
   * Updates the transfer after the end of an association that has sent images since `since`. If
   * another association is open, the transfer continues. An association that was already open does
   * not repair an aborted transfer.
   */
  #endTransfers(studies: readonly string[], { kind, detail }: Ending, since: number): void {
    const { database, clock } = this.#context
    const transfer = {
      how: kind,
      detail: kind === 'aborted' ? detail : null,
      at: instantOf(clock()),
    }
    const isTransferOver = (studyInstanceUid: string) => {
      const before = findImageStudy(database, studyInstanceUid)?.transfer
      return (
        !this.#statistics.isStudyOpen(studyInstanceUid) &&
        !(before?.how === 'aborted' && msOf(before.at) >= since)
      )
    }
    database
      .commitSoon(() => {
        for (const studyInstanceUid of studies)
          if (kind === 'aborted' || isTransferOver(studyInstanceUid))
            updateImageStudy(database, studyInstanceUid, { transfer })
      })
      .then(
        () => notifyImagesChanged(this.#context),
        (error: unknown) => reportError(this.#context, error),
      )
  }

  async #lookUp(studyInstanceUid: string): Promise<void> {
    if (await lookUpRow(this.#context, this.#findRow, studyInstanceUid))
      this.#arrivals.forget(studyInstanceUid)
  }

  #lookUpSoon(studyInstanceUid: string): void {
    const job = this.#lookUp(studyInstanceUid).catch((error: unknown) =>
      reportError(this.#context, error),
    )
    this.#lookups.add(job)
    void job.finally(() => this.#lookups.delete(job))
  }
}

/**
 * Reopens a study after a user released an image or its images were corrected. `isNew`: the image
 * is the first current one, so that API studies are to be created. Must be called within a
 * transaction.
 */
export function reopenStudy(
  { database, clock }: Context,
  studyInstanceUid: string,
  isNew: boolean,
): void {
  updateImageStudy(database, studyInstanceUid, {
    state: 'receiving',
    dueAt: instantOf(clock()),
    ...(isNew && { settledAt: null }),
  })
  database.notify('image studies')
}
