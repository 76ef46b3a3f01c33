import { readFile } from 'node:fs/promises'
import type { Context } from '#server/context.ts'
import { openOutboxWorker, type Settlement } from '#server/jobs/outbox-worker.ts'
import { RETRY_SCHEDULES, waitAfter } from '#server/jobs/retry-schedules.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import { instantOf } from '#server/platform/clock.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import type { AskUpload } from './access-asking.ts'
import { type CaptureRecord, findCapture, updateCapture } from './queries.ts'

/** The outbox row of a capture; its subject is the capture's id. */
export const CAPTURE_UPLOAD = 'capture.upload'

const MINUTE_MS = 60_000
/** For one URL: tens of megabytes by the slow half of a clinic's line. */
const PUT_BUDGET_MS = 10 * MINUTE_MS
const AT_ONCE = 2

const NOBODY = 'The partner named no place for it: it is in the archive of this gateway alone.'
export const UNASKED =
  'No endpoint is asked where captures go: it is in the archive of this gateway alone.'
const UNUSABLE =
  'The partner named no place that can be used for it: its answer is among the events.'
const REFUSED = 'The partner does not take it; its answer is among the events.'
const GONE = 'It is in the archive no more.'
const OURS = 'The gateway had an internal error, and tries again.'

type Standing = Pick<CaptureRecord, 'state' | 'lastError'> &
  Partial<Pick<CaptureRecord, 'urls' | 'uploaded' | 'nextAt'>>

export type CaptureUpload = ReturnType<typeof openCaptureUpload>

/**
 * Works off the captures that wait: asks the partner where each goes and sends the same file to
 * every URL. It is done when all took it; else all are asked for and sent anew, since a link lasts
 * for minutes. The first failure of a capture and the end of it are in the feed.
 */
