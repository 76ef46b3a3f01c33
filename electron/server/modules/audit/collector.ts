import { once } from 'node:events'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import type { Context } from '#server/context.ts'
import { reportError } from '#server/platform/log.ts'
import { englishText } from '#shared/messages/english.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'
import { explanationOf, MessageError } from '#shared/messages/message-error.ts'
import { type AuditSource, auditMessage } from './audit-message.ts'
import {
  deleteAuditSendingPosition,
  findAuditSendingPosition,
  setAuditSendingPosition,
} from './audit-sending-queries.ts'
import { syslogFrame } from './syslog.ts'

/** The clinic's audit repository, which receives syslog over TLS (RFC 5425). */
export interface CollectorTarget {
  readonly host: string
  readonly port: number
  /** PEM of the certificate authorities to trust; `null` for those that Node trusts. */
  readonly authorities: string | null
  /** The client certificate of the gateway; `undefined` if it presents none. */
  readonly identity: { readonly key: string; readonly cert: string } | undefined
}

export interface CollectorState {
  /** Number of entries whose receipt is not confirmed. */
  readonly waiting: number
  /** Why sending fails, and since when (ms); `undefined` if it does not fail. */
  readonly fault: { readonly reason: Message; readonly since: number } | undefined
}

export interface CollectorLimits {
  readonly connectMs: number
  /** How long a connection with nothing to send stays open. Closing it confirms what was sent. */
  readonly idleMs: number
  /** How long a connection is used at most, and for how many messages. */
  readonly openMs: number
  readonly messages: number
  /** How long the collector may take to resume reading, and to close its side. */
  readonly closeMs: number
  /** Delays after a failure: the first and the longest. */
  readonly retryMs: readonly [first: number, longest: number]
}
const LIMITS: CollectorLimits = {
  ...{ connectMs: 10_000, idleMs: 2000, openMs: 30_000, messages: 1000, closeMs: 10_000 },
  retryMs: [1000, 60_000],
}
/** How long shutdown waits for the collector's confirmation. */
const SHUTDOWN_MS = 1000
/** Rows read per batch. */
const BATCH_SIZE = 100

/**
 * Sends each entry of the audit trail to the collector, in order, beginning with the entry that
 * configured the collector. Syslog has no acknowledgement. Entries therefore count as received only
 * when the collector answers the gateway's close_notify with its own (RFC 5425 §4.4), which it does
 * after reading everything before it. If the connection breaks, everything since the last
 * confirmation is sent again. No entry is lost, and one may arrive twice under the same number.
 */
export class Collector implements AsyncDisposable {
  readonly #context: Context
  readonly #target: () => CollectorTarget | undefined
  readonly #source: () => AuditSource
  readonly #limits: CollectorLimits
  readonly #abortController = new AbortController()
  readonly #stopListening: () => void
  readonly #running: Promise<void>
  #wake = new AbortController()
  #retried = new AbortController()
  #fault: CollectorState['fault']
  #socket: TLSSocket | undefined

  /**
   * @param target called before each connection. `undefined` means that no collector is configured
   *   and nothing is sent; an error that it throws becomes the reported fault.
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

  /** Retries immediately, for example after a change of the settings. */
  retry(): void {
    this.#retried.abort()
    this.#wake.abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening()
    this.#abortController.abort()
    // Entries that the collector does not confirm in time are sent again at the next start.
    const timer = setTimeout(() => this.#socket?.destroy(), SHUTDOWN_MS)
    await this.#running
    clearTimeout(timer)
  }

  #newest(): number {
    return this.#context.audit.list({ limit: 1 }).items[0]?.seq ?? 0
  }

