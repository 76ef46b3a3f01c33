import { type ComponentType, lazy } from 'react'

/** What the first screen needs comes before. */
const FIRST_MS = 700
const AGAIN_MS = 2000
const after = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * Where notices are drawn: loaded once the page is there, again and again until it is. What is told
 * before is drawn then.
 */
export const Notices = lazy(async () => ({ default: await load() }))

async function load(): Promise<ComponentType<{ position: 'bottom-right' }>> {
  await after(FIRST_MS)
  for (;;) {
    const loaded = await import('./notices-drawn.ts').catch(() => undefined)
    if (loaded) return loaded.Notifications
    await after(AGAIN_MS)
  }
}
