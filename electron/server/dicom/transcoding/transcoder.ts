import { createReadStream } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { HeaderReader, textOf } from '#server/dicom/data-set/header-reader.ts'
import { nameOfUid, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import {
  forkWorker,
  hasModule,
  openNativeProcesses,
  type SpawnWorker,
  TranscodingError,
} from './native-process.ts'

export const TRANSCODING_LIMITS = { processes: 2, seconds: 300 }

/** What an instance may be converted to: nothing of the image is lost. */
const LOSSLESS: readonly string[] = [
  TRANSFER_SYNTAX.explicitLittleEndian,
  TRANSFER_SYNTAX.implicitLittleEndian,
  TRANSFER_SYNTAX.explicitBigEndian,
  TRANSFER_SYNTAX.deflatedExplicitLittleEndian,
  // JPEG Lossless SV1, JPEG-LS Lossless, JPEG 2000 Lossless, RLE.
  '1.2.840.10008.1.2.4.70',
  '1.2.840.10008.1.2.4.80',
  '1.2.840.10008.1.2.4.90',
  '1.2.840.10008.1.2.5',
]

const NO_MODULE = message('transcoding.no-module')

export type Transcoder = ReturnType<typeof openTranscoder>

/**
 * Conversion to another transfer syntax by dicom-dimse-native (DCMTK), each call in a process of
 * its own (decision 0013).
 * @param spawnWorker `child_process.fork` where nothing else is given; Electron has its own
 */
export function openTranscoder({
  spawnWorker = forkWorker,
  limits = TRANSCODING_LIMITS,
}: {
  readonly spawnWorker?: SpawnWorker | undefined
  readonly limits?: typeof TRANSCODING_LIMITS
} = {}) {
  const processes = openNativeProcesses(spawnWorker, limits.processes)
  let doesLoad = true
  const isAvailable = () => doesLoad && hasModule()

  return {
    /** Whether the module is installed; `detail` says what is missing and what to do. */
    available: (): { readonly isAvailable: boolean; readonly detail: Message | null } => ({
      isAvailable: isAvailable(),
      detail: isAvailable() ? null : NO_MODULE,
    }),

    /**
     * Writes the instance of one file into another, in a transfer syntax of `LOSSLESS`.
     * @throws TranscodingError where that cannot be done; there is no `fileOut` then
     */
    async transcode(fileIn: string, fileOut: string, transferSyntax: string): Promise<void> {
      if (!LOSSLESS.includes(transferSyntax))
        throw new TranscodingError(
          message('transcoding.no-target', { syntax: nameOfUid(transferSyntax) }),
        )
      // The module names its file by this UID, whatever is in it.
      const sopInstanceUid = await sopInstanceUidOf(fileIn)
      if (!/^[0-9][0-9.]{0,63}$/.test(sopInstanceUid))
        throw new TranscodingError(message('transcoding.no-uid'))
      if (!isAvailable()) throw new TranscodingError(NO_MODULE)
      // Beside the result, so that it can be renamed to it. The module leaves a log where it works,
      // which may have patients' names in it: the folder goes with it.
      const workFolder = await mkdtemp(`${fileOut}-`)
      try {
        const options = {
          sourcePath: fileIn,
          storagePath: workFolder,
          writeTransfer: transferSyntax,
          enableRecompression: true,
        }
        const answer = await processes.run(options, workFolder, limits.seconds)
        if ('missing' in answer) {
          doesLoad = false
          throw new TranscodingError(NO_MODULE)
        }
        const made = `${workFolder}/${sopInstanceUid}`
        // It keeps to the old transfer syntax where it cannot convert, and calls that a success.
        const meta = await readFileMeta(made).catch(() => undefined)
        if (meta?.transferSyntaxUid !== transferSyntax)
          throw new TranscodingError(
            message('transcoding.not-possible', { syntax: nameOfUid(transferSyntax) }),
          )
        await rename(made, fileOut)
      } finally {
        await rm(workFolder, { recursive: true, force: true })
      }
    },
  }
}

const SOP_INSTANCE_UID = 0x00080018

/**
 * The SOP Instance UID in a file's data set, which the one in its meta information need not be; ''
 * where it has none.
 * @throws {Error} where the file cannot be read or is no DICOM file.
 */
async function sopInstanceUidOf(path: string): Promise<string> {
  const { transferSyntaxUid, dataSetOffset } = await readFileMeta(path)
  const reader = new HeaderReader(transferSyntaxUid, [SOP_INSTANCE_UID])
  for await (const bytes of createReadStream(path, { start: dataSetOffset })) {
    reader.push(bytes as Buffer)
    if (reader.isDone) break
  }
  return textOf(reader.end(), SOP_INSTANCE_UID)
}
