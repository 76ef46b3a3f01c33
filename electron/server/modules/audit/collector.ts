import { once } from 'node:events'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import type { Context } from '#server/context.ts'
import type { Clock } from '#server/platform/clock.ts'
import { type AuditSource, auditMessage } from './audit-message.ts'
import { syslogFrame } from './syslog.ts'

/** The clinic's collector of audit messages: syslog over TLS (RFC 5425). */
export interface CollectorTarget {
  readonly host: string
  readonly port: number
  /** PEM of the authorities its certificate is from; null: those of this program. */
  readonly authorities: string | null
  /** What the gateway shows of itself; undefined: nothing. */
  readonly identity: { readonly key: string; readonly cert: string } | undefined
}

export interface CollectorState {
  /** Entries that the collector does not have for certain. */
  readonly waiting: number
  /** Why nothing can be sent, and since when (ms); undefined where it can. */
  readonly fault: { readonly reason: string; readonly since: number } | undefined
}

export interface CollectorOptions {
  readonly store: Pick<Context, 'audit' | 'auditSending' | 'database'>
  /** Whether there is a collector; where there is none, nothing is sent. */
  readonly isOn: () => boolean
  /** Read before each connection. What it throws is why nothing can be sent. */
  readonly target: () => CollectorTarget
  readonly source: () => AuditSource
  readonly clock: Clock
  readonly onState: () => void
  readonly onError: (error: unknown) => void
  readonly limits?: Partial<CollectorLimits>
}

export interface CollectorLimits {
  readonly connectMs: number
  /**
   * How long a connection stays open without anything to send before it is closed, which confirms
   * what was sent.
   */
  readonly idleMs: number
  /** How long one is used at most, and for how many messages. */
  readonly openMs: number
  readonly messages: number
  /** How long the collector may take to read on, and to close its side. */
  readonly closeMs: number
  /** Pauses after a failure: the first, and the longest. */
  readonly retryMs: readonly [first: number, longest: number]
}
const LIMITS: CollectorLimits = {
  ...{ connectMs: 10_000, idleMs: 2000, openMs: 30_000, messages: 1000, closeMs: 10_000 },
  retryMs: [1000, 60_000],
}
/** What the gateway waits for a confirmation when it ends. */
const ENDING_MS = 1000
/** Rows in memory at a time. */
const PORTION = 100

export interface Collector extends AsyncDisposable {
  state(): CollectorState
  /** The settings changed: tries at once. */
  retry(): void
}

/**
 * Sends each entry of the audit trail to the collector, in order, from when it was set on. Syslog
 * has no acknowledgement: what was sent counts as received only when the collector answered the
 * closing of the connection with its own (RFC 5425 §4.4), which it does after it has read
 * everything before. Where the connection breaks, everything since the last such moment is sent
 * again. So an entry may arrive twice, under its number, and none is lost.
 */
