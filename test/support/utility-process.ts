import { fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type * as E from 'electron'

// Electron's utility process by Node's own fork: the same messages, the same streams, and a process
// that ends when it says so alone. Loaded by the child as well, where it makes the port that
// Electron puts into `process`.

/** A child that runs. */
export interface RealProcess extends Pick<E.UtilityProcess, 'kill' | 'postMessage'>, EventEmitter {
  readonly pid: number | undefined
  readonly stdout: Readable | null
  readonly stderr: Readable | null
}

export const realProcesses: RealProcess[] = []

export function forkReally(
  path: string,
  args: string[] = [],
  { env, cwd }: E.ForkOptions = {},
): RealProcess {
  const child = fork(path, args, {
    execArgv: ['--import', import.meta.url],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    ...(env && { env: { ...(env as NodeJS.ProcessEnv), ISTHMUS_PARENT_PORT: '1' } }),
    ...(cwd !== undefined && { cwd }),
  })
  const process = Object.assign(new EventEmitter(), {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    postMessage: (message: unknown) => void (child.connected && child.send(message as object)),
    kill: () => child.kill('SIGKILL'),
  })
  child.on('message', (message) => process.emit('message', message))
  child.on('error', () => undefined)
  child.on('exit', (code, signal) =>
    process.emit('exit', code ?? (signal === 'SIGKILL' ? 137 : 139)),
  )
  realProcesses.push(process)
  return process
}

// In the child.
if (process.env.ISTHMUS_PARENT_PORT === '1' && process.argv[1] !== fileURLToPath(import.meta.url)) {
  // Nothing keeps it from going on: as in Electron, it ends by process.exit alone.
  setInterval(() => undefined, 1 << 30)
  Object.assign(process, {
    parentPort: {
      on: (_: 'message', listener: (event: { readonly data: unknown }) => void) =>
        process.on('message', (data) => listener({ data })),
      postMessage: (message: object) => process.send?.(message),
    },
  })
}
