import type { Context } from '#server/context.ts'
import { Worker } from '#server/jobs/worker.ts'
import { listStepStatuses } from '#server/modules/procedure-steps/performed-step-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import { message } from '#shared/messages/message.ts'
import { countExpected } from './announced-instance-queries.ts'
import type { Arrivals, Kept } from './arrivals.ts'
import type { AssociationStatistics, Ending } from './association-statistics.ts'
import { noteImagesChanged } from './image-feed.ts'
import { listReceivingStudies, type ReceivingStudy } from './image-study-list-queries.ts'
import { breakOffTransfers, updateImageStudy } from './image-study-writing-queries.ts'
import type { StudyCreation } from './study-creation.ts'
import { compareNames, type FindWorklistRow, lookUpRow } from './worklist-lookup.ts'

/** Its image was still on its way to the disk. */
const SENDER_ENDED: Ending = {
  kind: 'aborted',
  detail: message('images.sender-ended'),
}

/** A study that could not be completed is not tried again for so long. */
const AGAIN_MS = 60_000
/** After a long stop many are due, and each asks the partner. */
const AT_A_TIME = 4

const IDENTITY = {
  corrected: { tone: 'warning', text: message('images.identity-corrected') },
  other: { tone: 'danger', text: message('images.identities-differ') },
} as const

/**
 * When a study is complete: all that was announced is here, or it has been quiet and no association
 * that sent to it is open, or it has taken long enough. By rows, so that a restart forgets nothing.
 */