export function openCollector(options: CollectorOptions): Collector {
  const { store, isOn, target, source, clock, onState, onError } = options
  const limits = { ...LIMITS, ...options.limits }
  const ended = new AbortController()
  let wake = new AbortController()
  let retried = new AbortController()
  let fault: CollectorState['fault']
  let open: TLSSocket | undefined

  const newest = () => store.audit.list({ limit: 1 }).items[0]?.seq ?? 0
  const stopListening = store.database.subscribe('audit', () => wake.abort())

  /** Until something is appended, the settings change, or the time has passed. */
  async function rest(ms: number | undefined): Promise<void> {
    if (wake.signal.aborted) wake = new AbortController()
    const signal = AbortSignal.any([wake.signal, ended.signal])
    if (signal.aborted) return
    await (ms === undefined
      ? once(signal, 'abort')
      : sleep(ms, undefined, { signal, ref: false })
    ).catch(() => undefined)
  }

  function setFault(reason: string | undefined): void {
    if (reason === fault?.reason) return
    fault = reason === undefined ? undefined : { reason, since: fault?.since ?? clock() }
    onState()
  }

  async function run(): Promise<void> {
    let [pause] = limits.retryMs
    while (!ended.signal.aborted) {
      try {
        await sendNext()
        ;[pause] = limits.retryMs
      } catch (error) {
        if (ended.signal.aborted) return
        setFault(reasonOf(error))
        // New entries do not shorten the pause: a collector that is down is not asked at each.
        await sleep(pause, undefined, {
          signal: AbortSignal.any([ended.signal, retried.signal]),
          ref: false,
        }).catch(() => undefined)
        pause = retried.signal.aborted ? limits.retryMs[0] : Math.min(pause * 2, limits.retryMs[1])
        if (retried.signal.aborted) retried = new AbortController()
      }
    }
  }

  /** Sends what there is over one connection, or waits until there is something. */
  async function sendNext(): Promise<void> {
    if (!isOn()) {
      setFault(undefined)
      if (store.auditSending.position() !== undefined) store.auditSending.forget()
      return rest(undefined)
    }
    const position = store.auditSending.position() ?? begin()
    if (newest() < position) {
      // Somebody wrote the position, so that nothing would be sent any more: a finding, which
      // resets it.
      store.audit.inspect()
      return
    }
    if (newest() === position) return rest(undefined)
    store.auditSending.setPosition(await sendFrom(target(), position))
    setFault(undefined)
  }

  /**
   * What was before is in the export; the collector gets what comes from now on, that it was set
   * included.
   */
  function begin(): number {
    const change = { action: 'setting.change', target: 'audit.collectorHost' }
    const [set] = store.audit.search(change, { before: Number.MAX_SAFE_INTEGER, limit: 1 }).items
    const seq = Math.max(0, (set?.seq ?? newest()) - 1)
    store.auditSending.setPosition(seq)
    return seq
  }

  /** Until the collector has read on. */
  async function drained(socket: TLSSocket): Promise<void> {
    await once(socket, 'drain', { signal: AbortSignal.timeout(limits.closeMs) }).catch(
      (error: Error) => {
        throw error.name === 'AbortError'
          ? new Error('the collector does not read', { cause: error })
          : error
      },
    )
  }

  /**
   * Sends what is there and what comes while the connection is open. Returns the last entry that
   * the collector has.
   */
  async function sendFrom(to: CollectorTarget, position: number): Promise<number> {
    const socket = await connected(to, limits.connectMs, ended.signal)
    open = socket
    try {
      const failed = new Promise<never>((_, reject) => {
        socket.once('error', reject)
        socket.once('close', () => reject(new Error('the collector closed the connection')))
      })
      failed.catch(() => undefined)
      socket.resume()
      const last = await Promise.race([write(socket, position), failed])
      await Promise.race([closed(socket, limits.closeMs), failed])
      return last
    } finally {
      open = undefined
      socket.destroy()
    }
  }

  async function write(socket: TLSSocket, position: number): Promise<number> {
    const until = clock() + limits.openMs
    const about = { ...source() }
    let last = position
    for (let sent = 0; sent < limits.messages; ) {
      // What a power failure takes back was not sent.
      await store.database.durable()
      const rows = store.audit.after(
        last,
        Number.MAX_SAFE_INTEGER,
        Math.min(PORTION, limits.messages - sent),
      )
      for (const row of rows) {
        const header = { at: row.at, host: hostname(), processId: process.pid }
        if (!socket.write(syslogFrame(header, auditMessage(row, about)))) await drained(socket)
        last = row.seq
        sent += 1
      }
      if (ended.signal.aborted || clock() >= until) break
      if (rows.length === 0) {
        await rest(limits.idleMs)
        if (newest() <= last || ended.signal.aborted) break
      }
    }
    return last
  }

  const running = run().catch(onError)
  return {
    state: () => ({
      waiting: isOn() ? Math.max(0, newest() - (store.auditSending.position() ?? newest())) : 0,
      fault,
    }),
    retry() {
      retried.abort()
      wake.abort()
    },
    async [Symbol.asyncDispose]() {
      stopListening()
      ended.abort()
      // What the collector does not confirm in time is sent again at the next start.
      const cut = setTimeout(() => open?.destroy(), ENDING_MS)
      await running
      clearTimeout(cut)
    },
  }
}

async function connected(
  { host, port, authorities, identity }: CollectorTarget,
  ms: number,
  ended: AbortSignal,
): Promise<TLSSocket> {
  const socket = connect({
    ...{ host, port, minVersion: 'TLSv1.2', ...identity },
    ...(authorities !== null && { ca: authorities }),
    // RFC 6066 §3: an address is no server name.
    ...(/^[\d.:]+$/.test(host) ? {} : { servername: host }),
  })
  try {
    await once(socket, 'secureConnect', {
      signal: AbortSignal.any([AbortSignal.timeout(ms), ended]),
    })
    return socket
  } catch (error) {
    socket.on('error', () => undefined).destroy()
    throw (error as Error).name === 'AbortError'
      ? new Error('the collector did not answer in time', { cause: error })
      : error
  }
}

/**
 * Closes our side; resolves when the collector has closed its own, which tells that it has read
 * everything.
 */
async function closed(socket: TLSSocket, ms: number): Promise<void> {
  if (socket.readableEnded) throw new Error('the collector closed the connection')
  const end = once(socket, 'end', { signal: AbortSignal.timeout(ms) })
  socket.end()
  await end.catch((error: Error) => {
    throw error.name === 'AbortError'
      ? new Error('the collector did not confirm the end of the connection')
      : error
  })
}

function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return code && !message.includes(code) ? `${message} (${code})` : message
}
