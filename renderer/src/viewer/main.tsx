import '@fontsource-variable/inter/index.css'
import '@mantine/core/styles.css'
import '../theme.css'
import './viewer.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import { cssVariables, theme } from '../theme.ts'
import { call, queryClient } from './calls.ts'
import { type EntranceWorld, enter, entranceOf } from './entrance.ts'
import { Closed, Landing } from './landing.tsx'

// zod's compiled parsers need `eval`, which the page's policy refuses.
z.config({ jitless: true })

const entrance = entranceOf(window.location)
// At once: an address with a token must not stay in the bar, the history or a screenshot.
if (entrance.by === 'token') window.history.replaceState(null, '', '/viewer')
const world: EntranceWorld = {
  call,
  rename: (address) => window.history.replaceState(null, '', address),
  leaveFor: (address) => window.location.replace(address),
}
// Outside React: its StrictMode runs an effect twice, and a link works once. The viewer's own part is loaded meanwhile.
const opening = enter(entrance, world)
if (entrance.by !== 'nothing') void import('./viewer.tsx').catch(() => undefined)
// Another view in the same window or frame: nothing of the one before is kept.
window.addEventListener('hashchange', () => window.location.reload())

const place = document.getElementById('root')
if (place) {
  // A fault of the program leaves a page that says so, not an empty one.
  const stopped = <Closed why="broken" sentence="" isFinal={false} onRetry={() => window.location.reload()} />
  const root = createRoot(place, { onUncaughtError: () => window.setTimeout(() => root.render(dark(stopped))) })
  root.render(dark(<Landing opening={opening} again={() => enter(entrance, world)} />))
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
