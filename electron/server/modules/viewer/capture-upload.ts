import { readFile } from 'node:fs/promises'
import type { Context } from '#server/context.ts'
import { findOutboxJob } from '#server/jobs/outbox-queries.ts'
import { OutboxWorker, type Settlement } from '#server/jobs/outbox-worker.ts'
import { RETRY_SCHEDULES, retryDelayMs } from '#server/jobs/retry-schedules.ts'
import { findCurrentInstance } from '#server/modules/images/instance-queries.ts'
import { localPathOf } from '#server/modules/images/local-files.ts'
import { instantOf } from '#server/platform/clock.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import { type Message, message, sentences } from '#shared/messages/message.ts'
import type { AskUpload } from './partner-access.ts'
import { type CaptureRecord, findCapture, updateCapture } from './queries.ts'

/** Kind of the outbox job of a capture; its subject is the ID of the capture. */
export const CAPTURE_UPLOAD = 'capture.upload'

const MINUTE_MS = 60_000
/** Time limit per URL: enough for tens of megabytes over a slow clinic connection. */
const UPLOAD_TIMEOUT_MS = 10 * MINUTE_MS
const MAX_CONCURRENT = 2

export const NO_ENDPOINT = message('viewer.capture-unasked')
const NOT_IN_ARCHIVE = message('viewer.capture-gone')

type UploadStatus = Pick<CaptureRecord, 'state' | 'lastError'> &
  Partial<Pick<CaptureRecord, 'urls' | 'uploaded' | 'nextAt'>>

export type CaptureUpload = ReturnType<typeof openCaptureUpload>

/**
 * Uploads waiting captures: requests the upload URLs from the partner and sends the file to every
 * URL. An upload is done when all URLs have accepted it; otherwise all URLs are requested and sent
 * again, because they are valid for minutes only. The first failure and the final outcome are shown
 * in the activity feed.
 */
