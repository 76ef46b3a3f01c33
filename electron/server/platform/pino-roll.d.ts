declare module 'pino-roll' {
  import type { EventEmitter } from 'node:events'
  import type { DestinationStream } from 'pino'

  export interface RollOptions {
    readonly file: string
    /** Such as `10m`; a number is in MB. */
    readonly size?: string | number
    readonly limit?: { readonly count: number; readonly removeOtherLogFiles?: boolean }
    /** Of the stream below (sonic-boom). */
    readonly mode?: number
    readonly sync?: boolean
    /** Bytes that wait while they cannot be written; more are dropped. */
    readonly maxLength?: number
  }

  /** Rejects with the system's error where the file cannot be opened. */
  export default function roll(options: RollOptions): Promise<DestinationStream & EventEmitter>
}
