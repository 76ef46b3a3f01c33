import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { viewing } from '#shared/contract/viewing.ts'
import type { ReplyOf } from '#shared/operation.ts'
import type { ProblemError } from '../api/client.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { call } from './calls.ts'
import { useViewerContext, useViewerState } from './viewer-context.ts'

type Retrievals = ReplyOf<(typeof viewing)['retrievals']>
const POLL_MS = 1500

/** How the retrievals that this page has started are going. */
export function useRetrievalStates(): UseQueryResult<Retrievals, ProblemError> {
  const { viewerStore } = useViewerContext()
  const { viewId } = viewerStore.view
  const isAny = useViewerState((state) => state.retrieving.length > 0)
  return useQuery<Retrievals, ProblemError>({
    queryKey: [viewing.retrievals.path],
    queryFn: ({ signal }) => call(viewing.retrievals, { params: { viewId } }, signal),
    enabled: isAny,
    refetchInterval: POLL_MS,
    staleTime: 0,
  })
}

/** Puts a prior study beside once it has been retrieved, and says why one was not. */
export function useRetrievals(): void {
  const viewerContext = useViewerContext()
  const { viewerStore } = viewerContext
  const retrieving = useViewerState((state) => state.retrieving)
  const states = useRetrievalStates()
  const queries = useQueryClient()
  useEffect(() => {
    for (const studyInstanceUid of retrieving) {
      const retrieval = states.data?.retrievals.find(
        (one) => one.studyInstanceUid === studyInstanceUid,
      )
      if (!retrieval || retrieval.state === 'running') continue
      viewerStore.set((state) => ({
        retrieving: state.retrieving.filter((one) => one !== studyInstanceUid),
      }))
      // What was received of a retrieval that has failed can be compared, too.
      if (retrieval.completed > 0) void showBeside(viewerContext, studyInstanceUid)
      if (retrieval.state === 'failed')
        viewerStore.set({
          statusMessage: {
            text: retrieval.detail
              ? translateMessage(retrieval.detail)
              : t('ui.viewer.priors.notRetrieved'),
          },
        })
      void queries.invalidateQueries({ queryKey: [viewing.priors.path] })
    }
  }, [viewerContext, viewerStore, queries, retrieving, states.data])
}

/** Adds a prior study to the view; it is hung beside as soon as its series are there. */
export async function showBeside(
  { viewerStore, list }: Pick<ReturnType<typeof useViewerContext>, 'viewerStore' | 'list'>,
  studyInstanceUid: string,
): Promise<void> {
  try {
    await call(viewing.addPrior, {
      params: { viewId: viewerStore.view.viewId },
      body: { studyInstanceUid },
    })
  } catch (error) {
    viewerStore.set({
      statusMessage: { text: error instanceof Error ? error.message : String(error) },
    })
    throw error
  }
  list.again()
  viewerStore.set((state) => ({
    awaitedPriors: [...new Set([...state.awaitedPriors, studyInstanceUid])],
  }))
}
