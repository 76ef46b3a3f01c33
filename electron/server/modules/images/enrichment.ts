import type { Context } from '#server/context.ts'
import { RETRY_SCHEDULES, retryDelayMs } from '#server/jobs/retry-schedules.ts'
import type { ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import { acceptAnswer, type Requester } from '#server/webhooks/request.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type EnrichmentAnswer, type MergedValues, omittedValueWarning } from './study-values.ts'

export const NO_PARTNER_MESSAGE = message('images.no-partner')

/** The outcome of an enrichment request. */
export type EnrichmentResult =
  | {
      readonly answer: EnrichmentAnswer
      readonly fault: null
      readonly leftOut: readonly string[]
      /** Id of the event with the request. */
      readonly webhookId: string | undefined
    }
  | { readonly answer: undefined; readonly fault: Message; readonly webhookId: string | undefined }

type EnrichmentFields = Pick<ImageStudyRecord, 'enrichment' | 'enrichmentAttempts'>

const ENRICHMENT_EVENT = 'patient_study.enrichment_requested'

/**
 * Requests enrichment of a study from the partner (a soft event). A failure, a timeout or a body
 * that is not a JSON object yields no values, and the request is repeated later. The fields of an
 * object are validated separately: an invalid one is ignored.
 */
export async function requestEnrichment(
  context: Context,
  requester: Pick<Requester, 'request'>,
  study: ImageStudyRecord,
  signal: AbortSignal,
): Promise<EnrichmentResult> {
  const leftOut: string[] = []
  let webhookId: string | undefined
  try {
    const enrichmentRequest = requestOf(study, context.settings.get('clinic.id'))
    const answer = await requester.request(ENRICHMENT_EVENT, enrichmentRequest, {
      signal,
      accept(reply) {
        webhookId = reply.webhookId
        return acceptAnswer(ENRICHMENT_EVENT)({
          ...reply,
          note(path, sentence) {
            leftOut.push(path)
            reply.note(path, sentence)
          },
        })
      },
    })
    return { answer, fault: null, leftOut, webhookId }
  } catch (error) {
    if (signal.aborted) throw error
    const failedResult = (fault: Message) => ({ answer: undefined, fault, webhookId })
    if (error instanceof WebhookError && error.fault === 'no-endpoint')
      return failedResult(NO_PARTNER_MESSAGE)
    if (error instanceof WebhookError && error.fault !== 'refused')
      return failedResult(message('images.no-answer-because', { detail: error.detail }))
    if (!(error instanceof WebhookError)) reportError(context, error)
    return failedResult(message('images.no-answer'))
  }
}

function requestOf(
  { studyInstanceUid, header, handedOut, mismatch }: ImageStudyRecord,
  clinicId: string | null,
): EventData<typeof ENRICHMENT_EVENT> {
  if (clinicId === null) throw new Error('clinic.id is not set')
  // Values of the worklist row are sent only if the images certainly belong to it. That is also the
  // case for a linked order, although the device used its own Study Instance UID.
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

/** The state of the enrichment after a request. */
export function enrichmentAfter(
  asked: EnrichmentResult,
  attemptsBefore: number,
  merged: MergedValues | undefined,
  now: number,
): EnrichmentFields {
  const askedAt = instantOf(now)
  const enrichmentAttempts = attemptsBefore + 1
  if (asked.answer === undefined) {
    const wait = retryDelayMs(RETRY_SCHEDULES.enrichment, enrichmentAttempts)
    const nextAt = wait === undefined ? null : instantOf(now + wait)
    const state = nextAt === null ? 'given-up' : 'waiting'
    return {
      enrichment: { state, askedAt, nextAt, detail: asked.fault, warnings: [] },
      enrichmentAttempts,
    }
  }
  const state = Object.keys(asked.answer).length > 0 ? 'done' : 'empty'
  const warnings = [...asked.leftOut.map(omittedValueWarning), ...(merged?.warnings ?? [])]
  return {
    enrichment: { state, askedAt, nextAt: null, detail: null, warnings },
    enrichmentAttempts,
  }
}
