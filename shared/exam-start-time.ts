import type { Message } from './messages/message.ts'

/** Whether the partner gave its start time; else it is made up for devices. */
export const hasStartTime = ({ remarks }: { readonly remarks: readonly Message[] }): boolean =>
  !remarks.some(
    ({ code }) => code === 'worklist.no-start-time' || code === 'worklist.start-time-invalid',
  )
