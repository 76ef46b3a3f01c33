import { viewPaths } from '#shared/view-paths.ts'

// Evaluating the page's modules occupies the browser's main thread for some hundred milliseconds.
// The list of a view and its first frame are requested before that, so that they arrive meanwhile.

interface EarlyRequest {
  readonly response: Promise<Response>
  readonly control: AbortController
}
const sent = new Map<string, EarlyRequest>()
/** A response that nobody takes over occupies one of the browser's six connections. */
const MAX_WAIT_MS = 10_000

/** As `fetch`; a request that was already sent by `requestFirst` is taken over, once. */
export const fetchOnce: typeof fetch = (input, init) => {
  const early = sent.get(String(input))
  if (!early) return fetch(input, init)
  sent.delete(String(input))
  init?.signal?.addEventListener('abort', () => early.control.abort())
  return early.response
}

/**
 * Requests the list of a view, and the frame of the first instance in it.
 * @returns once the frame has been requested, or the list has none yet
 */
export async function requestFirst(viewId: string): Promise<void> {
  try {
    const response = await send(viewPaths.images(viewId), imageListRequest)
    const sopInstanceUid = await firstInstance(response.clone())
    if (sopInstanceUid) void send(viewPaths.frame(viewId, sopInstanceUid, 1), frameRequest)
  } catch {
    // Whoever takes the request over is told of the failure.
  }
}

export const imageListRequest = {
  credentials: 'same-origin',
  cache: 'no-store',
  headers: { accept: 'application/x-ndjson' },
} as const satisfies RequestInit
export const frameRequest = { credentials: 'same-origin' } as const satisfies RequestInit

function send(path: string, init: RequestInit): Promise<Response> {
  const control = new AbortController()
  const response = fetch(path, { ...init, signal: control.signal })
  response.catch(() => undefined)
  sent.set(path, { response, control })
  setTimeout(() => {
    if (sent.get(path)?.control !== control) return
    sent.delete(path)
    control.abort()
  }, MAX_WAIT_MS)
  return response
}

const FIRST_INSTANCE = /"line":"instances".*?"sopInstanceUid":"([0-9.]+)"/
/** Of the list's text, in which its first instance is looked for. */
const MAX_CHARACTERS = 16_384

async function firstInstance({ ok, body }: Response): Promise<string | undefined> {
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    let text = ''
    while (ok && text.length < MAX_CHARACTERS) {
      const { done, value } = await reader.read()
      if (done) return
      text += value
      const found = FIRST_INSTANCE.exec(text)
      if (found) return found[1]
    }
  } finally {
    // Without waiting: the other half of the clone has not been read.
    void reader.cancel()
  }
}