export class StudyCompletion implements AsyncDisposable {
  readonly #context: Context
  readonly #arrivals: Arrivals
  readonly #statistics: AssociationStatistics
  readonly #creation: StudyCreation
  readonly #findRow: FindWorklistRow
  /** Studies of which everything that was announced is here. */
  readonly #whole = new Set<string>()
  /**
   * Of studies that something was announced of: instances to come before it is worth counting
   * again.
   */
  readonly #left = new Map<string, number>()
  readonly #notBefore = new Map<string, number>()
  readonly #underWay = new Set<Promise<void>>()
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
    breakOffTransfers(database, message('images.gateway-ended'))
    for (const { studyInstanceUid } of listReceivingStudies(database)) this.#count(studyInstanceUid)
    this.#worker.wake()
  }

  /** After the commit of an instance. */
  arrived({ instance, isOpened, identity }: Kept): void {
    const { studyInstanceUid, associationId, change } = instance
    noteImagesChanged(this.#context)
    if (!this.#statistics.isSending(associationId))
      this.#closeSoon([studyInstanceUid], SENDER_ENDED, 0)
    if (isOpened || identity === 'corrected') {
      this.#lookUpSoon(studyInstanceUid)
      this.#worker.wake()
    }
    if (identity !== 'same') {
      const { tone, text } = IDENTITY[identity]
      this.#statistics.note(associationId, tone, text, studyInstanceUid)
    }
    if (change === 'pixels' || change === 'unknown')
      this.#statistics.note(associationId, 'danger', message('images.replaced'), studyInstanceUid)
    const toCome = this.#left.get(studyInstanceUid)
    if (toCome !== undefined && toCome > 1) this.#left.set(studyInstanceUid, toCome - 1)
    else if (toCome !== undefined || isOpened) this.#count(studyInstanceUid)
  }

  /** After the commit of what a device announced, or of its saying that it is done. */
  announced(studyInstanceUid: string): void {
    if (findImageStudy(this.#context.database, studyInstanceUid)?.state === 'receiving')
      this.#count(studyInstanceUid)
  }

  /** After the end of every association. */
  associationClosed(associationId: string, how: Ending): void {
    const sender = this.#statistics.closed(associationId, how)
    if (!sender || sender.studies.length === 0) return
    this.#closeSoon(sender.studies, how, sender.since)
    this.#worker.wake()
  }

  /**
   * Within the transaction that decided on the order of a study, or took the decision back
   * (`isUnlinked`): what depends on it is brought up to date.
   */
  orderChanged(studyInstanceUid: string, isUnlinked: boolean): void {
    this.#creation.askAnew(studyInstanceUid, isUnlinked)
    this.#context.database.afterCommit(() => this.#arrivals.forget(studyInstanceUid))
  }

  /** Looks at once at what is due: a setting or a device changed. */
  wake(): void {
    this.#worker.wake()
  }

  /** Resolves when nothing of what is due is under way. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
    await this.#worker.settled()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker[Symbol.asyncDispose]()
    await Promise.all(this.#underWay)
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
    await Promise.all(Array.from({ length: AT_A_TIME }, completeRest))
  }

  /** Ms since 1970. */
  #dueAt({ studyInstanceUid, lastInstanceAt, dueAt: latest }: ReceivingStudy): number {
    const { settings, clock } = this.#context
    const now = clock()
    // The time, or now where it is further away than it can be: the clock was set back since.
    const within = (at: number, mostMs: number) => (at - now > mostMs ? now : at)
    const idleMs = settings.get('intake.idleSeconds') * 1000
    const quiet = this.#statistics.isStudyOpen(studyInstanceUid)
      ? Number.POSITIVE_INFINITY
      : within(msOf(lastInstanceAt) + idleMs, idleMs)
    const due = this.#whole.has(studyInstanceUid)
      ? now
      : Math.min(quiet, within(msOf(latest), settings.get('intake.capMinutes') * 60_000))
    return Math.max(due, within(this.#notBefore.get(studyInstanceUid) ?? now, AGAIN_MS))
  }

  async #complete(studyInstanceUid: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#lookUp(studyInstanceUid)
      compareNames(this.#context, studyInstanceUid)
      const study = findImageStudy(this.#context.database, studyInstanceUid)
      if (study?.state !== 'receiving') return
      // Late images open the counts again, no more.
      if (study.settledAt === null) await this.#creation.complete(study, signal)
      else this.#creation.close(studyInstanceUid, {})
      for (const known of [this.#whole, this.#left, this.#notBefore]) known.delete(studyInstanceUid)
      this.#arrivals.forget(studyInstanceUid)
    } catch (error) {
      if (signal.aborted) return
      this.#notBefore.set(studyInstanceUid, this.#context.clock() + AGAIN_MS)
      reportError(this.#context, error)
    }
  }

  /** Counts what was announced and is here. */
  #count(studyInstanceUid: string): void {
    const { database } = this.#context
    const { expected, missing } = countExpected(database, studyInstanceUid)
    if (expected === null) this.#left.delete(studyInstanceUid)
    else if (missing > 0) this.#left.set(studyInstanceUid, missing)
    else {
      this.#left.set(studyInstanceUid, 1)
      // A step that still goes on may announce more.
      const steps = listStepStatuses(database, studyInstanceUid)
      if (steps.some(({ status }) => status === 'IN PROGRESS')) return
      this.#whole.add(studyInstanceUid)
      this.#worker.wake()
    }
  }

  /**
   * An association that has sent since then ended. With another one that is open the transfer goes
   * on, and what broke off is not mended by one that was open already.
   */
  #closeSoon(studies: readonly string[], { kind, detail }: Ending, since: number): void {
    const { database, clock } = this.#context
    const transfer = {
      how: kind,
      detail: kind === 'aborted' ? detail : null,
      at: instantOf(clock()),
    }
    const isOver = (studyInstanceUid: string) => {
      const before = findImageStudy(database, studyInstanceUid)?.transfer
      return (
        !this.#statistics.isStudyOpen(studyInstanceUid) &&
        !(before?.how === 'aborted' && msOf(before.at) >= since)
      )
    }
    database
      .commitSoon(() => {
        for (const studyInstanceUid of studies)
          if (kind === 'aborted' || isOver(studyInstanceUid))
            updateImageStudy(database, studyInstanceUid, { transfer })
      })
      .then(
        () => noteImagesChanged(this.#context),
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
    this.#underWay.add(job)
    void job.finally(() => this.#underWay.delete(job))
  }
}

/**
 * Within a transaction: a person let an image in, or images of the study were corrected; `isNew`:
 * the first of its study that counts, for which studies of the interface are created.
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
