import type { PresentationState } from '#shared/contract/referencing-objects.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { SeriesState, StackImage, StudyState } from '../engine/stack.ts'
import { contoursOn, framesOn, isReferenced, placedImage } from './belonging.ts'
import type { LoadedReference } from './referencing-store.ts'

/** An object that is offered for a series, or the reason why it is not. */
export interface Offer {
  readonly sopInstanceUid: string
  readonly loaded: LoadedReference
  /** Null if it can be chosen. */
  readonly whyNot: Message | null
}

export interface Offers {
  readonly presentations: readonly Offer[]
  readonly overlays: readonly Offer[]
  /** Number of objects that are for other images. */
  readonly elsewhere: number
}

/** What the objects of a view are for the series of a pane. */
export function offersFor(
  objects: Iterable<readonly [string, LoadedReference]>,
  series: SeriesState,
  studies: readonly StudyState[],
): Offers {
  const presentations: Offer[] = []
  const overlays: Offer[] = []
  let elsewhere = 0
  for (const [sopInstanceUid, loaded] of objects) {
    const { object, problem } = loaded
    const isPresentation = isPresentationState(loaded)
    const whyNot = problem ?? (object ? refusalFor(loaded, series, studies) : LOADING)
    if (object && whyNot?.code === ON_OTHER_IMAGES.code) {
      elsewhere += 1
      continue
    }
    const offer = { sopInstanceUid, loaded, whyNot }
    if (isPresentation) presentations.push(offer)
    else overlays.push(offer)
  }
  return { presentations, overlays, elsewhere }
}

const LOADING = message('viewer.overlay-loading')
const ON_OTHER_IMAGES = message('viewer.overlay-other-images')

const isPresentationState = ({ instance, object }: LoadedReference): boolean =>
  object ? object.kind === 'presentation-state' : instance.sopClassUid.includes('.11.')

const known = new WeakMap<object, WeakMap<readonly StackImage[], Message | null>>()

/** Why an object is not for the images of a series; null if it is for any of them. */
function refusalFor(
  { instance, object }: LoadedReference,
  { stack }: SeriesState,
  studies: readonly StudyState[],
): Message | null {
  if (!object) return LOADING
  const bySeries = known.get(object) ?? new WeakMap<readonly StackImage[], Message | null>()
  known.set(object, bySeries)
  const before = bySeries.get(stack)
  const why =
    before !== undefined
      ? before
      : object.kind === 'presentation-state'
        ? presentationRefusal(object, stack)
        : overlayRefusal(object, stack)
  bySeries.set(stack, why)
  const isOfPatient = stack.some((image) => isSamePatient(instance, image.instance, studies))
  return why ?? (isOfPatient ? null : message('viewer.overlay-other-patient'))
}

const presentationRefusal = (
  state: PresentationState,
  stack: readonly StackImage[],
): Message | null =>
  stack.some((image) => isReferenced(state.references, image)) ? null : ON_OTHER_IMAGES

type Overlay = Exclude<NonNullable<LoadedReference['object']>, PresentationState>

/** A refusal of an image that it names says more than that it is for other images. */
function overlayRefusal(object: Overlay, stack: readonly StackImage[]): Message | null {
  let refusal: Message | undefined
  const { frames, images } = referencedUidsOf(object)
  for (const image of stack) {
    // Thousands of frames are compared with thousands of images only where it can matter.
    if (!frames.has(image.instance.frameOfReferenceUid) && !images.has(image.sopInstanceUid))
      continue
    const placed = placedImage(image, stack)
    const { items, refusals } =
      object.kind === 'segmentation' ? framesOn(object, placed) : contoursOn(object, placed)
    if (items.length > 0) return null
    refusal ??= refusals[0]
  }
  return refusal ?? ON_OTHER_IMAGES
}

interface ReferencedUids {
  /** Frame of Reference UIDs, and SOP Instance UIDs of images. */
  readonly frames: ReadonlySet<string>
  readonly images: ReadonlySet<string>
}

const named = new WeakMap<object, ReferencedUids>()

function referencedUidsOf(object: Overlay): ReferencedUids {
  const before = named.get(object)
  if (before) return before
  const references =
    object.kind === 'segmentation'
      ? object.frames.flatMap((frame) => frame.references)
      : object.rois.flatMap(({ contours }) => contours.flatMap((contour) => contour.references))
  const frames =
    object.kind === 'segmentation'
      ? [object.frameOfReferenceUid]
      : object.rois.map(({ frameOfReferenceUid }) => frameOfReferenceUid)
  const made = {
    frames: new Set(frames),
    images: new Set(references.map(({ sopInstanceUid }) => sopInstanceUid)),
  }
  named.set(object, made)
  return made
}

/**
 * Whether two objects are of one patient, by name and ID as their files have them: images of two
 * patients in one study must not show each other's findings.
 */
export function isSamePatient(
  one: StackImage['instance'],
  other: StackImage['instance'],
  studies: readonly StudyState[],
): boolean {
  const patientOf = (instance: StackImage['instance']) =>
    instance.patient ??
    studies.find(({ study }) => study.studyInstanceUid === instance.studyInstanceUid)?.study
  const [mine, its] = [patientOf(one), patientOf(other)]
  return mine?.patientId === its?.patientId && mine?.patientName === its?.patientName
}
