import { randomId } from '../../format/random-id.ts'
import { watchChild } from './child-windows.ts'
import { imagesWindow } from './held-window.ts'
import { defaultAreaOn, featuresAt, findOtherScreen } from './screens.ts'

/** One for each window that reports are written in. */
const WINDOW_NAME = `isthmus-images-${randomId()}`
/** The viewer's page without a view: it is dark, and says that nothing is open. */
const EMPTY_VIEWER_PATH = '/viewer'

export const isImagesWindowOpen = (): boolean =>
  imagesWindow.current !== null && !imagesWindow.current.child.closed

/**
 * Opens the images in a window of their own, on the other screen where there is one. Called while a
 * click is handled: a browser opens none later.
 * @param of the study; `page` null where its view is still to be opened
 * @returns false where the browser refuses
 */
export function openImagesWindow(of: string, page: string | null): boolean {
  const child = window.open(
    page ?? EMPTY_VIEWER_PATH,
    WINDOW_NAME,
    featuresAt(defaultAreaOn(window.screen)),
  )
  if (!child) return false
  imagesWindow.current = { child, of }
  child.focus()
  watchChild(child)
  // Which screens there are is told only later, once it was allowed.
  void findOtherScreen(window).then((place) => {
    if (!place || child.closed) return
    child.moveTo(place.left, place.top)
    child.resizeTo(place.width, place.height)
  })
  return true
}

/**
 * The images window goes with the report: it never shows another study than the one that is open.
 */
export function showInImagesWindow(of: string, page: string | null): void {
  const { current: held } = imagesWindow
  if (!held || held.child.closed || (page === null && held.of === of)) return
  held.of = of
  // The viewer loads itself anew where only the view differs.
  held.child.location.replace(page ?? EMPTY_VIEWER_PATH)
}

export function reloadImagesWindow(): void {
  if (isImagesWindowOpen()) imagesWindow.current?.child.location.reload()
}
