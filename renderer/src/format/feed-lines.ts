import type { FeedLine } from '#shared/contract/dashboard.ts'

/** Most lines the window keeps; the gateway keeps more. */
export const MAX_KEPT_LINES = 300

/**
 * Newest first, each line once, at most `MAX_KEPT_LINES`. If both lists contain a line, the copy
 * in `newer` is returned.
 */
export function mergeLines(
  newer: readonly FeedLine[],
  older: readonly FeedLine[],
): readonly FeedLine[] {
  const byId = new Map([...older, ...newer].map((line) => [line.lineId, line]))
  return [...byId.values()].sort((a, b) => b.lineId - a.lineId).slice(0, MAX_KEPT_LINES)
}
