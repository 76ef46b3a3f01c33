import { useMemo, useState } from 'react'
import { dashboard, type FeedLine } from '#shared/contract/dashboard.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply } from '../../api/queries.ts'
import { mergeLines } from '../../format/feed-lines.ts'

const POLL_MS = 5000

/**
 * Lines of the live feed, newest first; `turn` holds them as they are, and lets them go on.
 * `missed`: came meanwhile.
 */
export function useFeed(isShown: (line: FeedLine) => boolean) {
  const { isOpen, lines: pushed } = useEventStream()
  const feed = useReply(dashboard.feed, { query: { limit: 100 } }, isOpen ? {} : { every: POLL_MS })
  const all = useMemo(() => mergeLines(pushed, feed.data?.lines ?? []), [pushed, feed.data])
  const [held, setHeld] = useState<readonly FeedLine[] | null>(null)
  return {
    feed,
    all,
    lines: (held ?? all).filter(isShown),
    missed:
      held === null
        ? 0
        : all.filter((line) => line.lineId > (held[0]?.lineId ?? 0) && isShown(line)).length,
    isHeld: held !== null,
    turn: () => setHeld(held ? null : all),
  }
}
