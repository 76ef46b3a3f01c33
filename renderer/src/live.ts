import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { dashboard, FeedLine } from '#shared/contract/dashboard.ts'
import { mergeLines } from './display/feed-lines.ts'
import { keyOf, queryClient } from './gateway.ts'

const EVENTS = '/dashboard/feed/events'

interface Live {
  /** The line to the gateway is open: changes arrive by themselves. */
  readonly isOpen: boolean
  /** Worklist queries that came in since the window was opened. */
  readonly queriesSeen: number
  /** Lines that came in since the feed was last read whole, newest first. */
  readonly lines: readonly FeedLine[]
}

let live: Live = { isOpen: false, queriesSeen: 0, lines: [] }
const listeners = new Set<() => void>()
const tell = (change: Partial<Live>) => {
  live = { ...live, ...change }
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** State of the live line. */
export const useLive = (): Live => useSyncExternalStore(subscribe, () => live)

/** Keeps the live line open while someone is signed in. Where it breaks, the calls' own polling goes on. */
export function useLiveLine(isSignedIn: boolean): void {
  useEffect(() => (isSignedIn ? openLiveLine(queryClient) : undefined), [isSignedIn])
}

function openLiveLine(client: QueryClient): () => void {
  let source: EventSource | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let ping: ReturnType<typeof setTimeout> | undefined

  // A burst of lines asks for the status once.
  const refreshSoon = () => {
    ping ??= setTimeout(() => {
      ping = undefined
      for (const operation of [dashboard.status, dashboard.callers, dashboard.devices]) {
        void client.invalidateQueries({ queryKey: keyOf(operation) })
      }
    }, 700)
  }
  const open = () => {
    source = new EventSource(EVENTS)
    source.addEventListener('open', () => {
      tell({ isOpen: true })
      void client.invalidateQueries({ queryKey: keyOf(dashboard.feed) })
      refreshSoon()
    })
    source.addEventListener('line', (event: MessageEvent<string>) => {
      const line = FeedLine.safeParse(readJson(event.data))
      if (!line.success) return
      const isQuery = line.data.kind === 'worklist'
      tell({ lines: mergeLines([line.data], live.lines), queriesSeen: live.queriesSeen + (isQuery ? 1 : 0) })
      refreshSoon()
    })
    source.addEventListener('status', refreshSoon)
    source.addEventListener('error', () => {
      if (live.isOpen) {
        tell({ isOpen: false })
        refreshSoon()
      }
      // The browser reconnects by itself unless the gateway refused the line.
      if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, 5000)
    })
  }
  open()
  return () => {
    source?.close()
    clearTimeout(again)
    clearTimeout(ping)
    tell({ isOpen: false, lines: [], queriesSeen: 0 })
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