  /** Waits until an entry is appended, the settings change, or the time has passed. */
  async #waitForWork(ms: number | undefined): Promise<void> {
    if (this.#wake.signal.aborted) this.#wake = new AbortController()
    const signal = AbortSignal.any([this.#wake.signal, this.#abortController.signal])
    if (signal.aborted) return
    await (ms === undefined
      ? once(signal, 'abort')
      : sleep(ms, undefined, { signal, ref: false })
    ).catch(() => undefined)
  }

  #setFault(reason: Message | undefined): void {
    const known = this.#fault?.reason
    if (reason === known || (reason && known && englishText(reason) === englishText(known))) return
    const since = this.#fault?.since ?? this.#context.clock()
    this.#fault = reason === undefined ? undefined : { reason, since }
    this.#context.feed.noteStatus()
  }

  async #run(): Promise<void> {
    const [first, longest] = this.#limits.retryMs
    let pause = first
    while (!this.#abortController.signal.aborted) {
      try {
        await this.#sendNext()
        pause = first
      } catch (error) {
        if (this.#abortController.signal.aborted) return
        this.#setFault(reasonOf(error))
        // New entries do not shorten the pause, so that an unreachable collector is not contacted
        // for each.
        await sleep(pause, undefined, {
          signal: AbortSignal.any([this.#abortController.signal, this.#retried.signal]),
          ref: false,
        }).catch(() => undefined)
        pause = this.#retried.signal.aborted ? first : Math.min(pause * 2, longest)
        if (this.#retried.signal.aborted) this.#retried = new AbortController()
      }
    }
  }

  /** Sends the pending entries over one connection, or waits until there are some. */
  async #sendNext(): Promise<void> {
    const { database, audit } = this.#context
    const storedPosition = findAuditSendingPosition(database)
    const target = this.#readTarget(storedPosition)
    if (!target) {
      this.#setFault(undefined)
      if (storedPosition !== undefined) deleteAuditSendingPosition(database)
      return this.#waitForWork(undefined)
    }
    const position = storedPosition ?? this.#startPosition()
    const newest = this.#newest()
    if (newest < position) {
      // The stored position was tampered with: it lies beyond the newest entry, and nothing would
      // be sent any more. The inspection records a finding and resets the position.
      audit.inspect()
      return
    }
    if (newest === position) return this.#waitForWork(undefined)
    setAuditSendingPosition(database, await this.#sendFrom(target, position))
    this.#setFault(undefined)
  }

  /**
   * If the target cannot be read, fixes the position, so that entries from now on are sent later.
   */
  #readTarget(position: number | undefined): CollectorTarget | undefined {
    try {
      return this.#target()
    } catch (error) {
      if (position === undefined) this.#startPosition()
      throw error
    }
  }

  /**
   * Determines where sending begins: at the entry that configured the collector. Earlier entries
   * are available through the export.
   */
  #startPosition(): number {
    const { audit, database } = this.#context
    const change = { action: 'setting.change', target: 'audit.collectorHost' }
    const [set] = audit.search(change, { before: Number.MAX_SAFE_INTEGER, limit: 1 }).items
    const seq = Math.max(0, (set?.seq ?? this.#newest()) - 1)
    setAuditSendingPosition(database, seq)
    return seq
  }

  /**
   * Sends the pending entries, and those that are appended while the connection is open. Returns
   * the sequence number of the last entry that the collector confirmed.
   */
  async #sendFrom(to: CollectorTarget, position: number): Promise<number> {
    const { connectMs, closeMs } = this.#limits
    const socket = await openConnection(to, connectMs, this.#abortController.signal)
    this.#socket = socket
    try {
      const failed = new Promise<never>((_, reject) => {
        socket.once('error', reject)
        socket.once('close', () => reject(new MessageError(message('audit.collector-closed'))))
      })
      failed.catch(() => undefined)
      socket.resume()
      const last = await Promise.race([this.#write(socket, position), failed])
      await Promise.race([closeConnection(socket, closeMs), failed])
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
      // An entry that a power failure would revert must not be sent.
      await database.durable()
      const batchSize = Math.min(BATCH_SIZE, messages - sent)
      const rows = audit.after(last, Number.MAX_SAFE_INTEGER, batchSize)
      for (const row of rows) {
        const header = { at: row.at, host: hostname(), processId: process.pid }
        const hasCapacity = socket.write(syslogFrame(header, auditMessage(row, about)))
        if (!hasCapacity) await waitForDrain(socket, closeMs)
        last = row.seq
        sent += 1
      }
      if (this.#abortController.signal.aborted || clock() >= until) break
      if (rows.length === 0) {
        await this.#waitForWork(idleMs)
        if (this.#newest() <= last || this.#abortController.signal.aborted) break
      }
    }
    return last
  }
}

/** Resolves when the socket accepts more data. */
async function waitForDrain(socket: TLSSocket, ms: number): Promise<void> {
  await once(socket, 'drain', { signal: AbortSignal.timeout(ms) }).catch((error: Error) => {
    throw error.name === 'AbortError'
      ? new MessageError(message('audit.collector-does-not-read'), { cause: error })
      : error
  })
}

async function openConnection(
  { host, port, authorities, identity }: CollectorTarget,
  ms: number,
  ended: AbortSignal,
): Promise<TLSSocket> {
  const socket = connect({
    ...{ host, port, minVersion: 'TLSv1.2', ...identity },
    ...(authorities !== null && { ca: authorities }),
    // RFC 6066 §3: an IP address is not permitted as a server name.
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
 * Closes the gateway's side of the connection. Resolves when the collector has closed its own side,
 * which confirms that it has read everything.
 */
async function closeConnection(socket: TLSSocket, ms: number): Promise<void> {
  if (socket.readableEnded) throw new MessageError(message('audit.collector-closed'))
  const end = once(socket, 'end', { signal: AbortSignal.timeout(ms) })
  socket.end()
  await end.catch((error: Error) => {
    throw error.name === 'AbortError' ? new MessageError(message('audit.collector-no-end')) : error
  })
}

function reasonOf(error: unknown): Message {
  const { message, code } = error as NodeJS.ErrnoException
  const hasExplanation = error instanceof MessageError || !code || message.includes(code)
  return hasExplanation ? explanationOf(error) : verbatim(`${message} (${code})`)
}
