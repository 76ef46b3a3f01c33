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

/** Thrown by the store; the message is one sentence for the person who starts the gateway. */
export class StoreError extends Error {
  override name = 'StoreError'
  readonly fault: StoreFault
  constructor(fault: StoreFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.fault = fault
  }
}
