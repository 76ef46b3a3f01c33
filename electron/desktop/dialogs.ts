import { type BrowserWindow, dialog, type MessageBoxOptions } from 'electron'
import type { Holder } from './app-lock.ts'
import type { ShellWords } from './words.ts'

/** What the app asks and says outside its window. */
export class Dialogs {
  readonly #words: ShellWords
  readonly #window: () => BrowserWindow | undefined

  /** @param window in front of which they appear, where there is one */
  constructor(words: ShellWords, window: () => BrowserWindow | undefined = () => undefined) {
    this.#words = words
    this.#window = window
  }

  /** Whether a person wants devices to be served no longer. */
  async askToQuit(): Promise<boolean> {
    const { message, detail, quit, cancel } = this.#words.quitAsk
    const buttons = [cancel, quit]
    const box = { type: 'warning', message, detail, buttons, defaultId: 0, cancelId: 0 } as const
    return (await this.#show(box)) === 1
  }

  /** Why the window closed and the program goes on. */
  async explainClosing(): Promise<void> {
    const { message, detail, understood } = this.#words.closed
    await this.#show({ type: 'info', message, detail, buttons: [understood] })
  }

  async sayAlreadyRunning(holder: Holder | undefined): Promise<void> {
    const { message, detail } = this.#words.alreadyRunning
    await this.#show({ type: 'info', message: message(holder?.user), detail, buttons: ['OK'] })
  }

  /** Whether the start that failed is to be tried again. */
  async askToRetry(fault: string, exitCode: number): Promise<boolean> {
    const { message, unknown, again, quit } = this.#words.startFailed
    const detail = fault === '' ? unknown(exitCode) : fault
    const buttons = [again, quit]
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
