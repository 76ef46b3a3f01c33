import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type AuditFilter, dashboard } from '#shared/contract/dashboard.ts'
import type { ReplyOf } from '#shared/operation.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { usePages } from '../../api/pages.ts'
import { call, keyOf } from '../../api/queries.ts'

const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 10_000

export type AuditEntry = ReplyOf<typeof dashboard.audit>['entries'][number]

/** Pages of the trail. `isBehind`: older ones are open, and new entries wait for `showLatest`. */
export function useEntries(filter: AuditFilter) {
  const client = useQueryClient()
  const { auditSeen, isOpen } = useEventStream()
  const query = { ...filter, limit: 100 }
  const key = keyOf(dashboard.audit, query)
  const { list, pages, more } = usePages(key, (part, signal) =>
    call(dashboard.audit, { query: { ...query, ...part } }, signal),
  )
  const isBehind = pages.length > 1
  const { refetch } = list
  useEffect(() => {
    if (isBehind) return
    const timer = setInterval(
      () => void refetch({ cancelRefetch: false }),
      isOpen ? POLL_MS : POLL_CUT_OFF_MS,
    )
    return () => clearInterval(timer)
  }, [isBehind, isOpen, refetch])
  // What is new joins the first page by itself.
  useEffect(() => {
    if (auditSeen > 0 && !isBehind) void refetch({ cancelRefetch: false })
  }, [auditSeen, isBehind, refetch])
  // The gateway looks for a part of the name: "signed in" is part of "sign-in failed".
  const entries = pages
    .flatMap((page) => page.entries)
    .filter(({ action }) => filter.action === undefined || action === filter.action)
  return {
    list,
    entries,
    more,
    isBehind,
    showLatest: () => void client.resetQueries({ queryKey: key }),
  }
}
