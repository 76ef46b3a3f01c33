import { z } from 'zod'
import { Instant } from './conventions.ts'
import { ReceivedUid } from './values.ts'

/**
 * The kinds of drawings that are stored with a study. freehand: a closed contour; line: an open
 * one; text: a label; keyImage: an image that is marked as a key image.
 */
export const DRAWING_KINDS = [
  'length',
  'bidirectional',
  'angle',
  'cobb',
  'rectangle',
  'ellipse',
  'circle',
  'freehand',
  'line',
  'probe',
  'arrow',
  'text',
  'keyImage',
] as const
export type DrawingKind = (typeof DRAWING_KINDS)[number]

/** Minimum number of points of each kind. A freehand contour or line may have more. */
export const DRAWING_POINTS: Readonly<Record<DrawingKind, number>> = {
  length: 2,
  bidirectional: 4,
  angle: 3,
  cobb: 4,
  rectangle: 4,
  ellipse: 4,
  circle: 2,
  freehand: 3,
  line: 2,
  probe: 1,
  arrow: 2,
  text: 1,
  keyImage: 0,
}

export const MEASURED_QUANTITIES = [
  'length',
  'longAxis',
  'shortAxis',
  'angle',
  'cobbAngle',
  'area',
  'perimeter',
  'mean',
  'deviation',
  'minimum',
  'maximum',
  'value',
] as const
export const MEASURED_UNITS = ['mm', 'mm2', 'px', 'px2', 'deg', 'HU', 'none'] as const

/** Document titles of key images: codes of PS3.16 CID 7010. */
export const KEY_IMAGE_TITLES = ['113000', '113002', '113003', '113004', '113005'] as const
export type KeyImageTitle = (typeof KEY_IMAGE_TITLES)[number]

/** A drawing as it is stored with the study. */
export const SavedDrawing = z.object({
  /**
   * The same in every version: the Tracking Unique Identifier; of a key image, its SOP Instance UID
   * and frame, such as `1.2.3/1`.
   */
  uid: z.string().min(1).max(80),
  kind: z.enum(DRAWING_KINDS),
  sopInstanceUid: ReceivedUid,
  /** From 1. */
  frame: z.int().positive(),
  /**
   * Column and row in pixels; 0, 0 is the top left corner of the image (PS3.3 C.18.6.1.1), so that
   * the centre of its first pixel is 0.5, 0.5. bidirectional: both ends of the long axis, then of
   * the short axis; angle: the vertex is the second; cobb: both ends of one line, then of the
   * other; rectangle: the corners around it; ellipse: both ends of one axis, then of the other;
   * circle: the centre and a point on the circle; arrow: its head, then its other end.
   */
  points: z.array(z.tuple([z.number(), z.number()])).max(5000),
  /** Of an arrow or label; the description of a key image. */
  text: z.string().max(1000),
  /** Of a key image; null otherwise. */
  title: z.enum(KEY_IMAGE_TITLES).nullable(),
  values: z
    .array(
      z.object({
        quantity: z.enum(MEASURED_QUANTITIES),
        value: z.number(),
        unit: z.enum(MEASURED_UNITS),
      }),
    )
    .max(12),
})
export type SavedDrawing = z.infer<typeof SavedDrawing>

/** The latest version of the drawings that are stored with a study. */
export const SavedDrawings = z.object({
  /** 0 if there are none. */
  version: z.int(),
  /** When and by whom the latest version was saved; the name is a DICOM PN or empty. */
  savedAt: Instant.nullable(),
  savedBy: z.string(),
  drawings: z.array(SavedDrawing),
})
export type SavedDrawings = z.infer<typeof SavedDrawings>

/** Changes of the drawings that are stored with a study. */
export const DrawingChanges = z.object({
  /** New and changed drawings. */
  drawings: z.array(SavedDrawing).max(1000),
  /** `uid` of drawings that the next version does not have. */
  removed: z.array(z.string().min(1).max(80)).max(1000),
  /** The windows in which images are shown, for the presentation state. */
  windows: z
    .array(
      z.object({
        sopInstanceUid: ReceivedUid,
        frame: z.int().positive(),
        center: z.number(),
        width: z.number().positive(),
      }),
    )
    .max(100)
    .default([]),
})
export type DrawingChanges = z.output<typeof DrawingChanges>
