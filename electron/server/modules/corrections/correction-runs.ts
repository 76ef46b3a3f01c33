import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { fileFor, StorageFault } from '#server/database/image-files.ts'
import { deleteUncommittedCopies } from '#server/modules/images/crash-recovery.ts'
import { appendDiskEntry, notifyImagesChanged } from '#server/modules/images/image-feed.ts'
import { tempFolderIn } from '#server/modules/images/stored-object.ts'
import { reportError } from '#server/platform/log.ts'
import type { Correction } from '#shared/contract/corrections.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { type Copy, type CopyRequest, writeCopy } from './correction-copies.ts'

/** A correction, undo or restored correction of these studies that is running. */
export interface CorrectionRun {
  readonly studies: Set<string>
  /** Resolved when the first copy is being written. */
  readonly begun: PromiseWithResolvers<void>
  /** Set once copies are being written. */
  correction?: Omit<Correction, 'progress'>
  /** Total bytes to write and read back, and the number completed. */
  bytes: number
  done: number
  /** Value of `done` when the window was last notified. */
  notifiedAt: number
}

/** Bytes written or read between two progress notifications. */
const NOTIFY_INTERVAL_BYTES = 64 << 20
/** A longer correction is answered while it is still running. */
const ANSWER_AFTER_MS = 10_000
const GIGABYTE = 1_000_000_000

/**
 * Whether the disk has space for this many bytes in addition to the reserve for received images.
 */
export const hasSpace = ({ imageFiles, settings }: Context, bytes: number) =>
  imageFiles.space().freeBytes >= bytes + settings.get('intake.stopGigabytes') * GIGABYTE

/**
 * Runs corrections, undos and restored corrections, one at a time for each study. `flushEvents`
 * writes events that are only in memory, because everyone who was sent an event about a study must
 * be informed of its correction.
 */
export class CorrectionRuns implements AsyncDisposable {
  readonly #context: Context
  readonly #flushEvents: () => Promise<void>
  readonly #answerAfterMs: number
  readonly #running = new Set<CorrectionRun>()
  readonly #pendingWork = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()

  constructor(context: Context, flushEvents: () => Promise<void>, longMs = ANSWER_AFTER_MS) {
    this.#context = context
    this.#flushEvents = flushEvents
    this.#answerAfterMs = longMs
    // Temporary files of a run that was interrupted.
    rmSync(tempFolderIn(context.folder), { recursive: true, force: true })
  }

  isBusy(uids: readonly (string | undefined)[], own?: CorrectionRun): boolean {
    return [...this.#running].some(
      (run) => run !== own && uids.some((uid) => uid !== undefined && run.studies.has(uid)),
    )
  }

  /**
   * Locks the studies for the run.
   * @throws ApiError outdated if a correction of one of the studies is running
   */
  lock(run: CorrectionRun, uids: readonly string[]): void {
    if (this.isBusy(uids, run)) throw new ApiError('outdated', UNDER_WAY_MESSAGE)
    for (const uid of uids) run.studies.add(uid)
  }

