import type * as E from 'electron'

type Listener = Parameters<E.IpcMain['handle']>[1]
export const handlers = new Map<string, Listener>()
export const ipcMain = {
  handle: (channel: string, listener: Listener): void => {
    // As Electron does.
    if (handlers.has(channel))
      throw new Error(`Attempted to register a second handler for '${channel}'`)
    handlers.set(channel, listener)
  },
} satisfies Pick<E.IpcMain, 'handle'>

/** As a frame of a page sends it: what it is answered, or the error. */
export function sent(
  channel: string,
  frame: { readonly url: string; readonly parent?: object | null } | null,
  ...args: unknown[]
): unknown {
  const listener = handlers.get(channel)
  if (!listener) throw new Error(`No handler registered for '${channel}'`)
  return listener(
    { senderFrame: frame && { parent: null, ...frame } } as unknown as E.IpcMainInvokeEvent,
    ...args,
  )
}

/** What the preload script gives the page, by name. */
export const exposed = new Map<string, unknown>()
export const contextBridge = {
  exposeInMainWorld: (key: string, api: unknown): void => void exposed.set(key, api),
} satisfies Pick<E.ContextBridge, 'exposeInMainWorld'>
/** What the preload script sent. */
export const invoked: (readonly unknown[])[] = []
export const ipcRenderer = {
  invoke: (channel: string, ...args: unknown[]): Promise<unknown> => {
    invoked.push([channel, ...args])
    return Promise.resolve()
  },
} satisfies Pick<E.IpcRenderer, 'invoke'>
