import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { KEY_BYTES } from '#server/database/data-key.ts'
import type { SpawnWorker } from '#server/dicom/transcoding/native-process.ts'
import { StartError } from '#server/http/start-error.ts'
import { KeyStoreState } from '#shared/contract/shell.ts'
import { verbatim } from '#shared/messages/message.ts'
import { UsageError } from './arguments.ts'

type WorkerProcess = ReturnType<SpawnWorker>
type Call = Parameters<WorkerProcess['send']>[0]
type Answer = Parameters<Parameters<WorkerProcess['onMessage']>[0]>[0]

/** Requests to Electron's main process, because a utility process cannot start another one. */
export type WorkerRequest =
  | { readonly worker: string; readonly ask: 'spawn'; readonly folder: string }
  | { readonly worker: string; readonly ask: 'send'; readonly call: Call }
  | { readonly worker: string; readonly ask: 'kill' }
type WorkerEvent =
  | { readonly worker: string; readonly event: 'message'; readonly answer: Answer }
  | { readonly worker: string; readonly event: 'exit' }

/** Reports that a recovery key exists, so that the data key may be moved into the key store. */
interface SealRequest {
  readonly sealKey: true
}

/** The port of an Electron utility process to its parent. */
export interface ParentPort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void
  postMessage(message: WorkerRequest | SealRequest): void
}

/** Undefined if this is not an Electron utility process. */
export const parentPort = (): ParentPort | undefined =>
  (process as { readonly parentPort?: ParentPort }).parentPort

/** Starts worker processes through Electron's main process, which permits only one module. */
export function workersFromParent(port: ParentPort): SpawnWorker {
  const running = new Map<string, { onMessage?: (answer: Answer) => void; onExit?: () => void }>()
  port.on('message', ({ data }) => {
    const event = data as Partial<WorkerEvent> | null
    const id = typeof event === 'object' ? event?.worker : undefined
    const worker = id === undefined ? undefined : running.get(id)
    if (!event || id === undefined || !worker) return
    if (event.event === 'message' && event.answer) worker.onMessage?.(event.answer)
    if (event.event !== 'exit') return
    running.delete(id)
    worker.onExit?.()
  })
  return (_, folder) => {
    const worker = randomUUID()
    const listeners: { onMessage?: (answer: Answer) => void; onExit?: () => void } = {}
    running.set(worker, listeners)
    port.postMessage({ worker, ask: 'spawn', folder })
    return {
      send: (call) => port.postMessage({ worker, ask: 'send', call }),
      onMessage(listener) {
        listeners.onMessage = listener
      },
      onExit(listener) {
        listeners.onExit = listener
      },
      kill: () => port.postMessage({ worker, ask: 'kill' }),
    }
  }
}

/** Resolves on SIGTERM, on SIGINT, or on the message `stop` from Electron's main process. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
    parentPort()?.on('message', ({ data }) => {
      if (data === 'stop') resolve()
    })
  })
}

/** A data key that is stored outside the data folder. */
export interface ProvidedKey {
  /** Undefined if it is in the folder or does not exist yet. */
  readonly dataKey?: Buffer
  /** The state reported by the desktop app. */
  readonly keyStore?: KeyStoreState
}

const TIMEOUT_MS = 30_000

/**
 * Waits for the first message of Electron's main process, `{ dataKey, keyStore }`. Keys are never
 * passed as arguments or in the environment, which other programs of the account can read and crash
 * dumps contain.
 * @throws StartError if no message arrives
 */
export function keyFromParent(port: ParentPort, timeoutMs = TIMEOUT_MS): Promise<ProvidedKey> {
  return new Promise((resolve, reject) => {
    const end = setTimeout(
      () =>
        reject(
          new StartError(
            verbatim('The app did not hand over the data key: end it and start it again.'),
          ),
        ),
      timeoutMs,
    )
    // The listener stays, because a port without a listener does not deliver further messages such
    // as `stop`.
    port.on('message', ({ data }) => {
      const key = readKeyMessage(data)
      if (!key) return
      clearTimeout(end)
      resolve(key)
    })
  })
}

function readKeyMessage(data: unknown): ProvidedKey | undefined {
  if (typeof data !== 'object' || data === null || !('dataKey' in data) || !('keyStore' in data))
    return undefined
  const { dataKey } = data
  const keyStore = KeyStoreState.safeParse(data.keyStore).data
  if (!keyStore || !(dataKey === null || dataKey instanceof Uint8Array)) return undefined
  if (dataKey === null) return { keyStore }
  const key = Buffer.from(dataKey)
  dataKey.fill(0)
  return { dataKey: key, keyStore }
}

/**
 * The key from a file of the service, such as a systemd credential (`LoadCredential`). @throws
 * UsageError if it cannot be read or is not a key
 */
export function keyFromFile(file: string): ProvidedKey {
  let dataKey: Buffer
  try {
    dataKey = readFileSync(file)
  } catch (error) {
    throw new UsageError(
      `--data-key-file: ${file} could not be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
  if (dataKey.length !== KEY_BYTES)
    throw new UsageError(
      `--data-key-file: ${file} has ${dataKey.length} bytes instead of the ${KEY_BYTES} of a data.key.`,
    )
  return { dataKey }
}
