import { contextBridge, ipcRenderer } from 'electron'
import type { DesktopState } from '#shared/contract/shell.ts'

// The whole bridge: a handful of native things (design.md §4.2). Everything else is HTTP.
contextBridge.exposeInMainWorld(
  'gateway',
  Object.freeze({
    version: (): Promise<string> => ipcRenderer.invoke('version'),
    openDataFolder: (): Promise<void> => ipcRenderer.invoke('open-data-folder'),
    restartGateway: (): Promise<void> => ipcRenderer.invoke('restart-gateway'),
    desktop: (): Promise<DesktopState> => ipcRenderer.invoke('desktop'),
    setAutostart: (on: boolean): Promise<void> => ipcRenderer.invoke('set-autostart', on),
    checkForUpdate: (): Promise<void> => ipcRenderer.invoke('check-for-update'),
    installUpdate: async (): Promise<void> => {
      // Electron would put words of its own before the sentence of an error.
      const fault: string = await ipcRenderer.invoke('install-update')
      if (fault) throw new Error(fault)
    },
  }),
)
