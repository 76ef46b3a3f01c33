import { type BrowserWindow, dialog, type MessageBoxOptions } from 'electron'
import type { Holder } from './app-lock.ts'
import type { ShellTexts } from './texts.ts'

/** The native dialogs of the app. */
export class Dialogs {
  readonly #texts: ShellTexts
  readonly #window: () => BrowserWindow | undefined

  /** @param window parent window of the dialogs, if there is one */
  constructor(words: ShellTexts, window: () => BrowserWindow | undefined = () => undefined) {
    this.#texts = words
    this.#window = window
  }

  /** Whether the user confirms that devices are no longer to be served. */
  async askToQuit(): Promise<boolean> {
    const { message, detail, quit, cancel } = this.#texts.quitConfirmation
    const buttons = [cancel, quit]
    const box = { type: 'warning', message, detail, buttons, defaultId: 0, cancelId: 0 } as const
    return (await this.#show(box)) === 1
  }

  /** Explains that the program keeps running after its window was closed. */
  async explainClosing(): Promise<void> {
    const { message, detail, understood } = this.#texts.closed
    await this.#show({ type: 'info', message, detail, buttons: [understood] })
  }

  async showAlreadyRunning(holder: Holder | undefined): Promise<void> {
    const { message, detail } = this.#texts.alreadyRunning
    await this.#show({ type: 'info', message: message(holder?.user), detail, buttons: ['OK'] })
  }

  /** Whether to retry a failed start. */
  async askToRetry(fault: string, exitCode: number): Promise<boolean> {
    const { message, unknown, tryAgain, quit } = this.#texts.startFailed
    const detail = fault === '' ? unknown(exitCode) : fault
    const buttons = [tryAgain, quit]
    const box = { type: 'error', message, detail, buttons, defaultId: 0, cancelId: 1 } as const
    return (await this.#show(box)) === 0
  }

  async #show(options: MessageBoxOptions): Promise<number> {
    const window = this.#window()
    const box = { title: 'Isthmus', noLink: true, ...options }
    const { response } = await (window
      ? dialog.showMessageBox(window, box)
      : dialog.showMessageBox(box))
    return response
  }
}
