import { realNow } from './virtual-time.ts'

/**
 * What is always there: listeners, open connections, and what the test runner talks over. Anything
 * else is work under way.
 */
const IDLE = new Set([
  'TCPServerWrap',
  'TCPSocketWrap',
  'PipeWrap',
  'PipeServerWrap',
  'PipeSocketWrap',
  'TTYWrap',
  'MessagePort',
  'Timeout',
  'SignalWrap',
])
/**
 * Turns of the event loop without any work after which nothing more comes by itself: what is on its
 * way over a socket needs one each.
 */
const TURNS = 12
/** Milliseconds of the real time after which it is said that something never ends. */
const PATIENCE_MS = 20_000

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Resolves when nothing happens any more unless time passes. `isBusy`: somebody waits for an answer
 * that does not depend on time.
 * @throws where that never comes
 */
export async function quiet(isBusy: () => boolean, turns = TURNS): Promise<void> {
  const began = realNow()
  for (let idle = 0; idle < turns; idle++) {
    await turn()
    const work = process
      .getActiveResourcesInfo()
      .find((kind) => !IDLE.has(kind) && kind !== 'CloseReq')
    if (work !== undefined || isBusy()) idle = -1
    if (realNow() - began > PATIENCE_MS)
      throw new Error(
        `Nothing came to rest for ${PATIENCE_MS / 1000} s: ${work ?? 'a call to the partner'}.`,
      )
  }
}
