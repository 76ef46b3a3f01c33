import { parentPort } from './worker-port.ts'

/**
 * Resolves when the process is told to stop: SIGTERM, SIGINT, or `stop` from Electron's main
 * process.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
    parentPort()?.on('message', ({ data }) => {
      if (data === 'stop') resolve()
    })
  })
}