  /** Runs `work` while no other correction of these studies can start. */
  async runExclusive<T>(
    uids: readonly string[],
    work: (run: CorrectionRun) => Promise<T>,
  ): Promise<T> {
    if (this.#closing.signal.aborted) throw new ApiError('unavailable', STOPPING_MESSAGE)
    const run: CorrectionRun = {
      studies: new Set(),
      begun: Promise.withResolvers(),
      bytes: 0,
      done: 0,
      notifiedAt: 0,
    }
    this.lock(run, uids)
    this.#running.add(run)
    const working = work(run)
    this.#pendingWork.add(working)
    try {
      return await working
    } finally {
      this.#pendingWork.delete(working)
      this.#running.delete(run)
      this.#notify()
    }
  }

  /** The result of the work or, if it takes long, its current progress. */
  async runAndAnswer(
    uids: readonly string[],
    work: (run: CorrectionRun) => Promise<Correction>,
  ): Promise<Correction> {
    const timer = new AbortController()
    const { signal } = timer
    let slowAnswer: Promise<Correction | undefined> | undefined
    const working = this.runExclusive(uids, (run) => {
      slowAnswer = delay(this.#answerAfterMs, undefined, { signal, ref: false })
        .then(() => run.begun.promise)
        .then(() => run.correction && { ...run.correction, progress: shareOf(run) })
      // The delay is aborted if the work is fast.
      slowAnswer.catch(() => undefined)
      return work(run)
    })
    try {
      const runningCorrection = await Promise.race([
        working.then(() => undefined),
        ...(slowAnswer ? [slowAnswer] : []),
      ])
      if (!runningCorrection) return await working
      working.catch((error) => this.#reportFailure(error))
      return runningCorrection
    } finally {
      timer.abort()
    }
  }

  /** The request has already been answered. */
  #reportFailure(error: unknown): void {
    if (!(error instanceof ApiError)) reportError(this.#context, error)
    appendDiskEntry(this.#context, 'danger', message('corrections.failed'))
  }

  /**
   * Writes the copies, in the study `to`, and commits their rows. If there is no commit, the files
   * are removed; a list of them on the disk allows the next start to remove them after a crash.
   * @throws ApiError refused, unavailable
   */
  async withCopies<T>(
    run: CorrectionRun,
    wanted: readonly CopyRequest[],
    uids: ReadonlyMap<string, string>,
    to: string,
    commit: (copies: readonly Copy[]) => T,
  ): Promise<T> {
    const { imageFiles, database, uuid } = this.#context
    const files = wanted.map(() => fileFor(to, uuid()))
    let copyNote = imageFiles.copies.note(files)
    for (const file of files) imageFiles.arriving.add(file)
    try {
      run.begun.resolve()
      run.bytes = 2 * wanted.reduce((sum, { source }) => sum + source.bytes, 0)
      const copies: Copy[] = []
      for (const [index, one] of wanted.entries())
        copies.push(
          await writeCopy(this.#context, one, files[index] as string, uids, (bytes) =>
            this.#progressed(run, bytes),
          ),
        )
      await this.#flushEvents()
      copyNote = imageFiles.copies.complete(copyNote)
      return await database.commitSoon(() => commit(copies))
    } catch (error) {
      if (error instanceof StorageFault)
        throw new ApiError('unavailable', message('corrections.not-written'))
      throw error
    } finally {
      // The rows may be committed already. If this fails, the next start cleans up, and the result
      // of the commit is still returned.
      await deleteUncommittedCopies(this.#context, copyNote, files).catch((error: unknown) =>
        reportError(this.#context, error),
      )
      for (const file of files) imageFiles.arriving.delete(file)
    }
  }

  /**
   * Counts the processed bytes and reports progress.
   * @throws ApiError unavailable if the gateway is stopping or the disk is too full
   */
  #progressed(run: CorrectionRun, bytes: number): void {
    if (this.#closing.signal.aborted) throw new ApiError('unavailable', STOPPING_MESSAGE)
    run.done += bytes
    if (run.done - run.notifiedAt < NOTIFY_INTERVAL_BYTES) return
    run.notifiedAt = run.done
    this.#notify()
    if (!hasSpace(this.#context, 0)) throw new ApiError('unavailable', TOO_LITTLE_SPACE)
  }

  /** Progress from 0 to 1; `null` if the correction is not running. */
  progressOf(correctionId: string): number | null {
    const run = [...this.#running].find((one) => one.correction?.correctionId === correctionId)
    return run ? shareOf(run) : null
  }

  /** Running corrections of the study whose copies are being written. */
  ofStudy(studyInstanceUid: string): Correction[] {
    return [...this.#running].flatMap((run) =>
      run.correction && run.studies.has(studyInstanceUid)
        ? [{ ...run.correction, progress: shareOf(run) }]
        : [],
    )
  }

  #notify(): void {
    notifyImagesChanged(this.#context)
  }

  async [Symbol.asyncDispose]() {
    this.#closing.abort()
    while (this.#pendingWork.size > 0) await Promise.allSettled(this.#pendingWork)
  }
}

const shareOf = ({ bytes, done }: CorrectionRun) => (bytes === 0 ? 0 : Math.min(1, done / bytes))

export const UNDER_WAY_MESSAGE = message('corrections.under-way')
const STOPPING_MESSAGE = message('corrections.stopping')
export const TOO_LITTLE_SPACE = message('corrections.too-little-space')
