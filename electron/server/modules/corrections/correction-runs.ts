import { setTimeout as delay } from 'node:timers/promises'
import { diskNews, type IntakeDeps } from '#server/modules/images/ports.ts'
import type { Correction } from '#shared/contract/corrections.ts'
import { ApiError } from '#shared/errors.ts'

/** A correction, an undo or a restored correction of these studies that is under way. */
export interface Running {
  readonly studies: Set<string>
  readonly begun: PromiseWithResolvers<void>
  /** Known once copies are written. */
  correction?: Omit<Correction, 'progress'>
  /** To be written and read back, and how many of them were. */
  bytes: number
  done: number
  /** `done` when the window was last notified. */
  notedAt: number
}

/** Written or read back between two notes of progress. */
const NOTED_BYTES = 64 << 20
const LONG_MS = 10_000
const GIGABYTE = 1_000_000_000

export type CorrectionRuns = ReturnType<typeof openCorrectionRuns>

/** Corrections, undos and restored corrections that are under way: of each study one at a time. */
export function openCorrectionRuns(deps: IntakeDeps) {
  const { setting, uuid } = deps
  const { imageFiles } = deps.store
  const running = new Set<Running>()
  const works = new Set<Promise<unknown>>()
  const closing = new AbortController()

  const isBusy = (uids: readonly (string | undefined)[], own?: Running) =>
    [...running].some(
      (run) => run !== own && uids.some((uid) => uid !== undefined && run.studies.has(uid)),
    )

  /** @throws ApiError outdated: a correction of one of the studies is under way */
  function occupy(run: Running, uids: readonly string[]): void {
    if (isBusy(uids, run)) throw new ApiError('outdated', UNDER_WAY)
    for (const uid of uids) run.studies.add(uid)
  }

  /** No other correction of these studies begins before the work has ended, however it ended. */
  async function exclusively<T>(
    uids: readonly string[],
    work: (run: Running) => Promise<T>,
  ): Promise<T> {
    if (closing.signal.aborted) throw new ApiError('unavailable', STOPPING)
    const run: Running = {
      studies: new Set(),
      begun: Promise.withResolvers(),
      bytes: 0,
      done: 0,
      notedAt: 0,
    }
    occupy(run, uids)
    running.add(run)
    const working = work(run)
    works.add(working)
    try {
      return await working
    } finally {
      works.delete(working)
      running.delete(run)
      deps.onChanged()
    }
  }

  /** Kept free on the disk, for images that devices send. */
  const reservedBytes = () => setting('intake.stopGigabytes') * GIGABYTE

  /** Whether the disk has room for so many bytes of copies, beside what is kept free. */
  const hasRoom = (bytes: number) => imageFiles.space().freeBytes >= bytes + reservedBytes()

  /** @throws ApiError unavailable: the gateway stops, or the disk has become too full */
  function passed(run: Running, bytes: number): void {
    if (closing.signal.aborted) throw new ApiError('unavailable', STOPPING)
    run.done += bytes
    if (run.done - run.notedAt < NOTED_BYTES) return
    run.notedAt = run.done
    deps.onChanged()
    if (!hasRoom(0)) throw new ApiError('unavailable', TOO_LITTLE_SPACE)
  }

  const shareOf = (run: Running) => (run.bytes === 0 ? 0 : Math.min(1, run.done / run.bytes))
  /** Null where nothing of it is under way. */
  const progressOf = (correctionId: string) => {
    const run = [...running].find(({ correction }) => correction?.correctionId === correctionId)
    return run ? shareOf(run) : null
  }

  /** The result of the work or, where it takes long, what it is about. */
  async function answered(
    uids: readonly string[],
    work: (run: Running) => Promise<Correction>,
  ): Promise<Correction> {
    const timer = new AbortController()
    const { signal } = timer
    let isLong: Promise<Correction | undefined> | undefined
    const working = exclusively(uids, (run) => {
      const over = delay(deps.longCorrectionMs ?? LONG_MS, undefined, { signal, ref: false }).then(
        () => run.begun.promise,
      )
      isLong = over.then(() => run.correction && { ...run.correction, progress: shareOf(run) })
      return work(run)
    })
    // Aborted where it did not take long.
    isLong?.catch(() => undefined)
    try {
      const underWay = await Promise.race([
        working.then(() => undefined),
        ...(isLong ? [isLong] : []),
      ])
      if (!underWay) return await working
      working.catch(tellFailure)
      return underWay
    } finally {
      timer.abort()
    }
  }

  /** Nobody waits for the answer any more. */
  function tellFailure(error: unknown): void {
    if (!(error instanceof ApiError)) deps.onError(uuid().slice(0, 8), error)
    deps.onNews(diskNews('danger', NOT_MADE))
  }

  /** Those of the study whose copies are being written. */
  const ofStudy = (studyInstanceUid: string): Correction[] =>
    [...running].flatMap((run) =>
      run.correction && run.studies.has(studyInstanceUid)
        ? [{ ...run.correction, progress: shareOf(run) }]
        : [],
    )

  return {
    ...{ isBusy, occupy, exclusively, hasRoom, passed, progressOf, answered, ofStudy },
    async [Symbol.asyncDispose]() {
      closing.abort()
      while (works.size > 0) await Promise.allSettled(works)
    },
  }
}

export const UNDER_WAY = 'A correction of these images is in progress: wait until it has finished.'
const STOPPING = 'The gateway is stopping. Nothing was changed.'
const NOT_MADE = 'A correction of images, or its undo, failed. Nothing was changed: repeat it.'
export const TOO_LITTLE_SPACE = 'There is too little disk space for the corrected copies.'
