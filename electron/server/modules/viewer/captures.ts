import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import type { z } from 'zod'
import type { OpenView } from '#server/http/view-authentication.ts'
import { type DomainDeps, note, userActor } from '#server/modules/audit/audit.ts'
import type { ImageHeader } from '#server/modules/images/image-study-queries.ts'
import { targetFor } from '#server/modules/partners/targets.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { StorageFault } from '#server/platform/disk-fault.ts'
import type { Capture, NewCapture } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import { uidOfUuid } from '#shared/ids.ts'
import { type CaptureObject, captureObject } from './capture-object.ts'
import { CAPTURE_UPLOAD, type CaptureUploadDeps, openCaptureUpload } from './capture-upload.ts'
import type { ViewImages } from './images.ts'
import {
  type CaptureRecord,
  capturesOfStudy,
  findCapture,
  insertCapture,
  updateCapture,
} from './queries.ts'

/**
 * Implemented by `server.ts` with the module `images`: the objects are in the archive, durably,
 * once it resolves; `also` is of the same transaction.
 * @throws StorageFault
 */
export type KeepCaptures = (
  objects: readonly CaptureObject[],
  header: ImageHeader,
  also: () => void,
) => Promise<void>

export interface CapturesDeps
  extends DomainDeps,
    Omit<CaptureUploadDeps, 'store' | 'clock' | 'onSettled'> {
  readonly settings: Pick<Settings, 'get'>
  readonly images: Pick<ViewImages, 'instanceOf' | 'priors'>
  readonly keep: KeepCaptures
  /** The first failure, and the end of it; for the feed. Nothing in it names a patient. */
  readonly onFailed: (tone: 'warning' | 'danger', text: string, studyInstanceUid: string) => void
}

/** Secondary captures of what a view shows. */
export interface Captures extends AsyncDisposable {
  /**
   * It is in the archive once this resolves, and on its way to the partner. The caller has looked
   * whether the view may make any.
   * @throws ApiError malformed: the pixels, the frame; not-found: the view has no such image;
   *   refused: the study has too many; too-many; unavailable: the disk
   */
  make(view: OpenView, capture: z.output<typeof NewCapture>): Promise<Capture>
  /** Of the studies that the view shows, newest first. */
  list(view: OpenView): Capture[]
  /** @throws ApiError not-found; refused: there is nothing to upload, or nowhere to */
  retry(view: OpenView, captureId: string): Capture
}

const inflated = promisify(inflate)
const GIGABYTE = 1e9
/** Each may have fifty megabytes. */
const MOST_OF_A_STUDY = 500
const MOST_IN_LINE = 8
const UNASKED =
  'No endpoint is asked where captures go: it is in the archive of this gateway alone.'
const UNKNOWN = 'The study is of no partner: it is in the archive of this gateway alone.'

