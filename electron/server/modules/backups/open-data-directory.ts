import { setTimeout as wait } from 'node:timers/promises'
import { type Context, type ContextOptions, openContext } from '#server/context.ts'
import { takeLock } from '#server/database/lock.ts'
import { keyLocation } from '#server/database/wrapped-key.ts'
import { StartError } from '#server/http/start-error.ts'
import { message } from '#shared/messages/message.ts'
import { keepRescueHint } from './rescue-hint.ts'
import { applyStagedRestore } from './restore-files.ts'
import { noteRestores } from './restore-staging.ts'

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
  throw new StartError(message('backups.folder-taken', { folder }))
}

/** A data folder under the gateway's lock. */
export interface DataDirectory extends AsyncDisposable {
  readonly context: Context
  /** Names of the backups that were restored since it ran last. */
  readonly restored: readonly string[]
}

/**
 * Locks the data folder and opens it; a backup that is ready takes the place of the database first.
 * @throws StartError, StoreError
 */
export async function openDataDirectory(
  options: ContextOptions & { readonly clock: () => number },
): Promise<DataDirectory> {
  const { folder, clock, dataKey, isSafe } = options
  await using opened = new AsyncDisposableStack()
  opened.use(await lockFolder(folder))
  applyStagedRestore(folder, clock())
  const context = opened.use(
    openContext({
      ...options,
      // A backup of another data key brings it as a plain file, which then counts.
      dataKey: keyLocation(folder) === 'plain' ? undefined : dataKey,
      overrides: { ...options.overrides, ...(isSafe && { 'https.isOn': false }) },
    }),
  )
  const restored = noteRestores(context, 'gateway')
  opened.defer(keepRescueHint(context))
  const kept = opened.move()
  return { context, restored, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() }
}
