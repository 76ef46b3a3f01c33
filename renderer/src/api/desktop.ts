import type { DesktopState } from '#shared/contract/shell.ts'
import type { Message } from '#shared/messages/message.ts'

/**
 * What the desktop app adds to the window; absent in a browser. Whatever it cannot do it refuses
 * with an error.
 */
export interface DesktopBridge {
  version(): Promise<string>
  openDataFolder(): Promise<void>
  restartGateway(): Promise<void>
  /**
   * Whether it starts when somebody signs in on this PC, where the data key is, how far an update
   * is.
   */
  desktop(): Promise<DesktopState>
  setAutostart(on: boolean): Promise<void>
  /** What came of it is in `desktop().update`. */
  checkForUpdate(): Promise<void>
  /**
   * Backs up, lets open associations end, ends the gateway and starts the new version. Resolves
   * with why it did not, where it did not.
   */
  installUpdate(): Promise<Message | null>
}

declare global {
  interface Window {
    readonly gateway?: DesktopBridge
  }
}

export const desktopBridge: DesktopBridge | undefined = window.gateway
