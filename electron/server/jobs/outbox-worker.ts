import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '#server/database/database.ts'
import { type Clock, instantOf, msOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { OutboxRecord, OutboxRow, OutboxStore } from './outbox-queries.ts'
import { RETRY_SCHEDULES, waitAfter } from './retry-schedules.ts'

const MINUTE_MS = 60_000
/** A timer of Node holds 24.8 days at most, and the clock of the PC may be set. */
const LONGEST_SLEEP_MS = 5 * MINUTE_MS
const SHORTEST_SLEEP_MS = 1000
/** Rows looked at before the event loop is let through. */
const PAGE = 200
/** Settlements kept in memory while the disk takes no records; with so many no row is taken up. */
const MOST_UNWRITTEN = 1000
const OWN_FAULT = 'an internal error; see the log'

/**
 * What became of a row. sent and failed settle it; postponed counts an attempt; held does not: it
 * cannot go out now. Times in milliseconds since 1970; a fault never names a patient or an address.
 * `within` runs in the transaction that writes it, told whether the row still waited: a person may
 * have dropped it meanwhile.
 */
export type Settlement = (
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'failed'; readonly fault: string }
  | { readonly outcome: 'postponed'; readonly until: number; readonly fault: string }
  | { readonly outcome: 'held'; readonly until: number; readonly fault: string }
) & { readonly within?: (stillWaited: boolean) => void }

/** A row that cannot go out before that time. */
export interface Held {
  readonly until: number
  readonly fault: string
}

export interface OutboxWorkerOptions {
  readonly store: {
    readonly outbox: OutboxStore
    readonly database: Pick<Database, 'transaction' | 'afterCommit' | 'inTransaction' | 'subscribe'>
  }
  readonly kind: string
  readonly clock: Clock
  /** Its throw is a fault of ours: the row is tried again after a while. */
  readonly deliver: (row: OutboxRow<unknown>, signal: AbortSignal) => Promise<Settlement>
  /** What the row shares its places with, such as where it goes; one group without it. */
  readonly groupOf?: (row: OutboxRecord) => string | Held
  /** Rows of a group under way at once; 1 without it. */
  readonly atOnce?: number
  /** Nothing is taken up while it says so; `retry` ends the wait. */
  readonly isIdle?: () => boolean
  readonly onError?: (error: unknown) => void
}

interface Finished {
  readonly row: OutboxRecord
  readonly settlement: Settlement
}

/** Stands for every group. */
const EVERY = '*'

/**
 * Works off the rows of one kind, each until it is sent, dropped or given up. What is under way
 * when the gateway ends is simply still waiting.
 */
export interface OutboxWorker extends AsyncDisposable {
  /** Looks for work now. */
  wake(): void
  /** Lets everything that waits, or these rows, go out now. */
  retry(outboxIds?: readonly number[]): void
  /** Resolves when nothing is due any more and nothing is under way. */
  settled(): Promise<void>
}

