import type { Png } from '../png.ts'
import type { Picture, Reference } from './reference.ts'

/** How much of a pane differs from what was expected of it. */
export interface Difference {
  /** Pixels of the screen that were compared: of the image, and of the black beside it. */
  readonly pixels: number
  /** Of them, those that differ by more than the tolerance. */
  readonly wrong: number
  /** The largest difference of a channel. */
  readonly worst: number
  /** Of the first wrong one. */
  readonly where: string
}

/** Colour of the viewer's overlay planes (`overlay-planes.ts`). */
const OVERLAY = [255, 235, 150] as const
/** The frame of a pane, which is drawn over its image. */
const FRAME = 3
/** The image's outer edge is drawn softly, on the pixels of the screen that it crosses. */
const EDGE = 1
/** A centre of a screen pixel so near the border of image pixels may be of either. */
const NEAR = 0.06
/** With smooth pixels, it is between those that are less than a pixel away. */
const SMOOTH = 0.5 + NEAR
/** A soft overlay over colours is rounded twice. */
const OVERLAY_ROUNDING = 2

/** The rows or columns of the image that may be at a row or column of the screen. */
interface Span {
  readonly from: number
  readonly to: number
}
const OUTSIDE: Span = { from: 0, to: -1 }

/**
 * Compares a pane in which the whole image is fitted with its expected picture. @param isSmooth the
 * levels between pixels are those in between; otherwise each screen pixel is one image pixel
 */
export function differenceOf(
  screen: Png,
  reference: Reference,
  shape: readonly [number, number],
  isSmooth: boolean,
  tolerance: number,
): Difference {
  const { width, height } = reference.picture
  const expected = expectedRgb(reference)
  const under = rgbOf(reference.picture)
  const unit = Math.min(...shape)
  const [down, across] = [shape[0] / unit, shape[1] / unit]
  const scale = Math.min(screen.width / (width * across), screen.height / (height * down))
  const spans = (length: number, count: number, size: number) => [
    spansOf(length, count, size, isSmooth ? SMOOTH : NEAR),
    // Edges of overlays are drawn softly, as those of the image are.
    spansOf(length, count, size, isSmooth ? SMOOTH : EDGE / size),
  ]
  const [columns = [], nearColumns = []] = spans(screen.width, width, scale * across)
  const [rows = [], nearRows = []] = spans(screen.height, height, scale * down)
  let [pixels, wrong, worst, where] = [0, 0, 0, '']
  for (const [y, row] of rows.entries())
    for (const [x, column] of columns.entries()) {
      if (!row || !column) continue
      const shown = screen.at(x, y)
      let found = distanceOf(shown, expected, under, width, column, row, isSmooth)
      const [nearColumn = OUTSIDE, nearRow = OUTSIDE] = [nearColumns[x], nearRows[y]]
      const isSoft = found > tolerance && hasOverlay(expected, under, width, nearColumn, nearRow)
      if (isSoft)
        found =
          distanceOf(shown, expected, under, width, nearColumn, nearRow, true) - OVERLAY_ROUNDING
      pixels += 1
      if (found > worst) worst = found
      if (found <= tolerance) continue
      if (wrong === 0) {
        const at = (row.from * width + column.from) * 3
        where = `${x}, ${y}: ${shown.join(' ')} for ${expected.slice(at, at + 3).join(' ')}`
      }
      wrong += 1
    }
  return { pixels, wrong, worst, where }
}

/**
 * For each row or column of the screen, those of the image; undefined where nothing is compared.
 * @param size of the screen's pixels for one of the image's
 * @param reach how far away they may be, in pixels of the image
 */
function spansOf(
  length: number,
  pixels: number,
  size: number,
  reach: number,
): (Span | undefined)[] {
  const side = (length - pixels * size) / 2
  return Array.from({ length }, (_, n) => {
    const isFrame = n < FRAME || n >= length - FRAME
    const isEdge = [n + 0.5 - side, length - side - n - 0.5].some((away) => Math.abs(away) <= EDGE)
    if (isFrame || isEdge) return undefined
    const at = (n + 0.5 - side) / size
    if (at < 0 || at > pixels) return OUTSIDE
    return {
      from: Math.max(0, Math.floor(at - reach)),
      to: Math.min(pixels - 1, Math.floor(at + reach)),
    }
  })
}

/** RGB of the picture, in the colour of the overlays where they are. */
function expectedRgb({ picture, overlaid }: Reference): Uint8Array {
  const plain = rgbOf(picture)
  const above = overlaid && rgbOf(overlaid)
  if (!above) return plain
  const out = plain.slice()
  for (let at = 0; at < out.length; at += 3)
    if ([0, 1, 2].some((n) => above[at + n] !== plain[at + n])) out.set(OVERLAY, at)
  return out
}

function rgbOf({ samples, levels, width, height }: Picture): Uint8Array {
  if (samples === 3) return Uint8Array.from(levels)
  const out = new Uint8Array(width * height * 3)
  for (let n = 0; n < width * height; n += 1) out.fill(levels[n] ?? 0, n * 3, n * 3 + 3)
  return out
}

/** How far a colour is from the nearest of some pixels, or if smooth, from all between them. */
function distanceOf(
  shown: readonly [number, number, number],
  expected: Uint8Array,
  under: Uint8Array,
  width: number,
  column: Span,
  row: Span,
  isSmooth: boolean,
): number {
  if (column === OUTSIDE || row === OUTSIDE) return Math.max(...shown)
  let nearest = 255
  const least = [255, 255, 255]
  const greatest = [0, 0, 0]
  for (let y = row.from; y <= row.to; y += 1)
    for (let x = column.from; x <= column.to; x += 1) {
      let away = 0
      let isWhite = true
      for (let n = 0; n < 3; n += 1) {
        const level = expected[(y * width + x) * 3 + n] as number
        away = Math.max(away, Math.abs(level - (shown[n] as number)))
        if (level < 254) isWhite = false
        // An overlay is smoothed as it is, over smoothed levels.
        const below = under[(y * width + x) * 3 + n] as number
        least[n] = Math.min(least[n] as number, level, below)
        greatest[n] = Math.max(greatest[n] as number, level, below)
      }
      // DCMTK draws overlays in white, which does not show on white.
      if (isWhite && isOverlay(shown)) away = 0
      if (isWhite) least[2] = Math.min(least[2] as number, OVERLAY[2])
      if (isWhite) least[1] = Math.min(least[1] as number, OVERLAY[1])
      nearest = Math.min(nearest, away)
    }
  if (!isSmooth) return nearest
  let beyond = 0
  for (let n = 0; n < 3; n += 1) {
    const level = shown[n] as number
    beyond = Math.max(beyond, (least[n] as number) - level, level - (greatest[n] as number))
  }
  return beyond
}

/** Whether an overlay is on any of some pixels, or may be, since it does not show on white. */
function hasOverlay(
  expected: Uint8Array,
  under: Uint8Array,
  width: number,
  column: Span,
  row: Span,
): boolean {
  for (let y = row.from; y <= row.to; y += 1)
    for (let x = column.from; x <= column.to; x += 1) {
      const at = (y * width + x) * 3
      if (expected[at + 2] !== under[at + 2]) return true
    }
  return false
}

const isOverlay = (shown: readonly number[]) =>
  OVERLAY.every((level, n) => Math.abs(level - (shown[n] as number)) <= 1)
