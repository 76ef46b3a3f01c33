import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import { ViewedFileFault } from '#server/dicom/data-set/byte-window.ts'
import type {
  Graphic,
  GraphicText,
  PresentationState,
} from '#shared/contract/referencing-objects.ts'
import { message } from '#shared/messages/message.ts'
import { colourOf, greyOf } from './cielab.ts'
import { imageReferences } from './image-references.ts'
import { TAG } from './tags.ts'

/** Graphic and text objects, and points of all of them. */
const MAX_OBJECTS = 20_000
const MAX_POINTS = 500_000
const MAX_TEXT_CHARACTERS = 1024

/** Graphic layers (PS3.3 C.10.7) in drawing order. */
export function layersOf(values: AttributeValues): PresentationState['layers'] {
  return values
    .items(TAG.GraphicLayerSequence)
    .map((item) => {
      const grey = item.number(TAG.GraphicLayerRecommendedDisplayGrayscaleValue)
      return {
        order: item.number(TAG.GraphicLayerOrder) ?? 0,
        name: item.text(TAG.GraphicLayer),
        colour:
          colourOf(item, TAG.GraphicLayerRecommendedDisplayCIELabValue) ??
          (grey === null ? null : greyOf(grey)),
      }
    })
    .sort((one, other) => one.order - other.order)
    .map(({ name, colour }) => ({ name, colour }))
}

/**
 * Graphic annotations (PS3.3 C.10.5), and the number of faulty objects that are left out.
 * @throws {ViewedFileFault} if there are too many
 */
export function annotationsOf(values: AttributeValues): {
  readonly annotations: PresentationState['annotations']
  readonly faultyCount: number
} {
  let faulty = 0
  let objects = 0
  let points = 0
  const annotations = values.items(TAG.GraphicAnnotationSequence).map((item) => {
    const graphicItems = item.items(TAG.GraphicObjectSequence)
    const textItems = item.items(TAG.TextObjectSequence)
    objects += graphicItems.length + textItems.length
    if (objects > MAX_OBJECTS) throw tooManyGraphicsFault()
    const graphics = graphicItems.flatMap((one) => graphicOf(one) ?? [])
    const texts = textItems.flatMap((one) => textOf(one) ?? [])
    faulty += graphicItems.length - graphics.length + textItems.length - texts.length
    points += graphics.reduce((sum, graphic) => sum + graphic.points.length, 0)
    if (points > MAX_POINTS) throw tooManyGraphicsFault()
    const references = imageReferences(item, TAG.ReferencedImageSequence)
    const [tracked] = [...graphicItems, ...textItems]
    const trackingUid = tracked?.text(TAG.TrackingUID) ?? ''
    return { references, layer: item.text(TAG.GraphicLayer), trackingUid, graphics, texts }
  })
  return { annotations, faultyCount: faulty }
}

const tooManyGraphicsFault = () =>
  new ViewedFileFault(message('referencing-object.too-many-graphics', { most: MAX_OBJECTS }))

/** Number of points that a type needs (PS3.3 C.10.5.2): the least and the most. */
const POINT_COUNTS: Readonly<Record<Graphic['type'], readonly [number, number]>> = {
  POINT: [1, 1],
  POLYLINE: [2, MAX_POINTS],
  INTERPOLATED: [2, MAX_POINTS],
  CIRCLE: [2, 2],
  ELLIPSE: [4, 4],
}

/** Undefined if it is faulty. */
function graphicOf(item: AttributeValues): Graphic | undefined {
  const type = item.text(TAG.GraphicType) as Graphic['type']
  const units = unitsOf(item, TAG.GraphicAnnotationUnits)
  const range = Object.hasOwn(POINT_COUNTS, type) ? POINT_COUNTS[type] : undefined
  const points = pairsOf(item.numbers(TAG.GraphicData))
  if (!units || !range || !points) return undefined
  if (points.length < range[0] || points.length > range[1]) return undefined
  const [style] = item.items(TAG.LineStyleSequence)
  return {
    type,
    units,
    points,
    isFilled: item.text(TAG.GraphicFilled) === 'Y',
    colour: style ? colourOf(style, TAG.PatternOnColorCIELabValue) : null,
  }
}

const JUSTIFICATIONS: Readonly<Record<string, GraphicText['justification']>> = {
  LEFT: 'left',
  RIGHT: 'right',
  CENTER: 'center',
}

/** Undefined if it is faulty. */
function textOf(item: AttributeValues): GraphicText | undefined {
  const text = item.text(TAG.UnformattedTextValue).slice(0, MAX_TEXT_CHARACTERS)
  const [topLeft] = pairsOf(item.numbers(TAG.BoundingBoxTopLeftHandCorner)) ?? []
  const [bottomRight] = pairsOf(item.numbers(TAG.BoundingBoxBottomRightHandCorner)) ?? []
  const [anchor] = pairsOf(item.numbers(TAG.AnchorPoint)) ?? []
  const boxUnits = unitsOf(item, TAG.BoundingBoxAnnotationUnits)
  const anchorUnits = unitsOf(item, TAG.AnchorPointAnnotationUnits)
  const hasBox = topLeft && bottomRight && boxUnits
  const hasAnchor = anchor && anchorUnits
  if (text === '' || (!hasBox && !hasAnchor)) return undefined
  const [style] = item.items(TAG.TextStyleSequence)
  return {
    text,
    box: hasBox ? [topLeft, bottomRight] : null,
    boxUnits: boxUnits ?? 'pixel',
    justification: JUSTIFICATIONS[item.text(TAG.BoundingBoxTextHorizontalJustification)] ?? 'left',
    anchor: hasAnchor ? anchor : null,
    anchorUnits: anchorUnits ?? 'pixel',
    isAnchorVisible: item.text(TAG.AnchorPointVisibility) === 'Y',
    colour: style ? colourOf(style, TAG.TextColorCIELabValue) : null,
  }
}

/** MATRIX, of a tiled image, equals PIXEL where there is one frame; such images are not shown. */
const UNITS: Readonly<Record<string, Graphic['units']>> = { PIXEL: 'pixel', DISPLAY: 'display' }

const unitsOf = (item: AttributeValues, tag: number): Graphic['units'] | undefined =>
  UNITS[item.text(tag)]

function pairsOf(numbers: readonly (number | null)[]): [number, number][] | undefined {
  if (numbers.length === 0 || numbers.length % 2 !== 0 || numbers.includes(null)) return undefined
  const known = numbers as readonly number[]
  return Array.from({ length: known.length / 2 }, (_, index) => [
    known[index * 2] ?? 0,
    known[index * 2 + 1] ?? 0,
  ])
}