export function openOutboxWorker(options: OutboxWorkerOptions): OutboxWorker {
  const {
    store,
    kind,
    clock,
    deliver,
    groupOf = () => '',
    atOnce = 1,
    isIdle = () => false,
    onError,
  } = options
  const { outbox, database } = store
  const closing = new AbortController()
  /**
   * By row, what the disk took no record of. A row that was sent or failed is not delivered again,
   * one that was postponed or held not before its time.
   */
  const unwritten = new Map<number, Finished>()
  const underWay = new Map<number, { readonly group: string; readonly done: Promise<void> }>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  /**
   * When the last look began. A row that falls due while it goes on is not missed: the next wake-up
   * is for the first row due after it.
   */
  let lookedAt = ''
  /** Groups to look for rows of once more; '*' is all of them. */
  const wanted = new Set<string>()

  const wake = () => look(EVERY)

  function look(group: string): void {
    wanted.add(group)
    if (closing.signal.aborted || looking) return
    clearTimeout(timer)
    const groups = new Set(wanted)
    wanted.clear()
    looking = takeUp(groups)
      .catch((error: unknown) => onError?.(error))
      .finally(() => {
        looking = undefined
        if (closing.signal.aborted) return
        const [next] = wanted
        if (next === undefined) sleep()
        else look(next)
      })
  }

  function sleep(): void {
    const now = clock()
    let next: string | undefined
    try {
      next = outbox.nextDue(kind, lookedAt)
    } catch (error) {
      onError?.(error)
    }
    const isFull = unwritten.size >= MOST_UNWRITTEN
    const untils = [...unwritten.values()].map(({ settlement }) => untilOf(settlement))
    const first = Math.min(next === undefined ? Number.POSITIVE_INFINITY : msOf(next), ...untils)
    const isLong = first === Number.POSITIVE_INFINITY || isIdle() || isFull
    const wait = isLong ? LONGEST_SLEEP_MS : Math.max(SHORTEST_SLEEP_MS, first - now)
    timer = setTimeout(wake, Math.min(LONGEST_SLEEP_MS, wait)).unref()
  }

  const hasPlace = (group: string) =>
    [...underWay.values()].filter((one) => one.group === group).length < atOnce

  /** Takes up rows that are due, as long as one of the groups has a place free. */
  async function takeUp(groups: ReadonlySet<string>): Promise<void> {
    let after: OutboxRecord | undefined
    lookedAt = instantOf(clock())
    writeAgain()
    while (!closing.signal.aborted && !isIdle() && unwritten.size < MOST_UNWRITTEN) {
      const rows = outbox.due(kind, lookedAt, PAGE, after)
      const held = rows
        .filter(({ outboxId }) => !underWay.has(outboxId) && !isKept(outboxId))
        .flatMap(start)
      // Without the record they are looked at again; others need not wait for it.
      if (held.length > 0) tryWrite(() => database.transaction(() => held.forEach(write)))
      after = rows.at(-1)
      if (rows.length < PAGE || (!groups.has(EVERY) && ![...groups].some(hasPlace))) return
      await nextTurn()
    }
  }

  /** Writes what is in memory, all of it or nothing. */
  function writeAgain(): void {
    // A transaction of somebody else may be rolled back after this.
    if (unwritten.size === 0 || database.inTransaction) return
    const isWritten = tryWrite(() =>
      database.transaction(() => {
        for (const finished of unwritten.values())
          try {
            write(finished)
          } catch (error) {
            if (diskFaultKind(error) !== undefined) throw error
            // A fault of ours: the row waits on as it was, and the others are written.
            onError?.(error)
          }
      }),
    )
    if (isWritten) unwritten.clear()
  }

  /** Whether the row is not to be delivered now because of what is in memory. */
  function isKept(outboxId: number): boolean {
    const kept = unwritten.get(outboxId)
    if (kept && untilOf(kept.settlement) <= clock()) unwritten.delete(outboxId)
    return unwritten.has(outboxId)
  }

  /** Takes the row up, or says why it is to wait. */
  function start(row: OutboxRow<unknown>): readonly [] | readonly [Finished] {
    const group = groupOf(row)
    if (typeof group !== 'string') return [{ row, settlement: { outcome: 'held', ...group } }]
    if (!hasPlace(group) || unwritten.size + underWay.size >= MOST_UNWRITTEN) return []
    const done = run(row).then((isSettled) => {
      underWay.delete(row.outboxId)
      // One that waits as it was is looked at again with the next timer.
      if (isSettled) look(group)
    })
    underWay.set(row.outboxId, { group, done })
    return []
  }

  /** False where it waits on as it was: we were ended, or there was a fault of ours. */
  async function run(row: OutboxRow<unknown>): Promise<boolean> {
    let settlement: Settlement | undefined
    try {
      settlement = await settlementOf(row)
      write({ row, settlement })
      return true
    } catch (error) {
      if (!closing.signal.aborted) onError?.(error)
      if (!settlement || diskFaultKind(error) === undefined) return false
      const { payload: _, ...record } = row
      unwritten.set(row.outboxId, { row: record, settlement })
      return true
    }
  }

  async function settlementOf(row: OutboxRow<unknown>): Promise<Settlement> {
    try {
      return await deliver(row, closing.signal)
    } catch (error) {
      if (closing.signal.aborted) throw error
      onError?.(error)
      const wait = waitAfter(RETRY_SCHEDULES.internalError, row.attempts + 1)
      return { outcome: 'postponed', until: clock() + wait, fault: OWN_FAULT }
    }
  }

  function write({ row: { outboxId }, settlement }: Finished): void {
    const at = instantOf(clock())
    database.transaction(() => {
      const stillWaited = outbox.get(outboxId)?.state === 'waiting'
      if (settlement.outcome === 'sent') outbox.settle(outboxId, 'sent', at)
      else if (settlement.outcome === 'failed')
        outbox.settle(outboxId, 'failed', at, settlement.fault)
      else {
        const wait = { notBefore: instantOf(settlement.until), lastError: settlement.fault, at }
        if (settlement.outcome === 'held') outbox.hold(outboxId, wait)
        else outbox.postpone(outboxId, wait)
      }
      settlement.within?.(stillWaited)
    })
  }

  const stopListening = database.subscribe(`outbox ${kind}`, () => void setImmediate(wake))
  wake()

  return {
    wake,
    retry(outboxIds) {
      outbox.hasten(kind, instantOf(clock()), outboxIds)
      for (const [outboxId, { settlement }] of unwritten)
        if ('until' in settlement && (!outboxIds || outboxIds.includes(outboxId)))
          unwritten.delete(outboxId)
      wake()
    },
    async settled() {
      await nextTurn()
      while (looking || underWay.size > 0)
        await Promise.all([looking, ...[...underWay.values()].map(({ done }) => done)])
    },
    async [Symbol.asyncDispose]() {
      stopListening()
      closing.abort()
      clearTimeout(timer)
      await looking
      await Promise.all([...underWay.values()].map(({ done }) => done))
      // What a restart finds without its record is delivered again.
      writeAgain()
    },
  }
}

/** When the row is to be delivered again; never where it was sent or given up. */
const untilOf = (settlement: Settlement): number =>
  'until' in settlement ? settlement.until : Number.POSITIVE_INFINITY
