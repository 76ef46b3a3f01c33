import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Context, openContext } from '#server/context.ts'
import { LOCK_FILE } from '#server/database/lock.ts'
import type { Gateway } from '#server/modules/control/gateway-options.ts'
import { openLog } from '#server/platform/log.ts'
import { openGateway } from '#server/server.ts'
import { cache, disk } from './disk.ts'
import type { Ledger } from './ledger.ts'
import type { Partner } from './partner.ts'
import { quiet, turn } from './quiet.ts'
import { realNow, type VirtualTime } from './virtual-time.ts'

/** What came of something that was asked of the gateway. gone: it ended before the answer. */
export type Answer<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: Error }
  | { readonly kind: 'gone' }

export interface CallOptions {
  /** Its answer may depend on one of the partner, and so on time that passes. */
  readonly waits?: boolean
}

/**
 * One gateway after the other over the same data: each goes on with the files that the one before
 * had left when it ended.
 */
export interface GatewayLives extends AsyncDisposable {
  readonly http: string
  readonly dimsePort: number
  /** Of the run that is open now. */
  readonly folder: string
  /** How many there were. */
  readonly count: number
  /** Whether the run was ended, and the next one is to be opened. */
  readonly isOver: boolean
  /**
   * The run ends at the n-th moment from now: as by SIGKILL, or by a power failure, which takes
   * along what was not synced.
   */
  endAt(moments: number, isPowerFailure?: boolean): void
  /** Asks something of it, and waits until all that comes of it is done. */
  call<T>(work: () => Promise<T>, options?: CallOptions): Promise<Answer<T>>
  /** Lets time pass, with all that is due meanwhile. */
  pass(ms: number): Promise<void>
  /** Opens the next run. `beforehand`: ends those who talk to the one that is over. */
  reopen(beforehand: () => void): Promise<void>
  /** Ends the run in an orderly way and opens the next one. */
  restart(beforehand: () => void): Promise<void>
}

export interface LivesOptions {
  /** A folder of the simulation's own. */
  readonly root: string
  readonly time: VirtualTime
  readonly partner: Partner
  readonly ledger: Ledger
  /** Somebody outside waits for the gateway, or it for them, whatever the time. */
  readonly isBusy: () => boolean
  /** What the clinic has set up before. */
  readonly furnish: (context: Context) => Promise<void>
}

const OVERRIDES = {
  'http.host': '127.0.0.1',
  'http.port': 0,
  'dimse.host': '127.0.0.1',
  'dimse.port': 0,
} as const
/** Milliseconds of the real time. */
const PATIENCE_MS = 30_000

