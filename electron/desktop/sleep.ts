import { powerMonitor, powerSaveBlocker } from 'electron'

/** A network comes back some seconds after its PC. */
const NETWORK_MS = 10_000

export interface SleepActions {
  /** The screen is locked, or the PC goes to sleep: nobody sits there. */
  readonly away: () => void
  /** The PC is back, and its network had time. */
  readonly back: () => void
  /** The PC ends: at once, and with nothing new begun. */
  readonly shutdown: () => void
}

/**
 * Hears of the PC's sleep and end. On Windows its end is told to the window instead
 * (`session-end`).
 */
export function watchSleep({ away, back, shutdown }: SleepActions): void {
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
    shutdown()
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
