import { setTimeout as wait } from 'node:timers/promises'
import { takeLock } from '#server/database/lock.ts'
import { StartError } from '#server/http/start-error.ts'

const TRIES = 30
const AGAIN_MS = 100

/**
 * The data folder for this process alone. A command at work on it has its lock for a moment;
 * another gateway keeps it. @throws StartError
 */
export async function lockFolder(folder: string): Promise<Disposable> {
  for (let tries = 0; tries < TRIES; tries++) {
    const lock = takeLock(folder)
    if (lock) return lock
    await wait(AGAIN_MS)
  }
  throw new StartError(
    `Another Isthmus is already running on the data folder ${folder}. End it first, or choose another folder with --data.`,
  )
}
