import { keyKept } from '#server/database/wrapped-key.ts'
import { StartError } from '#server/http/start-error.ts'
import { keepRescueHint } from '#server/modules/backups/rescue-hint.ts'
import { applyStagedRestore } from '#server/modules/backups/restore-files.ts'
import { noteRestores } from '#server/modules/backups/restore-staging.ts'
import { atRest } from '#server/modules/control/safe-mode.ts'
import { openParts, type Parts, type PartsOptions } from '#server/parts.ts'
import type { Clock } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { lockFolder } from './folder-lock.ts'

export interface OwnFolderOptions extends PartsOptions {
  readonly folder: string
  readonly partner?: GivenPartner
  readonly isSafe: boolean
  readonly clock: Clock
}

/** Kept as the clinic's default endpoint; without `secret` the one that is kept goes on. */
export interface GivenPartner {
  readonly url: string
  readonly secret?: string
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
  partner,
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
  if (partner) setPartner(parts, partner)
  const kept = opened.move()
  return { parts, restored, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() }
}

/**
 * The partner given at the start is kept like one set in the window; the same one again changes
 * nothing.
 */
function setPartner({ partnerEndpoint }: Parts, { url, secret }: GivenPartner): void {
  const before = partnerEndpoint.read()
  const known = partnerEndpoint.endpointFor('modality_worklist.requested')
  if (secret === undefined && !before.hasSecret) {
    throw new StartError(
      '--partner-url needs the secret the partner verifies with: --partner-secret-file FILE.',
    )
  }
  if (
    URL.canParse(url) &&
    known?.url === new URL(url).href &&
    (secret === undefined || known.secrets[0] === secret)
  )
    return
  try {
    partnerEndpoint.set({ url, secret, allowPlaintext: true }, 'command-line')
  } catch (error) {
    if (error instanceof ApiError)
      throw new StartError(`The partner was not set. ${error.message}`, { cause: error })
    throw error
  }
}
