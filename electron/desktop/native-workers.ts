import { type UtilityProcess, utilityProcess } from 'electron'
import type { WorkerRequest } from '#electron/cli/parent-port.ts'

/**
 * Processes for single calls of the native module, on behalf of the gateway process, which cannot
 * start processes. All of them run `module`.
 */
export class NativeWorkers {
  readonly #module: string
  readonly #send: (event: unknown) => void
  readonly #running = new Map<string, UtilityProcess>()

  constructor(module: string, send: (event: unknown) => void) {
    this.#module = module
    this.#send = send
  }

  /** Handles a message of the gateway process; ignores anything other than a `WorkerRequest`. */
  take(message: unknown): void {
    if (typeof message !== 'object' || message === null) return
    const { worker, ask, folder, call } = message as Partial<
      Record<keyof WorkerRequest | 'folder' | 'call', unknown>
    >
    if (typeof worker !== 'string') return
    if (ask === 'spawn' && typeof folder === 'string') this.#spawn(worker, folder)
    else if (ask === 'send') this.#running.get(worker)?.postMessage(call)
    else if (ask === 'kill') this.#running.get(worker)?.kill()
  }

  /** Ends all of them after the gateway process has exited. */
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
    child.on('message', (answer: unknown) => this.#send({ worker, event: 'message', answer }))
    child.once('exit', () => {
      this.#running.delete(worker)
      this.#send({ worker, event: 'exit' })
    })
  }
}
