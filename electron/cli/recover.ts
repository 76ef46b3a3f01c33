import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { recoverFolder } from '#server/modules/backups/recover.ts'
import { runAlone } from '#server/modules/control/commands.ts'
import { RECOVER_OPTIONS } from './options.ts'
import { UsageError } from './words.ts'

/**
 * `recover`: with the key on paper, a folder that lost its `data.key`, or whose key another
 * account's key store has, opens again; prints a link to sign in by.
 */
export async function recover(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: RECOVER_OPTIONS,
  })
  if (!values.data)
    throw new UsageError(
      'recover needs --data DIR, the folder with gateway.sqlite and recovery.key.',
    )
  // Not as an argument: those are in the history of the shell, and everybody on the PC can see
  // them.
  if (!values['recovery-key-stdin'])
    throw new UsageError('recover reads the key from standard input: add --recovery-key-stdin.')
  if (process.stdin.isTTY)
    process.stderr.write('Type the recovery key, then Enter and Ctrl+D (Windows: Ctrl+Z, Enter).\n')
  process.stdout.write(`${recoverFolder(values.data, await text(process.stdin))}\n`)
  const link = await runAlone(values.data, {
    command: 'sign-in-link',
    arguments: [],
    options: {},
    input: '',
  })
  if (link?.ok) process.stdout.write(`Start the gateway, then sign in with ${link.output}\n`)
  return 0
}
