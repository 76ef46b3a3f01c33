/** Of a screen, what placing a window needs (W3C Window Management). */
interface ScreenDetails {
  readonly availLeft: number
  readonly availTop: number
  readonly availWidth: number
  readonly availHeight: number
}
/** Browsers have these on secure pages, if at all. */
interface ScreenManagement {
  readonly getScreenDetails?: () => Promise<{
    readonly screens: readonly ScreenDetails[]
    readonly currentScreen: ScreenDetails
  }>
  readonly screen: { readonly isExtended?: boolean }
}

/** Features for `window.open`: the whole of another screen, where there is one to be found. */
export async function placeOnOtherScreen(page: ScreenManagement): Promise<string> {
  if (!page.getScreenDetails || page.screen.isExtended !== true) return PLAIN
  try {
    const { screens, currentScreen } = await page.getScreenDetails()
    const other = screens.find((screen) => screen !== currentScreen)
    if (!other) return PLAIN
    const { availLeft, availTop, availWidth, availHeight } = other
    return `popup,left=${availLeft},top=${availTop},width=${availWidth},height=${availHeight}`
  } catch {
    // The person does not permit it: they move the window themselves.
    return PLAIN
  }
}
const PLAIN = 'popup,width=1280,height=900'

/** Opens the view in one more window. @returns false where the browser blocks it */
export async function openSecondWindow(address: string): Promise<boolean> {
  const features = await placeOnOtherScreen(window as unknown as ScreenManagement)
  return window.open(address, '_blank', features) !== null
}
