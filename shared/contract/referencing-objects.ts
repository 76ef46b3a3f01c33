import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { FrameAttributes, ImagePixel, InstanceExtras } from './viewed-images.ts'

/** An image that an object refers to: all of its frames, or those listed, from 1. */
const ImageReference = z.object({
  sopInstanceUid: z.string(),
  frames: z.array(z.int()).nullable(),
})
export type ImageReference = z.infer<typeof ImageReference>

/** References of an item that applies to some of the images only; empty: to all of the object. */
const references = z.array(ImageReference)
const Point = z.tuple([z.number(), z.number()])
/** sRGB, 0 to 255 each. */
const Colour = z.tuple([z.int(), z.int(), z.int()])
export type Colour = z.infer<typeof Colour>
const LookUpTable = InstanceExtras.shape.modalityLut.unwrap()
const OverlayPlane = InstanceExtras.shape.overlays.element

/** DICOM text; empty if missing. */
const described = {
  label: z.string(),
  description: z.string(),
  /** A PN. */
  creator: z.string(),
  /** A DA, and a TM. */
  date: z.string(),
  time: z.string(),
  /** What the viewer cannot apply, and faulty parts that are left out. */
  notApplied: z.array(Message),
}

/**
 * Units of coordinates (PS3.3 C.10.5.1.2). pixel: columns and rows, 0 at the outer corner of the
 * first pixel; display: fractions of the displayed area.
 */
const units = z.enum(['pixel', 'display'])

const Graphic = z.object({
  type: z.enum(['POINT', 'POLYLINE', 'INTERPOLATED', 'CIRCLE', 'ELLIPSE']),
  units,
  points: z.array(Point),
  isFilled: z.boolean(),
  /** Null: that of the layer. */
  colour: Colour.nullable(),
})
export type Graphic = z.infer<typeof Graphic>

const GraphicText = z.object({
  text: z.string(),
  /** Corners of the bounding box; null if there is only an anchor. */
  box: z.tuple([Point, Point]).nullable(),
  boxUnits: units,
  justification: z.enum(['left', 'right', 'center']),
  anchor: Point.nullable(),
  anchorUnits: units,
  isAnchorVisible: z.boolean(),
  colour: Colour.nullable(),
})
export type GraphicText = z.infer<typeof GraphicText>

const DisplayedArea = z.object({
  references,
  /** Column and row from 1, of the first and last pixel as displayed. */
  topLeft: Point,
  bottomRight: Point,
  mode: z.enum(['SCALE TO FIT', 'TRUE SIZE', 'MAGNIFY']),
  /** Screen pixels for a pixel of the image, if the mode is MAGNIFY. */
  magnification: z.number().nullable(),
  /** Ratio of the height of a pixel to its width; null if not specified. */
  aspect: z.number().nullable(),
})
export type DisplayedArea = z.infer<typeof DisplayedArea>

const Shutter = z.object({
  /** Columns of the left and right edge, rows of the upper and lower edge, from 1. */
  rectangle: z.tuple([z.number(), z.number(), z.number(), z.number()]).nullable(),
  /** Row and column of the center, from 1; radius in pixels. */
  circle: z.object({ row: z.number(), column: z.number(), radius: z.number() }).nullable(),
  /** Column and row of each vertex, from 1. */
  polygon: z.array(Point).nullable(),
  /** Group of the overlay plane whose set bits are hidden, such as 0x6000. */
  overlayGroup: z.int().nullable(),
  colour: Colour,
})
export type Shutter = z.infer<typeof Shutter>

