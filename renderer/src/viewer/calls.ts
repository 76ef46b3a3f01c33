import { viewBase } from '#shared/view-paths.ts'
import { openClient } from '../api/client.ts'

// The window's own `gateway.ts` would bring the whole contract of the dashboard along: this page
// starts with a patient waiting.

/** The gateway that served this page. */
export const call = openClient({
  fetch: (input, init) => window.fetch(input, init),
  origin: viewBase,
})
