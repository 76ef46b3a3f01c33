import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import type { z } from 'zod'
import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/view-authentication.ts'
import { note, userActor } from '#server/modules/audit/audit.ts'
import { openOwnInstances } from '#server/modules/images/own-instances.ts'
import { targetFor } from '#server/modules/partners/targets.ts'
import { timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { StorageFault } from '#server/platform/disk-fault.ts'
import type { Capture, NewCapture } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import { uidOfUuid } from '#shared/ids.ts'
import { captureObject } from './capture-object.ts'
import { CAPTURE_UPLOAD, type CaptureUpload, UNASKED } from './capture-upload.ts'
import type { KnownInstance, ViewImages } from './images.ts'
import {
  type CaptureRecord,
  capturesOfStudy,
  findCapture,
  insertCapture,
  updateCapture,
} from './queries.ts'

type WantedCapture = z.output<typeof NewCapture>

const inflated = promisify(inflate)
const GIGABYTE = 1e9
/** Each may have fifty megabytes. */
const MOST_OF_A_STUDY = 500
const MOST_IN_LINE = 8
const UNKNOWN = 'The study is of no partner: it is in the archive of this gateway alone.'

export type Captures = ReturnType<typeof openCaptures>

/**
 * Secondary captures of what a view shows.
 * @param arriving files that are about to have a row (`Intake.arriving`)
 * @param onKept the archive has another one
 */
export function openCaptures(
  context: Context,
  images: Pick<ViewImages, 'instanceOf' | 'priors'>,
  uploads: CaptureUpload,
  arriving: Set<string>,
  onKept: () => void,
) {
  const { database, settings, clock, uuid, outbox } = context
  const own = openOwnInstances({ store: context, clock, uuid, setting: settings.get, arriving })

  // One after the other: each is large, and continues the series of its study.
  let last: Promise<unknown> = Promise.resolve()
  let inLine = 0
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (inLine >= MOST_IN_LINE)
      throw new ApiError('too-many', 'Too many captures are being made.', {
        headers: { 'retry-after': '5' },
      })
    inLine++
    const done = last.then(work).finally(() => inLine--)
    last = done.catch(() => undefined)
    return done
  }

  const uidsOf = (view: OpenView): string[] =>
    view.studyInstanceUid === null
      ? []
      : [
          view.studyInstanceUid,
          ...images
            .priors(view)
            .flatMap(({ isOpen, studyInstanceUid }) => (isOpen ? [studyInstanceUid] : [])),
        ]

  async function made(view: OpenView, wanted: WantedCapture): Promise<Capture> {
    const shown = images.instanceOf(view, wanted.sopInstanceUid)
    if (!shown?.instance.image)
      throw new ApiError('not-found', 'This view has no such image, or it has not been read yet.')
    const { studyInstanceUid } = shown.study
    if (wanted.frame > shown.instance.frames)
      throw malformed('body.frame', `must be one of its ${shown.instance.frames} frames`)
    demandRoom(context)
    if (capturesOfStudy(database, studyInstanceUid).length >= MOST_OF_A_STUDY)
      throw new ApiError(
        'refused',
        `The study has ${MOST_OF_A_STUDY} captures already: no more can be made of it.`,
      )
    const pixels = await pixelsOf(wanted.pixels, wanted.rows * wanted.columns * 3)
    const { object, header, record } = newCapture(context, view, shown, wanted, pixels)
    const { captureId, sopInstanceUid, ofSopInstanceUid } = record
    await own
      .keep([object], header, () => {
        insertCapture(database, record)
        const detail = { viewId: view.viewId, studyInstanceUid, sopInstanceUid, ofSopInstanceUid }
        note(context, actorOf(view), 'capture.make', captureId, detail)
        if (record.state === 'waiting') append(context, captureId, record.createdAt)
      })
      .catch((error: unknown) => {
        throw error instanceof StorageFault
          ? new ApiError('unavailable', 'The disk of the gateway did not take the capture.')
          : error
      })
    onKept()
    return shownCapture(record)
  }

  return {
    /**
     * It is in the archive once this resolves, and on its way to the partner. The caller has looked
     * whether the view may make any.
     * @throws ApiError malformed: the pixels, the frame; not-found: the view has no such image;
     *   refused: the study has too many; too-many; unavailable: the disk
     */
    make: async (view: OpenView, wanted: WantedCapture) => inTurn(() => made(view, wanted)),

    /** Of the studies that the view shows, newest first. */
    list: (view: OpenView): Capture[] =>
      uidsOf(view)
        .flatMap((studyInstanceUid) => capturesOfStudy(database, studyInstanceUid))
        .map(shownCapture),

    /** @throws ApiError not-found; refused: there is nothing to upload, or nowhere to */
    retry: (view: OpenView, captureId: string): Capture =>
      database.transaction(() => {
        const before = findCapture(database, captureId)
        if (!before || !uidsOf(view).includes(before.studyInstanceUid))
          throw new ApiError('not-found', 'There is no such capture.')
        if (before.state === 'done') throw new ApiError('refused', 'It was uploaded already.')
        const why = whyKept(context, before)
        if (why !== '') throw new ApiError('refused', why)
        const now = instantOf(clock())
        note(context, actorOf(view), 'capture.retry', captureId)
        const waits = outbox.latest(CAPTURE_UPLOAD, captureId)
        if (waits?.state === 'waiting') {
          if (before.state === 'waiting') uploads.retry([waits.outboxId])
        } else {
          const again = { state: 'waiting', nextAt: now, lastError: '', updatedAt: now } as const
          updateCapture(database, { ...before, ...again })
          append(context, captureId, now)
        }
        return shownCapture(findCapture(database, captureId) ?? before)
      }),
  }
}

