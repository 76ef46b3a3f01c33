import type { Colour, GraphicText } from '#shared/contract/referencing-objects.ts'
import { cssColour, type PixelPoint } from './scene.ts'

const MIN_SIZE = 12
const MAX_FONT_SIZE = 22
const LINE_SPACING = 1.25
const ANCHOR_GAP = 8

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Draws a text object (PS3.3 C.10.5): upright, however the image is turned. */
export function drawText(
  context: CanvasRenderingContext2D,
  text: GraphicText,
  onScreen: (units: GraphicText['boxUnits'], point: PixelPoint) => PixelPoint,
  colour: Colour,
): void {
  const lines = text.text.split(/\r\n|\r|\n/)
  const anchor = text.anchor && onScreen(text.anchorUnits, text.anchor)
  const given =
    text.box && boxOf(onScreen(text.boxUnits, text.box[0]), onScreen(text.boxUnits, text.box[1]))
  const size = given
    ? Math.max(
        MIN_SIZE,
        Math.min(MAX_FONT_SIZE, (given.bottom - given.top) / lines.length / LINE_SPACING),
      )
    : MIN_SIZE + 2
  context.save()
  context.font = `600 ${size}px system-ui, sans-serif`
  context.textBaseline = 'top'
  context.textAlign = text.justification
  const width = Math.max(...lines.map((line) => context.measureText(line).width))
  const height = lines.length * size * LINE_SPACING
  const box = given ?? beside(anchor ?? [0, 0], width, height)
  if (anchor && text.isAnchorVisible) drawAnchor(context, anchor, box, colour)
  const x = {
    left: box.left,
    right: box.right,
    center: (box.left + box.right) / 2,
  }[text.justification]
  context.lineJoin = 'round'
  context.lineWidth = 3
  context.strokeStyle = 'rgb(0 0 0 / 0.75)'
  context.fillStyle = cssColour(colour)
  for (const [index, line] of lines.entries()) {
    const y = box.top + index * size * LINE_SPACING
    context.strokeText(line, x, y)
    context.fillText(line, x, y)
  }
  context.restore()
}

const boxOf = (one: PixelPoint, other: PixelPoint): Box => ({
  left: Math.min(one[0], other[0]),
  top: Math.min(one[1], other[1]),
  right: Math.max(one[0], other[0]),
  bottom: Math.max(one[1], other[1]),
})

const beside = ([x, y]: PixelPoint, width: number, height: number): Box => ({
  left: x + ANCHOR_GAP,
  top: y - height / 2,
  right: x + ANCHOR_GAP + width,
  bottom: y + height / 2,
})

/** A line from the anchor to the nearest place of the box. */
function drawAnchor(
  context: CanvasRenderingContext2D,
  [x, y]: PixelPoint,
  box: Box,
  colour: Colour,
): void {
  context.beginPath()
  context.moveTo(x, y)
  context.lineTo(
    Math.max(box.left, Math.min(box.right, x)),
    Math.max(box.top, Math.min(box.bottom, y)),
  )
  context.lineWidth = 1.5
  context.strokeStyle = cssColour(colour)
  context.stroke()
  context.beginPath()
  context.arc(x, y, 2.5, 0, 2 * Math.PI)
  context.fillStyle = cssColour(colour)
  context.fill()
}
