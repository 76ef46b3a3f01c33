// The part of Electron that electron/main.ts, preload.ts and shell/ use, for tests in plain Node:
// it records what it was asked to do, and a test has it do what the system would. Every member is
// declared by Electron's own types, so that what is not Electron's does not compile.
import { app } from './electron/app.ts'
import { boxes, notifications, presses } from './electron/dialogs.ts'
import { exposed, handlers, invoked } from './electron/messages.ts'
import { processes } from './electron/processes.ts'
import { display, screen } from './electron/screen.ts'
import { blockers, keyStore, opened, powerMonitor } from './electron/system.ts'
import { trays } from './electron/tray.ts'
import { windows } from './electron/windows.ts'

export * from './electron/app.ts'
export * from './electron/dialogs.ts'
export * from './electron/hearing.ts'
export * from './electron/messages.ts'
export * from './electron/processes.ts'
export * from './electron/requests.ts'
export * from './electron/screen.ts'
export * from './electron/system.ts'
export * from './electron/tray.ts'
export * from './electron/windows.ts'

/** What a test leaves behind: the next one begins without it. */
export function forgetAll(): void {
  for (const list of [windows, processes, trays, boxes, notifications, opened, invoked])
    list.length = 0
  for (const map of [handlers, exposed, blockers]) map.clear()
  app.removeAllListeners()
  powerMonitor.removeAllListeners()
  screen.removeAllListeners()
  screen.displays = [display(0, 0, 1920, 1080)]
  presses.button = 0
  Object.assign(app, {
    isPackaged: false,
    isReady: false,
    isFirst: true,
    exitCode: undefined,
    quits: 0,
    locale: 'en-GB',
    loginItem: {},
  })
  Object.assign(keyStore, { isThere: true, backend: 'gnome_libsecret', account: 'one' })
}