export function openCaptureUpload(
  context: Context,
  ask: AskUpload,
  put: Downloads['put'],
  feed: Pick<Feed, 'append'>,
  onError: (error: unknown) => void,
) {
  const { database, outbox, clock } = context

  /** An attempt is over. */
  function settle(captureId: string, standing: Standing): void {
    const after = change(context, captureId, standing, 1)
    if (after) database.afterCommit(() => tellFailure(feed, after))
  }

  const worker = openOutboxWorker({
    ...{ store: context, kind: CAPTURE_UPLOAD, clock, onError, atOnce: AT_ONCE },
    async deliver({ subject: captureId, attempts }, signal): Promise<Settlement> {
      const capture = findCapture(database, captureId)
      if (!capture) return { outcome: 'failed', fault: GONE }
      try {
        const { isPassing, ...standing } = await upload(context, ask, put, capture, signal)
        const wait = isPassing ? waitAfter(RETRY_SCHEDULES.captureUpload, attempts + 1) : undefined
        if (standing.state !== 'failed')
          return { outcome: 'sent', within: () => settle(captureId, standing) }
        const fault = standing.lastError
        if (wait === undefined)
          return { outcome: 'failed', fault, within: () => settle(captureId, standing) }
        const until = clock() + wait
        const waiting = { state: 'waiting', lastError: fault, nextAt: instantOf(until) } as const
        return { outcome: 'postponed', until, fault, within: () => settle(captureId, waiting) }
      } catch (error) {
        // A fault of ours, such as of the disk: the worker tries it again.
        if (!signal.aborted) settle(captureId, { state: 'waiting', lastError: OURS })
        throw error
      }
    },
  })

  return {
    /** Lets these rows go out now. */
    retry(outboxIds: readonly number[]): void {
      const nextAt = instantOf(clock())
      for (const outboxId of outboxIds) {
        const row = outbox.get(outboxId)
        if (!row) continue
        const lastError = findCapture(database, row.subject)?.lastError ?? ''
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
  standing: Standing,
  attempts = 0,
): CaptureRecord | undefined {
  const before = findCapture(database, captureId)
  if (!before) return undefined
  const after = {
    ...{ ...before, nextAt: null, ...standing },
    attempts: before.attempts + attempts,
    updatedAt: instantOf(clock()),
  }
  updateCapture(database, after)
  return after
}

/** Nothing in it names a patient. */
function tellFailure(
  feed: Pick<Feed, 'append'>,
  { state, attempts, lastError, studyInstanceUid }: CaptureRecord,
): void {
  const line = { kind: 'partner', associationId: '', aeTitle: '', address: '' } as const
  if (state === 'failed')
    feed.append({
      ...line,
      tone: 'danger',
      text: `A secondary capture was not uploaded. ${lastError}`,
      studyInstanceUid,
    })
  else if (state === 'waiting' && attempts === 1)
    feed.append({
      ...{ ...line, tone: 'warning', studyInstanceUid },
      text: `A secondary capture was not uploaded and is tried again. ${lastError}`,
    })
}

/** How an attempt ended; `isPassing`: it may be tried again. @throws a fault of ours */
async function upload(
  context: Context,
  ask: AskUpload,
  put: Downloads['put'],
  capture: CaptureRecord,
  signal: AbortSignal,
): Promise<Standing & { readonly isPassing?: boolean }> {
  const { captureId, studyId, studyInstanceUid, seriesInstanceUid, sopInstanceUid } = capture
  const failed = (lastError: string, isPassing = false) =>
    ({ state: 'failed', lastError, isPassing }) as const
  const kept = (lastError: string) => ({ state: 'kept', lastError }) as const
  /** How far it is. The upload goes on where the disk takes no record of it. */
  const progress = (urls: number, uploaded: number) =>
    tryWrite(() =>
      change(context, captureId, { state: 'uploading', lastError: '', urls, uploaded }),
    )

  const instance = context.instances.current(sopInstanceUid)
  if (!instance) return failed(GONE)
  if (studyId === null) return kept(UNASKED)
  progress(0, 0)
  const question = { studyId, studyInstanceUid, seriesInstanceUid, sopInstanceUid }
  const answer = await ask(
    question as EventData<'secondary_capture.access_requested'>,
    capture.apiKeyId,
    signal,
  ).catch(webhookErrorOf)
  if (answer instanceof WebhookError) {
    if (answer.fault === 'no-endpoint') return kept(UNASKED)
    // What it says may name a patient: it is with the event, which is encrypted.
    if (answer.fault === 'refused') return failed(REFUSED)
    return failed(`The partner gave no place for it: ${answer.detail}.`, true)
  }
  const { uploadUrls, notes, setEffect } = answer
  if (uploadUrls.length === 0) {
    if (notes.length > 0) return failed(UNUSABLE, true)
    setEffect('It named no place to upload to.')
    return kept(NOBODY)
  }

  progress(uploadUrls.length, 0)
  const body = await readFile(context.imageFiles.pathOf(instance.file))
  let uploaded = 0
  let fault = ''
  for (const url of uploadUrls) {
    const options = { budgetMs: PUT_BUDGET_MS, mediaType: 'application/dicom' }
    const error = await put(url, body, { ...options, hosts: answer.hosts(), signal }).then(
      () => undefined,
      webhookErrorOf,
    )
    if (!error) progress(uploadUrls.length, ++uploaded)
    else {
      if (error.fault === 'forbidden-address') answer.noteRefusedHost(url)
      fault ||= error.detail
    }
  }
  const missing = uploadUrls.length - uploaded
  const all = places(uploadUrls.length)
  setEffect(missing === 0 ? `Uploaded to ${all}.` : `Uploaded to ${uploaded} of ${all}.`)
  if (missing === 0) return { state: 'done', lastError: '' }
  const what =
    uploadUrls.length === 1 ? 'It was not uploaded' : `${missing} of ${all} did not take it`
  return failed(`${what}: ${fault}.`, true)
}

function webhookErrorOf(error: unknown): WebhookError {
  if (error instanceof WebhookError) return error
  throw error
}

const places = (count: number) => `${count} ${count === 1 ? 'place' : 'places'}`
