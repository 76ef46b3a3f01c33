import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import type { z } from 'zod'
import { note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/callers.ts'
import { addOutboxJob, findLatestOutboxJob } from '#server/jobs/outbox-queries.ts'
import { storeOwnInstances } from '#server/modules/images/own-instances.ts'
import { targetFor } from '#server/modules/partners/targets.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { findStudy, findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { StorageFault } from '#server/platform/disk-fault.ts'
import type { Capture, NewCapture } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import { uidOfUuid } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { buildCaptureObject } from './capture-object.ts'
import { CAPTURE_UPLOAD, type CaptureUpload, NO_ENDPOINT } from './capture-upload.ts'
import {
  type CaptureRecord,
  capturesOfStudy,
  findCapture,
  insertCapture,
  updateCapture,
} from './queries.ts'
import type { KnownInstance, ViewImages } from './view-images.ts'

type WantedCapture = z.output<typeof NewCapture>

const inflateAsync = promisify(inflate)
const GIGABYTE = 1e9
/** A capture may have fifty megabytes. */
const MAX_PER_STUDY = 500
const MAX_QUEUED = 8

/** Creates secondary captures of the images of a view. */
export class Captures {
  readonly #context: Context
  readonly #images: Pick<ViewImages, 'instanceOf' | 'priors'>
  readonly #uploads: CaptureUpload
  /**
   * Captures are created one at a time, because each is large and is appended to the series of its
   * study.
   */
  #last: Promise<unknown> = Promise.resolve()
  #queued = 0

  constructor(
    context: Context,
    images: Pick<ViewImages, 'instanceOf' | 'priors'>,
    uploads: CaptureUpload,
  ) {
    this.#context = context
    this.#images = images
    this.#uploads = uploads
  }

  /**
   * Creates a capture. It is stored in the archive and queued for upload when the promise resolves.
   * The caller has checked that captures are allowed in the view.
   * @throws ApiError malformed: the pixels or the frame; not-found: the view has no such image;
   *   refused: the study has too many captures; too-many; unavailable: the disk
   */
  async make(view: OpenView, wanted: WantedCapture): Promise<Capture> {
    if (this.#queued >= MAX_QUEUED)
      throw new ApiError('too-many', message('viewer.too-many-captures'), {
        headers: { 'retry-after': '5' },
      })
    this.#queued++
    const capture = this.#last.then(() => this.#make(view, wanted)).finally(() => this.#queued--)
    this.#last = capture.catch(() => undefined)
    return await capture
  }

  /** The captures of the studies that the view shows, newest first. */
  list(view: OpenView): Capture[] {
    const { database } = this.#context
    return this.#studiesOf(view)
      .flatMap((studyInstanceUid) => capturesOfStudy(database, studyInstanceUid))
      .map(captureReply)
  }

  /**
   * Retries the upload of a capture.
   * @throws ApiError not-found; refused: it has been uploaded already, or there is no endpoint
   */
  retry(view: OpenView, captureId: string): Capture {
    const context = this.#context
    const { database, clock } = context
    return database.transaction(() => {
      const before = findCapture(database, captureId)
      if (!before || !this.#studiesOf(view).includes(before.studyInstanceUid))
        throw new ApiError('not-found', message('viewer.no-such-capture'))
      if (before.state === 'done')
        throw new ApiError('refused', message('viewer.capture-uploaded-already'))
      const why = uploadObstacle(context, before)
      if (why) throw new ApiError('refused', why)
      const now = instantOf(clock())
      note(context, actorOf(view), 'capture.retry', captureId)
      const job = findLatestOutboxJob(database, CAPTURE_UPLOAD, captureId)
      if (job?.state === 'waiting') {
        if (before.state === 'waiting') this.#uploads.retry([job.outboxId])
      } else {
        const retryState = {
          state: 'waiting',
          nextAt: now,
          lastError: null,
          updatedAt: now,
        } as const
        updateCapture(database, { ...before, ...retryState })
        addUploadJob(context, captureId, now)
      }
      return captureReply(findCapture(database, captureId) ?? before)
    })
  }

  #studiesOf(view: OpenView): string[] {
    if (view.studyInstanceUid === null) return []
    const priors = this.#images.priors(view).filter(({ isOpen }) => isOpen)
    return [view.studyInstanceUid, ...priors.map(({ studyInstanceUid }) => studyInstanceUid)]
  }

  async #make(view: OpenView, wanted: WantedCapture): Promise<Capture> {
    const context = this.#context
    const shown = this.#images.instanceOf(view, wanted.sopInstanceUid)
    if (!shown?.instance.image) throw new ApiError('not-found', message('viewer.image-not-read'))
    if (wanted.frame > shown.instance.frames)
      throw malformedError(
        'body.frame',
        message('viewer.frame-of-image', { frames: shown.instance.frames }),
      )
    checkLimits(context, shown.study.studyInstanceUid)
    const pixels = await inflatePixels(wanted.pixels, wanted.rows * wanted.columns * 3)
    const { object, header, record } = newCapture(context, view, shown, wanted, pixels)
    await storeOwnInstances(this.#context, [object], header, () =>
      insertWithJob(context, view, record),
    ).catch((error: unknown) => {
      throw error instanceof StorageFault
        ? new ApiError('unavailable', message('viewer.capture-not-kept'))
        : error
    })
    context.feed.noteImages()
    return captureReply(record)
  }
}

const actorOf = ({ userId }: OpenView) => (userId === null ? 'gateway' : userActor(userId))

const addUploadJob = ({ database }: Context, captureId: string, at: string) =>
  addOutboxJob(database, { kind: CAPTURE_UPLOAD, subject: captureId, payload: {}, at })

function insertWithJob(context: Context, view: OpenView, record: CaptureRecord): void {
  const { captureId, studyInstanceUid, sopInstanceUid, ofSopInstanceUid } = record
  insertCapture(context.database, record)
  const detail = { viewId: view.viewId, studyInstanceUid, sopInstanceUid, ofSopInstanceUid }
  note(context, actorOf(view), 'capture.make', captureId, detail)
  if (record.state === 'waiting') addUploadJob(context, captureId, record.createdAt)
}

/** Creates the DICOM object of a capture, the header of its study, and its record. */
function newCapture(
  context: Context,
  view: OpenView,
  shown: KnownInstance,
  { sopInstanceUid: ofSopInstanceUid, frame, rows, columns, description }: WantedCapture,
  pixels: Buffer,
) {
  const { database, clock, uuid } = context
  const { studyInstanceUid } = shown.study
  const study = studyOf(context, view, studyInstanceUid)
  const earlier = capturesOfStudy(database, studyInstanceUid)
  const now = instantOf(clock())
  const { object, header } = buildCaptureObject({
    ...{ shown, frame, description, image: { rows, columns, pixels } },
    sopInstanceUid: uidOfUuid(uuid()),
    // All captures of a study are in one series.
    seriesInstanceUid: earlier[0]?.seriesInstanceUid ?? uidOfUuid(uuid()),
    instanceNumber: earlier.length + 1,
    madeAt: now,
    timeZone: timeZoneOf(context.settings.get('clinic.timeZone')),
    archivedHeader: findImageStudy(database, studyInstanceUid)?.header,
  })
  const { sopInstanceUid, seriesInstanceUid } = object
  const owner = { studyId: study?.studyId ?? null, apiKeyId: study?.createdByApiKeyId ?? null }
  const why = uploadObstacle(context, owner)
  const record: CaptureRecord = {
    ...{ captureId: uuid(), ...owner, studyInstanceUid, sopInstanceUid, seriesInstanceUid },
    ...{ ofSopInstanceUid, ofSeriesInstanceUid: shown.series.seriesInstanceUid },
    ...{ userId: view.userId, urls: 0, uploaded: 0, attempts: 0 },
    ...(why === null ? { state: 'waiting', nextAt: now } : { state: 'kept', nextAt: null }),
    ...{ lastError: why, createdAt: now, updatedAt: now },
  }
  return { object, header, record }
}

/**
 * The study whose partner receives the capture: that of the view, or that of a prior study that it
 * shows.
 */
function studyOf({ database }: Context, view: OpenView, studyInstanceUid: string) {
  if (view.studyInstanceUid === studyInstanceUid)
    return view.studyId === null ? undefined : findStudy(database, view.studyId)
  return (
    findStudyByUid(database, 'scribe', studyInstanceUid) ??
    findStudyByUid(database, 'viewer', studyInstanceUid)
  )
}

/** Why the capture cannot be uploaded; null if it can. */
function uploadObstacle(
  context: Context,
  { studyId, apiKeyId }: Pick<CaptureRecord, 'studyId' | 'apiKeyId'>,
): Message | null {
  if (studyId === null) return message('viewer.capture-of-no-partner')
  return targetFor(context, 'secondary_capture.access_requested', apiKeyId) ? null : NO_ENDPOINT
}

function checkLimits({ database, imageFiles, settings }: Context, studyInstanceUid: string): void {
  if (imageFiles.space().freeBytes < settings.get('intake.stopGigabytes') * GIGABYTE)
    throw new ApiError('unavailable', message('viewer.no-room-for-captures'))
  if (capturesOfStudy(database, studyInstanceUid).length >= MAX_PER_STUDY)
    throw new ApiError('refused', message('viewer.most-captures-of-study', { most: MAX_PER_STUDY }))
}

/**
 * Decompresses pixels to exactly `bytes` bytes of RGB. Longer data, such as a decompression bomb,
 * is refused without being decompressed completely.
 * @throws ApiError malformed
 */
async function inflatePixels(base64: string, bytes: number): Promise<Buffer> {
  const packed = Buffer.from(base64, 'base64')
  const pixels = await inflateAsync(packed, { maxOutputLength: bytes }).catch(
    (error: NodeJS.ErrnoException) => {
      const isTooLong = error.code === 'ERR_BUFFER_TOO_LARGE'
      throw malformedError(
        'body.pixels',
        isTooLong
          ? message('viewer.pixels-too-long', { bytes })
          : message('viewer.pixels-not-compressed'),
      )
    },
  )
  if (pixels.length !== bytes)
    throw malformedError(
      'body.pixels',
      message('viewer.pixels-other-length', { bytes, given: pixels.length }),
    )
  return pixels
}

const captureReply = (record: CaptureRecord): Capture => {
  const { captureId, sopInstanceUid, state, urls, uploaded } = record
  const { attempts, nextAt, lastError, createdAt } = record
  return {
    ...{ captureId, sopInstanceUid, state, urls, uploaded },
    ...{ attempts, nextAt, lastError, createdAt },
  }
}

const malformedError = (path: string, fault: Message) =>
  new ApiError('malformed', message('input.field-sentence', { path, fault }), {
    errors: [{ path, message: fault }],
  })
