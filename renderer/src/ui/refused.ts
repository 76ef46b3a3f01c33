import { notifications } from '@mantine/notifications'

/** Says that something was not done, and why. */
export const showRefusal = (message: string, title?: string): void =>
  void notifications.show({ color: 'red', message, ...(title !== undefined && { title }) })
