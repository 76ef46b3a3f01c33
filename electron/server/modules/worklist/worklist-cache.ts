import { createHash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import { readAnswerWithNotes } from '#server/webhooks/answer.ts'
import { type PartnerReply, type ReadableReply, WebhookError } from '#server/webhooks/request.ts'
import type { AnswerNote } from '#shared/contract/events.ts'
import type { SettingKey, SettingValue } from '#shared/contract/settings.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import type { AnswerSource } from '#shared/contract/worklist.ts'
import { type AnswerRows, checkSteps, keptItems, readRows } from './answer.ts'
import { byteCache } from './byte-cache.ts'
import type { AnswerKey, AnswerRecord } from './cached-answer-queries.ts'
import type { Downtime } from './downtime.ts'
import { FAULTS } from './faults.ts'
import type { ItemContext } from './item.ts'
import { openFlights } from './single-flight.ts'

/**
 * `Requester.request` for `modality_worklist.requested`. Rejects with `WebhookError`, or with the
 * reason of the signal.
 */
export type AskPartner = <T>(
  question: WorklistQuestion,
  options: {
    readonly signal: AbortSignal
    readonly budgetMs: number
    readonly accept: (reply: ReadableReply) => T
  },
) => Promise<T>

/** An answer of the partner, read. */
export interface Answer {
  /** SHA-256 of the body, where `documents` keeps it. */
  readonly hash: string
  readonly list: AnswerRows
  readonly context: ItemContext
  /** Tells one `list` from another. */
  readonly listId: number
  /** Milliseconds since 1970. */
  readonly receivedAt: number
}

/** A call to the partner as the inspector shows it. */
export interface PartnerCall {
  readonly webhookId: string
  readonly httpStatus: number | null
  readonly bytes: number
  readonly detail: string
  readonly answeredAt: string | null
}

/** An answer and how it was come by. */
export interface Answered {
  readonly source: Exclude<AnswerSource, 'none'>
  readonly answer: Answer
  readonly call: PartnerCall
  /** Null where the partner was not called for this query. */
  readonly partnerMs: number | null
  /** What kept the partner from answering, where a stored answer is used. */
  readonly failure: WebhookError | undefined
}

export interface AnswersDeps {
  readonly store: Pick<Context, 'database' | 'documents' | 'answers'>
  readonly clock: () => number
  readonly uuid: () => string
  readonly setting: <K extends SettingKey>(key: K) => SettingValue<K>
  readonly downtime: Pick<Downtime, 'current' | 'end'>
  readonly askPartner: AskPartner
  /** The partner answered: so many rows came, so many of them can be sent to nobody. */
  readonly onAnswered?: (webhookId: string, rows: number, withheld: number) => void
  /** An error of ours; the answer is served all the same. */
  readonly onError?: (reference: string, error: unknown) => void
}

interface Read {
  readonly list: AnswerRows
  /** What in the answer is not as agreed. */
  readonly notes: readonly AnswerNote[]
  readonly listId: number
}

/** An answer that is being read, or has been; its notes are known at once. */
interface Reading {
  readonly notes: readonly AnswerNote[]
  readonly read: Read | Promise<Read>
}

/** A good answer that is to be written as soon as the disk takes it. */
interface UnwrittenAnswer {
  readonly key: string
  readonly record: AnswerRecord
  readonly body: Buffer
}

/** The latest live answer to a question, with its body for comparison. */
interface Latest extends Read {
  readonly body: Buffer
  readonly answered: Answered
}

/** Memory for answers. */
const MOST_BYTES = 64 << 20
/** What an answer takes with its rows, in bytes of its body. */
const ROWS_AND_BODY = 3
/** Of bodies that wait for the disk. */
const MOST_UNWRITTEN_BYTES = 32 << 20
const MINUTE = 60_000
/** A stored answer that is from the future by more than this has no age that can be told. */
const CLOCK_SLACK = MINUTE

/**
 * The partner's answers (dicom-field §7.3). A live answer always wins; the same question in flight
 * is asked once; within `worklist.freshSeconds` it is not asked again; the last good answer is kept
 * before it is used, and serves only when a call fails and only while it is young enough. Where the
 * disk does not take it, it is served all the same, and is kept in memory in its place.
 */
export function openAnswers({
  store,
  clock,
  uuid,
  setting,
  downtime,
  askPartner,
  onAnswered,
  onError,
}: AnswersDeps) {
  const latest = byteCache<Latest>(MOST_BYTES, clock)
  const lists = byteCache<Read>(MOST_BYTES / 2, clock)
  const underWay = new Map<string, Reading>()
  /** Lists that some query still needs. */
  const inUse = new Map<string, Omit<Read, 'list'> & { readonly list: WeakRef<AnswerRows> }>()
  const flights = openFlights<Answered>()
  /**
   * Good answers that the disk did not take, and AE titles whose stored answers it did not let go
   * of, with the instant up to which they are void.
   */
  const unwritten = new Map<string, UnwrittenAnswer>()
  const voided = new Map<string, number>()
  let listsRead = 0

  /** @param device modality of the device that asks, '' for none */
  async function answerTo(
    question: WorklistQuestion,
    device: string,
    signal: AbortSignal,
  ): Promise<Answered> {
    const key = keyOf(question, device)
    const known = latest.get(key)
    const age = known ? clock() - known.answered.answer.receivedAt : 0
    if (known && age >= 0 && age < setting('worklist.freshSeconds') * 1000)
      return { ...known.answered, source: 'fresh', partnerMs: null }
    const isShared = flights.isUnderWay(key)
    try {
      const answered = await flights.join(key, (work) => ask(key, question, device, work), signal)
      return isShared ? { ...answered, source: 'shared' } : answered
    } catch (error) {
      if (!(error instanceof WebhookError) || error.fault === 'refused') throw error
      const stored = await storedAnswer(question, device)
      if (!stored) throw error
      return { ...stored, call: callOf(error), partnerMs: partnerMsOf(error), failure: error }
    }
  }

  async function ask(
    key: string,
    question: WorklistQuestion,
    device: string,
    signal: AbortSignal,
  ): Promise<Answered> {
    const before = latest.get(key)
    const context = contextOf(question, device)
    const budgetMs = setting('worklist.budgetSeconds') * 1000
    try {
      const { reply, hash, reading } = await askPartner(question, {
        signal,
        budgetMs,
        accept: (reply) => {
          const isSame = before?.body.equals(reply.body)
          const hash = before && isSame ? before.answered.answer.hash : hashOf(reply.body)
          const reading =
            before && isSame
              ? { notes: before.notes, read: before }
              : listOf(hash, context, reply.body)
          for (const { path, sentence } of reading.notes) reply.note(path, sentence)
          return { reply, hash, reading: reading.read }
        },
      })
      const read = await reading
      const { rows } = read.list
      onAnswered?.(
        reply.webhookId,
        rows.length,
        rows.filter(({ withheld }) => withheld !== '').length,
      )
      await keep(question, reply, read, hash)
      const answer: Answer = {
        hash,
        list: read.list,
        listId: read.listId,
        context,
        receivedAt: reply.answeredAt,
      }
      const answered: Answered = {
        source: 'live',
        answer,
        call: callOf(reply),
        partnerMs: reply.tookMs,
        failure: undefined,
      }
      latest.set(
        key,
        { ...read, body: reply.body, answered },
        reply.body.length * ROWS_AND_BODY + 4096,
      )
      lists.set(listKey(hash, context), read, reply.body.length * ROWS_AND_BODY)
      if (downtime.current().isOn) tryWrite(() => void downtime.end('gateway'))
      return answered
    } catch (error) {
      if (error instanceof WebhookError) await failed(question, error)
      throw error
    }
  }

  /**
   * Durable before it is used. An answer of which no row is fit is no good answer: it does not take
   * the place of one.
   */
  async function keep(
    question: WorklistQuestion,
    reply: PartnerReply,
    read: Read,
    hash: string,
  ): Promise<void> {
    const { rows } = read.list
    const isGood = rows.length === 0 || rows.some(({ withheld }) => withheld === '')
    const { callingAe, dateStart, dateEnd, modality = null } = question
    const record = {
      callingAe,
      dateStart,
      dateEnd,
      modality,
      documentHash: hash,
      receivedAt: instantOf(reply.answeredAt),
      items: rows.length,
    }
    const earlier = [...unwritten.values()]
    const voids = [...voided.keys()]
    try {
      await store.database.commitSoon(() => {
        for (const ae of voids) store.answers.forget(ae)
        for (const { body, record } of earlier) {
          store.documents.keep(body)
          store.answers.put(record)
        }
        store.documents.keep(reply.body)
        if (isGood) store.answers.put(record)
      })
      for (const ae of voids) voided.delete(ae)
      for (const one of earlier) if (unwritten.get(one.key) === one) unwritten.delete(one.key)
    } catch (error) {
      sayUnlessDisk(error)
      if (isGood) holdUnwritten({ key: keyOfRecord(record), record, body: reply.body })
    }
  }

  /**
   * Serving comes first, whatever a record fails of. What is wrong with the disk is said by its
   * write health; any other error is one of ours.
   */
  function sayUnlessDisk(error: unknown): void {
    if (diskFaultKind(error) === undefined) onError?.(uuid().slice(0, 8), error)
  }

  function holdUnwritten(answer: UnwrittenAnswer): void {
    unwritten.delete(answer.key)
    unwritten.set(answer.key, answer)
    let bytes = 0
    // The newest first: what has no room is the oldest.
    for (const [key, { body }] of [...unwritten].reverse()) {
      bytes += body.length
      if (bytes > MOST_UNWRITTEN_BYTES && key !== answer.key) unwritten.delete(key)
    }
  }

  /** As `answers.covering`, of what the disk did not take. */
  function unwrittenFor({
    callingAe,
    dateStart,
    dateEnd,
    modality,
  }: AnswerKey): UnwrittenAnswer | undefined {
    return [...unwritten.values()]
      .filter(
        ({ record }) =>
          record.callingAe === callingAe &&
          record.dateStart <= dateStart &&
          record.dateEnd >= dateEnd,
      )
      .filter(({ record }) => record.modality === null || record.modality === modality)
      .sort((a, b) => (a.record.receivedAt < b.record.receivedAt ? 1 : -1))[0]
  }

  async function failed({ callingAe }: WorklistQuestion, error: WebhookError): Promise<void> {
    if (error.fault !== 'refused') return
    // Rows that this AE may no longer have are not kept for it.
    latest.forget((key) => key.startsWith(`${callingAe}\n`))
    for (const [key, { record }] of unwritten)
      if (record.callingAe === callingAe) unwritten.delete(key)
    voided.set(callingAe, clock())
    try {
      await store.database.commitSoon(() => store.answers.forget(callingAe))
      voided.delete(callingAe)
    } catch (fault) {
      sayUnlessDisk(fault)
    }
  }

  async function storedAnswer(
    question: WorklistQuestion,
    device: string,
  ): Promise<Pick<Answered, 'source' | 'answer'> | undefined> {
    const { callingAe, dateStart, dateEnd, modality = null } = question
    const stored = store.answers.covering({ callingAe, dateStart, dateEnd, modality })
    const held = unwrittenFor({ callingAe, dateStart, dateEnd, modality })
    const record =
      held && !(stored && stored.receivedAt > held.record.receivedAt) ? held.record : stored
    if (!record) return undefined
    const receivedAt = msOf(record.receivedAt)
    const source = tierOf(receivedAt)
    if (!source || receivedAt <= (voided.get(callingAe) ?? Number.NEGATIVE_INFINITY))
      return undefined
    const context = contextOf(record, device)
    const read =
      record === held?.record
        ? await listOf(record.documentHash, context, held.body).read
        : await keptList(record.documentHash, context)
    if (!read) return undefined
    return {
      source,
      answer: {
        hash: record.documentHash,
        list: read.list,
        listId: read.listId,
        context,
        receivedAt,
      },
    }
  }

  /** The rows of an answer as `documents` keeps it; undefined where it is kept no more. */
  async function keptList(documentHash: string, context: ItemContext): Promise<Read | undefined> {
    const key = listKey(documentHash, context)
    const known = lists.get(key) ?? readInUse(key)
    if (known) return known
    const body = store.documents.read(documentHash)
    if (!body) return undefined
    const items = keptItems(body)
    if (!items) return undefined
    const read = await readList({ items, notes: [] }, context)
    lists.set(key, read, body.length * ROWS_AND_BODY)
    return read
  }

  /** Whether an answer of that age may be served now, and as what. */
  function tierOf(receivedAt: number): 'stored' | 'downtime' | undefined {
    const now = clock()
    const age = now - receivedAt
    if (age < -CLOCK_SLACK) return undefined
    if (age <= setting('worklist.storedMinutes') * MINUTE) return 'stored'
    const zone = timeZoneOf(setting('clinic.timeZone'))
    const isToday = wallClock(receivedAt, zone).day === wallClock(now, zone).day
    return isToday &&
      age <= setting('worklist.downtimeHours') * 60 * MINUTE &&
      downtime.current().isOn
      ? 'downtime'
      : undefined
  }

  /**
   * Several consoles are often told the same at once: it is read once, also where it is too long to
   * be kept.
   */
  function listOf(hash: string, context: ItemContext, body: Buffer): Reading {
    const key = listKey(hash, context)
    const known = lists.get(key) ?? readInUse(key)
    if (known) return { notes: known.notes, read: known }
    const shared = underWay.get(key)
    if (shared) return shared
    const noted = itemsOf(body)
    const read = readList(noted, context)
      .then((done) => {
        for (const [other, { list }] of inUse) if (!list.deref()) inUse.delete(other)
        inUse.set(key, { ...done, list: new WeakRef(done.list) })
        return done
      })
      .finally(() => underWay.delete(key))
    const reading = { notes: noted.notes, read }
    underWay.set(key, reading)
    return reading
  }

  function readInUse(key: string): Read | undefined {
    const known = inUse.get(key)
    const list = known?.list.deref()
    return known && list && { ...known, list }
  }

  async function readList({ items, notes }: NotedItems, context: ItemContext): Promise<Read> {
    const listId = ++listsRead
    return { list: await readRows(items, context), listId, notes }
  }

  return {
    answerTo,
    keptList: async (hash: string, context: ItemContext) => (await keptList(hash, context))?.list,
  }
}
export type Answers = ReturnType<typeof openAnswers>

interface NotedItems {
  readonly items: readonly unknown[]
  readonly notes: readonly AnswerNote[]
}

function itemsOf(body: Buffer): NotedItems {
  const { answer, notes } = readAnswerWithNotes('modality_worklist.requested', body)
  checkSteps(answer.items)
  return { items: answer.items, notes }
}

const keyOfRecord = ({ callingAe, dateStart, dateEnd, modality }: AnswerKey): string =>
  [callingAe, dateStart, dateEnd, modality].join('\n')

const hashOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex')

/** Milliseconds of a failed call, null where there was none. */
export const partnerMsOf = ({ fault, tookMs }: WebhookError): number | null =>
  FAULTS[fault].wasCalled ? tookMs : null

const keyOf = (
  { callingAe, sourceIp, dateStart, dateEnd, modality = '' }: WorklistQuestion,
  device: string,
): string => [callingAe, sourceIp, dateStart, dateEnd, modality, device].join('\n')

interface Asked {
  readonly dateStart: string
  readonly dateEnd: string
  readonly modality?: string | null | undefined
}

const contextOf = ({ dateStart, dateEnd, modality }: Asked, device: string): ItemContext => ({
  dateStart,
  dateEnd,
  modality: modality ?? device,
})

const listKey = (hash: string, { dateStart, dateEnd, modality }: ItemContext): string =>
  [hash, dateStart, dateEnd, modality].join('\n')

export function callOf(call: PartnerReply | WebhookError): PartnerCall {
  const { webhookId, httpStatus, bytes } = call
  const isFailure = call instanceof WebhookError
  return {
    webhookId,
    httpStatus,
    bytes,
    detail: isFailure ? call.detail : '',
    answeredAt: isFailure ? null : instantOf(call.answeredAt),
  }
}
