import '@fontsource-variable/inter/index.css'
import '@mantine/core/styles.css'
import '../ui/theme.css'
import './viewer.css'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ProblemError } from '../api/client.ts'
import { cssVariables, theme } from '../ui/theme.ts'
import { ClosedView } from './closed.tsx'
import type { OpeningState } from './entrance.ts'
import { LandingPage } from './landing.tsx'

const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      retry: (failures, error) =>
        failures < 2 && error instanceof ProblemError && error.code === 'unreachable',
      staleTime: 5000,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/** Shows the page: what becomes of the opening, and then the images. */
export function show(opening: Promise<OpeningState>, again: () => Promise<OpeningState>): void {
  const container = document.getElementById('root')
  if (!container) return
  // A fault of the program leaves a page that says so, not an empty one.
  const stopped = (error: unknown) => (
    <ClosedView
      why="broken"
      sentence=""
      isFinal={false}
      error={error}
      onRetry={() => window.location.reload()}
    />
  )
  const root = createRoot(container, {
    onUncaughtError: (error) => window.setTimeout(() => root.render(dark(stopped(error)))),
  })
  root.render(dark(<LandingPage opening={opening} again={again} />))
}

/** Dark whatever the PC is: beside a bright page the eye loses the dark parts of an image. */
function dark(page: ReactNode): ReactNode {
  return (
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} forceColorScheme="dark">
        <QueryClientProvider client={queryClient}>{page}</QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  )
}
