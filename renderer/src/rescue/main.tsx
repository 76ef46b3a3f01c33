import '@fontsource-variable/inter/index.css'
import '@mantine/core/styles.css'
import '../ui/theme.css'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { language, PSEUDO } from '../i18n/language.ts'
import { cssVariables, theme } from '../ui/theme.ts'
import { Rescue } from './rescue.tsx'

const queryClient = new QueryClient({
  defaultOptions: {
    queries: { networkMode: 'always', retry: false },
    mutations: { networkMode: 'always', retry: false },
  },
})

function start(root: HTMLElement): void {
  document.documentElement.lang = language === PSEUDO ? 'en' : language
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <QueryClientProvider client={queryClient}>
          <Rescue />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}

const root = document.getElementById('root')
if (root) start(root)