const actorOf = ({ userId }: OpenView) => (userId === null ? 'gateway' : userActor(userId))

const append = ({ outbox }: Context, captureId: string, at: string) =>
  outbox.append({ kind: CAPTURE_UPLOAD, subject: captureId, payload: {}, at })

/** The object of a capture with what the row of its study says, and its row. */
function newCapture(
  context: Context,
  view: OpenView,
  shown: KnownInstance,
  { sopInstanceUid: ofSopInstanceUid, frame, rows, columns, description }: WantedCapture,
  pixels: Buffer,
) {
  const { database, settings, clock, uuid, imageStudies } = context
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
    timeZone: timeZoneOf(settings.get('clinic.timeZone')),
    archived: imageStudies.get(studyInstanceUid)?.header,
  })
  const { sopInstanceUid, seriesInstanceUid } = object
  const whose = { studyId: study?.studyId ?? null, apiKeyId: study?.createdByApiKeyId ?? null }
  const why = whyKept(context, whose)
  const record: CaptureRecord = {
    ...{ captureId: uuid(), ...whose, studyInstanceUid, sopInstanceUid, seriesInstanceUid },
    ...{ ofSopInstanceUid, ofSeriesInstanceUid: shown.series.seriesInstanceUid },
    ...{ userId: view.userId, urls: 0, uploaded: 0, attempts: 0 },
    ...(why === '' ? { state: 'waiting', nextAt: now } : { state: 'kept', nextAt: null }),
    ...{ lastError: why, createdAt: now, updatedAt: now },
  }
  return { object, header, record }
}

/**
 * The study's row whose partner is asked: that of the view, or the one of an earlier study that it
 * shows.
 */
function studyOf({ studies }: Context, view: OpenView, studyInstanceUid: string) {
  if (view.studyInstanceUid === studyInstanceUid)
    return view.studyId === null ? undefined : studies.get(view.studyId)
  return studies.byUid('scribe', studyInstanceUid) ?? studies.byUid('viewer', studyInstanceUid)
}

/** Why nobody can be asked where it goes; empty where somebody can. */
function whyKept(
  context: Context,
  { studyId, apiKeyId }: Pick<CaptureRecord, 'studyId' | 'apiKeyId'>,
): string {
  if (studyId === null) return UNKNOWN
  return targetFor(context, 'secondary_capture.access_requested', apiKeyId) ? '' : UNASKED
}

function demandRoom({ imageFiles, settings }: Context): void {
  if (imageFiles.space().freeBytes < settings.get('intake.stopGigabytes') * GIGABYTE)
    throw new ApiError(
      'unavailable',
      'The disk of the gateway is nearly full: no captures are kept until there is room.',
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
        isLonger ? `must be ${bytes} bytes, and is longer` : 'must be compressed with zlib',
      )
    },
  )
  if (pixels.length !== bytes)
    throw malformed(
      'body.pixels',
      `must be ${bytes} bytes (rows × columns × 3), and is ${pixels.length}`,
    )
  return pixels
}

const shownCapture = ({ captureId, sopInstanceUid, state, ...record }: CaptureRecord): Capture => {
  const { urls, uploaded, attempts, nextAt, lastError, createdAt } = record
  return {
    ...{ captureId, sopInstanceUid, state, urls, uploaded },
    ...{ attempts, nextAt, lastError, createdAt },
  }
}

const malformed = (path: string, message: string) =>
  new ApiError('malformed', `${path} ${message}.`, { errors: [{ path, message }] })
