import { type BrowserWindow, dialog, type MessageBoxOptions } from 'electron'
import type { Holder } from './app-lock.ts'
import type { ShellWords } from './words.ts'

/** What the app asks and says outside its window. */
export interface Dialogs {
  /** Whether a person wants devices to be served no longer. */
  asksToQuit(): Promise<boolean>
  /** Why the window went and the program did not. */
  explainsClosing(): Promise<void>
  saysAlreadyRunning(holder: Holder | undefined): Promise<void>
  /** Whether it is to be tried again. */
  saysStartFailed(fault: string, exitCode: number): Promise<boolean>
}

/** @param window in front of which they appear, where there is one */
export function dialogs(words: ShellWords, window: () => BrowserWindow | undefined): Dialogs {
  const ask = async (options: MessageBoxOptions): Promise<number> => {
    const before = window()
    const asked = { title: 'Isthmus', noLink: true, ...options }
    return (await (before ? dialog.showMessageBox(before, asked) : dialog.showMessageBox(asked)))
      .response
  }
  return {
    async asksToQuit() {
      const { message, detail, quit, cancel } = words.quitAsk
      return (
        (await ask({
          type: 'warning',
          message,
          detail,
          buttons: [cancel, quit],
          defaultId: 0,
          cancelId: 0,
        })) === 1
      )
    },
    async explainsClosing() {
      const { message, detail, understood } = words.closed
      await ask({ type: 'info', message, detail, buttons: [understood] })
    },
    async saysAlreadyRunning(holder) {
      const { message, detail } = words.alreadyRunning
      await ask({ type: 'info', message: message(holder?.user), detail, buttons: ['OK'] })
    },
    async saysStartFailed(fault, exitCode) {
      const { message, unknown, again, quit } = words.startFailed
      const detail = fault === '' ? unknown(exitCode) : fault
      return (
        (await ask({
          type: 'error',
          message,
          detail,
          buttons: [again, quit],
          defaultId: 0,
          cancelId: 1,
        })) === 0
      )
    },
  }
}
