/** RGB of a canvas, whose pixels are RGBA; a pixel after the other, rows from the top. */
export function rgbOfCanvas(
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
  columns: number,
  rows: number,
): Uint8Array {
  const { data } = context.getImageData(0, 0, columns, rows)
  const rgb = new Uint8Array(rows * columns * 3)
  for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) {
    rgb[to] = data[from] as number
    rgb[to + 1] = data[from + 1] as number
    rgb[to + 2] = data[from + 2] as number
  }
  return rgb
}
