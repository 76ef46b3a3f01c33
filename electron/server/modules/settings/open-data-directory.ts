import { keyKept } from '#server/database/wrapped-key.ts'
import { keepRescueHint } from '#server/modules/backups/rescue-hint.ts'
import { applyStagedRestore } from '#server/modules/backups/restore-files.ts'
import { noteRestores } from '#server/modules/backups/restore-staging.ts'
import { atRest } from '#server/modules/control/safe-mode.ts'
import { openParts, type Parts, type PartsOptions } from '#server/parts.ts'
import type { Clock } from '#server/platform/clock.ts'
import { lockFolder } from './folder-lock.ts'

export interface OwnFolderOptions extends PartsOptions {
  readonly folder: string
  readonly isSafe: boolean
  readonly clock: Clock
}

/** The data folder under the gateway's lock. */
export interface OwnFolder extends AsyncDisposable {
  readonly parts: Parts
  /** Names of the back-ups that were put back since it ran last. */
  readonly restored: readonly string[]
}

/**
 * Locks the data folder and opens it; a back-up that is ready takes the place of the database
 * first. @throws StartError, StoreError
 */
export async function openOwnFolder({
  folder,
  clock,
  dataKey,
  overrides,
  isSafe,
}: OwnFolderOptions): Promise<OwnFolder> {
  await using opened = new AsyncDisposableStack()
  opened.use(await lockFolder(folder))
  applyStagedRestore(folder, clock())
  // A back-up of another data key brings it as a plain file, which then counts.
  const keyInForce = keyKept(folder) === 'plain' ? undefined : dataKey
  const inForce = { ...overrides, ...(isSafe && { 'https.isOn': false }) }
  const whole = opened.use(openParts(folder, { clock, dataKey: keyInForce, overrides: inForce }))
  const parts = isSafe ? atRest(whole) : whole
  const restored = noteRestores(parts.deps, 'gateway')
  opened.defer(keepRescueHint(folder, parts.settings))
  const kept = opened.move()
  return { parts, restored, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() }
}
