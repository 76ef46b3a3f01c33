/** When what came, milliseconds since the page began (`performance.now()`); null until then. */
export interface Timings {
  /** The engine was started. */
  readonly opened: number | null
  /** The list named its first series. */
  readonly listed: number | null
  /** The first image was on the screen. */
  readonly firstImage: number | null
  /** Every image of the view's own study was decoded once. */
  readonly allImages: number | null
}

/** Notes each moment once. */
export function openTimings(): { readonly timings: Timings; note(what: keyof Timings): void } {
  const timings: { -readonly [K in keyof Timings]: Timings[K] } = {
    opened: null,
    listed: null,
    firstImage: null,
    allImages: null,
  }
  return {
    timings,
    note(what) {
      timings[what] ??= performance.now()
    },
  }
}
