/** The file of an instance while it is fetched from where it is kept. */
export interface Recall {
  /** The file with the bytes that are here so far; another one, or none, after a source failed. */
  readonly path: string
  /** How many of its bytes are here. */
  readonly bytes: number
  /** Whether all bytes are here and have the checksum that was recorded when they were copied. */
  readonly isVerified: boolean
  /** Resolves when the file is on this PC and its row names it; rejects with an `ApiError`. */
  readonly done: Promise<void>
  /**
   * Calls the listener when `path`, `bytes` or `isVerified` have changed. Returns a function that
   * ends it.
   */
  onGrown(listener: () => void): () => void
}

/**
 * Fetches the file of an instance that was removed from this PC, or returns the fetch that is under
 * way.
 */
export type StartRecall = (instanceId: number) => Recall
