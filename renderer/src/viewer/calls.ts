import { QueryClient } from '@tanstack/react-query'
import { openClient, ProblemError } from '../client.ts'

// The window's own `gateway.ts` would bring the whole contract of the dashboard along: this page starts with a patient waiting.

/** The gateway that served this page. */
export const call = openClient({ fetch: (input, init) => window.fetch(input, init), origin: '' })

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      retry: (failures, error) => failures < 2 && error instanceof ProblemError && error.code === 'unreachable',
      staleTime: 5000,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})
