import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { reportError } from '#server/platform/log.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import { type Message, message } from '#shared/messages/message.ts'
import {
  findOutboxJob,
  hastenOutboxJobs,
  holdOutboxJob,
  listDueOutboxJobs,
  nextOutboxDue,
  type OutboxRecord,
  type OutboxRow,
  postponeOutboxJob,
  settleOutboxJob,
} from './outbox-queries.ts'
import { RETRY_SCHEDULES, waitAfter } from './retry-schedules.ts'
import { EVERY_GROUP, Worker } from './worker.ts'

/** Rows looked at before the event loop is let through. */
const PAGE = 200
/** Settlements kept in memory while the disk takes no records; with so many no row is taken up. */
const MOST_UNWRITTEN = 1000
const OWN_FAULT = message('jobs.internal-error')

/** A row that cannot go out before that time, in milliseconds since 1970. */
export interface Held {
  readonly until: number
  readonly fault: Message
}

/**
 * What became of a row. sent and failed settle it; postponed counts an attempt; held does not: it
 * cannot go out now. A fault never names a patient or an address. `within` runs in the transaction
 * that writes it, with whether the row still waited: a person may have dropped it meanwhile.
 */
export type Settlement = (
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'failed'; readonly fault: Message }
  | ({ readonly outcome: 'postponed' | 'held' } & Held)
) & { readonly within?: (stillWaited: boolean) => void }

type Deliver = (row: OutboxRow<unknown>, signal: AbortSignal) => Promise<Settlement>

interface Finished {
  readonly row: OutboxRecord
  readonly settlement: Settlement
}

/**
 * Works off the rows of one kind, each until it is sent, dropped or given up. What is under way
 * when the gateway ends still waits at the next start.
 */
export class OutboxWorker implements AsyncDisposable {
  readonly #context: Context
  readonly #kind: string
  readonly #deliver: Deliver
  readonly #atOnce: number
  readonly #groupOf: (row: OutboxRecord) => string | Held
  readonly #isIdle: () => boolean
  readonly #worker: Worker
  /**
   * By row, what the disk took no record of. A row that was sent or failed is not delivered again,
   * one that was postponed or held not before its time.
   */
  readonly #unwritten = new Map<number, Finished>()
  readonly #underWay = new Map<number, { readonly group: string; readonly done: Promise<void> }>()
  /**
   * When the last look began. A row that falls due while it goes on is not missed: the next wake-up
   * is for the first row due after it.
   */
  #lookedAt = ''

