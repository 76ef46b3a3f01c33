import { parseImageId } from './series.ts'
import { DRAWING_TOOLS } from './tool-names.ts'
import { seriesKeyOfVolume } from './volume-id.ts'

/**
 * A drawing in a form that outlives the view: images are named by SOP Instance UID and frame. JSON.
 */
export interface KeptAnnotation {
  /**
   * Its own among all drawings: what two windows have drawn is put together by it. Empty of what an
   * earlier version kept.
   */
  readonly id: string
  readonly tool: string
  readonly studyInstanceUid: string
  /** Empty where it was drawn in a plane of a volume. */
  readonly sopInstanceUid: string
  /** From 1. */
  readonly frame: number
  readonly frameOfReferenceUid: string
  /** Key of the series in whose volume it was drawn; without it, it was drawn on an image. */
  readonly seriesKey?: string
  readonly viewPlaneNormal: readonly number[]
  readonly viewUp: readonly number[]
  /**
   * Points in the patient, mm, and texts, as the tool keeps them; without what it measured, which
   * is measured again.
   */
  readonly data: Readonly<Record<string, unknown>>
  /**
   * Points in pixels of the image, of a drawing that was read from the study and whose image has
   * not been listed yet; `data` then has none.
   */
  readonly pixels?: readonly (readonly [column: number, row: number])[]
}

/** The parts of Cornerstone's annotation that are kept. */
interface EngineAnnotation {
  readonly annotationUID?: string
  readonly metadata: {
    readonly toolName: string
    readonly referencedImageId?: string
    readonly FrameOfReferenceUID?: string
    readonly volumeId?: string
    /** Of a drawing that was kept. */
    readonly seriesKey?: string
    readonly viewPlaneNormal?: ArrayLike<number> & Iterable<number>
    readonly viewUp?: ArrayLike<number> & Iterable<number>
  }
  readonly data: object
}

/** A drawing as it is kept; undefined of one that is not finished. */
export function toKeptAnnotation(
  one: EngineAnnotation,
  studyInstanceUid: string,
): KeptAnnotation | undefined {
  const { toolName, referencedImageId, FrameOfReferenceUID, viewPlaneNormal, viewUp } = one.metadata
  const { sopInstanceUid = '', frame = 1 } =
    (referencedImageId && parseImageId(referencedImageId)) || {}
  const seriesKey =
    sopInstanceUid === ''
      ? (one.metadata.seriesKey ?? seriesKeyOfVolume(one.metadata.volumeId ?? ''))
      : undefined
  const { cachedStats: _, ...data } = one.data as Record<string, unknown>
  try {
    return {
      id: one.annotationUID ?? '',
      tool: toolName,
      studyInstanceUid,
      sopInstanceUid,
      frame,
      frameOfReferenceUid: FrameOfReferenceUID ?? '',
      ...(seriesKey !== undefined && { seriesKey }),
      viewPlaneNormal: [...(viewPlaneNormal ?? [0, 0, 1])],
      viewUp: [...(viewUp ?? [0, -1, 0])],
      // Points may be typed arrays, which JSON would make objects of.
      data: JSON.parse(
        JSON.stringify(data, (_name, value: unknown) =>
          value instanceof Float32Array ? [...value] : value,
        ),
      ) as Record<string, unknown>,
    }
  } catch {
    return undefined
  }
}

/** What was kept by this or an earlier version; undefined where it cannot be drawn. */
export function readKeptAnnotation(
  value: unknown,
  studyInstanceUid: string,
): KeptAnnotation | undefined {
  const one = value as Partial<Record<keyof KeptAnnotation, unknown>> | null
  if (typeof one !== 'object' || one === null) return undefined
  const { id, tool, sopInstanceUid, frame, frameOfReferenceUid, viewPlaneNormal, viewUp, data } =
    one
  const { pixels = [], seriesKey = '' } = one
  const points = (data as { readonly handles?: { readonly points?: unknown } } | undefined)?.handles
    ?.points
  const isValid =
    typeof tool === 'string' &&
    DRAWING_TOOLS.has(tool) &&
    typeof sopInstanceUid === 'string' &&
    Number.isInteger(frame) &&
    typeof frameOfReferenceUid === 'string' &&
    typeof seriesKey === 'string' &&
    isPoint(viewPlaneNormal) &&
    isPoint(viewUp) &&
    Array.isArray(points) &&
    points.every(isPoint) &&
    Array.isArray(pixels) &&
    pixels.every(isPixel)
  return isValid
    ? ({ ...one, id: typeof id === 'string' ? id : '', studyInstanceUid } as KeptAnnotation)
    : undefined
}

const isPoint = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length === 3 && value.every((number) => Number.isFinite(number))
const isPixel = (value: unknown): value is readonly [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((number) => Number.isFinite(number))
