import type { CFindRequest, EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { DimseError, type DimseResult } from '#server/dicom/dimse/status.ts'
import type { NewFeedLine } from '#server/live-events/feed.ts'
import { addDays, wallClock } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { WebhookError } from '#server/webhooks/request.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { becauseOf, commentForRecord } from './faults.ts'
import type { NewInspection } from './inspection-queries.ts'
import type { WorklistQuery } from './query.ts'
import type { WorklistResult } from './result.ts'
import type { SharedDocument } from './verdicts.ts'
import { type Answered, partnerMsOf } from './worklist-cache.ts'

/** Who asks: a device over the network, or a user in a device's place. */
export interface Asker {
  readonly origin: 'device' | 'window'
  readonly device: Device | undefined
  readonly user: { readonly userId: string; readonly name: string } | undefined
}

/** What is known of a query so far; its record is made of this however it ends. */
export interface QueryRun {
  readonly at: number
  readonly request: CFindRequest
  readonly asker: Asker
  /** Clinic-local, `YYYY-MM-DD` and `HHMMSS`. */
  readonly now: { readonly day: string; readonly time: string }
  query?: WorklistQuery
  question?: WorklistQuestion
  answered?: Answered
  kept?: KeptResult
  final: DimseResult
  trouble?: { readonly error: unknown; readonly reference: string }
  /** When it has a record, or could not be recorded. */
  summary?: InspectionSummary
}

/** A result as it is kept for later queries, with what the inspector keeps of it. */
export interface KeptResult {
  readonly result: WorklistResult
  readonly document: SharedDocument
  readonly maxRows: number
  /** Those of the rows sent, made or still to be made. */
  readonly identifiers: Iterable<EncodedIdentifiers> | AsyncIterable<EncodedIdentifiers>
}

/** `final` until another is known: of a query that the console cancels, or that ends with it. */
export const CANCELLED: DimseResult = { status: 0xfe00 }

/** The inspection of a query that could not be recorded: no record has this id. */
export const UNRECORDED = 0

/**
 * The query as the inspector lists it; nothing about a patient in it. @param end milliseconds since
 * 1970, when the final was decided
 */
export function summaryOf(run: QueryRun, end: number, timeZone: string): NewInspection {
  const { at, request, asker, answered, kept, final, trouble } = run
  const { callingAeTitle, calledAeTitle, remoteAddress } = request.association
  const failure = trouble?.error instanceof WebhookError ? trouble.error : answered?.failure
  const isUnfit = final.status === 0xc002 && !trouble
  return {
    at: instantOf(at),
    origin: asker.origin,
    deviceName: asker.device?.name ?? '',
    callingAeTitle,
    calledAeTitle,
    remoteAddress,
    source: answered?.source ?? 'none',
    status: final.status.toString(16).padStart(4, '0').toUpperCase(),
    errorComment: commentForRecord(final, callingAeTitle),
    fault: failure?.fault ?? (isUnfit ? 'invalid' : null),
    sent: kept?.result.sent ?? 0,
    filtered: (kept?.result.filtered ?? 0) + (kept?.result.cut ?? 0),
    withheld: kept?.result.withheld ?? 0,
    tookMs: end - at,
    partnerMs: answered ? answered.partnerMs : failure ? partnerMsOf(failure) : null,
    sentence: sentenceOf(run, timeZone),
  }
}

/**
 * One sentence for a technologist: who asked for what, what the partner did, what was sent. No
 * value of a key and no value of a row is ever in it.
 */
export function sentenceOf(run: QueryRun, timeZone: string): Message {
  const { request, asker, query, answered, kept, final, now } = run
  const { error, reference } = run.trouble ?? {}
  const device = asker.device?.name || request.association.callingAeTitle
  const who = asker.user ? message('worklist.asked-by', { device, user: asker.user.name }) : device
  if (error instanceof DimseError)
    return message('worklist.asked-unreadably', { who, why: error.explanation })
  const list = query ? listWords(query, now.day) : message('worklist.the-worklist')
  if (error instanceof WebhookError)
    return message('worklist.failed', { who, list, why: becauseOf(error.fault, error.detail) })
  if (reference !== undefined) return message('worklist.failed-here', { who, list, reference })
  if (!answered || !kept) return message('worklist.cancelled-early', { who, list })
  const answer = sourceWords(answered, run.at, timeZone)
  const end =
    final === CANCELLED
      ? message('worklist.cancelled-midway')
      : sentWords(kept.result, kept.maxRows)
  return message('worklist.asked', { who, list, answer, end })
}

function listWords(
  { window, namesDate, namesOrder, modality }: WorklistQuery,
  today: string,
): Message {
  const list =
    modality === '' ? message('worklist.list') : message('worklist.list-of-modality', { modality })
  if (namesOrder)
    return modality === ''
      ? message('worklist.order-or-patient')
      : message('worklist.order-or-patient-in-list', { list })
  const { dateStart: from, dateEnd: to } = window
  if (from !== to)
    return namesDate
      ? message('worklist.list-of-days', { list, from, to })
      : message('worklist.list-of-no-day', { list, from, to })
  if (from === today) return message('worklist.list-of-today', { list })
  if (from === addDays(today, 1)) return message('worklist.list-of-tomorrow', { list })
  if (from === addDays(today, -1)) return message('worklist.list-of-yesterday', { list })
  return message('worklist.list-of-day', { list, day: from })
}

function sourceWords(
  { source, answer, partnerMs, failure }: Answered,
  at: number,
  timeZone: string,
): Message {
  const exams = answer.list.rows.length
  const ms = Math.round(partnerMs ?? 0)
  const ageMs = at - answer.receivedAt
  if (source === 'live') return message('worklist.answer-live', { exams, ms })
  if (source === 'shared') return message('worklist.answer-shared', { exams, ms })
  if (source === 'fresh')
    return message('worklist.answer-fresh', { exams, seconds: Math.round(ageMs / 1000) })
  const why = failure
    ? becauseOf(failure.fault, failure.detail)
    : message('worklist.partner-not-asked')
  const time = wallClock(answer.receivedAt, timeZone).time.slice(0, 5)
  const age = ageWords(ageMs)
  return source === 'downtime'
    ? message('worklist.answer-downtime', { time, age, why })
    : message('worklist.answer-stored', { time, age, why })
}

function ageWords(ms: number): Message {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  if (minutes < 1) return message('worklist.age-under-a-minute')
  if (minutes < 120) return message('worklist.age-minutes', { minutes })
  return message('worklist.age-hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
}

const sentWords = (
  { sent, filtered, performed, withheld, unfit, cut, filteredBy }: WorklistResult,
  maxRows: number,
): Message =>
  message('worklist.sent', {
    sent,
    cut,
    maxRows,
    performed,
    unmatched: filtered - performed,
    keys: filteredBy.length,
    keywords: filteredBy.slice(0, 3).join(', '),
    withheld,
    isFailed: sent === 0 && unfit > 0 ? 'yes' : 'no',
  })

/** A recorded query as a line of the feed: its sentence, and the way to its inspection. */
export function feedLineOf(summary: InspectionSummary, associationId: string): NewFeedLine {
  const { callingAeTitle: aeTitle, remoteAddress: address, sentence: text } = summary
  const inspectionId = summary.inspectionId === UNRECORDED ? null : summary.inspectionId
  const tone = toneOf(summary)
  return { associationId, kind: 'worklist', tone, aeTitle, address, text, inspectionId }
}

/** The same was asked again: what it came to is in the line before. */
export function repeatLineOf(
  summary: InspectionSummary,
  times: number,
  associationId: string,
): NewFeedLine {
  const { deviceName, callingAeTitle, sent } = summary
  const device = deviceName || callingAeTitle
  return {
    ...feedLineOf(summary, associationId),
    text: message('worklist.asked-again', { device, times, sent }),
  }
}

function toneOf({ status, sent, withheld, source }: InspectionSummary): FeedLine['tone'] {
  if (status === 'FE00') return 'plain'
  if (status !== '0000') return 'danger'
  if (withheld > 0 || source === 'stored' || source === 'downtime') return 'warning'
  return sent > 0 ? 'good' : 'plain'
}