  /**
   * A throw of `deliver` is an internal error: the row is tried again after a while. `atOnce`: rows
   * of a group under way at the same time. `groupOf`: what the row shares its places with, such as
   * where it goes. While `isIdle`, nothing is taken up; `retry` ends the wait.
   */
  constructor(
    context: Context,
    kind: string,
    deliver: Deliver,
    atOnce = 1,
    groupOf: (row: OutboxRecord) => string | Held = () => '',
    isIdle = () => false,
  ) {
    this.#context = context
    this.#kind = kind
    this.#deliver = deliver
    this.#atOnce = atOnce
    this.#groupOf = groupOf
    this.#isIdle = isIdle
    this.#worker = new Worker(
      context,
      () => this.#nextDue(),
      (signal, groups) => this.#takeUp(signal, groups),
      `outbox ${kind}`,
    )
    this.#worker.wake()
  }

  #nextDue(): string | undefined {
    if (this.#isIdle() || this.#unwritten.size >= MOST_UNWRITTEN) return undefined
    const next = nextOutboxDue(this.#context.database, this.#kind, this.#lookedAt)
    const untils = [...this.#unwritten.values()].flatMap(({ settlement }) =>
      'until' in settlement ? [instantOf(settlement.until)] : [],
    )
    return [...(next === undefined ? [] : [next]), ...untils].sort()[0]
  }

  /** Takes up rows that are due, as long as one of the groups has a place free. */
  async #takeUp(signal: AbortSignal, groups: ReadonlySet<string>): Promise<void> {
    const { database, clock } = this.#context
    let after: OutboxRecord | undefined
    this.#lookedAt = instantOf(clock())
    this.#writeAgain()
    while (!signal.aborted && !this.#isIdle() && this.#unwritten.size < MOST_UNWRITTEN) {
      const rows = listDueOutboxJobs(database, this.#kind, this.#lookedAt, PAGE, after)
      const held = rows
        .filter(({ outboxId }) => !this.#underWay.has(outboxId) && !this.#isKept(outboxId))
        .flatMap((row) => this.#start(row, signal))
      // Without the record they are looked at again; others need not wait for it.
      if (held.length > 0)
        tryWrite(() => database.transaction(() => held.forEach((one) => void this.#write(one))))
      after = rows.at(-1)
      const isAnyFree =
        groups.has(EVERY_GROUP) || [...groups].some((group) => this.#hasPlace(group))
      if (rows.length < PAGE || !isAnyFree) return
      await nextTurn()
    }
  }

  #hasPlace = (group: string) =>
    [...this.#underWay.values()].filter((one) => one.group === group).length < this.#atOnce

  /** Writes what is in memory, all of it or nothing. */
  #writeAgain(): void {
    const { database } = this.#context
    // A transaction of somebody else may be rolled back after this.
    if (this.#unwritten.size === 0 || database.inTransaction) return
    const isWritten = tryWrite(() =>
      database.transaction(() => {
        for (const finished of this.#unwritten.values())
          try {
            this.#write(finished)
          } catch (error) {
            if (diskFaultKind(error) !== undefined) throw error
            // An internal error: the row waits on as it was, and the others are written.
            reportError(this.#context, error)
          }
      }),
    )
    if (isWritten) this.#unwritten.clear()
  }

  /** Whether the row is not to be delivered now because of what is in memory. */
  #isKept(outboxId: number): boolean {
    const kept = this.#unwritten.get(outboxId)
    if (kept && untilOf(kept.settlement) <= this.#context.clock()) this.#unwritten.delete(outboxId)
    return this.#unwritten.has(outboxId)
  }

  /** Takes the row up, or says why it is to wait. */
  #start(row: OutboxRow<unknown>, signal: AbortSignal): readonly Finished[] {
    const group = this.#groupOf(row)
    if (typeof group !== 'string') return [{ row, settlement: { outcome: 'held', ...group } }]
    const isFull = this.#unwritten.size + this.#underWay.size >= MOST_UNWRITTEN
    if (!this.#hasPlace(group) || isFull) return []
    const done = this.#run(row, signal).then((isSettled) => {
      this.#underWay.delete(row.outboxId)
      // One that waits as it was is looked at again with the next timer.
      if (isSettled) this.#worker.wake(group)
    })
    this.#underWay.set(row.outboxId, { group, done })
    return []
  }

  /** False where it waits on as it was: we were ended, or there was an internal error. */
  async #run(row: OutboxRow<unknown>, signal: AbortSignal): Promise<boolean> {
    let settlement: Settlement | undefined
    try {
      settlement = await this.#settlementOf(row, signal)
      this.#write({ row, settlement })
      return true
    } catch (error) {
      if (!signal.aborted) reportError(this.#context, error)
      if (!settlement || diskFaultKind(error) === undefined) return false
      const { payload: _, ...record } = row
      this.#unwritten.set(row.outboxId, { row: record, settlement })
      return true
    }
  }

  async #settlementOf(row: OutboxRow<unknown>, signal: AbortSignal): Promise<Settlement> {
    try {
      return await this.#deliver(row, signal)
    } catch (error) {
      if (signal.aborted) throw error
      reportError(this.#context, error)
      const wait = waitAfter(RETRY_SCHEDULES.internalError, row.attempts + 1)
      return { outcome: 'postponed', until: this.#context.clock() + wait, fault: OWN_FAULT }
    }
  }

  #write({ row: { outboxId }, settlement }: Finished): void {
    const { database, clock } = this.#context
    const at = instantOf(clock())
    database.transaction(() => {
      const stillWaited = findOutboxJob(database, outboxId)?.state === 'waiting'
      if (settlement.outcome === 'sent') settleOutboxJob(database, outboxId, 'sent', at)
      else if (settlement.outcome === 'failed')
        settleOutboxJob(database, outboxId, 'failed', at, settlement.fault)
      else {
        const wait = { notBefore: instantOf(settlement.until), lastError: settlement.fault, at }
        if (settlement.outcome === 'held') holdOutboxJob(database, outboxId, wait)
        else postponeOutboxJob(database, outboxId, wait)
      }
      settlement.within?.(stillWaited)
    })
  }

  /** Looks for work now. */
  wake(): void {
    this.#worker.wake()
  }

  /** Lets everything that waits, or these rows, go out now. */
  retry(outboxIds?: readonly number[]): void {
    const { database, clock } = this.#context
    hastenOutboxJobs(database, this.#kind, instantOf(clock()), outboxIds)
    for (const [outboxId, { settlement }] of this.#unwritten)
      if ('until' in settlement && (!outboxIds || outboxIds.includes(outboxId)))
        this.#unwritten.delete(outboxId)
    this.#worker.wake()
  }

  /** Resolves when nothing is due any more and nothing is under way. */
  async settled(): Promise<void> {
    await this.#worker.settled()
    while (this.#underWay.size > 0) {
      await this.#allDone()
      await this.#worker.settled()
    }
  }

  #allDone = () => Promise.all([...this.#underWay.values()].map(({ done }) => done))

  async [Symbol.asyncDispose]() {
    await this.#worker[Symbol.asyncDispose]()
    await this.#allDone()
    // What a restart finds without its record is delivered again.
    this.#writeAgain()
  }
}

/** When the row is to be delivered again; never where it was sent or given up. */
const untilOf = (settlement: Settlement): number =>
  'until' in settlement ? settlement.until : Number.POSITIVE_INFINITY
