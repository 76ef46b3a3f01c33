import type { ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import { ApiError } from '#shared/errors.ts'
import type { GrowingFile } from './growing-file.ts'
import { extrasOf, frameOf, type ImageFile, noFrame } from './image-file.ts'
import type { OpenFile, OpenFiles } from './open-files.ts'
import type { CacheHold } from './view-cache.ts'
import { openWatch, type Watch } from './watch.ts'

/** A file of a partner: one URL of its answer. */
export interface PartnerFile {
  /** From 0, in the order of the answer. */
  readonly index: number
  readonly watch: Watch
  url: string
  /** Which answer its URL is of, from 0. */
  generation: number
  /** While it comes. */
  growing: GrowingFile | undefined
  /** Once it is here, until it has to make room. */
  hold: CacheHold | undefined
  /** What its header says it is; empty until it was read, and where it is left out. */
  sopInstanceUid: string
  /** One sentence: it cannot be shown at all. */
  fault: string
  /** The fault was the network's: it may be tried again. */
  isPassing: boolean
  /** Its first loading is over. */
  isSettled: boolean
}

export const partnerFile = (index: number, url: string): PartnerFile => ({
  ...{ index, url, watch: openWatch(), generation: 0, growing: undefined, hold: undefined },
  ...{ sopInstanceUid: '', fault: '', isPassing: false, isSettled: false },
})

/**
 * The instance that the file holds. @param urge that it is needed now; returns what takes that back
 */
export function imageOf(
  file: PartnerFile,
  openFiles: OpenFiles,
  urge: () => () => void,
): ImageFile {
  /** Runs `work` on what there is of the file until it gives something. */
  async function waitFor<T>(signal: AbortSignal, work: () => Promise<T | undefined>): Promise<T> {
    for (;;) {
      signal.throwIfAborted()
      if (file.fault !== '') throw new ApiError('refused', file.fault)
      const seen = { hold: file.hold, growing: file.growing }
      try {
        const found = await work()
        if (found !== undefined) return found
      } catch (error) {
        if (error instanceof ApiError) throw error
        // It was closed or had to make room meanwhile; one that has just come is closed a moment
        // before its place is known.
        const isClosed =
          !seen.hold &&
          seen.growing !== undefined &&
          (error as NodeJS.ErrnoException).code === 'EBADF'
        if (!isClosed && seen.hold === file.hold && seen.growing === file.growing) throw error
        if (!isClosed) continue
      }
      if (seen.hold !== file.hold || seen.growing !== file.growing) continue
      const settle = urge()
      try {
        await file.watch.next(signal)
      } finally {
        settle()
      }
    }
  }

  async function whole<T>(work: (opened: OpenFile) => Promise<T>): Promise<T | undefined> {
    const { hold } = file
    if (!hold) return undefined
    hold.touch()
    try {
      return await openFiles.use(hold.path, work)
    } catch (error) {
      // Somebody cleared the cache away: it is fetched again.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && file.hold === hold) {
        file.hold = undefined
        hold.release()
      }
      throw error
    }
  }

  return {
    frame: (number, signal) =>
      waitFor(signal, async () => {
        if (!file.hold && file.growing) return frameOf(file.growing, number)
        return await whole(async (opened) => (await frameOf(opened, number)) ?? noFrame())
      }),
    extras: (signal) => waitFor(signal, () => whole(async (opened) => extrasOf(opened))),
    use: (signal, work) =>
      waitFor(signal, () => whole(async (opened) => ({ value: await work(opened) }))).then(
        ({ value }) => value,
      ),
  }
}

/** Whether a file that was fetched again is the one it was. */
export const isStill = (file: PartnerFile, { instance }: ViewedHeader) =>
  file.sopInstanceUid === '' || file.sopInstanceUid === instance.sopInstanceUid
