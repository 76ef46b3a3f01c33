import type * as E from 'electron'
import { Contents } from './windows.ts'

type Answering<K extends keyof E.Session> = E.Session[K] extends (handler: infer H) => void
  ? NonNullable<H>
  : never
export const permissions: {
  request?: Answering<'setPermissionRequestHandler'>
  check?: Answering<'setPermissionCheckHandler'>
  device?: Answering<'setDevicePermissionHandler'>
} = {}
type RequestListener = (
  details: E.OnBeforeRequestListenerDetails,
  callback: (response: E.CallbackResponse) => void,
) => void
export const requests: { before?: RequestListener } = {}

export const session = {
  defaultSession: {
    setPermissionRequestHandler: (
      handler: Answering<'setPermissionRequestHandler'> | null,
    ): void => {
      if (handler) permissions.request = handler
    },
    setPermissionCheckHandler: (handler: Answering<'setPermissionCheckHandler'> | null): void => {
      if (handler) permissions.check = handler
    },
    setDevicePermissionHandler: (handler: Answering<'setDevicePermissionHandler'> | null): void => {
      if (handler) permissions.device = handler
    },
    webRequest: {
      onBeforeRequest: (
        first: E.WebRequestFilter | RequestListener | null,
        second?: RequestListener | null,
      ): void => {
        const listener = typeof first === 'function' ? first : second
        if (listener) requests.before = listener
      },
    },
  },
} satisfies {
  defaultSession: Pick<
    E.Session,
    'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'
  > & {
    webRequest: Pick<E.WebRequest, 'onBeforeRequest'>
  }
}

/** Whether a page of that address may. */
export function asked(
  permission: string,
  requestingUrl: string,
  more: { readonly mediaTypes?: readonly string[]; readonly isMainFrame?: boolean } = {},
): boolean | undefined {
  let answer: boolean | undefined
  const contents = Object.assign(new Contents(), { getURL: () => requestingUrl })
  permissions.request?.(
    contents as unknown as E.WebContents,
    permission as never,
    (isAllowed) => (answer = isAllowed),
    { requestingUrl, isMainFrame: true, ...more } as never,
  )
  return answer
}

/** Whether a request goes out, of the window with these contents. */
export function goesOut(url: string, of?: object): boolean | undefined {
  let isCancelled: boolean | undefined
  requests.before?.(
    { url, webContents: of } as E.OnBeforeRequestListenerDetails,
    ({ cancel }) => (isCancelled = cancel === true),
  )
  return isCancelled === undefined ? undefined : !isCancelled
}
