import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { freeBuffer } from '#server/platform/free-buffer.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import { readAnswerWithNotes } from '#server/webhooks/answer.ts'
import { type PartnerReply, type Requester, WebhookError } from '#server/webhooks/request.ts'
import { MAX_STORED_BYTES } from '#server/webhooks/response-body.ts'
import type { AnswerNote } from '#shared/contract/events.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import type { AnswerSource, Inspection } from '#shared/contract/worklist.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type AnswerRows, checkStepCount, parseStoredItems, readRows } from './answer.ts'
import { currentDowntime, endDowntime } from './downtime.ts'
import { FAULTS } from './faults.ts'
import type { RequestScope } from './item.ts'
import { type AnswerKey, readDocument } from './queries.ts'
import { SingleFlight } from './single-flight.ts'
import { StoredAnswers } from './stored-answers.ts'

/** A parsed answer of the partner. */
export interface Answer {
  /** SHA-256 of the body, under which it is stored as a document. */
  readonly hash: string
  readonly list: AnswerRows
  readonly askedFor: RequestScope
  /** Milliseconds since 1970. */
  readonly receivedAt: number
}

/** A request to the partner as the inspector shows it. */
export type PartnerCall = NonNullable<Inspection['partner']>

/** An answer and how it was obtained. */
export interface ServedAnswer {
  readonly source: Exclude<AnswerSource, 'none'>
  readonly answer: Answer
  readonly call: PartnerCall
  /** Null if no request was sent for this query. */
  readonly partnerMs: number | null
  /** Why the partner did not answer, if a stored answer is used. */
  readonly failure: WebhookError | undefined
}

/** The rows of an answer, and notes on what does not conform to the interface. */
interface ParsedAnswer {
  readonly list: AnswerRows
  readonly notes: readonly AnswerNote[]
}

/** An answer whose rows may still be being parsed; its notes are already complete. */
interface PendingAnswer {
  readonly list: AnswerRows | Promise<AnswerRows>
  readonly notes: readonly AnswerNote[]
}

/** The latest live answer to a request, with its body for comparison. */
interface LatestAnswer extends ParsedAnswer {
  readonly body: Buffer
  readonly answered: ServedAnswer
}

const MAX_CACHE_BYTES = 64 << 20
/** Estimated memory of an answer with its rows, as a multiple of its body. */
const MEMORY_FACTOR = 3
const MINUTE_MS = 60_000
/** A stored answer from further in the future than this has an unknown age and is not used. */
const MAX_CLOCK_SKEW_MS = MINUTE_MS

/**
 * The partner's answers. Identical requests share one call, and a request is not repeated within
 * `worklist.freshSeconds`. A valid answer is stored before it is used. A stored answer is served
 * only if the call fails, and only within the configured age.
 */
