import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { PicturedOptions, PicturedReady } from './pictured-gateway.ts'

const INSTALLED = '2026-09-14T09:30:00Z'

export interface PicturedGateway extends PicturedReady, AsyncDisposable {
  /** @param time of the day, `HH:MM` */
  putClock(time: string): Promise<void>
}

/** Runs `pictured-gateway.ts`, which was installed some weeks before the day. */
export async function startGateway(day: string, open: PicturedOptions): Promise<PicturedGateway> {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, 'pictured-gateway.ts')],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, TZ: 'Europe/London' },
    },
  )
  const ended = once(child, 'exit')
  const say = async (message: object): Promise<unknown> => {
    const told = new Promise((resolve) => child.once('message', resolve))
    child.send(message)
    const answer = await Promise.race([told, ended.then(() => undefined)])
    if (answer === undefined) throw new Error('The gateway of the pictures ended.')
    return answer
  }
  const ready = (await say({ now: Date.parse(INSTALLED), open })) as PicturedReady
  return {
    ...ready,
    putClock: async (time) => void (await say({ now: Date.parse(`${day}T${time}:00Z`) })),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
