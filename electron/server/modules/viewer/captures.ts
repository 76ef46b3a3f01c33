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
import { captureObject } from './capture-object.ts'
import { CAPTURE_UPLOAD, type CaptureUpload, UNASKED } from './capture-upload.ts'
import {
  type CaptureRecord,
  capturesOfStudy,
  findCapture,
  insertCapture,
  updateCapture,
} from './queries.ts'
import type { KnownInstance, ViewImages } from './view-images.ts'

type WantedCapture = z.output<typeof NewCapture>

const inflated = promisify(inflate)
const GIGABYTE = 1e9
/** Each may have fifty megabytes. */
const MOST_OF_A_STUDY = 500
const MOST_IN_LINE = 8

/** Secondary captures of what a view shows. */
export class Captures {
  readonly #context: Context
  readonly #images: Pick<ViewImages, 'instanceOf' | 'priors'>
  readonly #uploads: CaptureUpload
  /** One after the other: each is large, and continues the series of its study. */
  #last: Promise<unknown> = Promise.resolve()
  #inLine = 0

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
   * It is in the archive once this resolves, and on its way to the partner. The caller has looked
   * whether the view may make any.
   * @throws ApiError malformed: the pixels, the frame; not-found: the view has no such image;
   *   refused: the study has too many; too-many; unavailable: the disk
   */
  async make(view: OpenView, wanted: WantedCapture): Promise<Capture> {
    if (this.#inLine >= MOST_IN_LINE)
      throw new ApiError('too-many', message('viewer.too-many-captures'), {
        headers: { 'retry-after': '5' },
      })
    this.#inLine++
    const made = this.#last.then(() => this.#make(view, wanted)).finally(() => this.#inLine--)
    this.#last = made.catch(() => undefined)
    return await made
  }

  /** Of the studies that the view shows, newest first. */
  list(view: OpenView): Capture[] {
    const { database } = this.#context
    return this.#studiesOf(view)
      .flatMap((studyInstanceUid) => capturesOfStudy(database, studyInstanceUid))
      .map(shownCapture)
  }

  /** @throws ApiError not-found; refused: there is nothing to upload, or nowhere to */
  retry(view: OpenView, captureId: string): Capture {
    const context = this.#context
    const { database, clock } = context
    return database.transaction(() => {
      const before = findCapture(database, captureId)
      if (!before || !this.#studiesOf(view).includes(before.studyInstanceUid))
        throw new ApiError('not-found', message('viewer.no-such-capture'))
      if (before.state === 'done')
        throw new ApiError('refused', message('viewer.capture-uploaded-already'))
      const why = whyKept(context, before)
      if (why) throw new ApiError('refused', why)
      const now = instantOf(clock())
      note(context, actorOf(view), 'capture.retry', captureId)
      const job = findLatestOutboxJob(database, CAPTURE_UPLOAD, captureId)
      if (job?.state === 'waiting') {
        if (before.state === 'waiting') this.#uploads.retry([job.outboxId])
      } else {
        const again = { state: 'waiting', nextAt: now, lastError: null, updatedAt: now } as const
        updateCapture(database, { ...before, ...again })
        append(context, captureId, now)
      }
      return shownCapture(findCapture(database, captureId) ?? before)
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
      throw malformed(
        'body.frame',
        message('viewer.frame-of-image', { frames: shown.instance.frames }),
      )
    demandRoom(context, shown.study.studyInstanceUid)
    const pixels = await pixelsOf(wanted.pixels, wanted.rows * wanted.columns * 3)
    const { object, header, record } = newCapture(context, view, shown, wanted, pixels)
    await storeOwnInstances(this.#context, [object], header, () =>
      insert(context, view, record),
    ).catch((error: unknown) => {
      throw error instanceof StorageFault
        ? new ApiError('unavailable', message('viewer.capture-not-kept'))
        : error
    })
    context.feed.noteImages()
    return shownCapture(record)
  }
}

const actorOf = ({ userId }: OpenView) => (userId === null ? 'gateway' : userActor(userId))

const append = ({ database }: Context, captureId: string, at: string) =>
  addOutboxJob(database, { kind: CAPTURE_UPLOAD, subject: captureId, payload: {}, at })

function insert(context: Context, view: OpenView, record: CaptureRecord): void {
  const { captureId, studyInstanceUid, sopInstanceUid, ofSopInstanceUid } = record
  insertCapture(context.database, record)
  const detail = { viewId: view.viewId, studyInstanceUid, sopInstanceUid, ofSopInstanceUid }
  note(context, actorOf(view), 'capture.make', captureId, detail)
  if (record.state === 'waiting') append(context, captureId, record.createdAt)
}

/** The object of a capture with what the row of its study says, and its row. */
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
  const { object, header } = captureObject({
    ...{ shown, frame, description, image: { rows, columns, pixels } },
    sopInstanceUid: uidOfUuid(uuid()),
    // One series of a study, which grows.
    seriesInstanceUid: earlier[0]?.seriesInstanceUid ?? uidOfUuid(uuid()),
    instanceNumber: earlier.length + 1,
    madeAt: now,
    timeZone: timeZoneOf(context.settings.get('clinic.timeZone')),
    archived: findImageStudy(database, studyInstanceUid)?.header,
  })
  const { sopInstanceUid, seriesInstanceUid } = object
  const whose = { studyId: study?.studyId ?? null, apiKeyId: study?.createdByApiKeyId ?? null }
  const why = whyKept(context, whose)
  const record: CaptureRecord = {
    ...{ captureId: uuid(), ...whose, studyInstanceUid, sopInstanceUid, seriesInstanceUid },
    ...{ ofSopInstanceUid, ofSeriesInstanceUid: shown.series.seriesInstanceUid },
    ...{ userId: view.userId, urls: 0, uploaded: 0, attempts: 0 },
    ...(why === null ? { state: 'waiting', nextAt: now } : { state: 'kept', nextAt: null }),
    ...{ lastError: why, createdAt: now, updatedAt: now },
  }
  return { object, header, record }
}

/**
 * The study's row whose partner is asked: that of the view, or the one of an earlier study that it
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

/** Why nobody can be asked where it goes; null where somebody can. */
function whyKept(
  context: Context,
  { studyId, apiKeyId }: Pick<CaptureRecord, 'studyId' | 'apiKeyId'>,
): Message | null {
  if (studyId === null) return message('viewer.capture-of-no-partner')
  return targetFor(context, 'secondary_capture.access_requested', apiKeyId) ? null : UNASKED
}

function demandRoom({ database, imageFiles, settings }: Context, studyInstanceUid: string): void {
  if (imageFiles.space().freeBytes < settings.get('intake.stopGigabytes') * GIGABYTE)
    throw new ApiError('unavailable', message('viewer.no-room-for-captures'))
  if (capturesOfStudy(database, studyInstanceUid).length >= MOST_OF_A_STUDY)
    throw new ApiError(
      'refused',
      message('viewer.most-captures-of-study', { most: MOST_OF_A_STUDY }),
    )
}

/**
 * RGB of that many bytes. A bomb is refused before it is any longer than that. @throws ApiError
 * malformed
 */
async function pixelsOf(base64: string, bytes: number): Promise<Buffer> {
  const packed = Buffer.from(base64, 'base64')
  const pixels = await inflated(packed, { maxOutputLength: bytes }).catch(
    (error: NodeJS.ErrnoException) => {
      const isLonger = error.code === 'ERR_BUFFER_TOO_LARGE'
      throw malformed(
        'body.pixels',
        isLonger
          ? message('viewer.pixels-too-long', { bytes })
          : message('viewer.pixels-not-compressed'),
      )
    },
  )
  if (pixels.length !== bytes)
    throw malformed(
      'body.pixels',
      message('viewer.pixels-other-length', { bytes, given: pixels.length }),
    )
  return pixels
}

const shownCapture = (record: CaptureRecord): Capture => {
  const { captureId, sopInstanceUid, state, urls, uploaded } = record
  const { attempts, nextAt, lastError, createdAt } = record
  return {
    ...{ captureId, sopInstanceUid, state, urls, uploaded },
    ...{ attempts, nextAt, lastError, createdAt },
  }
}

const malformed = (path: string, fault: Message) =>
  new ApiError('malformed', message('input.field-sentence', { path, fault }), {
    errors: [{ path, message: fault }],
  })
