import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import { KEY_FILE } from '#server/database/data-key.ts'
import { type KeyKept, keyKept } from '#server/database/wrapped-key.ts'
import { recoveryKeyState } from '#server/modules/backups/recovery-key.ts'
import { type Finding, ok, warn } from '#server/modules/diagnostics/host-checks.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'

// The desktop app moves the key; it may look no deeper than this floor.
export { KEY_BYTES, KEY_FILE } from '#server/database/data-key.ts'
export {
  type KeyKept,
  type KeyWrap,
  keyKept,
  moveKeyInto,
  unwrapKey,
} from '#server/database/wrapped-key.ts'

const KEPT_AS: Readonly<Record<KeyKept, KeyStoreState | undefined>> = {
  plain: 'file',
  sealed: 'platform',
  none: undefined,
}

/**
 * How the data key is kept now. `told` is what the desktop app said when it started the gateway;
 * the folder knows what has changed since. Undefined: nobody said anything, as where it runs as a
 * service.
 */
export const keyStoreNow = (
  folder: string,
  told: KeyStoreState | undefined,
): KeyStoreState | undefined =>
  told === 'platform' || told === 'file' ? (KEPT_AS[keyKept(folder)] ?? told) : told

/** What it means, for the readiness page and `doctor`. */
export function keyFinding(
  { folder, seal }: Pick<Context, 'folder' | 'seal'>,
  state: KeyStoreState | undefined,
): Finding {
  const file = join(folder, KEY_FILE)
  switch (state) {
    case 'platform':
      return ok(
        'The data key is in the key store of this account; on the disk it is wrapped by it.',
      )
    case 'file':
      return warn(
        `The data key is still in a plain file, ${file}: who copies the data folder can read everything.`,
        recoveryKeyState(folder, seal).state === 'ready'
          ? 'Start the app again: it then moves the data key into the key store of this account.'
          : 'Make a recovery key: the app then moves the data key into the key store of this account.',
      )
    case 'basic':
      return warn(
        `The key ring of this account protects nothing, so the data key stays in a plain file, ${file}: who copies the data folder can read everything.`,
        'Install a key ring (GNOME Keyring or KWallet) and start the app again, and encrypt the disk (LUKS).',
      )
    case 'none':
      return warn(
        `This account has no key store, so the data key stays in a plain file, ${file}: who copies the data folder can read everything.`,
        'Encrypt the disk (BitLocker, FileVault, LUKS), and let nobody else sign in to this account.',
      )
    case undefined:
      return keyKept(folder) === 'plain'
        ? ok(
            `The data key is in ${file}, which the account of the gateway alone can read: the encryption of the disk protects it.`,
          )
        : ok('The data key is handed over at the start and is not in the data folder.')
  }
}
