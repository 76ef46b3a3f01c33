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
import { faultExplanation, redactedComment } from './faults.ts'
import type { NewInspection } from './inspection-queries.ts'
import type { WorklistQuery } from './query.ts'
import type { WorklistResult } from './result.ts'
import type { SharedDocument } from './verdicts.ts'
import { partnerMsOf, type ServedAnswer } from './worklist-cache.ts'

/** Who makes the query: a device over the network, or a user in a device's place. */
export interface QuerySource {
  readonly origin: 'device' | 'window'
  readonly device: Device | undefined
  readonly user: { readonly userId: string; readonly name: string } | undefined
}

/** The state of a query while it is processed. Its record is made from this, however it ends. */
export interface QueryRun {
  readonly at: number
  readonly request: CFindRequest
  readonly querySource: QuerySource
  /** Clinic-local, `YYYY-MM-DD` and `HHMMSS`. */
  readonly now: { readonly day: string; readonly time: string }
  query?: WorklistQuery
  question?: WorklistQuestion
  answered?: ServedAnswer
  cached?: CachedResult
  final: DimseResult
  exception?: { readonly error: unknown; readonly reference: string }
  /** Set once the query has been recorded, or could not be recorded. */
  summary?: InspectionSummary
}

/** A result as it is cached for later queries, with the verdicts that the inspector stores. */
export interface CachedResult {
  readonly result: WorklistResult
  readonly document: SharedDocument
  readonly maxRows: number
  /** The identifiers of the rows to send, already encoded or encoded on demand. */
  readonly identifiers: Iterable<EncodedIdentifiers> | AsyncIterable<EncodedIdentifiers>
}

/** Initial value of `final`: the query was cancelled before another status was known. */
export const CANCELLED: DimseResult = { status: 0xfe00 }

/** Inspection ID of a query that could not be recorded; no record has this ID. */
export const UNRECORDED = 0

/**
 * The summary of a query for the inspector, without patient data.
 * @param end when the final status was decided, in milliseconds since 1970
 */
export function summaryOf(run: QueryRun, end: number, timeZone: string): NewInspection {
  const { at, request, querySource, answered, cached, final, exception } = run
  const { callingAeTitle, calledAeTitle, remoteAddress } = request.association
  const failure = exception?.error instanceof WebhookError ? exception.error : answered?.failure
  const isInvalidAnswer = final.status === 0xc002 && !exception
  return {
    at: instantOf(at),
    origin: querySource.origin,
    deviceName: querySource.device?.name ?? '',
    callingAeTitle,
    calledAeTitle,
    remoteAddress,
    source: answered?.source ?? 'none',
    status: final.status.toString(16).padStart(4, '0').toUpperCase(),
    errorComment: redactedComment(final, callingAeTitle),
    fault: failure?.fault ?? (isInvalidAnswer ? 'invalid' : null),
    sent: cached?.result.sent ?? 0,
    filtered: (cached?.result.filtered ?? 0) + (cached?.result.cut ?? 0),
    withheld: cached?.result.withheld ?? 0,
    tookMs: end - at,
    partnerMs: answered ? answered.partnerMs : failure ? partnerMsOf(failure) : null,
    sentence: sentenceOf(run, timeZone),
  }
}

/**
 * Summarizes a query in one sentence for a technologist: who queried what, what the partner
 * answered, what was sent. It never contains a value of a key or of a row.
 */
export function sentenceOf(run: QueryRun, timeZone: string): Message {
  const { request, querySource, query, answered, cached, final, now } = run
  const { error, reference } = run.exception ?? {}
  const device = querySource.device?.name || request.association.callingAeTitle
  const who = querySource.user
    ? message('worklist.asked-by', { device, user: querySource.user.name })
    : device
  if (error instanceof DimseError)
    return message('worklist.asked-unreadably', { who, why: error.explanation })
  const list = query ? describeList(query, now.day) : message('worklist.the-worklist')
  if (error instanceof WebhookError)
    return message('worklist.failed', {
      who,
      list,
      why: faultExplanation(error.fault, error.detail),
    })
  if (reference !== undefined) return message('worklist.failed-here', { who, list, reference })
  if (!answered || !cached) return message('worklist.cancelled-early', { who, list })
  const answer = describeSource(answered, run.at, timeZone)
  const end =
    final === CANCELLED
      ? message('worklist.cancelled-midway')
      : describeResult(cached.result, cached.maxRows)
  return message('worklist.asked', { who, list, answer, end })
}

function describeList(
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

function describeSource(
  { source, answer, partnerMs, failure }: ServedAnswer,
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
    ? faultExplanation(failure.fault, failure.detail)
    : message('worklist.partner-not-asked')
  const time = wallClock(answer.receivedAt, timeZone).time.slice(0, 5)
  const age = describeAge(ageMs)
  return source === 'downtime'
    ? message('worklist.answer-downtime', { time, age, why })
    : message('worklist.answer-stored', { time, age, why })
}

function describeAge(ms: number): Message {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  if (minutes < 1) return message('worklist.age-under-a-minute')
  if (minutes < 120) return message('worklist.age-minutes', { minutes })
  return message('worklist.age-hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
}

const describeResult = (
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

/** The entry of a recorded query in the activity feed, linked to its inspection. */
export function feedLineOf(summary: InspectionSummary, associationId: string): NewFeedLine {
  const { callingAeTitle: aeTitle, remoteAddress: address, sentence: text } = summary
  const inspectionId = summary.inspectionId === UNRECORDED ? null : summary.inspectionId
  const tone = toneOf(summary)
  return { associationId, kind: 'worklist', tone, aeTitle, address, text, inspectionId }
}

/** The feed entry of a repeated query; the outcome is in the entry before it. */
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
