import { EventEmitter } from 'node:events'
import { type UtilityProcess, utilityProcess } from 'electron'
import { z } from 'zod'
import { gatewayEnvironment } from '#shared/gateway-environment.ts'
import type { KeyStore } from './key-store.ts'
import { NativeWorkers } from './native-workers.ts'

const MAX_CRASHES = 3
const CRASH_WINDOW_MS = 10 * 60_000

/**
 * Counts crashes of the gateway process. After three within ten minutes it starts in safe mode,
 * until ten minutes have passed without a crash.
 */
export function crashCounter(clock: () => number): {
  crashed(): void
  isSafe(): boolean
  clear(): void
} {
  let crashes: readonly number[] = []
  const recent = () => crashes.filter((at) => clock() - at < CRASH_WINDOW_MS)
  return {
    crashed() {
      crashes = [...recent(), clock()]
    },
    isSafe: () => recent().length >= MAX_CRASHES,
    clear() {
      crashes = []
    },
  }
}

const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 30_000
const STABLE_MS = 60_000

/**
 * Delays in milliseconds before restarting a process that exited unexpectedly: 0.5 s, doubling up
 * to 30 s, and reset after it has run for a minute.
 */
export function restartDelays(clock: () => number): { started(): void; next(): number } {
  let startedAt = clock()
  let failures = 0
  return {
    started() {
      startedAt = clock()
    },
    next() {
      failures = clock() - startedAt >= STABLE_MS ? 1 : failures + 1
      return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1))
    },
  }
}

/** The line on stdout with the addresses of the gateway. */
const ReadyLine = z.looseObject({
  ready: z.literal(true),
  http: z.url({ protocol: /^http$/ }),
  /** Missing in safe mode, and if the data folder could not be opened. */
  dimse: z.string().optional(),
  /** Whether the data folder could not be opened, so that `link` leads to the rescue page. */
  rescue: z.boolean().optional(),
  link: z.url({ protocol: /^http$/ }).optional(),
})
export interface GatewayAddresses {
  readonly http: string
  readonly dimse?: string | undefined
  readonly rescue?: boolean | undefined
  readonly link?: string | undefined
}

/** Exit codes of a command that printed the reason (`cli/commands.ts`). */
const EXPLAINED_EXIT_CODES: readonly number[] = [1, 2]

/** How the process exited unexpectedly. */
export interface GatewayExit {
  readonly exitCode: number
  /**
   * Delay before it is restarted; undefined if its first start failed, so that only the user
   * restarts it.
   */
  readonly waitMs: number | undefined
  /** The last sentence it printed; empty if there was none. */
  readonly fault: string
  /** Whether the next start is in safe mode. */
  readonly isSafe: boolean
}

/**
 * The gateway in a utility process, so that a crash does not affect the window and its work does
 * not block it.
 */
