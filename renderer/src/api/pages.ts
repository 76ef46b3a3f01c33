import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { ProblemError } from './client.ts'

interface PageReply {
  readonly hasMore: boolean
  readonly cursor?: string | undefined
}

/**
 * The pages of a list call, one after another; `more` asks for the next one, if there is one and
 * none is awaited.
 * @param ask makes the call, the given part added to its query
 * @param every milliseconds between polls
 * @param upTo no polls while more pages than these are open
 */
export function usePages<R extends PageReply>(
  key: readonly unknown[],
  ask: (part: { readonly cursor?: string }, signal: AbortSignal) => Promise<R>,
  every?: number,
  upTo = Number.POSITIVE_INFINITY,
) {
  const list = useInfiniteQuery<R, ProblemError>({
    // Another shape than a single reply of the same call, so another key.
    queryKey: [...key, 'pages'],
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) =>
      ask(typeof pageParam === 'string' ? { cursor: pageParam } : {}, signal),
    getNextPageParam: (last) => (last.hasMore ? last.cursor : undefined),
    ...(every !== undefined && {
      refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= upTo ? every : false),
    }),
  })
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  return { list, pages: list.data?.pages ?? [], more }
}
