import { Enums, type RenderingEngine, type Types } from '@cornerstonejs/core'
import type { Plane } from './pane.ts'
import type { PaneKind, Tools } from './tools.ts'
import { fit as fitToPane, isFitted, type View } from './view.ts'

/** An element with a viewport of Cornerstone in it, which is made once the element has a size. */
export interface Screen {
  readonly host: HTMLDivElement
  readonly isReady: boolean
  /** The viewport of images, in place of that of a plane if there was one. */
  stack(): Types.IStackViewport
  plane(plane: Plane): Types.IVolumeViewport
  view(): View | undefined
  /** Pixels of another image than the one that is wanted are never seen. */
  hide(isHidden: boolean): void
  close(): void
}

const ORIENTATIONS: Readonly<Record<Plane, Enums.OrientationAxis>> = {
  axial: Enums.OrientationAxis.AXIAL,
  sagittal: Enums.OrientationAxis.SAGITTAL,
  coronal: Enums.OrientationAxis.CORONAL,
}

interface ScreenListeners {
  /** It has a size, for the first time. */
  readonly onReady: () => void
  /** Zoom, position, window or size are others. */
  readonly onLook: () => void
  readonly onRendered: () => void
  readonly onWheel: (images: number, isZoom: boolean) => void
}

export function openScreen(
  engine: RenderingEngine,
  tools: Tools,
  viewportId: string,
  element: HTMLDivElement,
  { onReady, onLook, onRendered, onWheel }: ScreenListeners,
): Screen {
  const host = document.createElement('div')
  Object.assign(host.style, {
    position: 'absolute',
    inset: '0',
    overflow: 'hidden',
    touchAction: 'none',
  })
  host.dataset.pane = viewportId
  element.append(host)
  let kind: PaneKind | undefined
  let isClosed = false
  let isReady = false
  let resizing: number | undefined

  const observer = new ResizeObserver(() => {
    if (host.clientWidth === 0 || host.clientHeight === 0 || isClosed) return
    if (!isReady) {
      isReady = true
      onReady()
      return
    }
    resizing ??= requestAnimationFrame(() => {
      resizing = undefined
      if (isClosed || !kind) return
      const view = engine.getViewport(viewportId) as View | undefined
      const wasFitted = kind === 'stack' && view !== undefined && isFitted(view)
      engine.resize(true, true)
      if (wasFitted) {
        // Another layout has another shape; an image that nobody has zoomed is whole in it.
        fitToPane(view)
        view.render()
      }
      onLook()
    })
  })
  observer.observe(host)
  host.addEventListener('contextmenu', (event) => event.preventDefault())
  let turned = 0
  host.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault()
      // A trackpad sends many small turns; a wheel's notch is some 100 pixels, or 3 lines.
      turned += event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 33
      const isNotch = Math.abs(event.deltaY) >= 50 || event.deltaMode !== WheelEvent.DOM_DELTA_PIXEL
      const images = isNotch ? Math.sign(event.deltaY) : Math.trunc(turned / 30)
      if (images === 0) return
      turned = isNotch ? 0 : turned - images * 30
      onWheel(images, event.ctrlKey)
    },
    { passive: false },
  )
  host.addEventListener(Enums.Events.CAMERA_MODIFIED, onLook)
  host.addEventListener(Enums.Events.VOI_MODIFIED, onLook)
  host.addEventListener(Enums.Events.IMAGE_RENDERED, onRendered)

  const leave = () => {
    if (!kind) return
    tools.leave(viewportId)
    if (engine.getViewport(viewportId)) engine.disableElement(viewportId)
    kind = undefined
    host.replaceChildren()
  }
  const enter = (wanted: PaneKind, plane?: Plane) => {
    if (kind === wanted) return
    leave()
    engine.enableElement({
      viewportId,
      element: host,
      type: wanted === 'stack' ? Enums.ViewportType.STACK : Enums.ViewportType.ORTHOGRAPHIC,
      defaultOptions: { background: [0, 0, 0], ...(plane && { orientation: ORIENTATIONS[plane] }) },
    })
    kind = wanted
    tools.join(viewportId, wanted)
  }
  return {
    host,
    get isReady() {
      return isReady
    },
    stack() {
      enter('stack')
      return engine.getViewport(viewportId) as Types.IStackViewport
    },
    plane(plane) {
      const isNew = kind !== 'plane'
      enter('plane', plane)
      const viewport = engine.getViewport(viewportId) as Types.IVolumeViewport
      if (!isNew) viewport.setOrientation(ORIENTATIONS[plane])
      return viewport
    },
    view: () => (kind ? (engine.getViewport(viewportId) as View) : undefined),
    hide(isHidden) {
      host.style.visibility = isHidden ? 'hidden' : ''
    },
    close() {
      if (isClosed) return
      isClosed = true
      observer.disconnect()
      if (resizing !== undefined) cancelAnimationFrame(resizing)
      leave()
      host.remove()
    },
  }
}

/**
 * The next picture of an element's viewport was made; or none within a moment, as of a page that is
 * not seen.
 */
export const rendered = (host: HTMLElement): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      host.removeEventListener(Enums.Events.IMAGE_RENDERED, done)
      resolve()
    }
    const timer = setTimeout(done, 1000)
    host.addEventListener(Enums.Events.IMAGE_RENDERED, done)
  })
