import {
  type EventStream,
  openEventStream,
  STREAM_CHANNEL,
  type StreamMessage,
} from './event-stream-source.ts'

const LOCK_NAME = 'isthmus-live'

interface LiveConnection {
  /** Asks for the stream, or whether it is open; the answer comes as a message. */
  want(): void
  close(): void
}

/** There is no stream: the calls' own polling goes on. */
const NO_CONNECTION: LiveConnection = { want() {}, close() {} }

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
  if (!channel) return NO_CONNECTION
  const listen = ({ data }: MessageEvent<StreamMessage | WantMessage>) => {
    if (data.kind !== 'want') hear(data)
  }
  channel.addEventListener('message', listen)
  let held = globalThis.SharedWorker
    ? connectByWorker(userId, () => fallBackToLock())
    : connectWithoutWorker()
  /** The worker cannot be loaded. */
  function fallBackToLock(): void {
    held.close()
    held = connectWithoutWorker()
    held.want()
  }
  function connectWithoutWorker(): LiveConnection {
    return navigator.locks ? connectByLock(userId, channel) : NO_CONNECTION
  }
  return {
    want: () => held.want(),
    close() {
      held.close()
      channel.close()
    },
  }
}

interface WantMessage {
  readonly kind: 'want'
  readonly userId: string
}

function connectByWorker(userId: string, onFault: () => void): LiveConnection {
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
function connectByLock(userId: string, channel: BroadcastChannel): LiveConnection {
  const abortController = new AbortController()
  let stream: EventStream | undefined
  const becomeLeader = () =>
    new Promise<void>((resolve) => {
      const leader = new BroadcastChannel(STREAM_CHANNEL)
      const opened = openEventStream((message) => leader.postMessage(message))
      stream = opened
      leader.addEventListener(
        'message',
        ({ data }: MessageEvent<StreamMessage | WantMessage>) =>
          data.kind === 'want' && opened.want(data.userId),
      )
      opened.want(userId)
      abortController.signal.addEventListener('abort', () => {
        opened.close()
        leader.close()
        resolve()
      })
    })
  // Rejects where the window is closed before it is its turn.
  navigator.locks
    .request(LOCK_NAME, { signal: abortController.signal }, becomeLeader)
    .catch(() => undefined)
  return {
    want: () =>
      stream
        ? stream.want(userId)
        : channel.postMessage({ kind: 'want', userId } satisfies WantMessage),
    close: () => abortController.abort(),
  }
}
