import { setTimeout as pause } from 'node:timers/promises'
import { ViewedFileFault, type ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { ApiError } from '#shared/errors.ts'
import { type CacheHold, fileKeyOf, NoRoom } from './cache.ts'
import { fetched } from './fetching.ts'
import { extrasOf, frameOf, type ImageFile, noFrame } from './image-file.ts'
import { openWatch, type Watch } from './list.ts'
import type { GrowingFile, OpenFile, OpenFiles } from './open-files.ts'
import { fetchFault, isEnded, isPassing, type PartnerAnswer, resourceOf } from './partner-answer.ts'
import type { ViewScope } from './scope.ts'

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

/** It is not shown, and nothing is wrong: it is here already. */
export class LeftOut extends Error {}
/** A sentence that is final for the file. */
class FileFault extends Error {}

/** What is told while the files of one answer are loaded. */
export interface Loading {
  readonly answer: PartnerAnswer
  /** The study that was asked for; null: any may come. */
  readonly studyInstanceUid: string | null
  /** Its header was read, of a file that may still grow. @throws ViewedFileFault, LeftOut */
  readonly headerCame: (file: PartnerFile, header: ViewedHeader) => void
  /** It is whole, at this path. @throws ViewedFileFault, LeftOut */
  readonly fileCame: (
    file: PartnerFile,
    header: ViewedHeader,
    path: string,
    fault: string | undefined,
  ) => Promise<void>
}

/**
 * Brings a file here, with new tries and with the partner's second answer; its `hold` is set then.
 * @throws what `faultSentence` puts into words; LeftOut
 */
export async function loadFile(
  scope: ViewScope,
  loading: Loading,
  file: PartnerFile,
): Promise<void> {
  const { signal, pausesMs } = scope
  const { answer } = loading
  for (let tries = 0; ; ) {
    const { generation } = file
    try {
      await tryFile(scope, loading, file)
      return
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (isEnded(error)) {
        if (await answer.renew(generation)) {
          if (file.generation > generation) continue
          throw new FileFault(
            `The partner's link to image ${file.index + 1} has ended, and it gave no new one.`,
          )
        }
        throw new FileFault(
          `The partner's link to image ${file.index + 1} has ended, and so has the new one.`,
        )
      }
      if (error instanceof WebhookError && error.fault === 'forbidden-address')
        answer.now.noteRefusedHost(file.url)
      if (!isPassing(error) || tries >= pausesMs.length) throw error
      await pause(pausesMs[tries++], undefined, { signal })
    }
  }
}

async function tryFile(scope: ViewScope, loading: Loading, file: PartnerFile): Promise<void> {
  const { signal, openFiles } = scope
  const { answer, studyInstanceUid, headerCame, fileCame } = loading
  let isEvicted = false
  let path = ''
  const evicted = () => {
    isEvicted = true
    file.hold = undefined
    openFiles.drop(path)
    file.watch.changed()
  }
  const grown = (growing: GrowingFile) => {
    if (file.growing === growing) return file.watch.changed()
    const header = growing.viewed.header()
    if (!header) return
    headerCame(file, header)
    file.growing = growing
    file.watch.changed()
  }
  try {
    const of = {
      fileKey: fileKeyOf(resourceOf(file.url)),
      studyInstanceUid: studyInstanceUid ?? '',
      url: file.url,
      hosts: answer.now.hosts(),
    }
    const hold = await fetched(scope, of, { signal, grown, evicted })
    path = hold.path
    try {
      await openFiles.use(path, async ({ viewed }) => {
        const header = viewed.header()
        if (!header) throw new ViewedFileFault('It ends before its image begins.')
        await fileCame(file, header, path, viewed.fault())
      })
    } catch (error) {
      openFiles.drop(path)
      hold.release()
      throw error
    }
    if (signal.aborted) hold.release()
    else if (!isEvicted) file.hold = hold
  } finally {
    file.growing = undefined
    file.watch.changed()
  }
}

/** What went wrong with a file, for a person. */
export function faultSentence(error: unknown): string {
  if (error instanceof ViewedFileFault || error instanceof FileFault || error instanceof NoRoom)
    return error.message
  if (error instanceof WebhookError) return fetchFault(error)
  return 'It could not be kept on the disk of the gateway.'
}
