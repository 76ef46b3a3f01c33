import { readFile } from 'node:fs/promises'
import type { OutboxRow } from '#server/jobs/outbox-queries.ts'
import { openOutboxWorker, type Settlement } from '#server/jobs/outbox-worker.ts'
import { RETRY_SCHEDULES, waitAfter } from '#server/jobs/retry-schedules.ts'
import type { DomainDeps } from '#server/modules/audit/audit.ts'
import { instantOf } from '#server/platform/clock.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import { type CaptureRecord, findCapture, updateCapture } from './queries.ts'

/** The outbox row of a capture; its subject is the capture's id. */
export const CAPTURE_UPLOAD = 'capture.upload'

/** What a partner answered to `secondary_capture.access_requested`. */
export interface UploadAnswer {
  readonly uploadUrls: readonly string[]
  /** Parts of the answer that were left out. */
  readonly notes: readonly string[]
  /** The endpoint's `fileHosts` as they are now. */
  hosts(): readonly string[]
  noteRefusedHost(url: string): void
  /** What became of it, for the record of the event. */
  setEffect(sentence: string): void
}

/** Implemented by `server.ts`. @throws WebhookError; the reason of `signal` */
export type AskUpload = (
  question: EventData<'secondary_capture.access_requested'>,
  apiKeyId: string | null,
  signal: AbortSignal,
) => Promise<UploadAnswer>

export interface CaptureUploadDeps extends Pick<DomainDeps, 'store' | 'clock'> {
  readonly ask: AskUpload
  readonly put: Downloads['put']
  /** After each attempt, once it is committed. Nothing in it names a patient. */
  readonly onSettled: (capture: CaptureRecord) => void
  readonly onError: (error: unknown) => void
}

export interface CaptureUpload extends AsyncDisposable {
  /** Lets these rows go out now. */
  retry(outboxIds: readonly number[]): void
}

const MINUTE_MS = 60_000
/** For one URL: tens of megabytes by the slow half of a clinic's line. */
const PUT_BUDGET_MS = 10 * MINUTE_MS
const AT_ONCE = 2

const NOBODY = 'The partner named no place for it: it is in the archive of this gateway alone.'
const UNASKED =
  'No endpoint is asked where captures go: it is in the archive of this gateway alone.'
const REFUSED = 'The partner does not take it; its answer is among the events.'
const GONE = 'It is in the archive no more.'
const OURS = 'The gateway had an internal error, and tries again.'

type Standing = Pick<CaptureRecord, 'state' | 'lastError'> &
  Partial<Pick<CaptureRecord, 'urls' | 'uploaded' | 'nextAt'>>

/**
 * Works off the captures that wait: asks the partner where each goes and sends the same file to
 * every URL (interface.md, SecondaryCaptureAccessRequestedResponse). It is done when all took it;
 * else all are asked for and sent anew, since a link lasts for minutes.
 */
