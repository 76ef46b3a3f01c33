import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isStorageClass } from '#server/dicom/data-set/storage-uids.ts'
import { type InstanceToSend, type SendResult, sendInstances } from '#server/dicom/scu/store.ts'
import { dataSetOf, type Sample, samples } from '../support/samples.ts'

const run = promisify(execFile)
const env = { ...process.env, TCP_NODELAY: '1' }
/** Commands at a time: the machine's cores do other things too. */
const AT_ONCE = 4

/** A sample that a device may send. */
export interface Sendable extends Sample, InstanceToSend {
  readonly dataSet: Buffer
}

/** Why a sample is no storage object; '' where it is one. */
export function lackOf({ name, dataSetOffset, metaSopClassUid, ...uids }: Sample): string {
  if (dataSetOffset < 0) return 'no DICOM file'
  if (/DICOMDIR/.test(name) || metaSopClassUid === '1.2.840.10008.1.3.10') return 'a DICOMDIR'
  if (uids.sopClassUid === '' || uids.sopInstanceUid === '') return 'no SOP UIDs'
  if (!isStorageClass(uids.sopClassUid, false)) return 'no storage class of patients'
  return ''
}

/** Samples by what they lack. */
export function samplesByLack(): Map<string, Sample[]> {
  return Map.groupBy(samples(), lackOf)
}

/**
 * Samples that a device may send; those whose data set is of odd length are written anew into the
 * folder, padded (PS3.5 A.5).
 */
export function sendable(found: readonly Sample[], folder: string): Sendable[] {
  return found.map((sample, at) => {
    const dataSet = dataSetOf(sample)
    const file = readFileSync(sample.path)
    if (file.length - sample.dataSetOffset === dataSet.length) return { ...sample, dataSet }
    const path = join(folder, `padded-${at}.dcm`)
    writeFileSync(path, Buffer.concat([file.subarray(0, sample.dataSetOffset), dataSet]))
    return { ...sample, path, dataSet }
  })
}

/** Sends by our own requestor, each file's bytes as they are. */
export async function sendAsItIs<I extends InstanceToSend>(
  port: number,
  instances: readonly I[],
  callingAeTitle = 'CT1',
): Promise<SendResult<I>[]> {
  const results: SendResult<I>[] = []
  const peer = { host: '127.0.0.1', port, aeTitle: 'ISTHMUS' }
  for await (const result of sendInstances({ peer, callingAeTitle }, instances))
    results.push(result)
  return results
}

/** `sent 0000`, `refused A900: …`, `failed: …`. */
export function outcomeOf(result: SendResult<InstanceToSend>): string {
  const hex = (status: number) => status.toString(16).toUpperCase().padStart(4, '0')
  if (result.outcome === 'sent') return `sent ${hex(result.status)}`
  if (result.outcome === 'refused')
    return `refused ${hex(result.status)}: ${result.errorComment.trim()}`
  return result.outcome === 'failed' ? `failed: ${result.error.message}` : result.outcome
}

/** What a tool said, whatever its exit code. */
export interface Said {
  readonly code: number
  readonly output: string
}

export async function say(command: string, args: readonly string[]): Promise<Said> {
  const options = { env, timeout: 60_000, maxBuffer: 1 << 26, encoding: 'latin1' } as const
  return run(command, [...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code?: number; stdout?: string; stderr?: string }) => ({
      code: typeof error.code === 'number' ? error.code : -1,
      output: (error.stdout ?? '') + (error.stderr ?? ''),
    }),
  )
}

/**
 * A profile of `storescu -xf` that proposes one transfer syntax and nothing else, so that no side
 * can choose another.
 * @returns arguments
 */
export function onlyIn(
  folder: string,
  transferSyntaxUid: string,
  sopClassUids: readonly string[],
): string[] {
  const file = join(folder, `${transferSyntaxUid}.cfg`)
  const lines = [
    ...['[[TransferSyntaxes]]', '[Only]', `TransferSyntax1 = ${transferSyntaxUid}`],
    ...['[[PresentationContexts]]', '[Samples]'],
    ...[...new Set(sopClassUids)].map((uid, at) => `PresentationContext${at + 1} = ${uid}\\Only`),
    ...['[[Profiles]]', '[Only]', 'PresentationContexts = Samples'],
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  return ['-xf', file, 'Only']
}

/** A file of an archive: its data set is what came over the network. */
export interface Stored {
  readonly path: string
  readonly dataSet: Buffer
}

/** Paths of the files below a folder, those whose name begins with a dot left out. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) => join(parentPath, name))

/** The data set of a file, after the group length of its meta information (PS3.10 §7.1). */
export function dataSetIn(file: Buffer): Buffer {
  if (file.subarray(128, 132).toString('latin1') !== 'DICM') throw new Error('not a DICOM file')
  return file.subarray(144 + file.readUInt32LE(140))
}

export const storedIn = (folder: string): Stored[] =>
  filesBelow(folder).map((path) => ({ path, dataSet: dataSetIn(readFileSync(path)) }))

/** Works on each, some at a time; results in their order. */
export async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T)
    }),
  )
  return results
}

/** Paths that `dcmftest` does not call DICOM files. */
export async function notDicom(paths: readonly string[]): Promise<string[]> {
  // Without a file it prints how it is used.
  if (paths.length === 0) return []
  const { output } = await say('dcmftest', paths)
  return output.split('\n').filter((line) => line !== '' && !line.startsWith('yes:'))
}

/** What `dciodvfy` finds wrong, once each. */
export async function errorsOf(path: string): Promise<string[]> {
  const { output } = await say('dciodvfy', [path])
  return [...new Set(output.split('\n').filter((line) => /^(\(0x.*\) )?Error/.test(line)))].sort()
}
