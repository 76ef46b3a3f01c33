import type { PresentationState } from '#shared/contract/referencing-objects.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { SeriesState, StackImage, StudyState } from '../engine/stack.ts'
import { contoursOn, framesOn, isNamed, placedImage, whyNotPresented } from './belonging.ts'
import type { Loaded } from './referencing-store.ts'

/** An object that is offered for a series, or the reason why it is not. */
export interface Offer {
  readonly sopInstanceUid: string
  readonly loaded: Loaded
  /** Null if it can be chosen. */
  readonly whyNot: Message | null
}

export interface Offers {
  readonly presentations: readonly Offer[]
  readonly overlays: readonly Offer[]
}

/** What the objects of a view are for the series of a pane. */
export function offersFor(
  objects: Iterable<readonly [string, Loaded]>,
  series: SeriesState,
  studies: readonly StudyState[],
): Offers {
  const presentations: Offer[] = []
  const overlays: Offer[] = []
  for (const [sopInstanceUid, loaded] of objects) {
    const { object, problem } = loaded
    const isPresentation = isPresentationState(loaded)
    const whyNot = problem ?? (object ? whyNotFor(loaded, series, studies) : LOADING)
    // A presentation state of other images is of no interest here; an overlay may be looked for.
    if (isPresentation && object && whyNot?.code === 'viewer.presentation-other-image') continue
    const offer = { sopInstanceUid, loaded, whyNot }
    if (isPresentation) presentations.push(offer)
    else overlays.push(offer)
  }
  return { presentations, overlays }
}

const LOADING = message('viewer.overlay-loading')

const isPresentationState = ({ instance, object }: Loaded): boolean =>
  object ? object.kind === 'presentation-state' : instance.sopClassUid.includes('.11.')

const known = new WeakMap<object, WeakMap<readonly StackImage[], Message | null>>()

/** Why an object is not for the images of a series; null if it is for any of them. */
function whyNotFor(
  { instance, object }: Loaded,
  { stack }: SeriesState,
  studies: readonly StudyState[],
): Message | null {
  if (!object) return LOADING
  const first = stack[0]
  if (first && !isSamePatient(instance, first.instance, studies))
    return message('viewer.overlay-other-patient')
  const before = known.get(object)?.get(stack)
  if (before !== undefined) return before
  const why =
    object.kind === 'presentation-state' ? whyNotAny(object, stack) : whyNotAnywhere(object, stack)
  const bySeries = known.get(object) ?? new WeakMap()
  known.set(object, bySeries.set(stack, why))
  return why
}

const whyNotAny = (state: PresentationState, stack: readonly StackImage[]): Message | null =>
  stack.some((image) => isNamed(state.references, image))
    ? null
    : (stack[0] && whyNotPresented(state, stack[0])) || message('viewer.presentation-other-image')

/** A refusal of an image that it names says more than that it is for other images. */
function whyNotAnywhere(
  object: Exclude<NonNullable<Loaded['object']>, PresentationState>,
  stack: readonly StackImage[],
): Message | null {
  let refusal: Message | undefined
  for (const image of stack) {
    const placed = placedImage(image, stack)
    const { items, refusals } =
      object.kind === 'segmentation' ? framesOn(object, placed) : contoursOn(object, placed)
    if (items.length > 0) return null
    refusal ??= refusals[0]
  }
  return refusal ?? message('viewer.overlay-other-images')
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
