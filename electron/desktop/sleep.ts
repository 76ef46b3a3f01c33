import { powerMonitor, powerSaveBlocker } from 'electron'

/** A network comes back some seconds after its PC. */
const NETWORK_MS = 10_000

/**
 * Watches the PC's sleep and shutdown. On Windows the shutdown is announced to the window instead
 * (`session-end`).
 * @param away the screen is locked, or the PC goes to sleep
 * @param back the PC woke up, and its network had time to come back
 * @param shutDown the PC shuts down
 */
export function watchSleep(away: () => void, back: () => void, shutDown: () => void): void {
  let timer: NodeJS.Timeout | undefined
  powerMonitor.on('lock-screen', away)
  powerMonitor.on('suspend', () => {
    clearTimeout(timer)
    away()
  })
  powerMonitor.on('resume', () => {
    clearTimeout(timer)
    timer = setTimeout(back, NETWORK_MS)
  })
  // Its declaration leaves the event out that its documentation names.
  powerMonitor.on('shutdown', (event?: { preventDefault?(): void }) => {
    event?.preventDefault?.()
    shutDown()
  })
}

/** Keeps the PC awake while devices are served; its screen may go dark. */
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