/** A Grayscale or Color Softcopy Presentation State (PS3.3 A.33). */
const PresentationState = z.object({
  kind: z.literal('presentation-state'),
  ...described,
  isColour: z.boolean(),
  references,
  /** Modality transformation in place of that of the image; null: identity. */
  rescale: z.object({ slope: z.number(), intercept: z.number() }).nullable(),
  modalityLut: LookUpTable.nullable(),
  /** The first of an item's windows and tables applies. */
  voi: z.array(
    z.object({
      references,
      window: z.object({ center: z.number(), width: z.number() }).nullable(),
      /** LINEAR, LINEAR_EXACT, SIGMOID; empty: LINEAR. */
      function: z.string(),
      lut: LookUpTable.nullable(),
    }),
  ),
  /** Null: Presentation LUT Shape. */
  presentationLut: LookUpTable.nullable(),
  isInverse: z.boolean(),
  /** Clockwise, before the flip. */
  rotation: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  isFlipped: z.boolean(),
  areas: z.array(DisplayedArea),
  shutter: Shutter.nullable(),
  /** In drawing order. */
  layers: z.array(z.object({ name: z.string(), colour: Colour.nullable() })),
  annotations: z.array(
    z.object({
      references,
      layer: z.string(),
      /** Tracking UID (PS3.3 C.10.5), which our drawings have; empty if missing. */
      trackingUid: z.string(),
      graphics: z.array(Graphic),
      texts: z.array(GraphicText),
    }),
  ),
  /** Overlay planes of the presentation state itself. */
  overlays: z.array(OverlayPlane),
  /** Groups of overlay planes that are shown, of this object or of the image, and their layer. */
  activations: z.array(z.object({ group: z.int(), layer: z.string() })),
})
export type PresentationState = z.infer<typeof PresentationState>

/** A segmentation (PS3.3 A.51); its frames are read like those of an image. */
const Segmentation = z.object({
  kind: z.literal('segmentation'),
  ...described,
  frameOfReferenceUid: z.string(),
  type: z.enum(['BINARY', 'FRACTIONAL', 'LABELMAP']),
  /** The value of a fractional segmentation that means one. */
  maximum: z.int().positive(),
  pixel: ImagePixel,
  segments: z.array(
    z.object({
      number: z.int(),
      label: z.string(),
      /** Meaning of the property type, such as `Liver`. */
      type: z.string(),
      /** Null if none is recommended. */
      colour: Colour.nullable(),
    }),
  ),
  frames: z.array(
    z.object({
      /** 0 for a label map, whose pixels are the numbers of segments. */
      segment: z.int(),
      ...FrameAttributes.pick({ position: true, orientation: true, spacing: true }).shape,
      /** The images that the frame was derived from. */
      references,
    }),
  ),
})
export type Segmentation = z.infer<typeof Segmentation>

const Contour = z.object({
  type: z.enum(['CLOSED_PLANAR', 'OPEN_PLANAR', 'POINT']),
  references,
  /** x, y, z of each point in the patient, in mm. */
  points: z.array(z.number()),
})
export type Contour = z.infer<typeof Contour>

/** An RT Structure Set (PS3.3 A.19). */
const StructureSet = z.object({
  kind: z.literal('structure-set'),
  ...described,
  rois: z.array(
    z.object({
      number: z.int(),
      name: z.string(),
      /** RT ROI Interpreted Type, such as `ORGAN`. */
      type: z.string(),
      colour: Colour.nullable(),
      frameOfReferenceUid: z.string(),
      contours: z.array(Contour),
    }),
  ),
})
export type StructureSet = z.infer<typeof StructureSet>

/** An object of a view that refers to images and is applied to them. */
export const ReferencingObject = z.discriminatedUnion('kind', [
  PresentationState,
  Segmentation,
  StructureSet,
])
export type ReferencingObject = z.infer<typeof ReferencingObject>

const STORAGE = '1.2.840.10008.5.1.4.1.1.'
/** Storage SOP classes of the objects that are applied. */
export const REFERENCING_CLASSES: Readonly<Record<string, ReferencingObject['kind']>> = {
  [`${STORAGE}11.1`]: 'presentation-state',
  [`${STORAGE}11.2`]: 'presentation-state',
  [`${STORAGE}66.4`]: 'segmentation',
  [`${STORAGE}66.7`]: 'segmentation',
  [`${STORAGE}481.3`]: 'structure-set',
}
