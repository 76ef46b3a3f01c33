/** What the desktop app adds to the window; absent in a browser. */
export interface Native {
  version(): Promise<string>
  openDataFolder(): Promise<void>
  restartGateway(): Promise<void>
}

declare global {
  interface Window {
    readonly gateway?: Native
  }
}

export const native: Native | undefined = window.gateway
