import { type Session, session } from 'electron'
import { isOf } from './window.ts'

/**
 * Permissions of the gateway's own page: writing to the clipboard, and using a second screen for
 * images.
 */
const PERMISSIONS: readonly string[] = ['clipboard-sanitized-write', 'window-management']

/**
 * Refuses all other permissions and all other pages. The microphone is refused too, since the
 * window has no dictation (Electron security checklist 5).
 * @param origin origin of the gateway; undefined until it has started
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

/** Blocks every request that does not go to the gateway (Electron security checklist 1). */
export function refuseRequests(
  origin: () => string | undefined,
  of: Session = session.defaultSession,
): void {
  of.webRequest.onBeforeRequest((request, answer) =>
    answer({ cancel: !isLoadable(origin(), request.url) }),
  )
}

/** URLs of the gateway, blobs created by its page, data URLs and the developer tools. */
function isLoadable(origin: string | undefined, url: string): boolean {
  if (/^(data|devtools):/.test(url)) return true
  if (url.startsWith('blob:')) return isLoadable(origin, url.slice('blob:'.length))
  return origin !== undefined && isOf(origin, url)
}
