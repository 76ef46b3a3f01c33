import { powerMonitor, powerSaveBlocker } from 'electron'

/** A network is available again only some seconds after wake-up. */
const NETWORK_DELAY_MS = 10_000

/**
 * Watches for sleep and shutdown of the PC. Windows announces a shutdown to the window instead
 * (`session-end`).
 * @param onAway called when the screen is locked or the PC goes to sleep
 * @param onWake called after wake-up, with a delay for the network
 * @param onShutdown called when the PC shuts down
 */
export function watchSleep(onAway: () => void, onWake: () => void, onShutdown: () => void): void {
  let timer: NodeJS.Timeout | undefined
  powerMonitor.on('lock-screen', onAway)
  powerMonitor.on('suspend', () => {
    clearTimeout(timer)
    onAway()
  })
  powerMonitor.on('resume', () => {
    clearTimeout(timer)
    timer = setTimeout(onWake, NETWORK_DELAY_MS)
  })
  // The event is documented but missing in Electron's type declaration.
  powerMonitor.on('shutdown', (event?: { preventDefault?(): void }) => {
    event?.preventDefault?.()
    onShutdown()
  })
}

/** Prevents sleep while devices are served; the screen may turn off. */
export function stayAwake(): { hold(): void; release(): void } {
  let id: number | undefined
  return {
    hold() {
      id ??= powerSaveBlocker.start('prevent-app-suspension')
    },
    release() {
      if (id !== undefined) powerSaveBlocker.stop(id)
      id = undefined
    },
  }
}
