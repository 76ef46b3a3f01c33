import { type Session, session } from 'electron'
import { isOf } from './window.ts'

/**
 * What the gateway's own page may ask for: to copy, and to know of a second screen for the images.
 */
const PERMISSIONS: readonly string[] = ['clipboard-sanitized-write', 'window-management']

/**
 * Refuses every other permission, and every other page: the microphone too, since the window has no
 * dictation (Electron security checklist 5).
 * @param origin of the gateway; undefined until it has started
 */
export function refusePermissions(
  origin: () => string | undefined,
  of: Session = session.defaultSession,
): void {
  const isAllowed = (permission: string, url: string) => {
    const own = origin()
    return own !== undefined && PERMISSIONS.includes(permission) && isOf(own, url)
  }
  of.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) =>
    answer(isAllowed(permission, requestingUrl)),
  )
  of.setPermissionCheckHandler((_contents, permission, requestingOrigin) =>
    isAllowed(permission, requestingOrigin),
  )
  of.setDevicePermissionHandler(() => false)
}

/** Whatever a page tries to load, only the gateway answers (Electron security checklist 1). */
export function refuseRequests(
  origin: () => string | undefined,
  of: Session = session.defaultSession,
): void {
  of.webRequest.onBeforeRequest((request, answer) =>
    answer({ cancel: !isLoadable(origin(), request.url) }),
  )
}

/** The gateway's own, what a page made itself, and the developer tools' own pages. */
function isLoadable(origin: string | undefined, url: string): boolean {
  if (/^(data|devtools):/.test(url)) return true
  if (url.startsWith('blob:')) return isLoadable(origin, url.slice('blob:'.length))
  return origin !== undefined && isOf(origin, url)
}
