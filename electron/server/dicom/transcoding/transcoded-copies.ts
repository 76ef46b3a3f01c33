import { rmSync } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import type { FileToSend } from '#server/dicom/dimse/service.ts'
import type { InstanceToSend } from '#server/dicom/scu/store.ts'
import { message } from '#shared/messages/message.ts'
import { TranscodingError } from './native-process.ts'
import type { Transcoder } from './transcoder.ts'

/** Temporary files of instances in another transfer syntax, for peers that do not accept theirs. */
export class TranscodedCopies {
  readonly #folder: string
  readonly #transcode: Transcoder['transcode']
  readonly #uuid: () => string

  /** @param folder for these files only; what an interrupted run left there is deleted */
  constructor(folder: string, transcode: Transcoder['transcode'], uuid: () => string) {
    this.#folder = folder
    this.#transcode = transcode
    this.#uuid = uuid
    rmSync(folder, { recursive: true, force: true })
  }

  /**
   * Makes a copy, to be deleted by `remove`.
   * @throws TranscodingError if the instance cannot be converted; the errors of the disk; the abort
   *   reason of the signal
   */
  async make<I extends InstanceToSend>(
    instance: I,
    transferSyntax: string,
    signal: AbortSignal,
  ): Promise<I & FileToSend> {
    signal.throwIfAborted()
    const path = join(this.#folder, `${this.#uuid()}.dcm`)
    try {
      await mkdir(this.#folder, { recursive: true })
      await rejectOnAbort(this.#transcode(instance.path, path, transferSyntax), signal)
      const { sopInstanceUid, transferSyntaxUid, dataSetOffset } = await readFileMeta(path)
      if (sopInstanceUid !== instance.sopInstanceUid)
        throw new TranscodingError(message('transcoding.other-instance'))
      const { size: bytes } = await stat(path)
      return { ...instance, path, transferSyntaxUid, dataSetOffset, bytes }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }

  remove({ path }: InstanceToSend): Promise<void> {
    return rm(path, { force: true })
  }
}

/**
 * Does not wait for the transcoder's process after an abort; the process ends within its own time
 * limit.
 */
async function rejectOnAbort(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
