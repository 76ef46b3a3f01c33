import { once } from 'node:events'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import type { Context } from '#server/context.ts'
import { reportError } from '#server/platform/log.ts'
import { english } from '#shared/messages/english.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'
import { explanationOf, MessageError } from '#shared/messages/message-error.ts'
import { type AuditSource, auditMessage } from './audit-message.ts'
import {
  deleteAuditSendingPosition,
  findAuditSendingPosition,
  setAuditSendingPosition,
} from './audit-sending-queries.ts'
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
  readonly fault: { readonly reason: Message; readonly since: number } | undefined
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

/**
 * Sends each entry of the audit trail to the collector, in order, from when it was set on. Syslog
 * has no acknowledgement: what was sent counts as received only when the collector answered the
 * closing of the connection with its own (RFC 5425 §4.4), which it does after it has read
 * everything before. Where the connection breaks, everything since the last such moment is sent
 * again. So an entry may arrive twice, under its number, and none is lost.
 */
export class Collector implements AsyncDisposable {
  readonly #context: Context
  readonly #target: () => CollectorTarget | undefined
  readonly #source: () => AuditSource
  readonly #limits: CollectorLimits
  readonly #ended = new AbortController()
  readonly #stopListening: () => void
  readonly #running: Promise<void>
  #wake = new AbortController()
  #retried = new AbortController()
  #fault: CollectorState['fault']
  #socket: TLSSocket | undefined

  /**
   * @param target read before each connection; undefined: there is no collector, and nothing is
   *   sent. What it throws is why nothing can be sent.
   */
  constructor(
    context: Context,
    target: () => CollectorTarget | undefined,
    source: () => AuditSource,
    limits: Partial<CollectorLimits> = {},
  ) {
    this.#context = context
    this.#target = target
    this.#source = source
    this.#limits = { ...LIMITS, ...limits }
    this.#stopListening = context.database.subscribe('audit', () => this.#wake.abort())
    this.#running = this.#run().catch((error: unknown) => reportError(context, error))
  }

