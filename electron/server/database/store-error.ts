import {
  type Message,
  type MessageCode,
  type MessageParams,
  message,
} from '#shared/messages/message.ts'
import { explanationOf, MessageError } from '#shared/messages/message-error.ts'

/** What can be wrong with the data folder, the database or its key. */
export type StoreFault =
  | 'bad-folder'
  | 'not-a-database'
  | 'foreign-database'
  | 'newer-schema'
  | 'damaged'
  /** It is gone, though images or a note of its backups are here. */
  | 'database-missing'
  | 'not-wal'
  | 'old-sqlite'
  | 'key-missing'
  /** The data key is in the key store of an account, and nobody handed it over. */
  | 'key-sealed'
  | 'key-wrong'
  | 'seal-broken'
  | 'closed'

/** Thrown by the store, with one sentence for the person who starts the gateway. */
export class StoreError extends MessageError {
  override name = 'StoreError'
  readonly fault: StoreFault
  constructor(fault: StoreFault, explanation: Message, cause?: unknown) {
    super(explanation, cause === undefined ? undefined : { cause })
    this.fault = fault
  }
}

const WORDS: Readonly<Record<string, Message>> = {
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
 * A call to the file system that failed, as a message of this code and these arguments, with the
 * fault as `{fault}`.
 */
export function fileFault(code: MessageCode, params: MessageParams, error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const fault = WORDS[(error as NodeJS.ErrnoException).code ?? ''] ?? explanationOf(error)
  return new StoreError('bad-folder', message(code, { ...params, fault }), error)
}
