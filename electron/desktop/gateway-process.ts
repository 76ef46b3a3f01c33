import { EventEmitter } from 'node:events'
import { type UtilityProcess, utilityProcess } from 'electron'
import { z } from 'zod'
import { gatewayEnvironment } from '#shared/gateway-environment.ts'
import type { KeyStore } from './key-store.ts'
import { NativeWorkers } from './native-workers.ts'

const CRASHES = 3
const WITHIN_MS = 10 * 60_000

/**
 * Counts crashes of the gateway's process: after three within ten minutes it starts in safe mode,
 * until ten minutes passed without one.
 */
export function crashCounter(clock: () => number): {
  crashed(): void
  isSafe(): boolean
  clear(): void
} {
  let crashes: readonly number[] = []
  const recent = () => crashes.filter((at) => clock() - at < WITHIN_MS)
  return {
    crashed() {
      crashes = [...recent(), clock()]
    },
    isSafe: () => recent().length >= CRASHES,
    clear() {
      crashes = []
    },
  }
}

const FIRST_MS = 500
const MOST_MS = 30_000
const STEADY_MS = 60_000

/**
 * Waits in milliseconds between restarts of a process that ended by itself: 0.5 s, doubling to 30 s;
 * after it has run for a minute they start over.
 */
export function backOff(clock: () => number): { started(): void; next(): number } {
  let startedAt = clock()
  let failures = 0
  return {
    started() {
      startedAt = clock()
    },
    next() {
      failures = clock() - startedAt >= STEADY_MS ? 1 : failures + 1
      return Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1))
    },
  }
}

/** The line on standard output by which the gateway says where it serves. */
const ReadyLine = z.looseObject({
  ready: z.literal(true),
  http: z.url({ protocol: /^http$/ }),
  /** Absent in safe mode and where its data could not be opened. */
  dimse: z.string().optional(),
  /** Its data could not be opened: it serves a page, by `link`, that puts them right. */
  rescue: z.boolean().optional(),
  link: z.url({ protocol: /^http$/ }).optional(),
})
export interface Ready {
  readonly http: string
  readonly dimse?: string | undefined
  readonly rescue?: boolean | undefined
  readonly link?: string | undefined
}

/** How a command that gave its reason in a sentence ends (`cli/commands.ts`). */
const REFUSALS: readonly number[] = [1, 2]

/** How the process ended by itself. */
export interface GatewayEnd {
  readonly exitCode: number
  /**
   * It is started again after so long; undefined where its first start failed: then only a person
   * starts it again.
   */
  readonly waitMs: number | undefined
  /** The last sentence it printed; empty where there was none. */
  readonly fault: string
  /** Whether it starts in safe mode. */
  readonly isSafe: boolean
}

/**
 * The gateway in a utility process: its crash never takes the window, its work never freezes it.
 */
export class GatewayProcess extends EventEmitter<{ ready: [Ready]; end: [GatewayEnd] }> {
  #child: UtilityProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #stopping = false
  #restarting = false
  #wasReady = false
  readonly #entry: string
  readonly #worker: string
  readonly #args: readonly string[]
  readonly #keys: KeyStore
  readonly #isAlone: boolean
  readonly #waits = backOff(Date.now)
  readonly #crashes = crashCounter(Date.now)

  /**
   * @param entry the built `headless.js`: the same entry file as under plain Node
   * @param worker the built `native-worker.js`
   * @param args arguments of `serve`
   * @param keys where the data key is kept: the process receives it, and may ask to seal it
   * @param isAlone nobody is there to be asked: a first start that failed is tried again too
   */
  constructor(
    entry: string,
    worker: string,
    args: readonly string[],
    keys: KeyStore,
    isAlone: boolean,
  ) {
    super()
    this.#entry = entry
    this.#worker = worker
    this.#args = args
    this.#keys = keys
    this.#isAlone = isAlone
  }

  /** Starts it where it does not run. */
  start(): void {
    if (this.#child) return
    clearTimeout(this.#timer)
    const keys = this.#keys
    this.#waits.started()
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
    const kept = keys.read()
    const dataKey = kept ? new Uint8Array(kept) : null
    child.postMessage({ dataKey, keyStore: keys.state() })
    // A message is a copy: a dump of this process then holds no key.
    for (const bytes of [kept, dataKey]) bytes?.fill(0)
    const workers = new NativeWorkers(this.#worker, (event) => child.postMessage(event))
    child.on('message', (message: unknown) => {
      if (isSealRequest(message)) keys.seal()
      else workers.take(message)
    })
    let hasServed = false
    void readLines(child.stdout, (line) => {
      const ready = readyOf(line)
      if (!ready) return
      hasServed = true
      this.#wasReady = true
      // It did not receive what it was sent while it started.
      if (this.#stopping || this.#restarting) child.postMessage('stop')
      else this.emit('ready', ready)
    })
    const output = { fault: '', isOurFault: false }
    const read = readLines(child.stderr, (line) => {
      process.stderr.write(`${line}\n`)
      if (/^ +at /.test(line)) output.isOurFault = true
      else if (!line.startsWith('{') && line.trim() !== '') output.fault = line.trim()
    })
    child.once('exit', (exitCode) => {
      this.#child = undefined
      workers.end()
      // A sentence for a person is no crash: a port in use stays in use in safe mode, too.
      const isCrash = () =>
        exitCode !== 0 && (hasServed || !REFUSALS.includes(exitCode) || output.isOurFault)
      void read.then(() => this.#ended(exitCode, isCrash(), output.fault))
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
    const waitMs = this.#wasReady || this.#isAlone ? this.#waits.next() : undefined
    if (waitMs !== undefined) this.#timer = setTimeout(() => this.start(), waitMs)
    this.emit('end', { exitCode, waitMs, fault, isSafe: this.#crashes.isSafe() })
  }

  /** Drains the process; it is then started anew, and not in safe mode: a person asked for it. */
  restart(): void {
    this.#crashes.clear()
    this.#restarting = this.#child !== undefined
    if (this.#child) this.#child.postMessage('stop')
    else this.start()
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
      // A message, not a signal: on Windows a signal ends a process at once.
      child.postMessage('stop')
    })
  }
}

/** A recovery key was put in force, so the data key may go into the key store. */
const isSealRequest = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'sealKey' in message

function readyOf(line: string): Ready | undefined {
  if (!line.startsWith('{"ready"')) return undefined
  try {
    const { ready: _, ...rest } = ReadyLine.parse(JSON.parse(line))
    return rest
  } catch {
    return undefined
  }
}

/** Characters of an unfinished line: longer ones are not from the gateway. */
const MOST_LENGTH = 64 * 1024

/** Resolves when the stream has ended. */
function readLines(
  stream: NodeJS.ReadableStream | null,
  take: (line: string) => void,
): Promise<void> {
  if (!stream) return Promise.resolve()
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n')
    text = (lines.pop() ?? '').slice(0, MOST_LENGTH)
    for (const line of lines) take(line)
  })
  return new Promise((resolve) => {
    stream.once('end', () => {
      if (text !== '') take(text)
      resolve()
    })
    stream.once('close', resolve)
  })
}