  state(): CollectorState {
    const newest = this.#newest()
    const position = findAuditSendingPosition(this.#context.database) ?? newest
    return { waiting: Math.max(0, newest - position), fault: this.#fault }
  }

  /** The settings changed: tries at once. */
  retry(): void {
    this.#retried.abort()
    this.#wake.abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening()
    this.#ended.abort()
    // What the collector does not confirm in time is sent again at the next start.
    const cut = setTimeout(() => this.#socket?.destroy(), ENDING_MS)
    await this.#running
    clearTimeout(cut)
  }

  #newest(): number {
    return this.#context.audit.list({ limit: 1 }).items[0]?.seq ?? 0
  }

  /** Waits until something is appended, the settings change, or the time has passed. */
  async #rest(ms: number | undefined): Promise<void> {
    if (this.#wake.signal.aborted) this.#wake = new AbortController()
    const signal = AbortSignal.any([this.#wake.signal, this.#ended.signal])
    if (signal.aborted) return
    await (ms === undefined
      ? once(signal, 'abort')
      : sleep(ms, undefined, { signal, ref: false })
    ).catch(() => undefined)
  }

  #setFault(reason: Message | undefined): void {
    const known = this.#fault?.reason
    if (reason === known || (reason && known && english(reason) === english(known))) return
    const since = this.#fault?.since ?? this.#context.clock()
    this.#fault = reason === undefined ? undefined : { reason, since }
    this.#context.feed.noteStatus()
  }

  async #run(): Promise<void> {
    const [first, longest] = this.#limits.retryMs
    let pause = first
    while (!this.#ended.signal.aborted) {
      try {
        await this.#sendNext()
        pause = first
      } catch (error) {
        if (this.#ended.signal.aborted) return
        this.#setFault(reasonOf(error))
        // New entries do not shorten the pause: a collector that is down is not asked at each.
        await sleep(pause, undefined, {
          signal: AbortSignal.any([this.#ended.signal, this.#retried.signal]),
          ref: false,
        }).catch(() => undefined)
        pause = this.#retried.signal.aborted ? first : Math.min(pause * 2, longest)
        if (this.#retried.signal.aborted) this.#retried = new AbortController()
      }
    }
  }

  /** Sends what there is over one connection, or waits until there is something. */
  async #sendNext(): Promise<void> {
    const { database, audit } = this.#context
    const kept = findAuditSendingPosition(database)
    const target = this.#readTarget(kept)
    if (!target) {
      this.#setFault(undefined)
      if (kept !== undefined) deleteAuditSendingPosition(database)
      return this.#rest(undefined)
    }
    const position = kept ?? this.#begin()
    const newest = this.#newest()
    if (newest < position) {
      // Somebody wrote the position, so that nothing would be sent any more: a finding, which
      // resets it.
      audit.inspect()
      return
    }
    if (newest === position) return this.#rest(undefined)
    setAuditSendingPosition(database, await this.#sendFrom(target, position))
    this.#setFault(undefined)
  }

  /** Where the target cannot be read, entries wait from now on. */
  #readTarget(position: number | undefined): CollectorTarget | undefined {
    try {
      return this.#target()
    } catch (error) {
      if (position === undefined) this.#begin()
      throw error
    }
  }

  /**
   * What was before is in the export; the collector gets what comes from now on, that it was set
   * included.
   */
  #begin(): number {
    const { audit, database } = this.#context
    const change = { action: 'setting.change', target: 'audit.collectorHost' }
    const [set] = audit.search(change, { before: Number.MAX_SAFE_INTEGER, limit: 1 }).items
    const seq = Math.max(0, (set?.seq ?? this.#newest()) - 1)
    setAuditSendingPosition(database, seq)
    return seq
  }

  /**
   * Sends what is there and what comes while the connection is open. Returns the last entry that
   * the collector has.
   */
  async #sendFrom(to: CollectorTarget, position: number): Promise<number> {
    const { connectMs, closeMs } = this.#limits
    const socket = await connected(to, connectMs, this.#ended.signal)
    this.#socket = socket
    try {
      const failed = new Promise<never>((_, reject) => {
        socket.once('error', reject)
        socket.once('close', () => reject(new MessageError(message('audit.collector-closed'))))
      })
      failed.catch(() => undefined)
      socket.resume()
      const last = await Promise.race([this.#write(socket, position), failed])
      await Promise.race([closed(socket, closeMs), failed])
      return last
    } finally {
      this.#socket = undefined
      socket.destroy()
    }
  }

  async #write(socket: TLSSocket, position: number): Promise<number> {
    const { audit, database, clock } = this.#context
    const { openMs, messages, closeMs, idleMs } = this.#limits
    const until = clock() + openMs
    const about = { ...this.#source() }
    let last = position
    for (let sent = 0; sent < messages; ) {
      // What a power failure takes back was not sent.
      await database.durable()
      const portion = Math.min(PORTION, messages - sent)
      const rows = audit.after(last, Number.MAX_SAFE_INTEGER, portion)
      for (const row of rows) {
        const header = { at: row.at, host: hostname(), processId: process.pid }
        const isTaken = socket.write(syslogFrame(header, auditMessage(row, about)))
        if (!isTaken) await drained(socket, closeMs)
        last = row.seq
        sent += 1
      }
      if (this.#ended.signal.aborted || clock() >= until) break
      if (rows.length === 0) {
        await this.#rest(idleMs)
        if (this.#newest() <= last || this.#ended.signal.aborted) break
      }
    }
    return last
  }
}

/** Resolves when the collector has read on. */
async function drained(socket: TLSSocket, ms: number): Promise<void> {
  await once(socket, 'drain', { signal: AbortSignal.timeout(ms) }).catch((error: Error) => {
    throw error.name === 'AbortError'
      ? new MessageError(message('audit.collector-does-not-read'), { cause: error })
      : error
  })
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
      ? new MessageError(message('audit.collector-silent'), { cause: error })
      : error
  }
}

/**
 * Closes our side; resolves when the collector has closed its own, which tells that it has read
 * everything.
 */
async function closed(socket: TLSSocket, ms: number): Promise<void> {
  if (socket.readableEnded) throw new MessageError(message('audit.collector-closed'))
  const end = once(socket, 'end', { signal: AbortSignal.timeout(ms) })
  socket.end()
  await end.catch((error: Error) => {
    throw error.name === 'AbortError' ? new MessageError(message('audit.collector-no-end')) : error
  })
}

function reasonOf(error: unknown): Message {
  const { message, code } = error as NodeJS.ErrnoException
  const isTold = error instanceof MessageError || !code || message.includes(code)
  return isTold ? explanationOf(error) : verbatim(`${message} (${code})`)
}
