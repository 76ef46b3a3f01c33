import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { restoreDataKey, restoreFolder } from '#server/modules/backups/restore-command.ts'
import { runWithLock } from '#server/modules/control/commands.ts'
import { UsageError } from './arguments.ts'
import { RECOVER_OPTIONS, RESTORE_OPTIONS } from './options.ts'

/**
 * `recover`: restores access to a folder with the recovery key, after `data.key` was lost or if the
 * key is in another account's key store. Prints a sign-in link.
 */
export async function recover(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: RECOVER_OPTIONS })
  if (!values.data)
    throw new UsageError(
      'recover needs --data DIR, the folder with gateway.sqlite and recovery.key.',
    )
  if (!values['recovery-key-stdin'])
    throw new UsageError('recover reads the key from standard input: add --recovery-key-stdin.')
  process.stdout.write(`${restoreDataKey(values.data, await readRecoveryKey())}\n`)
  const link = await runWithLock(values.data, {
    command: 'sign-in-link',
    arguments: [],
    options: {},
    input: '',
  })
  if (link?.ok) process.stdout.write(`Start the gateway, then sign in with ${link.output}\n`)
  return 0
}

const PHASES = { decrypting: 'Opening the backup', checking: 'Checking it' } as const

/**
 * `restore`: replaces the database by a backup, on this PC or a new one. Exit code 1 if nothing was
 * changed.
 */
export async function restore(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: RESTORE_OPTIONS })
  const { data: folder, from, yes: isAgreed } = values
  if (!folder)
    throw new UsageError(
      'restore needs --data DIR, the folder of the database; on a new PC an empty one.',
    )
  if (!from)
    throw new UsageError(
      'restore needs --from DIR, the folder of a backup, such as isthmus-2026-03-10-023000Z.',
    )
  const recoveryKey = values['recovery-key-stdin'] ? await readRecoveryKey() : undefined
  let shown: string | undefined
  const { isDone, text: lines } = await restoreFolder({
    folder,
    from,
    recoveryKey,
    isAgreed,
    now: Date.now(),
    onProgress({ phase }) {
      if (phase !== shown) process.stderr.write(`${PHASES[phase]} …\n`)
      shown = phase
    },
  })
  process.stdout.write(`${lines}\n`)
  return isDone ? 0 : 1
}

/**
 * Read from standard input, because arguments are stored in the shell history and visible to other
 * users of the PC.
 */
export function readRecoveryKey(): Promise<string> {
  if (process.stdin.isTTY)
    process.stderr.write('Type the recovery key, then Enter and Ctrl+D (Windows: Ctrl+Z, Enter).\n')
  return text(process.stdin)
}
