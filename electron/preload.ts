import { contextBridge, ipcRenderer } from 'electron'
import type { DesktopState } from '#shared/contract/shell.ts'
import type { Message } from '#shared/messages/message.ts'

// Everything that the window may request of the desktop app. All other requests use HTTP.
contextBridge.exposeInMainWorld(
  'gateway',
  Object.freeze({
    version: (): Promise<string> => ipcRenderer.invoke('version'),
    openDataFolder: (): Promise<void> => ipcRenderer.invoke('open-data-folder'),
    restartGateway: (): Promise<void> => ipcRenderer.invoke('restart-gateway'),
    desktop: (): Promise<DesktopState> => ipcRenderer.invoke('desktop'),
    setAutostart: (on: boolean): Promise<void> => ipcRenderer.invoke('set-autostart', on),
    checkForUpdate: (): Promise<void> => ipcRenderer.invoke('check-for-update'),
    installUpdate: (): Promise<Message | null> => ipcRenderer.invoke('install-update'),
  }),
)
