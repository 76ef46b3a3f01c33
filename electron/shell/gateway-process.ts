import { type UtilityProcess, utilityProcess } from 'electron'
import { backOff } from './back-off.ts'
import { NativeWorkers } from './native-workers.ts'

export interface Ready {
  readonly http: string
  readonly dimse: string
}

export interface GatewayProcessOptions {
  /** The built `headless.js`: the same entry file as under plain Node. */
  readonly entry: string
  /** The built `native-worker.js`. */
  readonly worker: string
  /** Arguments of `serve`. */
  readonly args: readonly string[]
  readonly onReady: (ready: Ready) => void
  /** It ended unasked and will be started again after `waitMs`, or `undefined` where its first start failed: then it is not tried again. */
  readonly onEnd: (exitCode: number, waitMs: number | undefined) => void
}

/** The gateway in a utility process (design.md §4.1): its crash never takes the window, its work never freezes it. */
export class GatewayProcess {
  #child: UtilityProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #stopping = false
  #wasReady = false
  readonly #options: GatewayProcessOptions
  readonly #waits = backOff(Date.now)

  constructor(options: GatewayProcessOptions) {
    this.#options = options
  }

  start(): void {
    const { entry, worker, args, onReady, onEnd } = this.#options
    this.#waits.started()
    const child = utilityProcess.fork(entry, ['serve', ...args], {
      serviceName: 'Isthmus gateway',
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '8' },
    })
    this.#child = child
    const workers = new NativeWorkers(worker, (news) => child.postMessage(news))
    child.on('message', (message: unknown) => workers.take(message))
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
      const end = text.indexOf('\n')
      if (end < 0 || !text.startsWith('{"ready"')) return
      const ready = JSON.parse(text.slice(0, end)) as Ready
      text = ''
      this.#wasReady = true
      onReady(ready)
    })
    child.once('exit', (exitCode) => {
      this.#child = undefined
      workers.end()
      if (this.#stopping) return
      const waitMs = this.#wasReady ? this.#waits.next() : undefined
      onEnd(exitCode, waitMs)
      if (waitMs !== undefined) this.#timer = setTimeout(() => this.start(), waitMs)
    })
  }

  /** Drains the process; it is then started anew. */
  restart(): void {
    this.#child?.postMessage('stop')
  }

  /** Drains and ends the process; resolves when it is gone, after `timeoutMs` at the latest. */
  async stop(timeoutMs = 10_000): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#timer)
    const child = this.#child
    if (!child) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        child.kill()
        resolve()
      }, timeoutMs)
      child.once('exit', () => {
        clearTimeout(timer)
        resolve()
      })
      // A message, not a signal: on Windows a signal ends a process without a word.
      child.postMessage('stop')
    })
  }
}
