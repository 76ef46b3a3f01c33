import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Context } from '#server/context.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import { readAnswerWithNotes } from '#server/webhooks/answer.ts'
import { type PartnerReply, type Requester, WebhookError } from '#server/webhooks/request.ts'
import type { AnswerNote } from '#shared/contract/events.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import type { AnswerSource, Inspection } from '#shared/contract/worklist.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type AnswerRows, checkSteps, keptItems, readRows } from './answer.ts'
import { currentDowntime, endDowntime } from './downtime.ts'
import { FAULTS } from './faults.ts'
import type { AskedFor } from './item.ts'
import { type AnswerKey, readDocument } from './queries.ts'
import { SingleFlight } from './single-flight.ts'
import { StoredAnswers } from './stored-answers.ts'

/** An answer of the partner, read. */
export interface Answer {
  /** SHA-256 of the body, under which it is kept as a document. */
  readonly hash: string
  readonly list: AnswerRows
  readonly askedFor: AskedFor
  /** Milliseconds since 1970. */
  readonly receivedAt: number
}

/** A call to the partner as the inspector shows it. */
export type PartnerCall = NonNullable<Inspection['partner']>

/** An answer and how it was obtained. */
export interface Answered {
  readonly source: Exclude<AnswerSource, 'none'>
  readonly answer: Answer
  readonly call: PartnerCall
  /** Null where the partner was not called for this query. */
  readonly partnerMs: number | null
  /** What kept the partner from answering, where a stored answer is used. */
  readonly failure: WebhookError | undefined
}

/** The rows of an answer, with what in the answer is not as agreed. */
interface ReadAnswer {
  readonly list: AnswerRows
  readonly notes: readonly AnswerNote[]
}

/** An answer whose rows may still be read; its notes are known at once. */
interface Reading {
  readonly list: AnswerRows | Promise<AnswerRows>
  readonly notes: readonly AnswerNote[]
}

/** The latest live answer to a question, with its body for comparison. */
interface Latest extends ReadAnswer {
  readonly body: Buffer
  readonly answered: Answered
}

const MOST_BYTES = 64 << 20
/** What an answer takes with its rows, as a multiple of its body. */
const ROWS_AND_BODY = 3
const MINUTE = 60_000
/** The age of a stored answer from further in the future than this is unknown. */
const CLOCK_SLACK = MINUTE

/**
 * The partner's answers. A live answer always wins; the same question is asked once at a time, and
 * not again within `worklist.freshSeconds`. The last good answer is stored before it is used, and
 * serves only when a call fails and only while it is young enough.
 */
