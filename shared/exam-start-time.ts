import type { Message } from './messages/message.ts'

/** Whether the partner specified the start time; otherwise a default is sent to devices. */
export const hasStartTime = ({ remarks }: { readonly remarks: readonly Message[] }): boolean =>
  !remarks.some(
    ({ code }) => code === 'worklist.no-start-time' || code === 'worklist.start-time-invalid',
  )