export function openCaptureUpload({
  store,
  clock,
  ask,
  put,
  onSettled,
  onError,
}: CaptureUploadDeps): CaptureUpload {
  const { instances, imageFiles, database, outbox } = store

  function change(captureId: string, standing: Standing, attempts = 0): CaptureRecord | undefined {
    const before = findCapture(database, captureId)
    if (!before) return undefined
    const after = {
      ...before,
      nextAt: null,
      ...standing,
      attempts: before.attempts + attempts,
      updatedAt: instantOf(clock()),
    }
    updateCapture(database, after)
    return after
  }

  /** How far it is. The upload goes on where the disk takes no record of it. */
  const progress = (captureId: string, standing: Standing) =>
    void tryWrite(() => change(captureId, standing))

  /** An attempt is over. */
  function settle(captureId: string, standing: Standing): void {
    const after = change(captureId, standing, 1)
    if (after) database.afterCommit(() => onSettled(after))
  }

  async function upload(
    capture: CaptureRecord,
    { attempts }: OutboxRow<unknown>,
    signal: AbortSignal,
  ): Promise<Settlement> {
    const { captureId, studyId, studyInstanceUid, seriesInstanceUid, sopInstanceUid, apiKeyId } =
      capture
    const settled = (standing: Standing): Settlement => ({
      outcome: 'sent',
      within: () => settle(captureId, standing),
    })
    const given = (fault: string): Settlement => ({
      ...{ outcome: 'failed', fault },
      within: () => settle(captureId, { state: 'failed', lastError: fault }),
    })
    const again = (fault: string): Settlement => {
      const wait = waitAfter(RETRY_SCHEDULES.captureUpload, attempts + 1)
      if (wait === undefined) return given(fault)
      const until = clock() + wait
      const standing: Standing = { state: 'waiting', lastError: fault, nextAt: instantOf(until) }
      return { outcome: 'postponed', until, fault, within: () => settle(captureId, standing) }
    }

    const kept = instances.current(sopInstanceUid)
    if (!kept) return given(GONE)
    if (studyId === null) return settled({ state: 'kept', lastError: UNASKED })
    progress(captureId, { state: 'uploading', lastError: '', urls: 0, uploaded: 0 })
    let answer: UploadAnswer
    try {
      const question = { studyId, studyInstanceUid, seriesInstanceUid, sopInstanceUid }
      answer = await ask(
        question as EventData<'secondary_capture.access_requested'>,
        apiKeyId,
        signal,
      )
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      if (error.fault === 'no-endpoint') return settled({ state: 'kept', lastError: UNASKED })
      // What it says may name a patient: it is with the event, which is sealed.
      if (error.fault === 'refused') return given(REFUSED)
      return again(`The partner gave no place for it: ${error.detail}.`)
    }
    const { uploadUrls, notes, setEffect } = answer
    if (uploadUrls.length === 0) {
      if (notes.length > 0)
        return again(
          'The partner named no place that can be used for it: its answer is among the events.',
        )
      setEffect('It named no place to upload to.')
      return settled({ state: 'kept', lastError: NOBODY })
    }

    progress(captureId, { state: 'uploading', lastError: '', urls: uploadUrls.length, uploaded: 0 })
    const body = await readFile(imageFiles.pathOf(kept.file))
    let uploaded = 0
    let fault = ''
    for (const url of uploadUrls) {
      try {
        await put(url, body, {
          hosts: answer.hosts(),
          signal,
          budgetMs: PUT_BUDGET_MS,
          mediaType: 'application/dicom',
        })
        uploaded += 1
        progress(captureId, { state: 'uploading', lastError: '', uploaded })
      } catch (error) {
        if (!(error instanceof WebhookError)) throw error
        if (error.fault === 'forbidden-address') answer.noteRefusedHost(url)
        fault ||= error.detail
      }
    }
    setEffect(
      uploaded === uploadUrls.length
        ? `Uploaded to ${places(uploaded)}.`
        : `Uploaded to ${uploaded} of ${places(uploadUrls.length)}.`,
    )
    if (uploaded === uploadUrls.length) return settled({ state: 'done', lastError: '' })
    const missing = uploadUrls.length - uploaded
    return again(
      `${uploadUrls.length === 1 ? 'It was not uploaded' : `${missing} of ${places(uploadUrls.length)} did not take it`}: ${fault}.`,
    )
  }

  const worker = openOutboxWorker({
    ...{ store, kind: CAPTURE_UPLOAD, clock, onError, atOnce: AT_ONCE },
    async deliver(row, signal) {
      const capture = findCapture(database, row.subject)
      if (!capture) return { outcome: 'failed', fault: GONE }
      try {
        return await upload(capture, row, signal)
      } catch (error) {
        // A fault of ours, such as of the disk: the worker tries it again.
        if (!signal.aborted) settle(row.subject, { state: 'waiting', lastError: OURS })
        throw error
      }
    },
  })

  return {
    retry(outboxIds) {
      const at = instantOf(clock())
      for (const outboxId of outboxIds) {
        const row = outbox.get(outboxId)
        if (row)
          change(row.subject, {
            state: 'waiting',
            lastError: findCapture(database, row.subject)?.lastError ?? '',
            nextAt: at,
          })
      }
      worker.retry(outboxIds)
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  }
}

const places = (count: number) => `${count} ${count === 1 ? 'place' : 'places'}`
