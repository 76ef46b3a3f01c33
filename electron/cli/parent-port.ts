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

/** What Electron's main process is asked: a utility process cannot start another one. */
export type WorkerRequest =
  | { readonly worker: string; readonly ask: 'spawn'; readonly folder: string }
  | { readonly worker: string; readonly ask: 'send'; readonly call: Call }
  | { readonly worker: string; readonly ask: 'kill' }
type WorkerEvent =
  | { readonly worker: string; readonly event: 'message'; readonly answer: Answer }
  | { readonly worker: string; readonly event: 'exit' }

/** A recovery key is in force, so the data key may go into the key store. */
interface SealRequest {
  readonly sealKey: true
}

/** The port of Electron's utility processes. */
export interface ParentPort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void
  postMessage(message: WorkerRequest | SealRequest): void
}

/** Undefined where this process is none of Electron's. */
export const parentPort = (): ParentPort | undefined =>
  (process as { readonly parentPort?: ParentPort }).parentPort

/**
 * Has worker processes started by Electron's main process, which knows the one module they may run.
 */
export function workersThrough(port: ParentPort): SpawnWorker {
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

/** Resolves at SIGTERM, SIGINT, or the message `stop` of Electron's main process. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
    parentPort()?.on('message', ({ data }) => {
      if (data === 'stop') resolve()
    })
  })
}

/** The data key, where something else than the data folder keeps it. */
export interface ProvidedKey {
  /** Undefined: it is in the folder, or still to be made. */
  readonly dataKey?: Buffer
  /** As the desktop app says. */
  readonly keyStore?: KeyStoreState
}

const PATIENCE_MS = 30_000

/**
 * Waits for the first message of Electron's main process, `{ dataKey, keyStore }`. Keys never go by
 * argument or environment: other programs of the account can read those, and dumps hold them.
 * @throws StartError none came
 */
export function keyFromParent(port: ParentPort, patienceMs = PATIENCE_MS): Promise<ProvidedKey> {
  return new Promise((resolve, reject) => {
    const end = setTimeout(
      () =>
        reject(
          new StartError(
            verbatim('The app did not hand over the data key: end it and start it again.'),
          ),
        ),
      patienceMs,
    )
    // It stays: a port without a listener holds back further messages, such as `stop`.
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
 * The key in a file of the service, such as a credential of systemd (`LoadCredential`). @throws
 * UsageError it cannot be read, or is none
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
