import { type Session, session, type WebContents } from 'electron'
import { hasOrigin, isProviderPage, isSignInWindow } from './window.ts'

/**
 * Permissions of the gateway's own page: writing to the clipboard, and using a second screen for
 * images.
 */
const PERMISSIONS: readonly string[] = ['clipboard-sanitized-write', 'window-management']

/** The page where a report is written: dictation needs the microphone there. */
const REPORT_PAGE = /^#\/reading\/stu_\w+([/?]|$)/

/**
 * Refuses every other permission, and every other page: the microphone everywhere but on the page
 * of a report, the camera everywhere (Electron security checklist 5).
 * @param origin of the gateway; undefined until it has started
 */
export function refusePermissions(
  origin: () => string | undefined,
  of: Session = session.defaultSession,
): void {
  const isAllowed = (permission: string, url: string) => {
    const ownOrigin = origin()
    return ownOrigin !== undefined && PERMISSIONS.includes(permission) && hasOrigin(ownOrigin, url)
  }
  const isReportPage = (contents: WebContents | null) => {
    const [own, url] = [origin(), contents?.getURL() ?? '']
    return own !== undefined && hasOrigin(own, url) && REPORT_PAGE.test(new URL(url).hash)
  }
  of.setPermissionRequestHandler((contents, permission, answer, details) => {
    const types = 'mediaTypes' in details ? (details.mediaTypes ?? []) : []
    const isMicrophone = types.length > 0 && types.every((type) => type === 'audio')
    answer(
      permission === 'media'
        ? isMicrophone && details.isMainFrame && isReportPage(contents)
        : isAllowed(permission, details.requestingUrl),
    )
  })
  of.setPermissionCheckHandler((contents, permission, requestingOrigin, details) =>
    permission === 'media'
      ? details.mediaType === 'audio' && details.isMainFrame && isReportPage(contents)
      : isAllowed(permission, requestingOrigin),
  )
  of.setDevicePermissionHandler(() => false)
}

/**
 * Blocks every request that does not go to the gateway (Electron security checklist 1), except those
 * of a window for signing in at the identity provider.
 */
export function refuseRequests(
  origin: () => string | undefined,
  of: Session = session.defaultSession,
): void {
  of.webRequest.onBeforeRequest((request, answer) =>
    answer({
      cancel: !(
        isLoadable(origin(), request.url) ||
        (isSignInWindow(request.webContents) && isProviderPage(request.url))
      ),
    }),
  )
}

/** URLs of the gateway, blobs created by its page, data URLs and the developer tools. */
function isLoadable(origin: string | undefined, url: string): boolean {
  if (/^(data|devtools):/.test(url)) return true
  if (url.startsWith('blob:')) return isLoadable(origin, url.slice('blob:'.length))
  return origin !== undefined && hasOrigin(origin, url)
}