export function openCaptureUpload(context: Context, ask: AskUpload, put: Downloads['put']) {
  const { database, clock } = context

  /** Records the end of an attempt. */
  function endAttempt(captureId: string, status: UploadStatus): void {
    const after = change(context, captureId, status, 1)
    if (after) database.afterCommit(() => reportFailure(context, after))
  }

  const worker = new OutboxWorker(
    context,
    CAPTURE_UPLOAD,
    async ({ subject: captureId, attempts }, signal): Promise<Settlement> => {
      const capture = findCapture(database, captureId)
      if (!capture) return { outcome: 'failed', fault: NOT_IN_ARCHIVE }
      try {
        const { isTransient, ...status } = await upload(context, ask, put, capture, signal)
        const wait = isTransient
          ? retryDelayMs(RETRY_SCHEDULES.captureUpload, attempts + 1)
          : undefined
        if (status.state !== 'failed')
          return { outcome: 'sent', onRecorded: () => endAttempt(captureId, status) }
        const fault = status.lastError ?? message('viewer.capture-own-fault')
        if (wait === undefined)
          return { outcome: 'failed', fault, onRecorded: () => endAttempt(captureId, status) }
        const until = clock() + wait
        const waiting = { ...status, state: 'waiting', nextAt: instantOf(until) } as const
        return {
          outcome: 'postponed',
          until,
          fault,
          onRecorded: () => endAttempt(captureId, waiting),
        }
      } catch (error) {
        // An internal error, such as of the disk, is retried by the worker.
        if (!signal.aborted)
          endAttempt(captureId, {
            state: 'waiting',
            lastError: message('viewer.capture-own-fault'),
          })
        throw error
      }
    },
    MAX_CONCURRENT,
  )

  return {
    /** Retries these jobs immediately. */
    retry(outboxIds: readonly number[]): void {
      const nextAt = instantOf(clock())
      for (const outboxId of outboxIds) {
        const row = findOutboxJob(database, outboxId)
        if (!row) continue
        const lastError = findCapture(database, row.subject)?.lastError ?? null
        change(context, row.subject, { state: 'waiting', lastError, nextAt })
      }
      worker.retry(outboxIds)
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  }
}

function change(
  { database, clock }: Context,
  captureId: string,
  status: UploadStatus,
  attempts = 0,
): CaptureRecord | undefined {
  const before = findCapture(database, captureId)
  if (!before) return undefined
  const after = {
    ...{ ...before, nextAt: null, ...status },
    attempts: before.attempts + attempts,
    updatedAt: instantOf(clock()),
  }
  updateCapture(database, after)
  return after
}

/** Shows a failure in the activity feed, without patient data. */
function reportFailure(
  { feed }: Context,
  { state, attempts, lastError, studyInstanceUid }: CaptureRecord,
): void {
  const line = { kind: 'partner', associationId: '', aeTitle: '', address: '' } as const
  if (state === 'failed')
    feed.append({
      ...line,
      tone: 'danger',
      text: sentences(message('viewer.capture-failed'), lastError ?? undefined),
      studyInstanceUid,
    })
  else if (state === 'waiting' && attempts === 1)
    feed.append({
      ...{ ...line, tone: 'warning', studyInstanceUid },
      text: sentences(message('viewer.capture-failing'), lastError ?? undefined),
    })
}

/**
 * Makes one attempt and returns its outcome. `isTransient` is set if it may be retried.
 * @throws internal errors
 */
async function upload(
  context: Context,
  ask: AskUpload,
  put: Downloads['put'],
  capture: CaptureRecord,
  signal: AbortSignal,
): Promise<UploadStatus & { readonly isTransient?: boolean }> {
  const { captureId, studyId, studyInstanceUid, seriesInstanceUid, sopInstanceUid } = capture
  const failedState = (lastError: Message, isTransient = false) =>
    ({ state: 'failed', lastError, isTransient }) as const
  const keptState = (lastError: Message) => ({ state: 'kept', lastError }) as const
  /** Records the progress. The upload continues if it cannot be written. */
  const progress = (urls: number, uploaded: number) =>
    tryWrite(() =>
      change(context, captureId, { state: 'uploading', lastError: null, urls, uploaded }),
    )

  const instance = findCurrentInstance(context.database, sopInstanceUid)
  if (!instance) return failedState(NOT_IN_ARCHIVE)
  if (studyId === null) return keptState(NO_ENDPOINT)
  progress(0, 0)
  const accessRequest = { studyId, studyInstanceUid, seriesInstanceUid, sopInstanceUid }
  const answer = await ask(
    accessRequest as EventData<'secondary_capture.access_requested'>,
    capture.apiKeyId,
    signal,
  ).catch(webhookErrorOf)
  if (answer instanceof WebhookError) {
    if (answer.fault === 'no-endpoint') return keptState(NO_ENDPOINT)
    // The partner's text may contain patient data. It is stored with the event, which is encrypted.
    if (answer.fault === 'refused') return failedState(message('viewer.capture-refused'))
    return failedState(message('viewer.capture-no-answer', { reason: answer.detail }), true)
  }
  const { uploadUrls, notes, setEffect } = answer
  if (uploadUrls.length === 0) {
    if (notes.length > 0) return failedState(message('viewer.capture-places-unusable'), true)
    setEffect(message('viewer.no-upload-place'))
    return keptState(message('viewer.capture-no-place'))
  }

  progress(uploadUrls.length, 0)
  const body = await readFile(await localPathOf(context, instance))
  const uploaded = (count: number) => progress(uploadUrls.length, count)
  const faults = await uploadToAll(answer, body, put, signal, uploaded)
  const places = uploadUrls.length
  const [reason] = faults
  if (reason === undefined) {
    setEffect(message('viewer.uploaded', { places }))
    return { state: 'done', lastError: null }
  }
  const failures = faults.length
  setEffect(message('viewer.uploaded-in-part', { uploaded: places - failures, places }))
  return failedState(message('viewer.capture-not-taken', { failures, places, reason }), true)
}

/**
 * Sends the file to every URL and returns the error of each URL that did not accept it. Internal
 * errors are thrown.
 * @param uploaded called with the number of URLs that have accepted it
 */
async function uploadToAll(
  answer: Awaited<ReturnType<AskUpload>>,
  body: Buffer,
  put: Downloads['put'],
  signal: AbortSignal,
  uploaded: (count: number) => void,
): Promise<Message[]> {
  const faults: Message[] = []
  const options = { budgetMs: UPLOAD_TIMEOUT_MS, mediaType: 'application/dicom', signal }
  for (const [index, url] of answer.uploadUrls.entries()) {
    try {
      await put(url, body, { ...options, hosts: answer.hosts() })
      uploaded(index + 1 - faults.length)
    } catch (thrown) {
      const error = webhookErrorOf(thrown)
      if (error.fault === 'forbidden-address') answer.noteRefusedHost(url)
      faults.push(error.detail)
    }
  }
  return faults
}

function webhookErrorOf(error: unknown): WebhookError {
  if (error instanceof WebhookError) return error
  throw error
}
