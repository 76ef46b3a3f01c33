import { utilities as coreUtilities, eventTarget } from '@cornerstonejs/core'
import { annotation, Enums, type Types, utilities } from '@cornerstonejs/tools'
import type { SavedDrawing } from '#shared/contract/saved-drawings.ts'
import { imageOfPoints } from './image-of-points.ts'
import type { ImageList } from './images.ts'
import { type KeptAnnotation, keptOf, readKept } from './kept-annotation.ts'
import { frameOfReferenceOf } from './modules.ts'
import { placed, pointsOfKept, savedFormOf } from './saved-form.ts'
import { imageIdOf } from './series.ts'
import type { SeriesState, StackImage } from './stack.ts'
import { DRAWN } from './tool-names.ts'

/** What is drawn on the studies of a view. */
export interface Drawings {
  of(studyInstanceUid: string): readonly KeptAnnotation[]
  restore(studyInstanceUid: string, kept: readonly unknown[]): void
  /** As it is saved to the study; undefined if it cannot be, or if its image is not listed yet. */
  toSaved(kept: unknown): SavedDrawing | undefined
  onDrawn(listener: (studyInstanceUid: string) => void): () => void
  removeSelected(): void
  removeOn(series: SeriesState, imageId: string | undefined): void
  close(): void
}

const TELL_AFTER = 500
type Annotation = Types.Annotation & {
  readonly metadata: NonNullable<Types.Annotation['metadata']>
}

/** @param render draws the panes again */
export function openDrawings(list: ImageList, render: () => void): Drawings {
  const listeners = new Set<(studyInstanceUid: string) => void>()
  /** Of studies: drawings on images the list does not know yet, or never will. */
  const waiting = new Map<string, KeptAnnotation[]>()
  const changed = new Set<string>()
  const studyOf = new WeakMap<Annotation, string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRestoring = false

  const all = () => annotation.state.getAllAnnotations().filter(isDrawing)
  const studyUidOf = (one: Annotation): string => {
    const known = studyOf.get(one)
    if (known !== undefined) return known
    const { referencedImageId, FrameOfReferenceUID } = one.metadata
    const found = referencedImageId
      ? list.find(referencedImageId)?.study.studyInstanceUid
      : list
          .state()
          .studies.flatMap(({ series }) => series)
          .find(({ stack }) => stack[0]?.instance.frameOfReferenceUid === FrameOfReferenceUID)
          ?.studyInstanceUid
    if (found !== undefined) studyOf.set(one, found)
    return found ?? ''
  }
  const touched = (event: Event) => {
    const one = (event as CustomEvent<{ annotation?: Types.Annotation }>).detail.annotation
    if (!one || isRestoring || !isDrawing(one)) return
    changed.add(studyUidOf(one))
    clearTimeout(timer)
    timer = setTimeout(() => {
      const studies = [...changed]
      changed.clear()
      for (const study of studies)
        if (study !== '') for (const listener of listeners) listener(study)
    }, TELL_AFTER)
  }
  const EVENTS = [
    Enums.Events.ANNOTATION_COMPLETED,
    Enums.Events.ANNOTATION_MODIFIED,
    Enums.Events.ANNOTATION_REMOVED,
  ]
  for (const name of EVENTS) eventTarget.addEventListener(name, touched)

  /** @returns false where the list does not know its image yet */
  const place = (waited: KeptAnnotation): boolean => {
    const imageId =
      waited.sopInstanceUid === ''
        ? undefined
        : imageIdOf(list.viewId, waited.sopInstanceUid, waited.frame)
    const found = imageId === undefined ? undefined : list.find(imageId)
    if (imageId && !found) return false
    const kept =
      waited.pixels && found ? placed(waited, found.image, frameOfReferenceOf(found.image)) : waited
    const one = {
      annotationUID: kept.id || coreUtilities.uuidv4(),
      highlighted: false,
      invalidated: true,
      isLocked: false,
      isVisible: true,
      metadata: {
        toolName: kept.tool,
        FrameOfReferenceUID: kept.frameOfReferenceUid,
        ...(kept.seriesKey !== undefined && { seriesKey: kept.seriesKey }),
        viewPlaneNormal: [...kept.viewPlaneNormal],
        viewUp: [...kept.viewUp],
        ...(imageId && { referencedImageId: imageId }),
      },
      data: { ...structuredClone(kept.data), cachedStats: {} },
    } as unknown as Annotation
    studyOf.set(one, kept.studyInstanceUid)
    annotation.state.addAnnotation(one, kept.frameOfReferenceUid)
    return true
  }
  const placeWaiting = () => {
    if (waiting.size === 0) return
    isRestoring = true
    for (const [study, kept] of [...waiting]) {
      const still = kept.filter((one) => !place(one))
      if (still.length === kept.length) continue
      if (still.length === 0) waiting.delete(study)
      else waiting.set(study, still)
      render()
    }
    isRestoring = false
  }
  const unsubscribe = list.subscribe(placeWaiting)
  const remove = (which: (one: Annotation) => boolean) => {
    for (const one of all().filter(which))
      if (one.annotationUID) annotation.state.removeAnnotation(one.annotationUID)
    render()
  }

  return {
    of: (studyInstanceUid) => [
      ...all()
        .filter((one) => studyUidOf(one) === studyInstanceUid)
        .flatMap((one) => keptOf(one, studyInstanceUid) ?? []),
      ...(waiting.get(studyInstanceUid) ?? []),
    ],
    restore(studyInstanceUid, kept) {
      isRestoring = true
      remove((one) => studyUidOf(one) === studyInstanceUid)
      waiting.delete(studyInstanceUid)
      isRestoring = false
      const readable = kept.flatMap((one) => readKept(one, studyInstanceUid) ?? [])
      if (readable.length === 0) return
      waiting.set(studyInstanceUid, readable)
      placeWaiting()
      render()
    },
    toSaved(value) {
      const kept = readKept(value, '')
      const image = kept && imageOf(list, kept)
      return image && savedFormOf(kept, image)
    },
    onDrawn(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    removeSelected() {
      const selected = new Set(annotation.selection.getAnnotationsSelected())
      remove(({ annotationUID }) => annotationUID !== undefined && selected.has(annotationUID))
    },
    removeOn(series, imageId) {
      const frameOfReference = series.stack[0]?.instance.frameOfReferenceUid
      remove(({ metadata }) =>
        imageId
          ? metadata.referencedImageId === imageId
          : !metadata.referencedImageId && metadata.FrameOfReferenceUID === frameOfReference,
      )
    },
    close() {
      for (const name of EVENTS) eventTarget.removeEventListener(name, touched)
      clearTimeout(timer)
      unsubscribe()
      listeners.clear()
      annotation.state.removeAllAnnotations()
    },
  }
}

/** The image of a drawing; undefined where it lies on none that is listed. */
function imageOf(list: ImageList, kept: KeptAnnotation): StackImage | undefined {
  if (kept.sopInstanceUid !== '')
    return list.find(imageIdOf(list.viewId, kept.sopInstanceUid, kept.frame))?.image
  const series = list
    .state()
    .studies.flatMap(({ series }) => series)
    .find(({ key }) => key === kept.seriesKey)
  return series && imageOfPoints(pointsOfKept(kept), kept.frameOfReferenceUid, series)
}

const isDrawing = (one: Types.Annotation): one is Annotation =>
  one.metadata !== undefined && DRAWN.has(one.metadata.toolName)

/** Draws all drawings of these viewports again. */
export const drawAgain = (viewportIds: readonly string[]): void =>
  utilities.triggerAnnotationRenderForViewportIds([...viewportIds])
