import { utilities as coreUtilities } from '@cornerstonejs/core'
import { annotation, utilities } from '@cornerstonejs/tools'
import type { SavedDrawing } from '#shared/contract/saved-drawings.ts'
import { type Drawing, DrawingChanges, isDrawing } from './drawing-changes.ts'
import { imageOfPoints } from './image-of-points.ts'
import type { ImageList } from './images.ts'
import { type KeptAnnotation, readKeptAnnotation, toKeptAnnotation } from './kept-annotation.ts'
import { frameOfReferenceOf } from './modules.ts'
import { placedAnnotation, pointsOfAnnotation, savedDrawingOf } from './saved-form.ts'
import { imageIdOf } from './series.ts'
import type { SeriesState, StackImage } from './stack.ts'

/** What is drawn on the studies of a view. */
export class Drawings {
  readonly #list: ImageList
  readonly #render: () => void
  readonly #changes: DrawingChanges
  readonly #unsubscribe: () => void
  /** Of studies: drawings on images the list does not know yet, or never will. */
  readonly #waiting = new Map<string, KeptAnnotation[]>()
  readonly #studies = new WeakMap<Drawing, string>()

  /** @param render draws the panes again */
  constructor(list: ImageList, render: () => void) {
    this.#list = list
    this.#render = render
    this.#changes = new DrawingChanges((one) => this.#studyOf(one))
    this.#unsubscribe = list.subscribe(() => this.#placeWaiting())
  }

  of(studyInstanceUid: string): readonly KeptAnnotation[] {
    return [
      ...drawings()
        .filter((one) => this.#studyOf(one) === studyInstanceUid)
        .flatMap((one) => toKeptAnnotation(one, studyInstanceUid) ?? []),
      ...(this.#waiting.get(studyInstanceUid) ?? []),
    ]
  }

  restore(studyInstanceUid: string, kept: readonly unknown[]): void {
    this.#changes.runUnobserved(() =>
      this.#remove((one) => this.#studyOf(one) === studyInstanceUid),
    )
    this.#waiting.delete(studyInstanceUid)
    const readable = kept.flatMap((one) => readKeptAnnotation(one, studyInstanceUid) ?? [])
    if (readable.length === 0) return
    this.#waiting.set(studyInstanceUid, readable)
    this.#placeWaiting()
    this.#render()
  }

  /** As it is saved to the study; undefined if it cannot be, or if its image is not listed yet. */
  toSaved(value: unknown): SavedDrawing | undefined {
    const kept = readKeptAnnotation(value, '')
    const image = kept && imageOf(this.#list, kept)
    return image && savedDrawingOf(kept, image)
  }

  onDrawn(listener: (studyInstanceUid: string) => void): () => void {
    return this.#changes.subscribe(listener)
  }

  removeSelected(): void {
    const selected = new Set(annotation.selection.getAnnotationsSelected())
    this.#remove(({ annotationUID }) => annotationUID !== undefined && selected.has(annotationUID))
  }

  removeOn(series: SeriesState, imageId: string | undefined): void {
    const frameOfReference = series.stack[0]?.instance.frameOfReferenceUid
    this.#remove(({ metadata }) =>
      imageId
        ? metadata.referencedImageId === imageId
        : !metadata.referencedImageId && metadata.FrameOfReferenceUID === frameOfReference,
    )
  }

  close(): void {
    this.#changes.close()
    this.#unsubscribe()
    annotation.state.removeAllAnnotations()
  }

  #studyOf(one: Drawing): string {
    const known = this.#studies.get(one)
    if (known !== undefined) return known
    const found = studyOfDrawing(this.#list, one.metadata)
    if (found !== undefined) this.#studies.set(one, found)
    return found ?? ''
  }

  #remove(which: (one: Drawing) => boolean): void {
    for (const { annotationUID } of drawings().filter(which))
      if (annotationUID) annotation.state.removeAnnotation(annotationUID)
    this.#render()
  }

  /** Draws what has waited for its image. */
  #placeWaiting(): void {
    if (this.#waiting.size === 0) return
    this.#changes.runUnobserved(() => {
      for (const [study, kept] of [...this.#waiting]) {
        const remaining = kept.filter((one) => !this.#place(one))
        if (remaining.length === kept.length) continue
        if (remaining.length === 0) this.#waiting.delete(study)
        else this.#waiting.set(study, remaining)
        this.#render()
      }
    })
  }

  /** @returns false where the list does not know its image yet */
  #place(waited: KeptAnnotation): boolean {
    const imageId =
      waited.sopInstanceUid === ''
        ? undefined
        : imageIdOf(this.#list.viewId, waited.sopInstanceUid, waited.frame)
    const found = imageId === undefined ? undefined : this.#list.find(imageId)
    if (imageId && !found) return false
    const kept =
      waited.pixels && found
        ? placedAnnotation(waited, found.image, frameOfReferenceOf(found.image))
        : waited
    const one = drawingOf(kept, imageId)
    this.#studies.set(one, kept.studyInstanceUid)
    annotation.state.addAnnotation(one, kept.frameOfReferenceUid)
    return true
  }
}

const drawings = (): readonly Drawing[] => annotation.state.getAllAnnotations().filter(isDrawing)

/** A kept drawing as Cornerstone has it. */
function drawingOf(kept: KeptAnnotation, imageId: string | undefined): Drawing {
  return {
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
  } as unknown as Drawing
}

/** The study whose image, or frame of reference, something is drawn on. */
function studyOfDrawing(
  list: ImageList,
  { referencedImageId, FrameOfReferenceUID }: Drawing['metadata'],
): string | undefined {
  if (referencedImageId) return list.find(referencedImageId)?.study.studyInstanceUid
  return list
    .state()
    .studies.flatMap(({ series }) => series)
    .find(({ stack }) => stack[0]?.instance.frameOfReferenceUid === FrameOfReferenceUID)
    ?.studyInstanceUid
}

/** The image of a drawing; undefined where it lies on none that is listed. */
function imageOf(list: ImageList, kept: KeptAnnotation): StackImage | undefined {
  if (kept.sopInstanceUid !== '')
    return list.find(imageIdOf(list.viewId, kept.sopInstanceUid, kept.frame))?.image
  const series = list
    .state()
    .studies.flatMap(({ series }) => series)
    .find(({ key }) => key === kept.seriesKey)
  return series && imageOfPoints(pointsOfAnnotation(kept), kept.frameOfReferenceUid, series)
}

/** Draws all drawings of these viewports again. */
export const drawAgain = (viewportIds: readonly string[]): void =>
  utilities.triggerAnnotationRenderForViewportIds([...viewportIds])
