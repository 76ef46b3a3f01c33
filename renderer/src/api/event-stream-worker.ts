import { openEventStream, STREAM_CHANNEL } from './event-stream-source.ts'

// A SharedWorker: one for all windows of the browser. It ends with the last of them.

interface WorkerScope {
  addEventListener(type: 'connect', listen: (event: MessageEvent) => void): void
}
const channel = new BroadcastChannel(STREAM_CHANNEL)
const stream = openEventStream((message) => channel.postMessage(message))
const scope = globalThis as unknown as WorkerScope
scope.addEventListener('connect', ({ ports: [port] }) => {
  port?.addEventListener('message', ({ data }: MessageEvent<string>) => stream.want(data))
  port?.start()
})
