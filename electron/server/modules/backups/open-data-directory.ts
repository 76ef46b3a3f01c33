import { setTimeout as wait } from 'node:timers/promises'
import { type Context, type ContextOptions, openContext } from '#server/context.ts'
import { schemaOfFolder } from '#server/database/database-contents.ts'
import { acquireLock } from '#server/database/lock.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { keyLocation } from '#server/database/wrapped-key.ts'
import { StartError } from '#server/http/start-error.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import { message } from '#shared/messages/message.ts'
import { recordProgramVersion } from './program-version.ts'
import { openRescueHint } from './rescue-hint.ts'
import { applyStagedRestore } from './restore-files.ts'
import { recordRestores } from './restore-staging.ts'
import {
  clearCheckedMark,
  isMarkedChecked,
  refuseReplacedFolder,
  refuseReplicaFolder,
} from './takeover-note.ts'
import { continueRollback } from './way-back.ts'

const MAX_TRIES = 30
const RETRY_MS = 100

/**
 * Locks the data folder for this process. Retries for a few seconds, because a command holds the
 * lock only briefly, whereas another gateway keeps it.
 * @throws StartError
 */
export async function lockFolder(folder: string): Promise<Disposable> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const lock = acquireLock(folder)
    if (lock) return lock
    await wait(RETRY_MS)
  }
  throw new StartError(message('backups.folder-taken', { folder }))
}

/** A locked and opened data folder. */
export interface DataDirectory extends AsyncDisposable {
  readonly context: Context
  /** Names of the backups that were restored since the gateway last ran. */
  readonly restored: readonly string[]
}

/**
 * Locks and opens the data folder, after applying a staged restore.
 * @throws StartError, StoreError
 */
export async function openDataDirectory(
  options: ContextOptions & { readonly clock: () => number; readonly version: string },
): Promise<DataDirectory> {
  const { folder, clock, dataKey, isSafe, version } = options
  await using opened = new AsyncDisposableStack()
  opened.use(await lockFolder(folder))
  refuseReplacedFolder(folder)
  refuseReplicaFolder(folder)
  applyStagedRestore(folder, clock())
  const rollbackFault = continueRollback(folder, clock())
  const before = schemaBefore(folder)
  const context = opened.use(
    openContext({
      ...options,
      check: isMarkedChecked(folder) ? 'done' : 'later',
      // Restoring a backup with another data key writes that key to a plain file, which takes
      // precedence.
      dataKey: keyLocation(folder) === 'plain' ? undefined : dataKey,
      overrides: { ...options.overrides, ...(isSafe && { 'https.isOn': false }) },
    }),
  )
  if (rollbackFault) reportError(context, rollbackFault)
  clearCheckedMark(folder)
  recordProgramVersion(
    folder,
    { version, schema: MIGRATIONS.length, at: instantOf(clock()) },
    before,
  )
  const restored = recordRestores(context, 'gateway')
  opened.defer(openRescueHint(context))
  const resources = opened.move()
  return { context, restored, [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose]() }
}

/** What cannot be read is reported when the database is opened. */
function schemaBefore(folder: string): number {
  try {
    return schemaOfFolder(folder)
  } catch {
    return 0
  }
}
