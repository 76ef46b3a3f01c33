import { note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Drawing, DrawnImage } from '#server/dicom/objects/drawing.ts'
import { keyImageUid } from '#server/dicom/objects/key-images.ts'
import { windowKey } from '#server/dicom/objects/presentation-state.ts'
import type { OpenView } from '#server/http/callers.ts'
import { findCurrentInstance } from '#server/modules/images/instance-queries.ts'
import { storeOwnInstances } from '#server/modules/images/own-instances.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import { StorageFault } from '#server/platform/disk-fault.ts'
import {
  DRAWING_POINTS,
  type DrawingChanges,
  type SavedDrawing,
  type SavedDrawings as SavedReply,
} from '#shared/contract/saved-drawings.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { buildSavedObjects } from './saved-objects.ts'
import { readSavedVersion, savedReply } from './saved-version.ts'
import { patientAndStudyOf, studyHeader } from './shown-patient.ts'
import type { KnownInstance, ViewImages } from './view-images.ts'

const GIGABYTE = 1e9
/** Together with the points, a few megabytes. */
const MAX_DRAWINGS = 2000

/**
 * Stores the drawings and key images of a study as DICOM objects in its archive: a measurement
 * report, presentation states and key object selections. Each save is a new version with new
 * objects; nothing is overwritten or deleted.
 */
export class SavedDrawings {
  readonly #context: Context
  readonly #images: Pick<ViewImages, 'instanceOf'>
  /** Versions are made one at a time, because each is based on the one before. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(context: Context, images: Pick<ViewImages, 'instanceOf'>) {
    this.#context = context
    this.#images = images
  }

  /** The latest version. */
  async read(studyInstanceUid: string): Promise<SavedReply> {
    return savedReply(await readSavedVersion(this.#context, studyInstanceUid))
  }

  /**
   * Makes the next version, unless nothing changes, and returns it when it is durable. The caller
   * has checked that the view shows the study and that objects may be made in it.
   * @throws ApiError malformed: a drawing; not-found: the view has no such image; refused: a view
   *   that was opened by a link removes nothing; unavailable: the disk, or images that are not
   *   listed yet
   */
  save(view: OpenView, studyInstanceUid: string, changes: DrawingChanges): Promise<SavedReply> {
    const saved = this.#last.then(() => this.#save(view, studyInstanceUid, changes))
    this.#last = saved.catch(() => undefined)
    return saved
  }

  async #save(view: OpenView, studyInstanceUid: string, changes: DrawingChanges) {
    const context = this.#context
    // Those who were sent a link see drawings of others, and must not make them disappear.
    if (view.kind !== 'window' && changes.removed.length > 0)
      throw new ApiError('refused', message('viewer.link-removes-no-drawings'))
    const before = await readSavedVersion(context, studyInstanceUid)
    const shown = this.#shownImages(view, studyInstanceUid)
    for (const [index, drawing] of changes.drawings.entries())
      checkDrawing(drawing, `body.drawings.${index}`, shown(drawing.sopInstanceUid))
    const drawings = changed(before.drawings, changes).flatMap((drawing): Drawing[] => {
      const known = shown(drawing.sopInstanceUid)
      return known ? [{ ...drawing, image: drawnImage(known, drawing.frame) }] : []
    })
    if (drawings.length > MAX_DRAWINGS)
      throw new ApiError('refused', message('viewer.most-drawings', { most: MAX_DRAWINGS }))
    const imagesBefore = before.drawings.flatMap(({ sopInstanceUid, frame }) => {
      const known = shown(sopInstanceUid)
      return known ? [{ known, image: drawnImage(known, frame) }] : []
    })
    const [first] = [...drawings, ...before.drawings].flatMap(
      ({ sopInstanceUid }) => shown(sopInstanceUid) ?? [],
    )
    if (!first) return savedReply(before)
    checkPatient(drawings.flatMap(({ sopInstanceUid }) => shown(sopInstanceUid) ?? []))
    const patientAndStudy = patientAndStudyOf(
      first,
      findImageStudy(context.database, studyInstanceUid)?.header,
    )
    const objects = buildSavedObjects(context, {
      ...{ studyInstanceUid, before, drawings, patientAndStudy },
      imagesBefore: [
        ...new Map(imagesBefore.map(({ image }) => [image.sopInstanceUid, image])).values(),
      ],
      windows: new Map(
        changes.windows.map(({ sopInstanceUid, frame, center, width }) => [
          windowKey(sopInstanceUid, frame),
          { center, width },
        ]),
      ),
      author: view.user ? personName(view.user) : '',
    })
    if (objects.length === 0) return savedReply(before)
    checkFreeSpace(context)
    await storeOwnInstances(
      context,
      objects,
      studyHeader({ ...patientAndStudy, modality: first.series.modality }),
      (stored) =>
        note(
          context,
          view.userId === null ? 'gateway' : userActor(view.userId),
          'drawings.save',
          studyInstanceUid,
          {
            ...{ viewId: view.viewId, version: before.version + 1 },
            ...{ drawings: drawings.length, removed: changes.removed.length },
            sopInstanceUids: stored.map(({ sopInstanceUid }) => sopInstanceUid),
          },
        ),
    ).catch((error: unknown) => {
      throw error instanceof StorageFault
        ? new ApiError('unavailable', message('viewer.drawings-not-kept'))
        : error
    })
    context.feed.noteImages()
    return savedReply(await readSavedVersion(context, studyInstanceUid))
  }

  /**
   * Finds images of the study in the view; undefined if the study has no such image any more.
   * @throws ApiError unavailable: the image is not listed yet
   */
  #shownImages(view: OpenView, studyInstanceUid: string) {
    const { database } = this.#context
    return (sopInstanceUid: string): KnownInstance | undefined => {
      const known = this.#images.instanceOf(view, sopInstanceUid)
      if (known)
        return known.study.studyInstanceUid === studyInstanceUid && known.instance.image
          ? known
          : undefined
      // A study without images of a device is loaded from the partner.
      const isPartnerStudy =
        findImageStudy(database, studyInstanceUid)?.remoteAddress === OWN_ADDRESS
      if (findCurrentInstance(database, sopInstanceUid) || isPartnerStudy)
        throw new ApiError('unavailable', message('viewer.images-not-listed-yet'))
      return undefined
    }
  }
}