export class WorklistCache {
  readonly #context: Context
  readonly #requester: Requester
  readonly #eventLog: EventLog
  readonly #stored: StoredAnswers
  /** What is larger than half of a cache is not kept in it. */
  readonly #latest = new LRUCache<string, Latest>({
    maxSize: MOST_BYTES,
    maxEntrySize: MOST_BYTES / 2,
  })
  readonly #lists = new LRUCache<string, ReadAnswer>({
    maxSize: MOST_BYTES / 2,
    maxEntrySize: MOST_BYTES / 4,
  })
  readonly #beingRead = new Map<string, Reading>()
  /** Lists that some query still uses, among them those that are too long for `#lists`. */
  readonly #inUse = new Map<string, Pick<Reading, 'notes'> & { list: WeakRef<AnswerRows> }>()
  readonly #calls = new SingleFlight<Answered>()

  constructor(context: Context, requester: Requester, eventLog: EventLog) {
    this.#context = context
    this.#requester = requester
    this.#eventLog = eventLog
    this.#stored = new StoredAnswers(context)
  }

  /**
   * Rejects with `WebhookError`, or with the reason of the signal.
   * @param device modality of the device that asks, '' for none
   */
  async answerTo(
    question: WorklistQuestion,
    device: string,
    signal: AbortSignal,
  ): Promise<Answered> {
    const { callingAe, sourceIp, dateStart, dateEnd, modality = '' } = question
    const key = [callingAe, sourceIp, dateStart, dateEnd, modality, device].join('\n')
    const known = this.#latest.get(key)
    const age = known ? this.#context.clock() - known.answered.answer.receivedAt : 0
    if (known && age >= 0 && age < this.#context.settings.get('worklist.freshSeconds') * 1000)
      return { ...known.answered, source: 'fresh', partnerMs: null }
    const isShared = this.#calls.isUnderWay(key)
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
  ): Promise<Answered> {
    const { settings } = this.#context
    const before = this.#latest.get(key)
    const askedFor = askedForOf(question, device)
    try {
      const { reply, hash, reading } = await this.#requester.request(
        'modality_worklist.requested',
        question,
        {
          signal,
          budgetMs: settings.get('worklist.budgetSeconds') * 1000,
          accept: (reply) => {
            const same = before?.body.equals(reply.body) ? before : undefined
            const hash =
              same?.answered.answer.hash ?? createHash('sha256').update(reply.body).digest('hex')
            const reading = same ?? this.#read(hash, askedFor, reply.body)
            for (const { path, sentence } of reading.notes) reply.note(path, sentence)
            return { reply, hash, reading }
          },
        },
      )
      const list = await reading.list
      const withheld = list.rows.filter((row) => row.withheld !== null).length
      this.#eventLog.setEffect(reply.webhookId, effectOf(list.rows.length, withheld))
      await this.#store(question, reply, list.rows.length, withheld, hash)
      const answered: Answered = {
        source: 'live',
        answer: { hash, list, askedFor, receivedAt: reply.answeredAt },
        call: callOf(reply),
        partnerMs: reply.tookMs,
        failure: undefined,
      }
      const size = reply.body.length * ROWS_AND_BODY
      const { notes } = reading
      this.#latest.set(key, { list, notes, body: reply.body, answered }, { size: size + 4096 })
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

  /** An answer of which no row is fit is no good answer. */
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

  /** Rows that this AE title may no longer have are not kept for it. */
  async #forget(callingAe: string): Promise<void> {
    for (const key of [...this.#latest.keys()])
      if (key.startsWith(`${callingAe}\n`)) this.#latest.delete(key)
    await this.#stored.forget(callingAe)
  }

  async #storedAnswer(
    question: WorklistQuestion,
    device: string,
  ): Promise<Pick<Answered, 'source' | 'answer'> | undefined> {
    const found = this.#stored.find(answerKeyOf(question))
    if (!found) return undefined
    const hash = found.record.documentHash
    const receivedAt = msOf(found.record.receivedAt)
    const source = this.#tierOf(receivedAt)
    if (!source) return undefined
    const askedFor = askedForOf(found.record, device)
    const list = found.body
      ? await this.#read(hash, askedFor, found.body).list
      : await this.rowsOf(hash, askedFor)
    return list && { source, answer: { hash, list, askedFor, receivedAt } }
  }

  /** Whether an answer of that age may be served now, and as what. */
  #tierOf(receivedAt: number): 'stored' | 'downtime' | undefined {
    const { clock, settings } = this.#context
    const age = clock() - receivedAt
    if (age < -CLOCK_SLACK) return undefined
    if (age <= settings.get('worklist.storedMinutes') * MINUTE) return 'stored'
    const zone = timeZoneOf(settings.get('clinic.timeZone'))
    const isToday = wallClock(receivedAt, zone).day === wallClock(clock(), zone).day
    const isRecent = age <= settings.get('worklist.downtimeHours') * 60 * MINUTE
    return isToday && isRecent && currentDowntime(this.#context).isOn ? 'downtime' : undefined
  }

  /** The rows of an answer that is kept as a document; undefined where it is kept no more. */
  async rowsOf(documentHash: string, askedFor: AskedFor): Promise<AnswerRows | undefined> {
    const key = listKey(documentHash, askedFor)
    const known = this.#known(key)
    if (known) return known.list
    const body = readDocument(this.#context, documentHash)
    const items = body && keptItems(body)
    if (!items) return undefined
    const list = await readRows(items, askedFor)
    this.#lists.set(key, { list, notes: [] }, { size: body.length * ROWS_AND_BODY })
    return list
  }

  /**
   * Several consoles often get the same answer at once: it is read once, also where it is too long
   * to be kept.
   */
  #read(hash: string, askedFor: AskedFor, body: Buffer): Reading {
    const key = listKey(hash, askedFor)
    const known = this.#known(key) ?? this.#beingRead.get(key)
    if (known) return known
    const { answer, notes } = readAnswerWithNotes('modality_worklist.requested', body)
    checkSteps(answer.items)
    const list = readRows(answer.items, askedFor)
      .then((rows) => {
        for (const [other, { list }] of this.#inUse) if (!list.deref()) this.#inUse.delete(other)
        this.#inUse.set(key, { notes, list: new WeakRef(rows) })
        return rows
      })
      .finally(() => this.#beingRead.delete(key))
    const reading = { notes, list }
    this.#beingRead.set(key, reading)
    return reading
  }

  #known(key: string): ReadAnswer | undefined {
    const known = this.#lists.get(key)
    if (known) return known
    const used = this.#inUse.get(key)
    const list = used?.list.deref()
    return used && list && { notes: used.notes, list }
  }
}

/** Milliseconds of a failed call, null where there was none. */
export const partnerMsOf = ({ fault, tookMs }: WebhookError): number | null =>
  FAULTS[fault].wasCalled ? tookMs : null

const answerKeyOf = ({ callingAe, dateStart, dateEnd, modality }: WorklistQuestion): AnswerKey => ({
  callingAe,
  dateStart,
  dateEnd,
  modality: modality ?? null,
})

/** @param device its modality, which stands in where the question names none */
const askedForOf = (
  {
    dateStart,
    dateEnd,
    modality,
  }: Pick<WorklistQuestion, 'dateStart' | 'dateEnd'> & {
    readonly modality?: string | null | undefined
  },
  device: string,
): AskedFor => ({ dateStart, dateEnd, modality: modality ?? device })

const listKey = (hash: string, { dateStart, dateEnd, modality }: AskedFor): string =>
  [hash, dateStart, dateEnd, modality].join('\n')

export function callOf(call: PartnerReply | WebhookError): PartnerCall {
  const { webhookId, httpStatus, bytes } = call
  return call instanceof WebhookError
    ? { webhookId, httpStatus, bytes, detail: call.detail, answeredAt: null }
    : { webhookId, httpStatus, bytes, detail: null, answeredAt: instantOf(call.answeredAt) }
}

/**
 * What an answer led to, for the record of its event; why rows are withheld is in the inspection of
 * the query.
 */
export const effectOf = (exams: number, withheld: number): Message =>
  message('worklist.effect', { exams, withheld })
