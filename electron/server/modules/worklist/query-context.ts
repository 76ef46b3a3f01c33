import type { CFindRequest, EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import type { DimseResult } from '#server/dicom/dimse/status.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { wallClock } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { WebhookError } from '#server/webhooks/request.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import { commentForRecord } from './faults.ts'
import type { NewInspection } from './inspection-queries.ts'
import type { SharedDocument } from './inspector.ts'
import type { WorklistQuery } from './query.ts'
import type { WorklistResult } from './result.ts'
import { type Outcome, sentenceFor } from './sentences.ts'
import { type Answered, partnerMsOf } from './worklist-cache.ts'

/** Who asks: a device over the network, or a user in a device's place. */
export interface Asker {
  readonly origin: 'device' | 'window'
  readonly device: Device | undefined
  readonly user: { readonly userId: string; readonly name: string } | undefined
}

/** What is known of a query so far; its record is made of this however it ends. */
export interface Visit {
  readonly at: number
  readonly request: CFindRequest
  readonly asker: Asker
  readonly now: { readonly day: string; readonly time: string }
  query: WorklistQuery | undefined
  question: WorklistQuestion | undefined
  answered: Answered | undefined
  kept: KeptResult | undefined
  final: DimseResult
  trouble: { readonly error: unknown; readonly reference: string } | undefined
}

/** A result as it is kept for queries to come, with what the inspector keeps of it. */
export interface KeptResult {
  readonly result: WorklistResult
  readonly document: SharedDocument
  readonly maxRows: number
  /** Those of the rows sent, made or still to be made. */
  readonly identifiers: Iterable<EncodedIdentifiers> | AsyncIterable<EncodedIdentifiers>
}

/**
 * The final of a query until something else is known: how it ends where the console cancels or
 * hangs up.
 */
export const CANCELLED: DimseResult = { status: 0xfe00 }

/**
 * The visit as the inspector lists it; nothing about a patient in it. @param end milliseconds since
 * 1970, when the final was decided
 */
export function summaryOf(visit: Visit, end: number, timeZone: string): NewInspection {
  const { at, request, asker, query, answered, kept, final, trouble, now } = visit
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
    sentence: sentenceFor({
      who: asker.device?.name || callingAeTitle,
      userName: asker.user?.name ?? '',
      query,
      today: now.day,
      outcome: outcomeOf(visit, timeZone),
    }),
  }
}

function outcomeOf({ answered, kept, trouble, final, at }: Visit, timeZone: string): Outcome {
  if (trouble) {
    const { error, reference } = trouble
    if (error instanceof WebhookError) return { kind: 'failed', failure: error }
    return error instanceof DimseError
      ? { kind: 'not understood', comment: error.message }
      : { kind: 'broken', reference }
  }
  if (!answered || !kept) return { kind: 'cancelled early' }
  const { source, answer, partnerMs, failure } = answered
  return {
    kind: final === CANCELLED ? 'cancelled' : 'answered',
    source,
    ageMs: at - answer.receivedAt,
    receivedTime: wallClock(answer.receivedAt, timeZone).time.slice(0, 5),
    partnerMs,
    exams: answer.list.rows.length,
    failure,
    result: kept.result,
    maxRows: kept.maxRows,
  }
}
