/** Percent of the width that the images take beside the report. */
export const IMAGE_WIDTH_PERCENT = { least: 30, most: 75, initial: 60 } as const
const STEP = 2
const LONG_STEP = 10

const within = (share: number): number =>
  Math.min(IMAGE_WIDTH_PERCENT.most, Math.max(IMAGE_WIDTH_PERCENT.least, Math.round(share)))

/** Where the pointer is. @param x, left, width CSS pixels: of the pointer, of what is split */
export const shareAt = (x: number, left: number, width: number): number =>
  width > 0 ? within(((x - left) / width) * 100) : IMAGE_WIDTH_PERCENT.initial

const SHARE_BY_KEY: Readonly<Record<string, (share: number, step: number) => number>> = {
  ArrowLeft: (share, step) => share - step,
  ArrowRight: (share, step) => share + step,
  Home: () => IMAGE_WIDTH_PERCENT.least,
  End: () => IMAGE_WIDTH_PERCENT.most,
}

/**
 * After a key (ARIA Authoring Practices, window splitter); undefined where the key is not for the
 * split.
 */
export function shareAfter(share: number, key: string, isLong: boolean): number | undefined {
  const to = Object.hasOwn(SHARE_BY_KEY, key)
    ? SHARE_BY_KEY[key]?.(share, isLong ? LONG_STEP : STEP)
    : undefined
  return to === undefined ? undefined : within(to)
}
