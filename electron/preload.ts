import { contextBridge, ipcRenderer } from 'electron'

// The whole bridge: a handful of native things (design.md §4.2). Everything else is HTTP.
contextBridge.exposeInMainWorld(
  'gateway',
  Object.freeze({
    version: (): Promise<string> => ipcRenderer.invoke('version'),
    openDataFolder: (): Promise<void> => ipcRenderer.invoke('open-data-folder'),
    restartGateway: (): Promise<void> => ipcRenderer.invoke('restart-gateway'),
  }),
)