export function openCaptures(deps: CapturesDeps): Captures {
  const { store, clock, uuid, settings, images, keep, onFailed } = deps
  const { database, imageStudies, outbox, studies } = store

  const uploading = openCaptureUpload({
    ...deps,
    onSettled({ state, attempts, lastError, studyInstanceUid }) {
      if (state === 'failed')
        onFailed('danger', `A secondary capture was not uploaded. ${lastError}`, studyInstanceUid)
      else if (state === 'waiting' && attempts === 1)
        onFailed(
          'warning',
          `A secondary capture was not uploaded and is tried again. ${lastError}`,
          studyInstanceUid,
        )
    },
  })

  /**
   * The study's row whose partner is asked: that of the view, or the one of an earlier study that
   * it shows.
   */
  function studyOf(view: OpenView, studyInstanceUid: string) {
    if (view.studyInstanceUid === studyInstanceUid)
      return view.studyId === null ? undefined : studies.get(view.studyId)
    return studies.byUid('scribe', studyInstanceUid) ?? studies.byUid('viewer', studyInstanceUid)
  }

  /** Why nobody can be asked where it goes; empty where somebody can. */
  function whyKept({ studyId, apiKeyId }: Pick<CaptureRecord, 'studyId' | 'apiKeyId'>): string {
    if (studyId === null) return UNKNOWN
    return targetFor(store, 'secondary_capture.access_requested', apiKeyId) ? '' : UNASKED
  }

  function demandRoom(): void {
    const { freeBytes } = store.imageFiles.space()
    if (freeBytes < settings.get('intake.stopGigabytes') * GIGABYTE)
      throw new ApiError(
        'unavailable',
        'The disk of the gateway is nearly full: no captures are kept until there is room.',
      )
  }

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

  const append = (captureId: string, at: string) =>
    outbox.append({ kind: CAPTURE_UPLOAD, subject: captureId, payload: {}, at })
  const actorOf = ({ userId }: OpenView) => (userId === null ? 'gateway' : userActor(userId))
  const uidsOf = (view: OpenView): string[] =>
    view.studyInstanceUid === null
      ? []
      : [
          view.studyInstanceUid,
          ...images
            .priors(view)
            .flatMap(({ isOpen, studyInstanceUid }) => (isOpen ? [studyInstanceUid] : [])),
        ]

  async function made(
    view: OpenView,
    {
      sopInstanceUid: ofSopInstanceUid,
      frame,
      rows,
      columns,
      pixels,
      description,
    }: z.output<typeof NewCapture>,
  ): Promise<Capture> {
    const shown = images.instanceOf(view, ofSopInstanceUid)
    if (!shown?.instance.image)
      throw new ApiError('not-found', 'This view has no such image, or it has not been read yet.')
    const { studyInstanceUid } = shown.study
    if (frame > shown.instance.frames)
      throw malformed('body.frame', `must be one of its ${shown.instance.frames} frames`)
    demandRoom()
    if (capturesOfStudy(database, studyInstanceUid).length >= MOST_OF_A_STUDY)
      throw new ApiError(
        'refused',
        `The study has ${MOST_OF_A_STUDY} captures already: no more can be made of it.`,
      )
    const image = { rows, columns, pixels: await pixelsOf(pixels, rows * columns * 3) }

    const study = studyOf(view, studyInstanceUid)
    const earlier = capturesOfStudy(database, studyInstanceUid)
    const now = instantOf(clock())
    const { object, header } = captureObject({
      ...{ shown, frame, description, image },
      sopInstanceUid: uidOfUuid(uuid()),
      // One series of a study, which grows.
      seriesInstanceUid: earlier[0]?.seriesInstanceUid ?? uidOfUuid(uuid()),
      instanceNumber: earlier.length + 1,
      madeAt: now,
      timeZone: timeZoneOf(settings.get('clinic.timeZone')),
      archived: imageStudies.get(studyInstanceUid)?.header,
    })
    const whose = { studyId: study?.studyId ?? null, apiKeyId: study?.createdByApiKeyId ?? null }
    const why = whyKept(whose)
    const record: CaptureRecord = {
      captureId: uuid(),
      ...whose,
      ...{
        studyInstanceUid,
        sopInstanceUid: object.sopInstanceUid,
        seriesInstanceUid: object.seriesInstanceUid,
      },
      ...{
        ofSopInstanceUid,
        ofSeriesInstanceUid: shown.series.seriesInstanceUid,
        userId: view.userId,
      },
      ...{
        state: why === '' ? 'waiting' : 'kept',
        urls: 0,
        uploaded: 0,
        attempts: 0,
        nextAt: why === '' ? now : null,
      },
      ...{ lastError: why, createdAt: now, updatedAt: now },
    }
    await keep([object], header, () => {
      insertCapture(database, record)
      const { captureId, sopInstanceUid } = record
      note(deps.store, actorOf(view), 'capture.make', captureId, {
        viewId: view.viewId,
        studyInstanceUid,
        sopInstanceUid,
        ofSopInstanceUid,
      })
      if (why === '') append(captureId, now)
    }).catch((error: unknown) => {
      throw error instanceof StorageFault
        ? new ApiError('unavailable', 'The disk of the gateway did not take the capture.')
        : error
    })
    return shownCapture(record)
  }

  return {
    make: async (view, wanted) => inTurn(() => made(view, wanted)),

    list: (view) =>
      uidsOf(view)
        .flatMap((studyInstanceUid) => capturesOfStudy(database, studyInstanceUid))
        .map(shownCapture),

    retry: (view, captureId) =>
      database.transaction(() => {
        const before = findCapture(database, captureId)
        if (!before || !uidsOf(view).includes(before.studyInstanceUid))
          throw new ApiError('not-found', 'There is no such capture.')
        if (before.state === 'done') throw new ApiError('refused', 'It was uploaded already.')
        const why = whyKept(before)
        if (why !== '') throw new ApiError('refused', why)
        const now = instantOf(clock())
        note(deps.store, actorOf(view), 'capture.retry', captureId)
        const waits = outbox.latest(CAPTURE_UPLOAD, captureId)
        if (waits?.state === 'waiting') {
          if (before.state === 'waiting') uploading.retry([waits.outboxId])
        } else {
          updateCapture(database, {
            ...before,
            state: 'waiting',
            nextAt: now,
            lastError: '',
            updatedAt: now,
          })
          append(captureId, now)
        }
        return shownCapture(findCapture(database, captureId) ?? before)
      }),

    [Symbol.asyncDispose]: () => uploading[Symbol.asyncDispose](),
  }
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

function shownCapture({
  captureId,
  sopInstanceUid,
  state,
  urls,
  uploaded,
  attempts,
  nextAt,
  lastError,
  createdAt,
}: CaptureRecord): Capture {
  return {
    captureId,
    sopInstanceUid,
    state,
    urls,
    uploaded,
    attempts,
    nextAt,
    lastError,
    createdAt,
  }
}

const malformed = (path: string, message: string) =>
  new ApiError('malformed', `${path} ${message}.`, { errors: [{ path, message }] })
