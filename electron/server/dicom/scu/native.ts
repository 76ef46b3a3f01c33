import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { nameOfUid, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { categoryOf } from '#server/dicom/dimse/status.ts'
import {
  faultOf,
  NativeError,
  type NativeReply,
  reasonIn,
  rowsOf,
  statusIn,
} from './native-answer.ts'
import { forkWorker, hasModule, openNativeProcesses, type SpawnWorker } from './native-process.ts'
import type { NativeCall } from './native-worker.ts'
import { keysOf, MOST_STUDIES, type PriorKeys, type PriorStudyRow } from './prior-study.ts'
import { echo as echoByOurselves, findStudies, refused } from './query.ts'
import { type Peer, RequestorError } from './requestor.ts'
import { sopInstanceUidOf } from './sop-instance-uid.ts'

export { NativeError } from './native-answer.ts'
export type { SpawnWorker, WorkerProcess } from './native-process.ts'

export interface Native {
  /** Whether the module is there; `detail` says what is missing and what to do. */
  available(): { readonly isAvailable: boolean; readonly detail: string }
  /** C-ECHO. Never throws: `message` is one sentence for a person. */
  echo(
    peer: Peer,
    callingAeTitle: string,
  ): Promise<{ readonly success: boolean; readonly message: string; readonly tookMs: number }>
  /**
   * Studies by Study Root C-FIND, at most `MOST_STUDIES`.
   * @throws {RequestorError} where the other side could not be asked or could not answer: never
   *   an empty list instead.
   * @throws {NativeError} where the module cannot be used.
   */
  find(peer: Peer, callingAeTitle: string, keys: PriorKeys): Promise<PriorStudyRow[]>
  /**
   * Writes the instance of one file into another, in a transfer syntax of `LOSSLESS`.
   * @throws {NativeError} where that cannot be done; there is no `fileOut` then.
   */
  transcode(fileIn: string, fileOut: string, transferSyntax: string): Promise<void>
}

export interface NativeOptions {
  /** `child_process.fork` where nothing else is given; Electron has its own. */
  readonly spawnWorker?: SpawnWorker
  /** Where a call has its working folder while it lasts. */
  readonly folder?: string
  /** Milliseconds. */
  readonly clock?: () => number
  readonly limits?: Partial<typeof NATIVE_LIMITS>
}

export const NATIVE_LIMITS = {
  processes: 2,
  echoSeconds: 40,
  findSeconds: 120,
  transcodeSeconds: 300,
}

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

const NO_MODULE =
  'dicom-dimse-native is not installed on this computer: run npm run native in the folder of the gateway, then start the gateway again'

/**
 * Echo, find and transcoding by dicom-dimse-native (DCMTK), each call in a process of its own
 * (design.md §4.5).
 */
export function openNative(options: NativeOptions = {}): Native {
  const { spawnWorker = forkWorker, folder = tmpdir(), clock = () => performance.now() } = options
  const limits = { ...NATIVE_LIMITS, ...options.limits }
  const processes = openNativeProcesses(spawnWorker, limits.processes)
  let doesLoad = true

  const isAvailable = () => doesLoad && hasModule()

  /**
   * The module leaves a log where it works, which may have patients' names in it: the folder goes
   * with it.
   */
  async function call<T>(
    prefix: string,
    callOf: (workFolder: string) => NativeCall,
    seconds: number,
    read: (reply: NativeReply, workFolder: string) => Promise<T> | T,
  ): Promise<T> {
    if (!isAvailable()) throw new NativeError(NO_MODULE)
    const workFolder = await mkdtemp(prefix)
    try {
      const answer = await processes.run(callOf(workFolder), workFolder, seconds)
      if ('missing' in answer) {
        doesLoad = false
        throw new NativeError(NO_MODULE)
      }
      return await read(JSON.parse(answer.answer) as NativeReply, workFolder)
    } finally {
      await rm(workFolder, { recursive: true, force: true })
    }
  }

  const prefix = join(folder, 'isthmus-native-')

  async function echo(peer: Peer, callingAeTitle: string): Promise<void> {
    if (!isForModule(peer)) return echoByOurselves(peer, callingAeTitle)
    const options = nodesOf(peer, callingAeTitle)
    await call(
      prefix,
      () => ({ name: 'echoScu', options }),
      limits.echoSeconds,
      ({ code, message }) => {
        if (code !== 0) throw faultOf(message, peer, callingAeTitle)
      },
    )
  }

  return {
    available: () =>
      isAvailable() ? { isAvailable: true, detail: '' } : { isAvailable: false, detail: NO_MODULE },

    async echo(peer, callingAeTitle) {
      const started = clock()
      const result = await echo(peer, callingAeTitle).then(
        () => ({ success: true, message: `${peer.aeTitle} answers: the connection works` }),
        (error: unknown) => ({ success: false, message: sentence(error) }),
      )
      return { ...result, tookMs: clock() - started }
    },

    find(peer, callingAeTitle, keys) {
      if (!isForModule(peer)) return findStudies(peer, callingAeTitle, keys)
      const options = { ...nodesOf(peer, callingAeTitle), tags: tagsOf(keys), verbose: true }
      return call(
        prefix,
        () => ({ name: 'findScu', options }),
        limits.findSeconds,
        async (reply, workFolder) => {
          const log = await logIn(workFolder)
          if (reply.code !== 0)
            throw faultOf(`${reply.message} ${reasonIn(log)}`, peer, callingAeTitle)
          const status = statusIn(log)
          if (status === undefined || categoryOf(status) === 'failure') throw refused(peer, status)
          return rowsOf(reply).slice(0, MOST_STUDIES)
        },
      )
    },

    async transcode(fileIn, fileOut, transferSyntax) {
      if (!LOSSLESS.includes(transferSyntax))
        throw new NativeError(`${nameOfUid(transferSyntax)} is nothing an instance is converted to`)
      // The module names its file by this UID, whatever is in it.
      const sopInstanceUid = await sopInstanceUidOf(fileIn)
      if (!/^[0-9][0-9.]{0,63}$/.test(sopInstanceUid))
        throw new NativeError('the instance has no valid SOP Instance UID')
      // Beside the result, so that it can be moved there.
      await call(
        `${fileOut}-`,
        (storagePath) => ({
          name: 'recompress',
          options: {
            sourcePath: fileIn,
            storagePath,
            writeTransfer: transferSyntax,
            enableRecompression: true,
          },
        }),
        limits.transcodeSeconds,
        async (_, workFolder) => {
          const made = join(workFolder, sopInstanceUid)
          // It keeps to the old transfer syntax where it cannot convert, and calls that a success.
          const meta = await readFileMeta(made).catch(() => undefined)
          if (meta?.transferSyntaxUid !== transferSyntax)
            throw new NativeError(
              `the instance cannot be converted to ${nameOfUid(transferSyntax)}`,
            )
          await rename(made, fileOut)
        },
      )
    },
  }
}

/** It has no TLS and no IPv6, and keeps the host in 128 bytes without looking. */
const isForModule = ({ host, tls }: Peer): boolean =>
  tls === undefined && !host.includes(':') && host.length <= 100

const nodesOf = ({ host, port, aeTitle }: Peer, callingAeTitle: string) => ({
  // It wants an address and a port of us too, and uses neither.
  source: { aet: callingAeTitle, ip: '127.0.0.1', port: '1' },
  target: { aet: aeTitle, ip: host, port: String(port) },
})

/**
 * The character set is always asked for: the module gives only what was. It may not be empty (PS3.4
 * C.2.2.2), and names the keys' own.
 */
function tagsOf(keys: PriorKeys): { readonly key: string; readonly value: string }[] {
  const written = keysOf(keys)
  const set = written.every(({ text }) => /^[ -~]*$/.test(text)) ? 'ISO_IR 100' : 'ISO_IR 192'
  return [{ tag: 0x00080005, text: set }, ...written].map(({ tag, text }) => ({
    key: tag.toString(16).padStart(8, '0'),
    value: text,
  }))
}

/** A log that has just been begun anew may not have the end yet. */
async function logIn(folder: string): Promise<string> {
  const parts = ['dicom.log.1', 'dicom.log'].map((name) =>
    readFile(join(folder, name), 'latin1').catch(() => ''),
  )
  return (await Promise.all(parts)).join('')
}

const sentence = (error: unknown): string =>
  error instanceof RequestorError || error instanceof NativeError
    ? error.message
    : 'the connection could not be tested'
