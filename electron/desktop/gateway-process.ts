import { type UtilityProcess, utilityProcess } from 'electron'
import { z } from 'zod'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { gatewayEnvironment } from '#shared/gateway-environment.ts'
import { backOff } from './back-off.ts'
import { crashTally } from './crash-tally.ts'
import { NativeWorkers } from './native-workers.ts'

/** The line on standard output that says that it serves. */
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

/** How a command that gave its reason in a sentence ends (`cli/failure.ts`). */
const REFUSALS: readonly number[] = [1, 2]

/** How the process ended that nobody told to. */
export interface GatewayEnd {
  readonly exitCode: number
  /**
   * It is started again after so long; undefined where its first start failed: then only a person
   * starts it again.
   */
  readonly waitMs: number | undefined
  /** The last sentence it said; empty where it said none. */
  readonly fault: string
  /** Whether it starts in safe mode. */
  readonly isSafe: boolean
}

export interface GatewayProcessOptions {
  /** The built `headless.js`: the same entry file as under plain Node. */
  readonly entry: string
  /** The built `native-worker.js`. */
  readonly worker: string
  /** Arguments of `serve`. */
  readonly args: readonly string[]
  /** Where the data key is kept: the process is told it, and may ask to have it sealed. */
  readonly keys: { state(): KeyStoreState; read(): Buffer | undefined; seal(): boolean }
  /** Nobody is there to be asked: a first start that failed is tried again too. */
  readonly isAlone: boolean
  readonly onReady: (ready: Ready) => void
  readonly onEnd: (end: GatewayEnd) => void
}

/**
 * The gateway in a utility process: its crash never takes the window, its work never freezes it.
 */
export class GatewayProcess {
  #child: UtilityProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #stopping = false
  #restarting = false
  #wasReady = false
  readonly #options: GatewayProcessOptions
  readonly #waits = backOff(Date.now)
  readonly #crashes = crashTally(Date.now)

  constructor(options: GatewayProcessOptions) {
    this.#options = options
  }

  /** Starts it where it does not run. */
  start(): void {
    if (this.#child) return
    clearTimeout(this.#timer)
    const { entry, worker, args, keys, onReady } = this.#options
    this.#waits.started()
    const child = utilityProcess.fork(
      entry,
      ['serve', ...args, ...(this.#crashes.isSafe() ? ['--safe-mode'] : [])],
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
    const workers = new NativeWorkers(worker, (news) => child.postMessage(news))
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
      // What it was told while it started nobody heard.
      if (this.#stopping || this.#restarting) child.postMessage('stop')
      else onReady(ready)
    })
    const said = { fault: '', isOurFault: false }
    const allSaid = readLines(child.stderr, (line) => {
      process.stderr.write(`${line}\n`)
      if (/^ +at /.test(line)) said.isOurFault = true
      else if (!line.startsWith('{') && line.trim() !== '') said.fault = line.trim()
    })
    child.once('exit', (exitCode) => {
      this.#child = undefined
      workers.end()
      // A sentence for a person is no crash: a port in use stays in use in safe mode, too.
      const isCrash = () =>
        exitCode !== 0 && (hasServed || !REFUSALS.includes(exitCode) || said.isOurFault)
      void allSaid.then(() => this.#ended(exitCode, isCrash(), said.fault))
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
    const waitMs = this.#wasReady || this.#options.isAlone ? this.#waits.next() : undefined
    if (waitMs !== undefined) this.#timer = setTimeout(() => this.start(), waitMs)
    this.#options.onEnd({ exitCode, waitMs, fault, isSafe: this.#crashes.isSafe() })
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
      // A message, not a signal: on Windows a signal ends a process without a word.
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

/** Characters of a line that is not over: what is longer is none of ours. */
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
