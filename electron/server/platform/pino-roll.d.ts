declare module 'pino-roll' {
  import type { EventEmitter } from 'node:events'
  import type { DestinationStream } from 'pino'

  export interface RollOptions {
    readonly file: string
    /** For example `10m`; a plain number is in MB. */
    readonly size?: string | number
    readonly limit?: { readonly count: number; readonly removeOtherLogFiles?: boolean }
    /** Options of the underlying sonic-boom stream. */
    readonly mode?: number
    readonly sync?: boolean
    /** Bytes buffered while writes fail; further data is dropped. */
    readonly maxLength?: number
  }

  /** Rejects with the system error if the file cannot be opened. */
  export default function roll(options: RollOptions): Promise<DestinationStream & EventEmitter>
}