export class WorklistCache {
  readonly #context: Context
  readonly #requester: Requester
  readonly #eventLog: EventLog
  readonly #stored: StoredAnswers
  /** Entries larger than half of the cache are not cached. */
  readonly #latest = new LRUCache<string, LatestAnswer>({
    maxSize: MAX_CACHE_BYTES,
    maxEntrySize: MAX_CACHE_BYTES / 2,
  })
  readonly #lists = new LRUCache<string, ParsedAnswer>({
    maxSize: MAX_CACHE_BYTES / 2,
    maxEntrySize: MAX_CACHE_BYTES / 4,
  })
  readonly #pending = new Map<string, PendingAnswer>()
  /** Lists that some query still uses, including those too large for `#lists`. */
  readonly #listsInUse = new Map<
    string,
    Pick<PendingAnswer, 'notes'> & { list: WeakRef<AnswerRows> }
  >()
  readonly #calls = new SingleFlight<ServedAnswer>()

  constructor(context: Context, requester: Requester, eventLog: EventLog) {
    this.#context = context
    this.#requester = requester
    this.#eventLog = eventLog
    this.#stored = new StoredAnswers(context)
  }

  /**
   * Returns the answer to a request. Rejects with `WebhookError`, or with the abort reason of the
   * signal.
   * @param device modality of the querying device; '' for none
   */
  async answerTo(
    question: WorklistQuestion,
    device: string,
    signal: AbortSignal,
  ): Promise<ServedAnswer> {
    const { callingAe, sourceIp, dateStart, dateEnd, modality = '' } = question
    const key = [callingAe, sourceIp, dateStart, dateEnd, modality, device].join('\n')
    const known = this.#latest.get(key)
    const age = known ? this.#context.clock() - known.answered.answer.receivedAt : 0
    if (known && age >= 0 && age < this.#context.settings.get('worklist.freshSeconds') * 1000)
      return { ...known.answered, source: 'fresh', partnerMs: null }
    const isShared = this.#calls.isInProgress(key)
    try {
      const answered = await this.#calls.join(
        key,
        (work) => this.#ask(key, question, device, work),
        signal,
      )
      return isShared ? { ...answered, source: 'shared' } : answered
    } catch (error) {
      if (!(error instanceof WebhookError) || error.fault === 'refused') throw error
      const stored = await this.#storedAnswer(question, device)
      if (!stored) throw error
      return { ...stored, call: callOf(error), partnerMs: partnerMsOf(error), failure: error }
    }
  }

  async #ask(
    key: string,
    question: WorklistQuestion,
    device: string,
    signal: AbortSignal,
  ): Promise<ServedAnswer> {
    const { settings } = this.#context
    const before = this.#latest.get(key)
    const askedFor = requestScopeOf(question, device)
    try {
      const { reply, hash, reading, body } = await this.#requester.request(
        'modality_worklist.requested',
        question,
        {
          signal,
          budgetMs: settings.get('worklist.budgetSeconds') * 1000,
          accept: (reply) => {
            const same = before?.body.equals(reply.body) ? before : undefined
            const hash =
              same?.answered.answer.hash ?? createHash('sha256').update(reply.body).digest('hex')
            const reading = same ?? this.#parse(hash, askedFor, reply.body)
            for (const { path, sentence } of reading.notes) reply.note(path, sentence)
            return { reply, hash, reading, body: same?.body ?? reply.body }
          },
        },
      )
      // Of a body this long, the record of the event has a copy of its beginning.
      if (body !== reply.body && body.length > MAX_STORED_BYTES) freeBuffer(reply.body)
      const list = await reading.list
      const withheld = list.rows.filter((row) => row.withheld !== null).length
      this.#eventLog.setEffect(reply.webhookId, effectOf(list.rows.length, withheld))
      await this.#store(question, { ...reply, body }, list.rows.length, withheld, hash)
      const answered: ServedAnswer = {
        source: 'live',
        answer: { hash, list, askedFor, receivedAt: reply.answeredAt },
        call: callOf(reply),
        partnerMs: reply.tookMs,
        failure: undefined,
      }
      const size = body.length * MEMORY_FACTOR
      const { notes } = reading
      this.#latest.set(key, { list, notes, body, answered }, { size: size + 4096 })
      this.#lists.set(listKey(hash, askedFor), { list, notes }, { size })
      if (currentDowntime(this.#context).isOn)
        tryWrite(() => void endDowntime(this.#context, 'gateway'))
      return answered
    } catch (error) {
      if (error instanceof WebhookError && error.fault === 'refused')
        await this.#forget(question.callingAe)
      throw error
    }
  }

  /** Stores an answer; it is valid if it is empty or has at least one valid row. */
  #store(
    question: WorklistQuestion,
    { answeredAt, body }: PartnerReply,
    items: number,
    withheld: number,
    documentHash: string,
  ): Promise<void> {
    const receivedAt = instantOf(answeredAt)
    const isGood = items === 0 || withheld < items
    const record = { ...answerKeyOf(question), documentHash, receivedAt, items }
    return this.#stored.keep(record, body, isGood)
  }

  /** Deletes the cached answers of an AE title that is no longer authorized to receive them. */
  async #forget(callingAe: string): Promise<void> {
    for (const key of [...this.#latest.keys()])
      if (key.startsWith(`${callingAe}\n`)) this.#latest.delete(key)
    await this.#stored.forget(callingAe)
  }

  async #storedAnswer(
    question: WorklistQuestion,
    device: string,
  ): Promise<Pick<ServedAnswer, 'source' | 'answer'> | undefined> {
    const found = this.#stored.find(answerKeyOf(question))
    if (!found) return undefined
    const hash = found.record.documentHash
    const receivedAt = msOf(found.record.receivedAt)
    const source = this.#sourceFor(receivedAt)
    if (!source) return undefined
    const askedFor = requestScopeOf(found.record, device)
    const list = found.body
      ? await this.#parse(hash, askedFor, found.body).list
      : await this.rowsOf(hash, askedFor)
    return list && { source, answer: { hash, list, askedFor, receivedAt } }
  }

  /** As what an answer of that age may be served now; undefined if it may not. */
  #sourceFor(receivedAt: number): 'stored' | 'downtime' | undefined {
    const { clock, settings } = this.#context
    const age = clock() - receivedAt
    if (age < -MAX_CLOCK_SKEW_MS) return undefined
    if (age <= settings.get('worklist.storedMinutes') * MINUTE_MS) return 'stored'
    const zone = timeZoneOf(settings.get('clinic.timeZone'))
    const isToday = wallClock(receivedAt, zone).day === wallClock(clock(), zone).day
    const isRecent = age <= settings.get('worklist.downtimeHours') * 60 * MINUTE_MS
    return isToday && isRecent && currentDowntime(this.#context).isOn ? 'downtime' : undefined
  }

  /** The rows of an answer that is stored as a document; undefined if it no longer exists. */
  async rowsOf(documentHash: string, askedFor: RequestScope): Promise<AnswerRows | undefined> {
    const key = listKey(documentHash, askedFor)
    const known = this.#cached(key)
    if (known) return known.list
    const body = readDocument(this.#context, documentHash)
    const items = body && parseStoredItems(body)
    if (!items) return undefined
    const list = await readRows(items, askedFor)
    this.#lists.set(key, { list, notes: [] }, { size: body.length * MEMORY_FACTOR })
    return list
  }

  /**
   * Parses an answer. Several devices often get the same answer at the same time; it is parsed once
   * even if it is too large to be cached.
   */
  #parse(hash: string, askedFor: RequestScope, body: Buffer): PendingAnswer {
    const key = listKey(hash, askedFor)
    const known = this.#cached(key) ?? this.#pending.get(key)
    if (known) return known
    const { answer, notes } = readAnswerWithNotes('modality_worklist.requested', body)
    checkStepCount(answer.items)
    const list = readRows(answer.items, askedFor)
      .then((rows) => {
        for (const [other, { list }] of this.#listsInUse)
          if (!list.deref()) this.#listsInUse.delete(other)
        this.#listsInUse.set(key, { notes, list: new WeakRef(rows) })
        return rows
      })
      .finally(() => this.#pending.delete(key))
    const reading = { notes, list }
    this.#pending.set(key, reading)
    return reading
  }

  #cached(key: string): ParsedAnswer | undefined {
    const known = this.#lists.get(key)
    if (known) return known
    const used = this.#listsInUse.get(key)
    const list = used?.list.deref()
    return used && list && { notes: used.notes, list }
  }
}

/** Duration of a failed call in milliseconds; null if no request was sent. */
export const partnerMsOf = ({ fault, tookMs }: WebhookError): number | null =>
  FAULTS[fault].wasCalled ? tookMs : null

const answerKeyOf = ({ callingAe, dateStart, dateEnd, modality }: WorklistQuestion): AnswerKey => ({
  callingAe,
  dateStart,
  dateEnd,
  modality: modality ?? null,
})

/** @param device the device's modality, used if the request specifies none */
const requestScopeOf = (
  {
    dateStart,
    dateEnd,
    modality,
  }: Pick<WorklistQuestion, 'dateStart' | 'dateEnd'> & {
    readonly modality?: string | null | undefined
  },
  device: string,
): RequestScope => ({ dateStart, dateEnd, modality: modality ?? device })

const listKey = (hash: string, { dateStart, dateEnd, modality }: RequestScope): string =>
  [hash, dateStart, dateEnd, modality].join('\n')

export function callOf(call: PartnerReply | WebhookError): PartnerCall {
  const { webhookId, httpStatus, bytes } = call
  return call instanceof WebhookError
    ? { webhookId, httpStatus, bytes, detail: call.detail, answeredAt: null }
    : { webhookId, httpStatus, bytes, detail: null, answeredAt: instantOf(call.answeredAt) }
}

/**
 * The effect of an answer for the event log; why rows are withheld is in the inspection of the
 * query.
 */
export const effectOf = (exams: number, withheld: number): Message =>
  message('worklist.effect', { exams, withheld })