/** The drawings of the next version. */
function changed(
  before: readonly SavedDrawing[],
  { drawings, removed }: DrawingChanges,
): SavedDrawing[] {
  const next = new Map(before.map((drawing) => [drawing.uid, drawing]))
  for (const uid of removed) next.delete(uid)
  for (const drawing of drawings) next.set(drawing.uid, drawing)
  return [...next.values()]
}

function checkDrawing(
  { uid, kind, frame, points, title, sopInstanceUid }: SavedDrawing,
  path: string,
  known: KnownInstance | undefined,
): void {
  if (!known) throw new ApiError('not-found', message('viewer.image-not-read'))
  const { frames } = known.instance
  if (frame > frames)
    throw malformedError(`${path}.frame`, message('viewer.frame-of-image', { frames }))
  const needed = DRAWING_POINTS[kind]
  const isOpen = kind === 'freehand' || kind === 'line'
  if (points.length < needed || (points.length > needed && !isOpen))
    throw malformedError(`${path}.points`, message('viewer.points-of-drawing', { needed }))
  const isKeyImage = kind === 'keyImage'
  const isOwnUid = isKeyImage
    ? uid === keyImageUid(sopInstanceUid, frame)
    : /^2\.25\.\d{1,39}$/.test(uid)
  if (!isOwnUid || isKeyImage !== (title !== null))
    throw malformedError(`${path}.uid`, message('viewer.uid-of-drawing'))
}

/** Objects have one patient: drawings on images of several patients cannot be saved together. */
function checkPatient(all: readonly KnownInstance[]): void {
  const patients = new Set(all.map(({ instance }) => JSON.stringify(instance.patient)))
  if (patients.size > 1) throw new ApiError('refused', message('viewer.drawings-of-patients'))
}

function checkFreeSpace({ imageFiles, settings }: Context): void {
  if (imageFiles.space().freeBytes < settings.get('intake.stopGigabytes') * GIGABYTE)
    throw new ApiError('unavailable', message('viewer.no-room-for-drawings'))
}

function drawnImage({ instance, series }: KnownInstance, frame: number): DrawnImage {
  const { sopClassUid, sopInstanceUid, frames, image, rescaleType } = instance
  const attributes = instance.perFrame?.[frame - 1] ?? instance.attributes
  const [center] = attributes.windowCenter
  const [width] = attributes.windowWidth
  return {
    ...{ sopClassUid, sopInstanceUid, frames, rescaleType },
    seriesInstanceUid: series.seriesInstanceUid,
    rows: image?.rows ?? 0,
    columns: image?.columns ?? 0,
    spacing: attributes.spacing && [...attributes.spacing],
    aspect: image?.aspect ?? 1,
    isAtDetector: attributes.spacingFrom === 'detector',
    slope: attributes.slope,
    intercept: attributes.intercept,
    window: center !== undefined && width !== undefined ? { center, width } : null,
    isColor:
      (image?.samplesPerPixel ?? 1) > 1 || image?.photometricInterpretation === 'PALETTE COLOR',
    isInverted: image?.photometricInterpretation === 'MONOCHROME1',
  }
}

/** PN (PS3.5 §6.2): delimiters and control characters are not allowed in a component. */
const personName = ({ firstName, lastName }: NonNullable<OpenView['user']>): string =>
  [lastName, firstName]
    .map((part) => part.replace(/[\\^=\p{Cc}]+/gu, ' ').trim())
    .join('^')
    .slice(0, 64)

const malformedError = (path: string, fault: Message) =>
  new ApiError('malformed', message('input.field-sentence', { path, fault }), {
    errors: [{ path, message: fault }],
  })
