import { randomId } from '../format/random-id.ts'

/** What the gateway sends, passed on to every window of the browser. */
export type StreamMessage =
  /** The stream is open. A new `stream` began after a gap: what was missed has to be read again. */
  | { readonly kind: 'open'; readonly stream: string }
  | { readonly kind: 'event'; readonly event: string; readonly data: string }
  /** Nothing has happened, and the gateway is still there. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'closed' }

/** Between the stream and the windows of the browser. */
export const STREAM_CHANNEL = 'isthmus-live'
const STREAM_PATH = '/dashboard/feed/events'
const EVENTS = [
  'line',
  'status',
  'images',
  'studies',
  'events',
  'audit',
  'access',
  'exams',
] as const
/** Three times what the gateway lets pass between two beats. */
const SILENCE_TIMEOUT_MS = 45_000
const SILENCE_CHECK_INTERVAL_MS = 5000

export interface EventStream {
  /** A window of this user wants the stream: it is opened unless it is open for them already. */
  want(userId: string): void
  close(): void
}

/**
 * The one stream of events of a browser: a browser opens six connections to a gateway (HTTP/1.1),
 * so that windows with one each would soon leave none for a call. It is opened when a window wants
 * it. When it breaks off it stays closed until a window that is still signed in wants it again.
 * After a PC has slept a connection can be dead without an error, so silence counts as one.
 */
export function openEventStream(post: (message: StreamMessage) => void): EventStream {
  let source: EventSource | undefined
  let of = ''
  let stream = ''
  let lastMessageAt = 0

  function open(): void {
    const opened = new EventSource(STREAM_PATH)
    source = opened
    lastMessageAt = Date.now()
    stream = ''
    const onMessage = (message: StreamMessage) => {
      lastMessageAt = Date.now()
      post(message)
    }
    opened.addEventListener('open', () => {
      stream = randomId()
      onMessage({ kind: 'open', stream })
    })
    for (const event of EVENTS)
      opened.addEventListener(event, ({ data }: MessageEvent<string>) =>
        onMessage({ kind: 'event', event, data }),
      )
    opened.addEventListener('beat', () => onMessage({ kind: 'beat' }))
    opened.addEventListener('error', end)
  }
  /** Not left to the browser to open anew: whoever is signed out would ask for ever. */
  function end(): void {
    source?.close()
    source = undefined
    post({ kind: 'closed' })
  }
  const silenceTimer = setInterval(() => {
    if (source && Date.now() - lastMessageAt > SILENCE_TIMEOUT_MS) end()
  }, SILENCE_CHECK_INTERVAL_MS)

  return {
    want(userId) {
      if (source && userId !== of) source.close()
      else if (source) {
        if (stream !== '') post({ kind: 'open', stream })
        return
      }
      of = userId
      open()
    },
    close() {
      clearInterval(silenceTimer)
      source?.close()
      source = undefined
    },
  }
}
