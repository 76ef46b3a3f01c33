import { Enums, RenderingEngine, type Types } from '@cornerstonejs/core'
import { MAX_LEVELS } from '#shared/pixels/curves.ts'
import { inverse } from '../referencing/plane-mapping.ts'
import { BLACK, type ColourTable, drawColours, drawPixels, type Target } from './draw-pixels.ts'
import { imageToScreen } from './image-canvas.ts'

/** The part of Cornerstone's engine that draws (5.14, `ContextPoolRenderingEngine.js`). */
interface Drawing {
  ensureContextPool(): {
    getContextByIndex(index: number): {
      readonly context: { setContainer(container: HTMLElement | null): void }
      readonly container: HTMLElement
    }
  }
  addVtkjsDrivenViewport(input: {
    readonly type: Enums.ViewportType
    readonly viewportId: string
  }): void
  renderViewportUsingCustomOrVtkPipeline(view: Types.IViewport): DrawnViewport | undefined
}
type DrawnViewport = Pick<Types.IViewport, 'element' | 'renderingEngineId'> & {
  readonly viewportId: string
  readonly suppressEvents: boolean
  readonly viewportStatus: unknown
}
/** The parts of vtk's colour transfer function that are used here. */
interface TransferFunction {
  getMTime(): number
  getRange(): readonly [number, number]
  getTable(from: number, to: number, size: number, into: Float32Array): void
}

/**
 * An engine for PCs without a graphics card. All is as in Cornerstone's own, but images of a stack
 * are drawn here, straight from their values: WebGL by the processor takes several times as long,
 * most of it to copy pictures out of it.
 */
export function softwareEngine(id: string): RenderingEngine {
  const engine = new RenderingEngine(id)
  const { _implementation: drawing } = engine as unknown as { readonly _implementation: Drawing }
  const renderByWebGl = drawing.renderViewportUsingCustomOrVtkPipeline.bind(drawing)
  drawing.renderViewportUsingCustomOrVtkPipeline = (view) =>
    view.type === Enums.ViewportType.STACK
      ? drawStack(view as Types.IStackViewport)
      : renderByWebGl(view)
  const add = drawing.addVtkjsDrivenViewport.bind(drawing)
  const { context, container } = drawing.ensureContextPool().getContextByIndex(0)
  // Without a container it makes no WebGL context, for which the first image would wait.
  context.setContainer(null)
  drawing.addVtkjsDrivenViewport = (input) => {
    if (input.type !== Enums.ViewportType.STACK) context.setContainer(container)
    add(input)
    if (input.type === Enums.ViewportType.STACK) shareValues(engine.getViewport(input.viewportId))
  }
  return engine
}

/** The part of Cornerstone's viewport that copies an image into the data of vtk. */
interface CopyingView {
  readonly _imageData: {
    getPointData(): {
      getScalars(): { setData(values: Types.PixelDataTypedArray, components: number): void }
    }
  }
  _updateVTKImageDataFromCornerstoneImage(image: Types.IImage): void
}

/** Gives vtk the values of an image themselves, because the copy of a mammogram takes 0.1 s. */
function shareValues(view: Types.IViewport): void {
  const copying = view as unknown as CopyingView
  const update = copying._updateVTKImageDataFromCornerstoneImage.bind(view)
  copying._updateVTKImageDataFromCornerstoneImage = (image) => {
    const scalars = copying._imageData.getPointData().getScalars()
    scalars.setData(image.getPixelData(), image.numberOfComponents)
    // What is copied now is copied onto itself.
    update(image)
  }
}

function drawStack(view: Types.IStackViewport): DrawnViewport | undefined {
  const { canvas, element, id, renderingEngineId, suppressEvents, viewportStatus } = view
  const [width, height] = [view.sWidth, view.sHeight]
  // WebGL leaves it out where it draws other views.
  view.getRenderer().setDraw(false)
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d')
  if (!context || width < 2 || height < 2) return undefined
  const picture = pictureFor(view, width, height)
  const pixels = new Uint32Array(picture.data.buffer)
  drawImage(view, { pixels, width, height })
  context.putImageData(picture, 0, 0)
  return {
    ...{ element, renderingEngineId, viewportId: id, suppressEvents, viewportStatus },
  }
}

const pictures = new WeakMap<object, ImageData>()
/** The same one for a view each time, of a size. */
function pictureFor(view: object, width: number, height: number): ImageData {
  const before = pictures.get(view)
  if (before?.width === width && before.height === height) return before
  const picture = new ImageData(width, height)
  pictures.set(view, picture)
  return picture
}

function drawImage(view: Types.IStackViewport, target: Target): void {
  const image = view.getCornerstoneImage()
  const toScreen = image && imageToScreen(view)
  if (!toScreen) return void target.pixels.fill(BLACK)
  const { rows, columns, color } = image
  const pixels = { values: image.getPixelData(), rows, columns }
  const [a, b, c, d, e, f] = inverse(toScreen)
  const { devicePixelRatio: ratio } = window
  const toImage = [a / ratio, b / ratio, c / ratio, d / ratio, e, f] as const
  const isSmooth = view.getProperties().interpolationType !== Enums.InterpolationType.NEAREST
  const shades = shadesOf(view)
  if (color) drawColours(target, toImage, pixels, shades ?? BYTE_RANGE, isSmooth)
  else if (shades) drawPixels(target, toImage, pixels, shades, isSmooth)
  else target.pixels.fill(BLACK)
}

const BYTE_RANGE = { lower: 0, upper: 255 }

const known = new WeakMap<object, { readonly time: number; readonly shades: ColourTable }>()
/** Colours by Cornerstone's transfer function, which has the window, a curve and an inversion. */
function shadesOf(view: Types.IStackViewport): ColourTable | undefined {
  const actor = view.getDefaultActor()?.actor as
    | { getProperty(): { getRGBTransferFunction(index: number): TransferFunction | undefined } }
    | undefined
  const lines = actor?.getProperty().getRGBTransferFunction(0)
  if (!lines) return undefined
  const before = known.get(lines)
  const time = lines.getMTime()
  if (before?.time === time) return before.shades
  const [lower, upper] = lines.getRange()
  const levels = new Float32Array(3 * MAX_LEVELS)
  lines.getTable(lower, upper, MAX_LEVELS, levels)
  const bytes = new Uint8ClampedArray(4 * MAX_LEVELS).fill(255)
  for (let at = 0; at < MAX_LEVELS; at++)
    for (let part = 0; part < 3; part++)
      bytes[4 * at + part] = 255 * (levels[3 * at + part] as number)
  const shades = { lower, upper, colours: new Uint32Array(bytes.buffer) }
  known.set(lines, { time, shades })
  return shades
}
