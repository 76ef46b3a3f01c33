const CHILD_CHECK_INTERVAL_MS = 1000
const SIGNS = ['pointermove', 'keydown', 'wheel'] as const

/** On it, image windows hear that the window that opened them was locked or left. */
export const LOCK_CHANNEL = 'isthmus lock'

const watched = new Map<Window, Document | null>()
let timer: ReturnType<typeof setInterval> | undefined

/**
 * What is done in a window or frame of this origin counts as use of this one: who scrolls images is
 * not away (`useLockWhenIdle`).
 */
export function countAsUse(child: Window): void {
  let last = 0
  const tell = () => {
    if (Date.now() - last < CHILD_CHECK_INTERVAL_MS) return
    last = Date.now()
    document.dispatchEvent(new Event('mousemove'))
  }
  for (const sign of SIGNS)
    child.document.addEventListener(sign, tell, { passive: true, capture: true })
}

/** The same for a window that may be loaded again: until it is closed. */
export function watchChild(child: Window): void {
  watched.set(child, null)
  timer ??= setInterval(checkChildWindows, CHILD_CHECK_INTERVAL_MS)
}

/** Closes them all: they show what this window must not show any more. */
export function closeWatchedWindows(): void {
  for (const child of watched.keys()) child.close()
  watched.clear()
  // Image windows open further ones, for other screens.
  const channel = new BroadcastChannel(LOCK_CHANNEL)
  channel.postMessage('locked')
  channel.close()
}

function checkChildWindows(): void {
  for (const [child, seen] of watched) {
    if (child.closed) watched.delete(child)
    else if (documentOf(child) !== seen) {
      watched.set(child, documentOf(child))
      countAsUse(child)
    }
  }
  if (watched.size > 0) return
  clearInterval(timer)
  timer = undefined
}

/** Null where it shows a page of another origin, such as the browser's own after a failure. */
function documentOf(child: Window): Document | null {
  try {
    return child.document
  } catch {
    return null
  }
}
