/** A place on the desktop, in CSS pixels, without task bars. */
export interface ScreenArea {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** A screen as the Window Management API has it. */
interface ScreenDetails {
  readonly availLeft: number
  readonly availTop: number
  readonly availWidth: number
  readonly availHeight: number
}

const screenAreaOf = ({
  availLeft,
  availTop,
  availWidth,
  availHeight,
}: ScreenDetails): ScreenArea => ({
  left: availLeft,
  top: availTop,
  width: availWidth,
  height: availHeight,
})
const areaOf = ({ availWidth, availHeight }: ScreenDetails) => availWidth * availHeight

/**
 * Of the screens that the report is not on the largest one, all of it; undefined where there is but
 * one.
 */
export function otherScreen<S extends ScreenDetails>(
  screens: readonly S[],
  current: S,
): ScreenArea | undefined {
  const [largest] = screens
    .filter((one) => one !== current)
    .sort((one, other) => areaOf(other) - areaOf(one))
  return largest && screenAreaOf(largest)
}

/**
 * For `window.open`: a window without bars. The whole screen where it is not known which are there.
 */
export const featuresAt = ({ left, top, width, height }: ScreenArea): string =>
  `popup,left=${left},top=${top},width=${width},height=${height}`

export const defaultAreaOn = (screen: Screen): ScreenArea => {
  const { availLeft = 0, availTop = 0 } = screen as Screen & Partial<ScreenDetails>
  return screenAreaOf({
    availLeft,
    availTop,
    availWidth: screen.availWidth,
    availHeight: screen.availHeight,
  })
}

/** Window Management API (W3C working draft); the compiler's library does not have it yet. */
interface ManagedWindow {
  readonly getScreenDetails?: () => Promise<{
    readonly screens: readonly ScreenDetails[]
    readonly currentScreen: ScreenDetails
  }>
}

/**
 * Asks the browser for the other screen; a person may have to allow it. Undefined where there is
 * none, or it may not be known.
 * @param world `window`
 */
export async function findOtherScreen(world: Window): Promise<ScreenArea | undefined> {
  const { isExtended } = world.screen as Screen & { readonly isExtended?: boolean }
  const managed = world as Window & ManagedWindow
  if (!isExtended || !managed.getScreenDetails) return undefined
  try {
    const { screens, currentScreen } = await managed.getScreenDetails()
    return otherScreen(screens, currentScreen)
  } catch {
    return undefined
  }
}
