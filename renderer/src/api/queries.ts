import {
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { InputOf, Operation, OperationShape, ReplyOf } from '#shared/operation.ts'
import { loadPart } from '../i18n/messages.ts'
import { type Call, openClient, type ProblemCode, ProblemError } from './client.ts'
import { askForConfirmation } from './identity-confirmation.ts'
import { takePreloaded } from './preload.ts'
import { ownPath } from './shared-study.ts'
import { callOrigin } from './user-activity.ts'

const client = openClient({
  fetch: async (input, init) => {
    const path = typeof input === 'string' ? ownPath(input) : input
    const early =
      typeof path === 'string' && init?.method === 'GET' ? await takePreloaded(path) : undefined
    return (
      early ??
      window.fetch(path, { ...init, headers: { ...init?.headers, 'x-isthmus-use': callOrigin() } })
    )
  },
  origin: '',
})

/**
 * The gateway that served this page. What it says of the session with a refusal, the whole window
 * is told. A call that takes a recent proof of who is there is made again once the person gave it.
 */
export const call: Call = async (operation, input, signal, options) => {
  try {
    const reply = await client(operation, input, signal, options)
    // It may have messages, whose texts are then there. Without them the screen shows codes.
    await loadPart('server').catch(() => undefined)
    return reply
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    if (error.code === 'confirm-identity' && (await askForConfirmation()))
      return call(operation, input, signal, options)
    updateSessionOnProblem(error.code, operation)
    throw error
  }
}

function updateSessionOnProblem(code: ProblemCode, { path }: Operation): void {
  if (code === 'locked') {
    queryClient.setQueryData<ReplyOf<typeof dashboard.session>>(
      keyOf(dashboard.session, {}),
      (session) => (session?.user ? { ...session, isLocked: true } : session),
    )
  }
  const isSessionLost = code === 'not-signed-in' || code === 'workstation-unknown'
  // Whether that was one call or the gateway is gone, the status knows.
  if (code === 'unreachable' && path !== dashboard.status.path) {
    void queryClient.invalidateQueries(
      { queryKey: keyOf(dashboard.status) },
      { cancelRefetch: false },
    )
  }
  // Who signs in with a wrong password is told so by the form.
  if (isSessionLost && path !== dashboard.session.path)
    void queryClient.invalidateQueries({ queryKey: keyOf(dashboard.session) })
}

/** Key of a call's reply in the query cache; with no input, of all its replies. */
export const keyOf = (operation: Operation, input?: unknown) =>
  input === undefined ? [operation.path] : [operation.path, input]

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    // The gateway is on this PC or its network: that a browser calls itself offline says nothing
    // about it.
    queries: {
      networkMode: 'always',
      // Only what may pass by itself is asked again: a refusal stays one.
      retry: (failures, error) =>
        failures < 2 &&
        error instanceof ProblemError &&
        (error.code === 'unreachable' || error.code === 'unavailable'),
      refetchOnWindowFocus: true,
      staleTime: 5000,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/**
 * The reply of a GET, kept current; `every` is milliseconds between polls, by what was read last
 * where it is a function.
 */
export function useReply<S extends OperationShape>(
  operation: Operation<S>,
  input: InputOf<S>,
  options: {
    enabled?: boolean
    every?: number | ((reply: ReplyOf<S> | undefined) => number)
    staleTime?: number
  } = {},
): UseQueryResult<ReplyOf<S>, ProblemError> {
  const { enabled = true, every, staleTime } = options
  return useQuery<ReplyOf<S>, ProblemError>({
    queryKey: keyOf(operation, input),
    queryFn: ({ signal }) => call(operation, input, signal),
    enabled,
    ...(every !== undefined && {
      refetchInterval: typeof every === 'number' ? every : ({ state }) => every(state.data),
    }),
    ...(staleTime !== undefined && { staleTime }),
  })
}

/** A call that changes something; the replies of the `changes` calls are asked again after it. */
export function useSend<S extends OperationShape>(
  operation: Operation<S>,
  changes: readonly Operation[] = [],
): UseMutationResult<ReplyOf<S>, ProblemError, InputOf<S>> {
  const client = useQueryClient()
  return useMutation<ReplyOf<S>, ProblemError, InputOf<S>>({
    mutationFn: (input) => call(operation, input),
    onSuccess: () => {
      for (const changed of changes) void client.invalidateQueries({ queryKey: keyOf(changed) })
    },
  })
}
