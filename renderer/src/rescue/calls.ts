import { openClient } from '../api/client.ts'

const STORAGE_KEY = 'isthmus-rescue'

/**
 * Of the link that opened the page. It leaves the address at once, and stays with this tab, so that
 * the page can be loaded anew.
 */
function tokenOf(hash: string): string | null {
  const given = new URLSearchParams(hash.slice(1)).get('token')
  if (given === null) return sessionStorage.getItem(STORAGE_KEY)
  sessionStorage.setItem(STORAGE_KEY, given)
  window.history.replaceState(null, '', window.location.pathname)
  return given
}

export const token = tokenOf(window.location.hash)

/** The calls of this page, each with the token of its link. */
export const call = openClient({
  fetch: (input, init) =>
    window.fetch(input, {
      ...init,
      headers: { ...init?.headers, authorization: `Bearer ${token}` },
    }),
  origin: '',
})

/** The gateway has its data again: its window is at the same address. */
export function goToWindow(): void {
  sessionStorage.removeItem(STORAGE_KEY)
  window.location.replace('/')
}
