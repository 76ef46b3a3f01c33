import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import { ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import {
  type LookUpTable,
  OVERLAY_GROUPS,
  overlaysOf,
  tablesOf,
  withBase64Data,
} from '#server/dicom/pixel-data/header-extras.ts'
import type {
  DisplayedArea,
  PresentationState,
  Shutter,
} from '#shared/contract/referencing-objects.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { colourOf, greyOf } from './cielab.ts'
import { annotationsOf, layersOf } from './graphic-annotations.ts'
import { imageReferences } from './image-references.ts'
import { TAG } from './tags.ts'

const COLOUR_STATE = '1.2.840.10008.5.1.4.1.1.11.2'
/** Overlay Activation Layer (60xx,1001). */
const ACTIVATION_LAYER = 0x1001

/** Reads a Softcopy Presentation State (PS3.3 A.33.1, A.33.2). @throws {ViewedFileFault} */
export function presentationStateOf(
  values: AttributeValues,
  sopClassUid: string,
): PresentationState {
  const references = values
    .items(TAG.ReferencedSeriesSequence)
    .flatMap((series) => imageReferences(series, TAG.ReferencedImageSequence))
  if (references.length === 0) throw new ViewedFileFault(message('referencing-object.no-images'))
  const notApplied: Message[] = []
  if (values.items(TAG.MaskSubtractionSequence).length > 0)
    notApplied.push(message('referencing-object.mask-not-applied'))
  const { annotations, faultyCount } = annotationsOf(values)
  if (faultyCount > 0)
    notApplied.push(message('referencing-object.faulty-graphics', { graphics: faultyCount }))
  const rotation = values.number(TAG.ImageRotation) ?? 0
  if (![0, 90, 180, 270].includes(rotation))
    throw new ViewedFileFault(message('referencing-object.unknown-rotation'))
  const areas = areasOf(values)
  if (areas.some(({ mode }) => mode === 'TRUE SIZE'))
    notApplied.push(message('referencing-object.true-size-not-applied'))
  return {
    kind: 'presentation-state',
    label: values.text(TAG.ContentLabel),
    description: values.text(TAG.ContentDescription),
    creator: values.text(TAG.ContentCreatorName),
    date: values.text(TAG.PresentationCreationDate),
    time: values.text(TAG.PresentationCreationTime),
    notApplied,
    isColour: sopClassUid === COLOUR_STATE,
    references,
    ...grayscaleOf(values),
    rotation: rotation as PresentationState['rotation'],
    isFlipped: values.text(TAG.ImageHorizontalFlip) === 'Y',
    areas,
    shutter: shutterOf(values, notApplied),
    layers: layersOf(values),
    annotations,
    overlays: overlaysOf(values).map((overlay) => ({
      ...withBase64Data(overlay),
      origin: [overlay.origin[0], overlay.origin[1]],
    })),
    activations: OVERLAY_GROUPS.flatMap((group) => {
      const layer = values.text(group + ACTIVATION_LAYER)
      return layer === '' ? [] : [{ group: group >>> 16, layer }]
    }),
  }
}

type Grayscale = Pick<
  PresentationState,
  'rescale' | 'modalityLut' | 'voi' | 'presentationLut' | 'isInverse'
>

/** PS3.3 C.11.1, C.11.6, C.11.8. */
function grayscaleOf(values: AttributeValues): Grayscale {
  const slope = values.number(TAG.RescaleSlope)
  const intercept = values.number(TAG.RescaleIntercept)
  const [modalityLut] = tablesOf(values, TAG.ModalityLUTSequence)
  const [presentationLut] = tablesOf(values, TAG.PresentationLUTSequence)
  return {
    rescale: slope !== null && intercept !== null ? { slope, intercept } : null,
    modalityLut: modalityLut ? withBase64Data(modalityLut) : null,
    voi: values.items(TAG.SoftcopyVOILUTSequence).map((item) => {
      const [table] = tablesOf(item, TAG.VOILUTSequence)
      const lut = table && withSign(table, (intercept ?? 0) < 0)
      const center = item.number(TAG.WindowCenter)
      const width = item.number(TAG.WindowWidth)
      return {
        references: imageReferences(item, TAG.ReferencedImageSequence),
        window: center !== null && width !== null && width > 0 ? { center, width } : null,
        function: item.text(TAG.VOILUTFunction),
        lut: lut ? withBase64Data(lut) : null,
      }
    }),
    presentationLut: presentationLut ? withBase64Data(presentationLut) : null,
    isInverse: values.text(TAG.PresentationLUTShape) === 'INVERSE',
  }
}

/**
 * PS3.3 C.11.2.1.1: the first mapped value is signed if the values before the table may be negative,
 * though it is encoded as US in Implicit VR and by some devices.
 */
const withSign = (table: LookUpTable, isSigned: boolean): LookUpTable =>
  isSigned && table.firstValue >= 0x8000
    ? { ...table, firstValue: table.firstValue - 0x10000 }
    : table

/** PS3.3 C.10.4. */
function areasOf(values: AttributeValues): DisplayedArea[] {
  return values.items(TAG.DisplayedAreaSelectionSequence).flatMap((item) => {
    const topLeft = item.vector(TAG.DisplayedAreaTopLeftHandCorner, 2)
    const bottomRight = item.vector(TAG.DisplayedAreaBottomRightHandCorner, 2)
    if (!topLeft || !bottomRight) return []
    const mode = item.text(TAG.PresentationSizeMode)
    const magnification = item.number(TAG.PresentationPixelMagnificationRatio)
    const ratio =
      item.vector(TAG.PresentationPixelSpacing, 2) ??
      item.vector(TAG.PresentationPixelAspectRatio, 2)
    const aspect = ratio ? (ratio[0] ?? 0) / (ratio[1] ?? 0) : Number.NaN
    return [
      {
        references: imageReferences(item, TAG.ReferencedImageSequence),
        topLeft: [topLeft[0] ?? 1, topLeft[1] ?? 1],
        bottomRight: [bottomRight[0] ?? 1, bottomRight[1] ?? 1],
        mode: mode === 'TRUE SIZE' || mode === 'MAGNIFY' ? mode : 'SCALE TO FIT',
        magnification: magnification !== null && magnification > 0 ? magnification : null,
        aspect: Number.isFinite(aspect) && aspect > 0 ? aspect : null,
      },
    ]
  })
}

/** PS3.3 C.7.6.11, C.7.6.15. */
function shutterOf(values: AttributeValues, notApplied: Message[]): Shutter | null {
  const shapes = new Set(values.texts(TAG.ShutterShape))
  if (shapes.size === 0) return null
  const edges = [
    TAG.ShutterLeftVerticalEdge,
    TAG.ShutterRightVerticalEdge,
    TAG.ShutterUpperHorizontalEdge,
    TAG.ShutterLowerHorizontalEdge,
  ].map((tag) => values.number(tag))
  const [row, column] = values.vector(TAG.CenterOfCircularShutter, 2) ?? []
  const radius = values.number(TAG.RadiusOfCircularShutter)
  const vertices = values.numbers(TAG.VerticesOfThePolygonalShutter)
  const rectangle = edges.every((edge) => edge !== null)
    ? (edges as [number, number, number, number])
    : null
  const circle =
    row !== undefined && column !== undefined && radius !== null ? { row, column, radius } : null
  const polygon = polygonOf(vertices)
  const overlayGroup = values.number(TAG.ShutterOverlayGroup)
  const shutter: Shutter = {
    rectangle: shapes.has('RECTANGULAR') ? rectangle : null,
    circle: shapes.has('CIRCULAR') ? circle : null,
    polygon: shapes.has('POLYGONAL') ? polygon : null,
    overlayGroup: shapes.has('BITMAP') ? overlayGroup : null,
    colour:
      colourOf(values, TAG.ShutterPresentationColorCIELabValue) ??
      greyOf(values.number(TAG.ShutterPresentationValue) ?? 0),
  }
  const read = [shutter.rectangle, shutter.circle, shutter.polygon, shutter.overlayGroup]
  if (read.filter((shape) => shape !== null).length < shapes.size)
    notApplied.push(message('referencing-object.faulty-shutter'))
  return shutter
}

/** Vertices are rows and columns; points are columns and rows. */
function polygonOf(vertices: readonly (number | null)[]): [number, number][] | null {
  if (vertices.length < 6 || vertices.length % 2 !== 0 || vertices.includes(null)) return null
  const numbers = vertices as readonly number[]
  return Array.from({ length: numbers.length / 2 }, (_, index) => [
    numbers[index * 2 + 1] ?? 0,
    numbers[index * 2] ?? 0,
  ])
}
