import { setTimeout as pause } from 'node:timers/promises'
import { ViewedFileFault, type ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { isEnded, isPassing } from './faults.ts'
import { fetched } from './fetching.ts'
import type { GrowingFile } from './growing-file.ts'
import type { OpenFiles } from './open-files.ts'
import type { PartnerAnswer } from './partner-answer.ts'
import type { PartnerFile } from './partner-file.ts'
import { resourceOf } from './url-identity.ts'
import { fileKeyOf, NoRoom, type ViewCache } from './view-cache.ts'

/** It is not shown, and nothing is wrong: it is here already. */
export class LeftOut extends Error {}
/** A sentence that is final for the file. */
class FileFault extends Error {}

export interface FileLoadingDeps {
  readonly downloads: Pick<Downloads, 'stream'>
  readonly cache: ViewCache
  readonly openFiles: OpenFiles
  readonly pausesMs: readonly number[]
  readonly answer: PartnerAnswer
  readonly studyInstanceUid: string | null
  readonly signal: AbortSignal
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
export async function loadFile(deps: FileLoadingDeps, file: PartnerFile): Promise<void> {
  const { answer, signal, pausesMs } = deps
  for (let tries = 0; ; ) {
    const { generation } = file
    try {
      await tryFile(deps, file)
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

async function tryFile(deps: FileLoadingDeps, file: PartnerFile): Promise<void> {
  const { answer, studyInstanceUid, signal, openFiles, headerCame, fileCame } = deps
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
    const hold = await fetched(deps, of, { signal, grown, evicted })
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
  if (error instanceof WebhookError)
    return `It could not be fetched: ${error.detail.replace(/\.$/, '')}.`
  return 'It could not be kept on the disk of the gateway.'
}
