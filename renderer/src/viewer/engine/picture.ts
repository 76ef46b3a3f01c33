import { MAX_CAPTURE_SIDE } from '#shared/contract/viewing.ts'
import type { CapturedPicture } from './pane.ts'
import { rgbOfCanvas } from './rgb.ts'

/** What an element with a viewport shows, with the drawings on it, in its device pixels. */
export async function pictureOf(
  element: HTMLElement,
  source: HTMLCanvasElement,
  draw: ((context: CanvasRenderingContext2D, width: number, height: number) => void) | undefined,
): Promise<CapturedPicture | undefined> {
  const scale = Math.min(1, MAX_CAPTURE_SIDE / Math.max(source.width, source.height))
  const columns = Math.floor(source.width * scale)
  const rows = Math.floor(source.height * scale)
  const canvas = Object.assign(document.createElement('canvas'), { width: columns, height: rows })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context || columns === 0 || rows === 0) return undefined
  context.fillRect(0, 0, columns, rows)
  context.drawImage(source, 0, 0, columns, rows)
  const { clientWidth, clientHeight } = element
  for (const planes of element.querySelectorAll<HTMLCanvasElement>('canvas[data-overlay-planes]')) {
    context.setTransform(
      new DOMMatrix([columns / clientWidth, 0, 0, rows / clientHeight, 0, 0]).multiply(
        new DOMMatrix(planes.style.transform),
      ),
    )
    context.imageSmoothingEnabled = planes.style.imageRendering !== 'pixelated'
    context.drawImage(planes, 0, 0)
    context.imageSmoothingEnabled = true
    context.resetTransform()
  }
  for (const svg of element.querySelectorAll('svg')) {
    const layer = await renderLayer(svg, clientWidth, clientHeight)
    if (layer) context.drawImage(layer, 0, 0, columns, rows)
  }
  // What the page adds is laid out in CSS pixels.
  context.scale(columns / clientWidth, rows / clientHeight)
  draw?.(context, clientWidth, clientHeight)
  return { rows, columns, rgb: rgbOfCanvas(context, columns, rows) }
}

async function renderLayer(
  svg: SVGElement,
  width: number,
  height: number,
): Promise<HTMLImageElement | undefined> {
  const copy = svg.cloneNode(true) as SVGElement
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  const image = new Image(width, height)
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`
  try {
    await image.decode()
    return image
  } catch {
    return undefined
  }
}

/** RGB as `viewing.capture` takes it: base64 of zlib (RFC 1950). */
export async function compressed(rgb: Uint8Array): Promise<string> {
  const stream = new Blob([rgb as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream('deflate'))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  // In parts, since a call takes no more than some 60,000 arguments; of three bytes each, which are
  // four characters.
  const part = 0x6000
  let text = ''
  for (let at = 0; at < bytes.length; at += part)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + part)))
  return text
}
