import { Enums, type RenderingEngine, type Types } from '@cornerstonejs/core'
import type { ContentKind, Plane } from '../pane.ts'
import type { Tools } from '../tools.ts'
import type { View } from '../view.ts'
import type { ViewportResizer } from './resizing.ts'

/** An element with a viewport of Cornerstone in it, which is made once the element has a size. */
export interface Screen {
  readonly host: HTMLDivElement
  /** It has had a size. */
  readonly isReady: boolean
  /** The viewport of images, in place of that of a plane if there was one. */
  stack(): Types.IStackViewport
  plane(plane: Plane): Types.IVolumeViewport
  volume(): Types.IVolumeViewport
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
  readonly onViewChange: () => void
  readonly onRendered: () => void
  readonly onWheel: (images: number, isZoom: boolean) => void
}

interface ScreenDependencies {
  readonly engine: RenderingEngine
  readonly tools: Tools
  readonly resizing: ViewportResizer
}

export function openScreen(
  { engine, tools, resizing }: ScreenDependencies,
  viewportId: string,
  element: HTMLDivElement,
  listeners: ScreenListeners,
): Screen {
  const host = hostIn(element, viewportId)
  let isReady = false
  const onReady = () => {
    isReady = true
    listeners.onReady()
  }
  const viewport = createViewportHost(engine, tools, viewportId, host)
  const hasView = () => viewport.kind() !== undefined
  const stopListening = listen(host, resizing, hasView, { ...listeners, onReady })
  return {
    host,
    get isReady() {
      return isReady
    },
    stack: () => viewport.enter('stack') as Types.IStackViewport,
    plane(plane) {
      const isNew = viewport.kind() !== 'plane'
      const view = viewport.enter('plane', plane) as Types.IVolumeViewport
      if (!isNew) view.setOrientation(ORIENTATIONS[plane])
      return view
    },
    volume: () => viewport.enter('volume') as Types.IVolumeViewport,
    view: () => (hasView() ? (engine.getViewport(viewportId) as View) : undefined),
    hide(isHidden) {
      host.style.visibility = isHidden ? 'hidden' : ''
    },
    close() {
      stopListening()
      viewport.leave()
      host.remove()
    },
  }
}

/** The one viewport of a screen, of the kind that its content needs. */
function createViewportHost(
  engine: RenderingEngine,
  tools: Tools,
  viewportId: string,
  host: HTMLDivElement,
) {
  let kind: ContentKind | undefined
  const leave = () => {
    if (!kind) return
    tools.leave(viewportId)
    if (engine.getViewport(viewportId)) engine.disableElement(viewportId)
    kind = undefined
    host.replaceChildren()
  }
  return {
    kind: () => kind,
    leave,
    /** The viewport of a kind, in place of one of another kind. */
    enter(wanted: ContentKind, plane?: Plane) {
      if (kind !== wanted) {
        leave()
        engine.enableElement({
          viewportId,
          element: host,
          type: VIEWPORTS[wanted],
          defaultOptions: {
            background: [0, 0, 0],
            ...(plane && { orientation: ORIENTATIONS[plane] }),
          },
        })
        kind = wanted
        tools.join(viewportId, wanted)
      }
      return engine.getViewport(viewportId)
    },
  }
}

const VIEWPORTS: Readonly<Record<ContentKind, Enums.ViewportType>> = {
  stack: Enums.ViewportType.STACK,
  plane: Enums.ViewportType.ORTHOGRAPHIC,
  volume: Enums.ViewportType.VOLUME_3D,
}

function hostIn(element: HTMLDivElement, viewportId: string): HTMLDivElement {
  const host = document.createElement('div')
  Object.assign(host.style, {
    position: 'absolute',
    inset: '0',
    overflow: 'hidden',
    touchAction: 'none',
  })
  host.dataset.pane = viewportId
  element.append(host)
  return host
}

/** @param hasView a viewport is in the host. @returns the way to stop */
function listen(
  host: HTMLDivElement,
  resizing: ViewportResizer,
  hasView: () => boolean,
  { onReady, onViewChange, onRendered, onWheel }: ScreenListeners,
): () => void {
  let wasReady = false
  const observer = new ResizeObserver(() => {
    if (host.clientWidth === 0 || host.clientHeight === 0) return
    if (wasReady) resizing.request()
    else onReady()
    wasReady = true
  })
  observer.observe(host)
  host.addEventListener('contextmenu', (event) => event.preventDefault())
  host.addEventListener('wheel', wheelListener(onWheel), { passive: false })
  host.addEventListener(Enums.Events.CAMERA_MODIFIED, onViewChange)
  host.addEventListener(Enums.Events.VOI_MODIFIED, onViewChange)
  host.addEventListener(Enums.Events.IMAGE_RENDERED, onRendered)
  const stopResizing = resizing.onResized(() => hasView() && onViewChange())
  return () => {
    observer.disconnect()
    stopResizing()
  }
}

function wheelListener(onWheel: ScreenListeners['onWheel']): (event: WheelEvent) => void {
  let wheelDelta = 0
  return (event) => {
    event.preventDefault()
    // A trackpad sends many small turns; a wheel's notch is some 100 pixels, or 3 lines.
    wheelDelta += event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 33
    const isNotch = Math.abs(event.deltaY) >= 50 || event.deltaMode !== WheelEvent.DOM_DELTA_PIXEL
    const images = isNotch ? Math.sign(event.deltaY) : Math.trunc(wheelDelta / 30)
    if (images === 0) return
    wheelDelta = isNotch ? 0 : wheelDelta - images * 30
    onWheel(images, event.ctrlKey)
  }
}

/**
 * The next picture of an element's viewport was made; or none within a moment, as of a page that is
 * not seen.
 */
export const nextRender = (host: HTMLElement): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      host.removeEventListener(Enums.Events.IMAGE_RENDERED, done)
      resolve()
    }
    const timer = setTimeout(done, 1000)
    host.addEventListener(Enums.Events.IMAGE_RENDERED, done)
  })
