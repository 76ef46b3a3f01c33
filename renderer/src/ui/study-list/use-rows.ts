import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { ProblemError } from '../../api/client.ts'
import { openRowStore, type RowPage, type RowStore, type Rows } from './row-store.ts'

/** Rows of a list as a screen shows them. */
export interface ListRows<T> {
  readonly rows: readonly T[]
  /** Nothing was read yet. */
  readonly isPending: boolean
  /** What is shown is of the question before; the answer to this one is awaited. */
  readonly isBehind: boolean
  readonly isSuccess: boolean
  readonly error: ProblemError | null
  readonly hasMore: boolean
  /** Rows that came at the top since it was scrolled away from. */
  readonly unseen: number
  /** Names what is shown: another one is another list. */
  readonly shownKey: string
  more(): void
  refetch(): void
  showNew(): void
  /** Told by the table. */
  scrolled(isDown: boolean): void
  /** Told by the table: the first row in sight, from 0. */
  inSight(first: number): void
  /** Takes the new state of rows that are here. */
  renew(rows: readonly T[]): void
}

type AskPage<T> = (cursor: string | undefined, signal: AbortSignal) => Promise<RowPage<T>>

const NO_ROWS: Rows<never> = { rows: [], unseen: 0, hasMore: false, isRead: false }
/** Where a following page could not be had, it is asked for again after this. */
const RETRY_DELAY_MS = 2000

/**
 * A list as long as it may be: pages are read one after another; when there is news, the first one
 * again and the one that is in sight. While another question is answered the rows of the one before
 * stay, and the call for it ends.
 * @param key of the query cache: the call and what is asked
 * @param ask makes the call; `cursor` is undefined for the first page
 * @param news grows when the list may have changed
 * @param every milliseconds between readings of the first page, without news
 */
export function useRows<T>(options: {
  key: readonly [path: string, input: unknown]
  ask: AskPage<T>
  idOf: (row: T) => string
  news: number
  every?: number | undefined
  isEnabled?: boolean
}): ListRows<T> {
  const { key, ask, idOf, news, every, isEnabled = true } = options
  const asked = JSON.stringify(key)
  const store = useStore(key, asked, idOf)
  const { shown, rows, isBehind } = useShown(asked, store)
  const isScrolledDown = useRef(false)
  const firstInSight = useRef(0)

  const first = useQuery<number, ProblemError>({
    queryKey: [...key, 'first'],
    queryFn: async ({ signal }) => {
      const page = await ask(undefined, signal)
      const isHeld = isScrolledDown.current && shown.current.store === store
      store.begin(page, isHeld)
      const from = isHeld ? store.partWith(firstInSight.current) : undefined
      if (from !== undefined) store.renewPart(from, await ask(from, signal))
      return page.rows.length
    },
    staleTime: 0,
    enabled: isEnabled,
    ...(every !== undefined && { refetchInterval: every }),
  })
  useRefetchOnNews(news, isEnabled, first.refetch)
  const followingPages = useFollowingPages(store, shown, ask)
  // Rows of another question are no answer to this one: they go where there will be none.
  const visible = isBehind && first.isError ? NO_ROWS : rows

  return {
    rows: visible.rows,
    isPending: !visible.isRead,
    isBehind,
    isSuccess: visible.isRead,
    error: first.error ?? followingPages.error,
    hasMore: visible.hasMore,
    unseen: visible.unseen,
    shownKey: shown.current.asked,
    more: followingPages.more,
    refetch() {
      followingPages.forget()
      void first.refetch()
      followingPages.more()
    },
    showNew: () => store.showNew(),
    scrolled(down) {
      isScrolledDown.current = down
      if (!down) store.showNew()
    },
    inSight(at) {
      firstInSight.current = at
    },
    renew: (renewed) => store.renew(renewed),
  }
}

/** The rows of a question: those of before where it was asked before. */
function useStore<T>(
  key: readonly unknown[],
  asked: string,
  idOf: (row: T) => string,
): RowStore<T> {
  const client = useQueryClient()
  const kept = useRef<ShownRows<T> | null>(null)
  if (kept.current?.asked !== asked) {
    // Rows are dropped with all else that was read when somebody else signs in: they are in the
    // query cache.
    const storeKey = [...key, 'rows']
    const known = client.getQueryData<{ readonly store: () => RowStore<T> }>(storeKey)?.store()
    const store = known ?? openRowStore(idOf)
    kept.current = { asked, store }
    if (!known) client.setQueryData(storeKey, { store: () => store })
  }
  return kept.current.store
}

interface ShownRows<T> {
  /** The question, as text. */
  readonly asked: string
  readonly store: RowStore<T>
}

/** Until the first page is here the list before stays in sight. */
function useShown<T>(asked: string, store: RowStore<T>) {
  const state = useSyncExternalStore(store.subscribe, store.read)
  const shown = useRef<ShownRows<T>>({ asked, store })
  if (state.isRead) shown.current = { asked, store }
  const rows = useSyncExternalStore(shown.current.store.subscribe, shown.current.store.read)
  return { shown, rows, isBehind: shown.current.asked !== asked }
}

/** Reads the first page again each time that there is news. */
function useRefetchOnNews(
  news: number,
  isEnabled: boolean,
  refetch: (options: { readonly cancelRefetch: boolean }) => Promise<unknown>,
): void {
  const seen = useRef(news)
  useEffect(() => {
    if (seen.current === news || !isEnabled) return
    seen.current = news
    void refetch({ cancelRefetch: false })
  }, [news, refetch, isEnabled])
}

/** The pages after the first one, one at a time. */
function useFollowingPages<T>(store: RowStore<T>, shown: RefObject<ShownRows<T>>, ask: AskPage<T>) {
  const [error, setError] = useState<ProblemError | null>(null)
  const asking = useRef<RowStore<T> | null>(null)
  const abortController = useRef(new AbortController())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the calls of one list end with it
  useEffect(() => {
    const controller = new AbortController()
    abortController.current = controller
    asking.current = null
    setError(null)
    return () => controller.abort()
  }, [store])
  const held = useRef(ask)
  held.current = ask
  const more = useCallback(
    function ask() {
      const cursor = store.next()
      if (cursor === undefined || asking.current !== null || shown.current.store !== store) return
      asking.current = store
      const { signal } = abortController.current
      const again = () => {
        if (signal.aborted) return
        asking.current = null
        ask()
      }
      held
        .current(cursor, signal)
        .then((page) => {
          if (signal.aborted) return
          setError(null)
          // The first page may have been read again meanwhile, and the list begun anew.
          if (store.next() !== cursor) return again()
          store.append(page)
          asking.current = null
        })
        .catch((fault: ProblemError) => {
          if (signal.aborted) return
          setError(fault)
          if (fault.code === 'unreachable' || fault.code === 'unavailable')
            setTimeout(again, RETRY_DELAY_MS)
        })
    },
    [store, shown],
  )
  const forget = () => {
    asking.current = null
    setError(null)
  }
  return { error, more, forget }
}

/** The rows as a table takes them. */
export const tableOf = <T>(rows: ListRows<T>) => ({
  rows: rows.rows,
  topOf: rows.shownKey,
  isBusy: rows.isBehind,
  onScrolled: rows.scrolled,
  onFirstVisible: rows.inSight,
  onEndReached: rows.more,
})
