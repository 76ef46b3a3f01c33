import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TurnQueue } from '#server/platform/turn-queue.ts'
import { message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'
import type { NativeAnswer, RecompressOptions } from './native-worker.ts'

/** Why an instance could not be converted. The message completes a sentence for the user. */
export class TranscodingError extends MessageError {
  override name = 'TranscodingError'
}

/** A process that runs `native-worker` for one call. */
export interface WorkerProcess {
  send(call: RecompressOptions): void
  onMessage(listener: (answer: NativeAnswer) => void): void
  onExit(listener: () => void): void
  /** Ends the process immediately. */
  kill(): void
}

/** Starts the module at path `module` in a process whose working directory is `folder`. */
export type SpawnWorker = (module: string, folder: string) => WorkerProcess

/** Uses Node's `fork`. */
export const forkWorker: SpawnWorker = (module, folder) => {
  // TCP_NODELAY, because otherwise DCMTK waits for Nagle's algorithm with each message. The
  // gateway's own arguments are not passed on.
  const child = fork(module, {
    cwd: folder,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...process.env, TCP_NODELAY: '1' },
  })
  // A process that failed to start, or that a message could not be sent to, also emits `exit`.
  child.on('error', () => {})
  return {
    send: (call) => child.send(call, () => {}),
    onMessage: (listener) => child.on('message', (answer) => listener(answer as NativeAnswer)),
    onExit: (listener) => child.once('close', listener),
    kill: () => child.kill('SIGKILL'),
  }
}

/** Runs calls in separate processes, at most `concurrency` at a time; further calls wait. */
export function openNativeProcesses(spawnWorker: SpawnWorker, concurrency: number) {
  const queue = new TurnQueue(concurrency)

  return {
    /**
     * @throws TranscodingError if there is no answer in time or the process dies. The process has
     * exited when the promise settles.
     */
    async run(call: RecompressOptions, folder: string, seconds: number): Promise<NativeAnswer> {
      using _turn = await queue.take()
      if (WORKER_FILES === undefined) throw new TranscodingError(message('transcoding.no-worker'))
      return await answerOf(spawnWorker(WORKER_FILES, folder), call, seconds)
    },
  }
}

/** Beside this file in the source tree; in the bundle this file may be in a subfolder. */
const WORKER_FILES = ['./native-worker.ts', './native-worker.js', '../native-worker.js']
  .map((place) => fileURLToPath(new URL(place, import.meta.url)))
  .find((path) => existsSync(path))

function answerOf(
  worker: WorkerProcess,
  call: RecompressOptions,
  seconds: number,
): Promise<NativeAnswer> {
  return new Promise((resolve, reject) => {
    let answer: NativeAnswer | undefined
    let isTimedOut = false
    const timer = setTimeout(() => {
      isTimedOut = true
      worker.kill()
    }, seconds * 1000)
    worker.onMessage((given) => {
      answer ??= given
      worker.kill()
    })
    worker.onExit(() => {
      clearTimeout(timer)
      if (answer) resolve(answer)
      else
        reject(
          new TranscodingError(
            isTimedOut
              ? message('transcoding.late', { seconds })
              : message('transcoding.broke-down'),
          ),
        )
    })
    worker.send(call)
  })
}

/** Whether the binary of the native module is installed. */
export function hasModule(): boolean {
  try {
    return existsSync(
      join(
        dirname(createRequire(import.meta.url).resolve('dicom-dimse-native/package.json')),
        'build',
        'Release',
        'dcmtk.node',
      ),
    )
  } catch {
    return false
  }
}
