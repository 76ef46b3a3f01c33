import { RETRY_SCHEDULES, waitAfter } from '#server/jobs/retry-schedules.ts'
import { instantOf } from '#server/platform/clock.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { ImageStudyRecord } from './image-study-queries.ts'
import type { EnrichmentAnswer, EnrichmentQuestion, IntakeDeps } from './ports.ts'
import { leftOutWarning, type MergedValues } from './study-values.ts'

export const NO_PARTNER = 'No partner is set up to be asked about studies.'

/** What came of a question. */
export type Asked =
  | { readonly answer: EnrichmentAnswer; readonly fault: ''; readonly leftOut: readonly string[] }
  /** In words, for the window. */
  | { readonly answer: undefined; readonly fault: string }

type EnrichmentFields = Pick<ImageStudyRecord, 'enrichment' | 'enrichmentAttempts'>

/**
 * Asks the partner about a study (patient_study.enrichment_requested, a soft event). A failure, a
 * timeout and a body that is not a JSON object are an empty enrichment, to be asked for again. Of
 * an object each field is judged on its own: one that cannot be used is left out, and the others
 * are used.
 */
export async function ask(
  {
    askEnrichment,
    setting,
    onError,
    uuid,
  }: Pick<IntakeDeps, 'askEnrichment' | 'setting' | 'onError' | 'uuid'>,
  study: ImageStudyRecord,
  signal: AbortSignal,
): Promise<Asked> {
  try {
    const leftOut: string[] = []
    const note = (field: string) => void leftOut.push(field)
    const answer = await askEnrichment(questionOf(study, setting('clinic.id')), { signal, note })
    return { answer, fault: '', leftOut }
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof WebhookError && error.fault === 'no-endpoint')
      return { answer: undefined, fault: NO_PARTNER }
    if (error instanceof WebhookError && error.fault !== 'refused')
      return { answer: undefined, fault: `The partner gave no answer: ${error.detail}.` }
    if (!(error instanceof WebhookError)) onError(uuid().slice(0, 8), error)
    return { answer: undefined, fault: 'The partner gave no answer.' }
  }
}

function questionOf(
  { studyInstanceUid, header, handedOut, mismatch }: ImageStudyRecord,
  clinicId: string | null,
): EnrichmentQuestion {
  if (clinicId === null) throw new Error('clinic.id is not set')
  // Of the row only where it is sure that the images belong to it. To a linked order they do, under
  // a Study Instance UID of the device's own.
  const { fields = [], amongImages = [] } = mismatch ?? {}
  const isLinked =
    handedOut?.linkedBy !== undefined && fields.every(({ field }) => field === 'studyInstanceUid')
  const row = mismatch === null || (isLinked && amongImages.length === 0) ? handedOut : null
  const accessionNumber = header.accessionNumber || row?.accessionNumber
  const patientId = header.patientId || row?.patientId
  return {
    clinicId,
    studyInstanceUid,
    ...(accessionNumber && { accessionNumber }),
    ...(patientId && { patientId }),
  }
}

/** How the enrichment stands after a question. */
export function standingAfter(
  asked: Asked,
  attemptsBefore: number,
  merged: MergedValues | undefined,
  now: number,
): EnrichmentFields {
  const askedAt = instantOf(now)
  const enrichmentAttempts = attemptsBefore + 1
  if (asked.answer === undefined) {
    const wait = waitAfter(RETRY_SCHEDULES.enrichment, enrichmentAttempts)
    const nextAt = wait === undefined ? null : instantOf(now + wait)
    const state = nextAt === null ? 'given-up' : 'waiting'
    return {
      enrichment: { state, askedAt, nextAt, detail: asked.fault, warnings: [] },
      enrichmentAttempts,
    }
  }
  const state = Object.keys(asked.answer).length > 0 ? 'done' : 'empty'
  const warnings = [...asked.leftOut.map(leftOutWarning), ...(merged?.warnings ?? [])]
  return { enrichment: { state, askedAt, nextAt: null, detail: '', warnings }, enrichmentAttempts }
}
