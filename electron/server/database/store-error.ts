import {
  type Message,
  type MessageCode,
  type MessageParams,
  message,
} from '#shared/messages/message.ts'
import { explanationOf, MessageError } from '#shared/messages/message-error.ts'

/** Faults of the data folder, the database or its key. */
export type StoreFault =
  | 'bad-folder'
  | 'not-a-database'
  | 'foreign-database'
  | 'newer-schema'
  | 'damaged'
  /** The database is missing, although images or a record of its backups exist. */
  | 'database-missing'
  | 'not-wal'
  | 'old-sqlite'
  | 'key-missing'
  /** The data key is in an account's key store and was not provided. */
  | 'key-sealed'
  | 'key-wrong'
  | 'seal-broken'
  | 'closed'

/** An error of the data folder, with one sentence for the person who starts the gateway. */
export class StoreError extends MessageError {
  override name = 'StoreError'
  readonly fault: StoreFault
  constructor(fault: StoreFault, explanation: Message, cause?: unknown) {
    super(explanation, cause === undefined ? undefined : { cause })
    this.fault = fault
  }
}

const FAULT_TEXTS: Readonly<Record<string, Message>> = {
  ENOSPC: message('database.disk-full'),
  SQLITE_FULL: message('database.disk-full'),
  EDQUOT: message('database.quota-used-up'),
  EFBIG: message('database.file-too-large'),
  EROFS: message('database.disk-read-only'),
  EACCES: message('database.account-may-not'),
  EPERM: message('database.account-may-not'),
  ENOENT: message('database.not-there'),
}

/**
 * Converts a failed file system call into an error with this code and these parameters; `{fault}`
 * names the cause.
 */
export function fileFault(code: MessageCode, params: MessageParams, error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const fault = FAULT_TEXTS[(error as NodeJS.ErrnoException).code ?? ''] ?? explanationOf(error)
  return new StoreError('bad-folder', message(code, { ...params, fault }), error)
}
