import '@fontsource-variable/inter/index.css'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '../ui/theme.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from '../api/queries.ts'
import { linkedViewId, linkedViewOf } from '../api/shared-study.ts'
import { language, PSEUDO } from '../i18n/language.ts'
import { cssVariables, theme } from '../ui/theme.ts'
import { router } from './router.tsx'
import { Notices } from './shell/notices.ts'

// A page belongs to one view or to the window: its calls, and what it has read, are of that alone.
window.addEventListener('hashchange', () => {
  if (linkedViewOf(window.location.hash) !== linkedViewId) window.location.reload()
})

function start(root: HTMLElement): void {
  document.documentElement.lang = language === PSEUDO ? 'en' : language
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <Suspense>
          <Notices position="bottom-right" />
        </Suspense>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}

const root = document.getElementById('root')
if (root) start(root)
