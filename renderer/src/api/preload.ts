// What every page begins with, asked for while its program is still on the way. Nothing is imported
// here: it is in the page's first, small script.

/** An answer that nobody took until then is dropped: what it says may have changed. */
const MAX_AGE_MS = 5000
/** The headers of the window's other calls (`client.ts`, `user-activity.ts`): a user is active. */
const HEADERS = { accept: 'application/json', 'x-isthmus-csrf': '1', 'x-isthmus-use': 'person' }
const SESSION_PATH = '/dashboard/session'

const asked = new Map<string, { readonly answer: Promise<Response>; readonly at: number }>()

function ask(path: string): Promise<Response> {
  const answer = window.fetch(path, { credentials: 'same-origin', headers: HEADERS })
  // Whoever takes it hears of the failure, and asks again.
  answer.catch(() => undefined)
  asked.set(path, { answer, at: performance.now() })
  return answer
}

/**
 * Asks who is signed in, and for whom the window opens also how the gateway is.
 * @param hash of the page's address; a page that came by a link of its own asks for itself
 */
export async function preload(hash: string): Promise<void> {
  if (hash.includes('token=') || hash.startsWith('#/linked/')) return
  const session = await ask(SESSION_PATH)
    .then((answer) => answer.clone().json())
    .catch(() => null)
  if (!session?.user || session.isLocked) return
  void ask('/dashboard/status')
  if (hash === '' || hash === '#/') void ask('/dashboard/today')
}

/**
 * The answer to a GET that was asked for early, for the first who wants it; undefined where there
 * is none, it is old, or it is not a success.
 */
export async function takePreloaded(path: string): Promise<Response | undefined> {
  const found = asked.get(path)
  asked.delete(path)
  if (!found || performance.now() - found.at > MAX_AGE_MS) return undefined
  const answer = await found.answer.catch(() => undefined)
  return answer?.ok ? answer : undefined
}
