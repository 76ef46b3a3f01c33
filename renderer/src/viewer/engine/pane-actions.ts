import { Enums, type Types } from '@cornerstonejs/core'
import { isExact, isNegative } from './look.ts'
import type { Pane, PaneState } from './pane.ts'
import { forgetWindow } from './stack-view.ts'
import { unsteep } from './steep-window.ts'
import { fit, flip, rangeOf, rotateBy, type View } from './view.ts'

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
  | 'reset'
>

/**
 * What a person does to the picture of a pane. @param change does it to its view, if there is a
 * picture, and reads how it looks then
 */
export function openActions(of: {
  readonly state: () => PaneState
  /** The decoded image that is shown; of a plane, its volume's middle one. */
  readonly image: () => Types.IImage | undefined
  readonly change: (what: (view: View) => void) => void
  readonly setSmooth: (isSmooth: boolean) => void
  /** Of a stack: brightness by one of the image's look-up tables, or by none. */
  readonly setCurve: (index: number | undefined) => void
  /** Of a stack. */
  readonly setInversion: (isInverted: boolean) => void
}): PaneActions {
  const setInversion = (isInverted: boolean) =>
    of.change((view) => {
      if (of.state().plane) view.setProperties({ invert: isInverted !== isNegative(of.state()) })
      else of.setInversion(isInverted)
    })
  return {
    setWindow: (window) =>
      of.change((view) => {
        view.setProperties({ voiRange: rangeOf(window, isExact(of.image())) })
        of.setCurve('curve' in window ? window.curve : undefined)
      }),
    invert: () => setInversion(!of.state().isInverted),
    rotate: (degrees) => of.change((view) => rotateBy(view, degrees)),
    flip: (way) => of.change((view) => flip(view, way)),
    zoomBy: (factor) =>
      of.change((view) => view.setZoom(Math.max(0.02, Math.min(100, view.getZoom() * factor)))),
    panBy: (right, down) =>
      of.change((view) => {
        const [x, y] = view.getPan()
        view.setPan([x + right, y + down])
      }),
    fit: () => of.change(fit),
    oneToOne: () =>
      of.change((view) => {
        const { magnification } = of.state()
        if (magnification > 0) view.setZoom(view.getZoom() / magnification)
      }),
    smooth(isSmooth) {
      of.setSmooth(isSmooth)
      of.change((view) =>
        view.setProperties({
          interpolationType: isSmooth
            ? Enums.InterpolationType.LINEAR
            : Enums.InterpolationType.NEAREST,
        }),
      )
    },
    reset() {
      of.change((view) => {
        view.resetCamera()
        giveOpenedWindow(view, of.image())
        if (!of.state().plane) forgetWindow(view as Types.IStackViewport)
        of.setCurve(0)
      })
      setInversion(false)
    },
  }
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
  return unsteep({ center: image.windowCenter, width: image.windowWidth })
}

/** Gives a view the window that its image opens with. */
export function giveOpenedWindow(view: View, image: Types.IImage | undefined): void {
  const window = openedWindow(image)
  if (window) view.setProperties({ voiRange: rangeOf(window, isExact(image)) })
}
