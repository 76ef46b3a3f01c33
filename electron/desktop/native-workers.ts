import { type UtilityProcess, utilityProcess } from 'electron'

/** What the gateway's process asks for: see `cli/worker-port.ts`, whose messages these are. */
interface Request {
  readonly worker: string
  readonly ask: 'spawn' | 'send' | 'kill'
  readonly folder?: string
  readonly call?: unknown
}

/**
 * Processes for single calls of the native module, asked for by the gateway's process, which cannot
 * start any. All of them run `module`.
 */
export class NativeWorkers {
  readonly #module: string
  readonly #tell: (news: unknown) => void
  readonly #running = new Map<string, UtilityProcess>()

  constructor(module: string, tell: (news: unknown) => void) {
    this.#module = module
    this.#tell = tell
  }

  /** Takes a message of the gateway's process; one that is none of these is let go. */
  take(message: unknown): void {
    if (typeof message !== 'object' || message === null) return
    const { worker, ask, folder, call } = message as Partial<Request>
    if (typeof worker !== 'string') return
    if (ask === 'spawn' && typeof folder === 'string') this.#spawn(worker, folder)
    else if (ask === 'send') this.#running.get(worker)?.postMessage(call)
    else if (ask === 'kill') this.#running.get(worker)?.kill()
  }

  /** The gateway's process is gone: nobody waits for them. */
  end(): void {
    for (const child of this.#running.values()) child.kill()
    this.#running.clear()
  }

  #spawn(worker: string, folder: string): void {
    const child = utilityProcess.fork(this.#module, [], {
      serviceName: 'Isthmus DICOM module',
      cwd: folder,
      stdio: 'ignore',
      env: { ...process.env, TCP_NODELAY: '1' },
    })
    this.#running.set(worker, child)
    child.on('message', (answer: unknown) => this.#tell({ worker, news: 'message', answer }))
    child.once('exit', () => {
      this.#running.delete(worker)
      this.#tell({ worker, news: 'exit' })
    })
  }
}
