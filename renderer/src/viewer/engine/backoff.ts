/** Waits, or less where the signal says so. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}

/** Milliseconds before the try after `failures` of them: twice as long each time, up to `most`. */
export const waitAfter = (failures: number, first: number, most: number): number =>
  Math.min(most, first * 2 ** Math.min(20, failures - 1))
