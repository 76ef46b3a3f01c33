import {
  type EventStream,
  openEventStream,
  STREAM_CHANNEL,
  type StreamMessage,
} from './event-stream-source.ts'

const LOCK = 'isthmus-live'

interface LiveConnection {
  /** Asks for the stream, or whether it is open; the answer comes as a message. */
  want(): void
  close(): void
}

/** There is no stream: the calls' own polling goes on. */
const NONE: LiveConnection = { want() {}, close() {} }

/**
 * Connects a window to the stream of events that all windows of the browser share. A SharedWorker
 * holds it; where there is none, the window that holds a lock does, and the next one takes its
 * place when it is closed. Where there are no locks either (a page without TLS on a phone or
 * tablet), there is no stream: six windows with one each would leave no connection for a call.
 */
export function connectEventStream(
  userId: string,
  hear: (message: StreamMessage) => void,
): LiveConnection {
  const channel = globalThis.BroadcastChannel && new BroadcastChannel(STREAM_CHANNEL)
  if (!channel) return NONE
  const listen = ({ data }: MessageEvent<StreamMessage | Wish>) => {
    if (data.kind !== 'want') hear(data)
  }
  channel.addEventListener('message', listen)
  let held = globalThis.SharedWorker ? byWorker(userId, () => fall()) : withoutWorker()
  /** The worker cannot be loaded. */
  function fall(): void {
    held.close()
    held = withoutWorker()
    held.want()
  }
  function withoutWorker(): LiveConnection {
    return navigator.locks ? byLock(userId, channel) : NONE
  }
  return {
    want: () => held.want(),
    close() {
      held.close()
      channel.close()
    },
  }
}

interface Wish {
  readonly kind: 'want'
  readonly userId: string
}

function byWorker(userId: string, onFault: () => void): LiveConnection {
  const worker = new SharedWorker(new URL('./event-stream-worker.ts', import.meta.url), {
    type: 'module',
    name: 'isthmus-live',
  })
  worker.addEventListener('error', onFault)
  worker.port.start()
  return {
    want: () => worker.port.postMessage(userId),
    close() {
      worker.removeEventListener('error', onFault)
      worker.port.close()
    },
  }
}

/**
 * The window that has the lock answers the wishes of all; a channel does not hear itself, so it has
 * one of its own.
 */
function byLock(userId: string, channel: BroadcastChannel): LiveConnection {
  const release = new AbortController()
  let stream: EventStream | undefined
  const lead = () =>
    new Promise<void>((resolve) => {
      const leader = new BroadcastChannel(STREAM_CHANNEL)
      const opened = openEventStream((message) => leader.postMessage(message))
      stream = opened
      leader.addEventListener(
        'message',
        ({ data }: MessageEvent<StreamMessage | Wish>) =>
          data.kind === 'want' && opened.want(data.userId),
      )
      opened.want(userId)
      release.signal.addEventListener('abort', () => {
        opened.close()
        leader.close()
        resolve()
      })
    })
  // Rejects where the window is closed before it is its turn.
  navigator.locks.request(LOCK, { signal: release.signal }, lead).catch(() => undefined)
  return {
    want: () =>
      stream ? stream.want(userId) : channel.postMessage({ kind: 'want', userId } satisfies Wish),
    close: () => release.abort(),
  }
}
