import type * as E from 'electron'
import { Hearing } from './hearing.ts'

/** Dialogs that were shown, and the button that is pressed in the next ones. */
export const boxes: E.MessageBoxOptions[] = []
export const presses: { button: number } = { button: 0 }
export const dialog = {
  showMessageBox: (
    first: unknown,
    second?: E.MessageBoxOptions,
  ): Promise<E.MessageBoxReturnValue> => {
    boxes.push(second ?? (first as E.MessageBoxOptions))
    return Promise.resolve({ response: presses.button, checkboxChecked: false })
  },
} satisfies Pick<E.Dialog, 'showMessageBox'>

export const notifications: Notification[] = []
type NotificationSurface = Pick<E.Notification, 'close' | 'show'>

export class Notification extends Hearing<E.Notification> implements NotificationSurface {
  static isSupported = (): boolean => true
  readonly options: E.NotificationConstructorOptions
  constructor(options: E.NotificationConstructorOptions = {}) {
    super()
    this.options = options
  }
  show(): void {
    notifications.push(this)
  }
  close(): void {
    this.fire('close')
  }
}
export type NotificationIsFaithful =
  typeof Notification extends Pick<typeof E.Notification, 'isSupported'> ? true : never
