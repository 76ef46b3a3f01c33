export type BulkState = 'waiting' | 'done' | 'failed' | 'stopped' | 'undone'

/** What became of one of many. */
export interface BulkResult {
  readonly id: string
  readonly state: BulkState
  /** One sentence where it failed. */
  readonly fault: string
}

/**
 * Does the same with each, a few at a time, and tells after each what became of all. What fails
 * does not hold up the others.
 * @param make rejects where it is not done
 * @param signal what had not begun when it is aborted is left as it is
 */
export async function runBulk(
  ids: readonly string[],
  make: (id: string) => Promise<void>,
  options: {
    readonly signal: AbortSignal
    readonly concurrency?: number
    readonly onResult: (results: readonly BulkResult[]) => void
  },
): Promise<readonly BulkResult[]> {
  const { signal, concurrency: atOnce = 4, onResult } = options
  const results: BulkResult[] = ids.map((id) => ({ id, state: 'waiting', fault: '' }))
  let next = 0
  const tell = (at: number, state: BulkState, fault = '') => {
    results[at] = { id: ids[at] ?? '', state, fault }
    onResult([...results])
  }
  const work = async () => {
    while (next < ids.length) {
      const at = next++
      if (signal.aborted) {
        tell(at, 'stopped')
        continue
      }
      try {
        await make(ids[at] ?? '')
        tell(at, 'done')
      } catch (error) {
        tell(at, 'failed', error instanceof Error ? error.message : String(error))
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, work))
  return results
}