export class GatewayProcess extends EventEmitter<{
  ready: [GatewayAddresses]
  end: [GatewayExit]
}> {
  #child: UtilityProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #stopping = false
  #restarting = false
  #wasReady = false
  readonly #entry: string
  readonly #worker: string
  readonly #args: readonly string[]
  readonly #keys: KeyStore
  readonly #isUnattended: boolean
  readonly #restartDelays = restartDelays(Date.now)
  readonly #crashes = crashCounter(Date.now)

  /**
   * @param entry the built `headless.js`, which also runs under plain Node
   * @param worker the built `native-worker.js`
   * @param args arguments of `serve`
   * @param keys stores the data key: the process receives it, and may ask to move it into the key
   * store
   * @param isUnattended whether no user is present, so that a failed first start is retried too
   */
  constructor(
    entry: string,
    worker: string,
    args: readonly string[],
    keys: KeyStore,
    isUnattended: boolean,
  ) {
    super()
    this.#entry = entry
    this.#worker = worker
    this.#args = args
    this.#keys = keys
    this.#isUnattended = isUnattended
  }

  /** Starts the process if it is not running. */
  start(): void {
    if (this.#child) return
    clearTimeout(this.#timer)
    const keys = this.#keys
    this.#restartDelays.started()
    const child = utilityProcess.fork(
      this.#entry,
      ['serve', ...this.#args, ...(this.#crashes.isSafe() ? ['--safe-mode'] : [])],
      {
        serviceName: 'Isthmus gateway',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: gatewayEnvironment(process.env),
      },
    )
    this.#child = child
    const storedKey = keys.read()
    const dataKey = storedKey ? new Uint8Array(storedKey) : null
    child.postMessage({ dataKey, keyStore: keys.state() })
    // The message is a copy. Clearing the originals keeps the key out of dumps of this process.
    for (const bytes of [storedKey, dataKey]) bytes?.fill(0)
    const workers = new NativeWorkers(this.#worker, (event) => child.postMessage(event))
    child.on('message', (message: unknown) => {
      if (isSealRequest(message)) keys.seal()
      else workers.take(message)
    })
    let hasServed = false
    void readLines(child.stdout, (line) => {
      const addresses = addressesOf(line)
      if (!addresses) return
      hasServed = true
      this.#wasReady = true
      // It did not receive messages sent while it was starting.
      if (this.#stopping || this.#restarting) child.postMessage('stop')
      else this.emit('ready', addresses)
    })
    const output = { fault: '', isOurFault: false }
    const stderrRead = readLines(child.stderr, (line) => {
      process.stderr.write(`${line}\n`)
      if (/^ +at /.test(line)) output.isOurFault = true
      else if (!line.startsWith('{') && line.trim() !== '') output.fault = line.trim()
    })
    child.once('exit', (exitCode) => {
      this.#child = undefined
      workers.end()
      // An exit with an explanation is not a crash: a port in use would still be in use in safe
      // mode.
      const isCrash = () =>
        exitCode !== 0 &&
        (hasServed || !EXPLAINED_EXIT_CODES.includes(exitCode) || output.isOurFault)
      void stderrRead.then(() => this.#ended(exitCode, isCrash(), output.fault))
    })
  }

  #ended(exitCode: number, isCrash: boolean, fault: string): void {
    if (this.#stopping || this.#child) return
    if (this.#restarting) {
      this.#restarting = false
      this.start()
      return
    }
    if (isCrash) this.#crashes.crashed()
    const waitMs = this.#wasReady || this.#isUnattended ? this.#restartDelays.next() : undefined
    if (waitMs !== undefined) this.#timer = setTimeout(() => this.start(), waitMs)
    this.emit('end', { exitCode, waitMs, fault, isSafe: this.#crashes.isSafe() })
  }

  /** Drains the process and starts it again, not in safe mode because the user requested it. */
  restart(): void {
    this.#crashes.clear()
    this.#restarting = this.#child !== undefined
    if (this.#child) this.#child.postMessage('stop')
    else this.start()
  }

  /** Drains and stops the process. Resolves when it has exited, at the latest after `timeoutMs`. */
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
      // A message rather than a signal, because on Windows a signal terminates the process
      // immediately.
      child.postMessage('stop')
    })
  }
}

/**
 * Whether the gateway reports that a recovery key exists, so that the data key may be moved into
 * the key store.
 */
const isSealRequest = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'sealKey' in message

function addressesOf(line: string): GatewayAddresses | undefined {
  if (!line.startsWith('{"ready"')) return undefined
  try {
    const { ready: _, ...rest } = ReadyLine.parse(JSON.parse(line))
    return rest
  } catch {
    return undefined
  }
}

/** Maximum length of a line; longer ones do not come from the gateway. */
const MAX_LINE_LENGTH = 64 * 1024

/** Calls back for each line. Resolves when the stream has ended. */
function readLines(
  stream: NodeJS.ReadableStream | null,
  onLine: (line: string) => void,
): Promise<void> {
  if (!stream) return Promise.resolve()
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n')
    text = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH)
    for (const line of lines) onLine(line)
  })
  return new Promise((resolve) => {
    stream.once('end', () => {
      if (text !== '') onLine(text)
      resolve()
    })
    stream.once('close', resolve)
  })
}
