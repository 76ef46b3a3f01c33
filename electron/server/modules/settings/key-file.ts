import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import { KEY_FILE } from '#server/database/data-key.ts'
import { recoveryKeyState } from '#server/database/recovery-key.ts'
import { type KeyLocation, keyLocation } from '#server/database/wrapped-key.ts'
import { type Finding, ok, warn } from '#server/platform/finding.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { message } from '#shared/messages/message.ts'

const STATE_OF_FILE: Readonly<Record<KeyLocation, KeyStoreState | undefined>> = {
  plain: 'file',
  sealed: 'platform',
  none: undefined,
}

/**
 * How the data key is stored now. `given` is the state that the desktop app reported when it
 * started the gateway; the folder shows whether that has changed since. Undefined if none was
 * reported, as when the gateway runs as a service.
 */
export const currentKeyStore = (
  folder: string,
  given: KeyStoreState | undefined,
): KeyStoreState | undefined =>
  given === 'platform' || given === 'file' ? (STATE_OF_FILE[keyLocation(folder)] ?? given) : given

/** The corresponding finding for the readiness page and `doctor`. */
export function keyFinding(
  { folder, database }: Pick<Context, 'folder' | 'database'>,
  state: KeyStoreState | undefined,
): Finding {
  const file = join(folder, KEY_FILE)
  switch (state) {
    case 'platform':
      return ok(message('settings.key-in-store'))
    case 'file':
      return warn(
        message('settings.key-in-file', { file }),
        recoveryKeyState(folder, database.seal).state === 'ready'
          ? message('settings.key-start-again')
          : message('settings.key-needs-recovery'),
      )
    case 'basic':
      return warn(
        message('settings.key-ring-weak', { file }),
        message('settings.key-ring-weak-remedy'),
      )
    case 'none':
      return warn(
        message('settings.no-key-store', { file }),
        message('settings.no-key-store-remedy'),
      )
    case undefined:
      return keyLocation(folder) === 'plain'
        ? ok(message('settings.key-of-service', { file }))
        : ok(message('settings.key-handed-over'))
  }
}
