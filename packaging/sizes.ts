import budget from './budget.json' with { type: 'json' }

/** Bytes by part. */
export type Sizes = Readonly<Record<string, number>>

const MB = 1e6

/**
 * Prints each part beside what it may have, and returns the parts above it. A part without a number
 * there has none.
 */
export function compareSizes(
  of: 'app' | 'service',
  sizes: Sizes,
  print: (line: string) => void,
): string[] {
  const limits: Readonly<Record<string, number>> = budget[of]
  return Object.entries(sizes).flatMap(([part, bytes]) => {
    const limit = limits[part]
    const size = (bytes / MB).toFixed(1)
    print(`  ${part.padEnd(10)} ${size.padStart(7)} MB${limit === undefined ? '' : ` of ${limit}`}`)
    return limit !== undefined && bytes > limit * MB
      ? [`The part ${part} has ${size} MB, and may have ${limit} (packaging/budget.json).`]
      : []
  })
}
