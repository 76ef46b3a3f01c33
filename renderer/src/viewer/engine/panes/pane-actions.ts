import { Enums, type Types } from '@cornerstonejs/core'
import type { Pane } from '../pane.ts'
import { unsteepenedWindow } from '../steep-window.ts'
import { fitToPane, flip, rangeOf, rotateBy, type View } from '../view.ts'
import type { PaneContext } from './pane-context.ts'
import { isExact } from './pane-display.ts'

type PaneActions = Pick<
  Pane,
  | 'setWindow'
  | 'invert'
  | 'rotate'
  | 'flip'
  | 'zoomBy'
  | 'panBy'
  | 'fit'
  | 'oneToOne'
  | 'smooth'
  | 'setSlab'
  | 'renderings'
  | 'setRendering'
  | 'reset'
>

/**
 * What a person does to the picture of a pane. @param change does it to its view, if there is a
 * picture, and reads how it looks then
 */
export function openActions(
  context: PaneContext,
  change: (what: (view: View) => void) => void,
): PaneActions {
  const { state, set } = context
  /** A volume has colours instead of a window, and is turned in space. */
  const changeUnlessVolume: typeof change = (what) => {
    if (state().kind !== 'volume') change(what)
  }
  const setInversion = (isInverted: boolean) =>
    change(() => context.content?.setInversion(isInverted))
  return {
    setWindow: (window) =>
      changeUnlessVolume((view) => {
        view.setProperties({ voiRange: rangeOf(window, isExact(context.content?.image())) })
        context.content?.setCurve?.('curve' in window ? window.curve : undefined)
      }),
    invert: () => setInversion(!state().isInverted),
    rotate: (degrees) => changeUnlessVolume((view) => rotateBy(view, degrees)),
    flip: (way) => changeUnlessVolume((view) => flip(view, way)),
    zoomBy: (factor) =>
      change((view) => view.setZoom(Math.max(0.02, Math.min(100, view.getZoom() * factor)))),
    panBy: (right, down) =>
      change((view) => {
        const [x, y] = view.getPan()
        view.setPan([x + right, y + down])
      }),
    fit: () => change(fitToPane),
    oneToOne: () =>
      changeUnlessVolume((view) => {
        const { magnification } = state()
        if (magnification > 0) view.setZoom(view.getZoom() / magnification)
      }),
    smooth(isSmooth) {
      set({ isSmooth })
      changeUnlessVolume((view) => context.content?.setSmooth(view))
    },
    setSlab: (slab) => change(() => context.content?.setSlab?.(slab)),
    renderings: () => context.content?.renderings?.() ?? [],
    setRendering: (rendering) => change(() => context.content?.setRendering?.(rendering)),
    reset() {
      change((view) => context.content?.reset(view))
      setInversion(false)
      if (state().presentation) change(() => context.content?.presentAgain?.())
    },
  }
}

/** Interpolated between pixels, or each pixel as a square. */
export function setInterpolation(view: View, isSmooth: boolean): void {
  const { LINEAR, NEAREST } = Enums.InterpolationType
  view.setProperties({ interpolationType: isSmooth ? LINEAR : NEAREST })
}

/** The window an image opens with. */
export function openedWindow(
  image: Types.IImage | undefined,
): { readonly center: number; readonly width: number } | undefined {
  if (
    !image ||
    image.color ||
    typeof image.windowCenter !== 'number' ||
    typeof image.windowWidth !== 'number'
  )
    return undefined
  return unsteepenedWindow({ center: image.windowCenter, width: image.windowWidth })
}

/** Gives a view the window that its image opens with. */
export function applyOpenedWindow(view: View, image: Types.IImage | undefined): void {
  const window = openedWindow(image)
  if (window) view.setProperties({ voiRange: rangeOf(window, isExact(image)) })
}