export async function openLives({
  root,
  time,
  partner,
  ledger,
  isBusy,
  furnish,
}: LivesOptions): Promise<GatewayLives> {
  let count = 0
  let isOver = false
  let momentsLeft = Number.POSITIVE_INFINITY
  let losesPower = false
  const folderOf = (life: number) => join(root, `life-${life}`)
  const folder = () => folderOf(count)
  const clock = () => {
    disk.moment?.('clock')
    return time.now()
  }

  /**
   * What a sudden end leaves: the files as they are at this moment, but for what the operating
   * system takes back.
   */
  function endNow(): void {
    cpSync(folder(), folderOf(count + 1), {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) =>
        !path.endsWith(LOCK_FILE) && !/\.(sock|sock\.lock)$|-shm$|\/control/.test(path),
    })
    if (losesPower) cache.dropFrom(folderOf(count + 1), folder())
    isOver = true
    momentsLeft = Number.POSITIVE_INFINITY
    partner.isDeaf = true
  }

  function moment(): void {
    if (isOver || --momentsLeft > 0) return
    // The copy is not a moment of its own.
    const heard = disk.moment
    disk.moment = undefined
    endNow()
    disk.moment = heard
  }

  /**
   * Runs the work with the disk as it is set, until it has settled; time passes only where it
   * `waits` for it.
   */
  async function pump<T>(
    work: () => Promise<T>,
    waits: boolean,
    mayEnd: boolean,
  ): Promise<Answer<T>> {
    let answer: Answer<T> | undefined
    work().then(
      (value) => (answer ??= { kind: 'answered', value }),
      (error: unknown) => (answer ??= { kind: 'failed', error: error as Error }),
    )
    const began = realNow()
    while (!answer && !(mayEnd && isOver)) {
      await turn()
      if (realNow() - began > PATIENCE_MS)
        throw new Error(`No answer within ${PATIENCE_MS / 1000} s of the real time.`)
      if (!waits || answer || isOver || (mayEnd && partner.parked === 0)) continue
      await quiet(isBusy)
      if (!answer && !isOver && (!mayEnd || partner.parked > 0)) time.fireNext()
    }
    return mayEnd && isOver ? { kind: 'gone' } : (answer ?? { kind: 'gone' })
  }

  async function watched<T>(work: () => Promise<T>): Promise<T> {
    disk.moment = moment
    try {
      return await work()
    } finally {
      disk.moment = undefined
      ledger.faultsMet += disk.met
      disk.met = 0
    }
  }

  async function opened(): Promise<Gateway> {
    const answer = await pump(
      () =>
        openGateway({
          folder: folder(),
          log: openLog('trace', { write: (line) => void ledger.log.push(line) }),
          version: '0.0.0',
          pageFolder: join(folder(), 'no-page'),
          overrides: OVERRIDES,
          clock,
        }),
      false,
      false,
    )
    if (answer.kind !== 'answered')
      throw answer.kind === 'failed' ? answer.error : new Error('The gateway did not open.')
    await quiet(isBusy)
    return answer.value
  }

  async function closed(old: Gateway): Promise<void> {
    disk.fault = undefined
    // It drains by timers.
    const answer = await pumpTimers(async () => old[Symbol.asyncDispose]())
    if (answer.kind === 'failed') throw answer.error
  }

  /** For what ends by itself, and may wait for timers of its own. */
  async function pumpTimers(work: () => Promise<void>): Promise<Answer<void>> {
    let answer: Answer<void> | undefined
    work().then(
      () => (answer = { kind: 'answered', value: undefined }),
      (error: unknown) => (answer = { kind: 'failed', error: error as Error }),
    )
    for (let rounds = 0; !answer; rounds++) {
      await quiet(() => false)
      if (rounds > 10_000) throw new Error('The gateway did not close.')
      if (!answer) time.fireNext()
    }
    return answer
  }

  cache.clear()
  {
    using context = openContext({ folder: folder(), clock: time.now })
    await furnish(context)
  }
  let gateway = await watched(opened)

  async function next(beforehand: () => void, isOrderly: boolean): Promise<void> {
    beforehand()
    partner.isDeaf = !isOrderly
    const old = folder()
    await closed(gateway)
    if (isOrderly)
      cpSync(old, folderOf(count + 1), {
        recursive: true,
        preserveTimestamps: true,
        filter: (path) => !path.endsWith(LOCK_FILE),
      })
    rmSync(old, { recursive: true, force: true })
    // What the next run begins with is on the disk.
    cache.clear()
    count++
    isOver = false
    partner.isDeaf = false
    gateway = await watched(opened)
  }

  return {
    get http() {
      return gateway.http
    },
    get dimsePort() {
      return Number(gateway.dimse.split(':').at(-1))
    },
    get folder() {
      return isOver ? folderOf(count + 1) : folder()
    },
    get count() {
      return count + 1
    },
    get isOver() {
      return isOver
    },
    endAt(moments, isPowerFailure = false) {
      momentsLeft = moments
      losesPower = isPowerFailure
    },
    call: (work, { waits = false } = {}) =>
      watched(async () => {
        const answer = await pump(work, waits, true)
        await quiet(isBusy)
        return isOver ? { kind: 'gone' } : answer
      }),
    pass: (ms) =>
      watched(async () => {
        const until = time.now() + ms
        await quiet(isBusy)
        while (!isOver) {
          const due = time.nextDue()
          if (due === undefined || due > until) break
          time.fireNext()
          await quiet(isBusy)
        }
        if (!isOver) time.moveTo(until)
      }),
    reopen: (beforehand) => next(beforehand, false),
    restart: (beforehand) => next(beforehand, true),
    async [Symbol.asyncDispose]() {
      partner.isDeaf = true
      await closed(gateway)
    },
  }
}
