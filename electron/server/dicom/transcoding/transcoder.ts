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

/** The lossless transfer syntaxes an instance may be converted to, in order of preference. */
export const LOSSLESS_SYNTAXES: readonly string[] = [
  TRANSFER_SYNTAX.explicitLittleEndian,
  TRANSFER_SYNTAX.implicitLittleEndian,
  TRANSFER_SYNTAX.explicitBigEndian,
  TRANSFER_SYNTAX.deflatedExplicitLittleEndian,
  // JPEG Lossless SV1, JPEG-LS Lossless, JPEG 2000 Lossless, RLE
  '1.2.840.10008.1.2.4.70',
  '1.2.840.10008.1.2.4.80',
  '1.2.840.10008.1.2.4.90',
  '1.2.840.10008.1.2.5',
]

/**
 * What a requestor of a C-GET receives if it names one of these first. Implicit VR is not among
 * them, since many devices name it first out of habit, and every image would be converted for them.
 */
export const CONVERTIBLE_FIRST_CHOICES: readonly string[] = LOSSLESS_SYNTAXES.filter(
  (uid) => uid !== TRANSFER_SYNTAX.implicitLittleEndian,
)

const NO_MODULE = message('transcoding.no-module')

export type Transcoder = ReturnType<typeof openTranscoder>

/**
 * Converts instances to another transfer syntax with dicom-dimse-native (DCMTK), each call in a
 * separate process (decision 0013).
 * @param spawnWorker defaults to `child_process.fork`; Electron provides its own
 */
export function openTranscoder({
  spawnWorker = forkWorker,
  limits = TRANSCODING_LIMITS,
}: {
  readonly spawnWorker?: SpawnWorker | undefined
  readonly limits?: typeof TRANSCODING_LIMITS
} = {}) {
  const processes = openNativeProcesses(spawnWorker, limits.processes)
  let canLoadModule = true
  const isAvailable = () => canLoadModule && hasModule()

  return {
    /** Whether the module is installed; `detail` says what is missing and how to fix it. */
    available: (): { readonly isAvailable: boolean; readonly detail: Message | null } => ({
      isAvailable: isAvailable(),
      detail: isAvailable() ? null : NO_MODULE,
    }),

    /**
     * Converts the instance of one file to a transfer syntax of `LOSSLESS_SYNTAXES` and writes it to another
     * file.
     * @throws TranscodingError if the instance cannot be converted; `fileOut` then does not exist
     */
    async transcode(fileIn: string, fileOut: string, transferSyntax: string): Promise<void> {
      if (!LOSSLESS_SYNTAXES.includes(transferSyntax))
        throw new TranscodingError(
          message('transcoding.no-target', { syntax: nameOfUid(transferSyntax) }),
        )
      // The module names the result after this UID, so it is checked before it becomes part of a
      // path.
      const sopInstanceUid = await sopInstanceUidOf(fileIn)
      if (!/^[0-9][0-9.]{0,63}$/.test(sopInstanceUid))
        throw new TranscodingError(message('transcoding.no-uid'))
      if (!isAvailable()) throw new TranscodingError(NO_MODULE)
      // Beside the result, so that the result can be renamed. The module writes a log to its
      // working directory, which may contain patient names, so the folder is deleted afterwards.
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
          canLoadModule = false
          throw new TranscodingError(NO_MODULE)
        }
        const converted = `${workFolder}/${sopInstanceUid}`
        // If the module cannot convert, it keeps the old transfer syntax and reports success.
        const meta = await readFileMeta(converted).catch(() => undefined)
        if (meta?.transferSyntaxUid !== transferSyntax)
          throw new TranscodingError(
            message('transcoding.not-possible', { syntax: nameOfUid(transferSyntax) }),
          )
        await rename(converted, fileOut)
      } finally {
        await rm(workFolder, { recursive: true, force: true })
      }
    },
  }
}

const SOP_INSTANCE_UID = 0x00080018

/**
 * The SOP Instance UID of a file's data set, which may differ from the one in its meta information;
 * '' if it is missing.
 * @throws {Error} if the file cannot be read or is not a DICOM file
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
