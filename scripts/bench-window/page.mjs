// A browser's page of the window, signed in.
import { Pool } from 'undici'
import { signIn } from './gateway.mjs'

/** A browser as of a person who has signed in; its cache is empty. */
export async function openContext(browser, http) {
  const pool = new Pool(http, { connections: 1 })
  const [name, value] = (await signIn(pool)).split('=')
  await pool.close()
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  await context.addCookies([{ name, value, url: http, httpOnly: true, sameSite: 'Strict' }])
  return context
}

/**
 * Screens, and what is there once they can be used: beside it only the navigation is waited for.
 */
export const SCREENS = {
  Today: { address: '/', usable: 'main dl dd' },
  Studies: { address: '/#/studies', usable: '[role="row"][data-index="0"] a[href]' },
  Reading: { address: '/#/reading', usable: '[role="row"][data-index="0"] a[href]' },
}
/** A page of the same server with next to nothing in it: what no page of it can be faster than. */
export const BARE = { address: '/a-page-of-nothing', usable: 'h1', isBare: true }

/**
 * In the page, before anything of it: notes when `usable` and the navigation stand in it and were
 * drawn. `window.usableAt` is milliseconds since the navigation began.
 */
export function watchUsable({ usable, isBare }) {
  const isThere = () =>
    document.querySelector(usable) &&
    (isBare || document.querySelector('nav[aria-label="Main"] a[href]'))
  const look = () => {
    if (!isThere()) return
    observer.disconnect()
    // The frame after the one that shows it begins when that one is drawn.
    requestAnimationFrame(() =>
      setTimeout(() => {
        window.usableAt = performance.now()
      }),
    )
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { childList: true, subtree: true })
}
