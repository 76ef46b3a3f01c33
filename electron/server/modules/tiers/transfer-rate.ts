const WINDOW_MS = 60_000

/** How fast bytes have been transferred during the last minute. */
export class TransferRate {
  #samples: { readonly atMs: number; readonly bytes: number }[] = []

  add(atMs: number, bytes: number): void {
    this.#samples.push({ atMs, bytes })
    if (this.#samples.length > 1000) this.#samples = this.#recent(atMs)
  }

  /** Bytes per second; null if nothing was transferred during the last minute. */
  perSecond(nowMs: number): number | null {
    const recent = this.#recent(nowMs)
    const first = recent[0]
    if (!first) return null
    const bytes = recent.reduce((sum, sample) => sum + sample.bytes, 0)
    return (bytes * 1000) / Math.max(1000, nowMs - first.atMs)
  }

  #recent = (nowMs: number) =>
    this.#samples.filter(({ atMs }) => atMs > nowMs - WINDOW_MS && atMs <= nowMs)
}
