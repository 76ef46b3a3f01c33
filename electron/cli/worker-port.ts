import { randomUUID } from 'node:crypto'
import type { GatewayOptions } from '#server/server.ts'
import type { KeyNews } from './parent-key.ts'

type SpawnWorker = NonNullable<GatewayOptions['spawnWorker']>
type WorkerProcess = ReturnType<SpawnWorker>
type Call = Parameters<WorkerProcess['send']>[0]
type Answer = Parameters<Parameters<WorkerProcess['onMessage']>[0]>[0]

/** What Electron's main process is asked: a utility process cannot start another one. */
export type WorkerRequest =
  | { readonly worker: string; readonly ask: 'spawn'; readonly folder: string }
  | { readonly worker: string; readonly ask: 'send'; readonly call: Call }
  | { readonly worker: string; readonly ask: 'kill' }
/** What it tells. */
export type WorkerNews =
  | { readonly worker: string; readonly news: 'message'; readonly answer: Answer }
  | { readonly worker: string; readonly news: 'exit' }

/** Of Electron's utility processes. */
export interface ParentPort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void
  postMessage(message: WorkerRequest | KeyNews): void
}

/**
 * Has worker processes started by Electron's main process, which knows the one module they may run.
 */
export function workersThrough(port: ParentPort): SpawnWorker {
  const running = new Map<string, { tell?: (answer: Answer) => void; exited?: () => void }>()
  port.on('message', ({ data }) => {
    const news = data as Partial<WorkerNews> | null
    const worker =
      typeof news === 'object' && news?.worker !== undefined ? running.get(news.worker) : undefined
    if (!news || !worker) return
    if (news.news === 'message' && news.answer) worker.tell?.(news.answer)
    if (news.news !== 'exit') return
    running.delete(news.worker ?? '')
    worker.exited?.()
  })
  return (_, folder) => {
    const worker = randomUUID()
    const listeners: { tell?: (answer: Answer) => void; exited?: () => void } = {}
    running.set(worker, listeners)
    port.postMessage({ worker, ask: 'spawn', folder })
    return {
      send: (call) => port.postMessage({ worker, ask: 'send', call }),
      onMessage(listener) {
        listeners.tell = listener
      },
      onExit(listener) {
        listeners.exited = listener
      },
      kill: () => port.postMessage({ worker, ask: 'kill' }),
    }
  }
}

/** Where this process is one of Electron's. */
export const parentPort = (): ParentPort | undefined =>
  (process as { readonly parentPort?: ParentPort }).parentPort
