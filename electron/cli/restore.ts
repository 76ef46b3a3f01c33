import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { restoreFolder } from '#server/modules/backups/restore-command.ts'
import { RESTORE_OPTIONS } from './options.ts'
import { UsageError } from './words.ts'

const PHASES = { decrypting: 'Opening the back-up', checking: 'Checking it' } as const

/**
 * `restore`: puts a back-up in the place of the database, on this PC or a new one. Exit code 1
 * where nothing was done.
 */
export async function restore(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: RESTORE_OPTIONS,
  })
  if (!values.data)
    throw new UsageError(
      'restore needs --data DIR, the folder of the database; on a new PC an empty one.',
    )
  if (!values.from)
    throw new UsageError(
      'restore needs --from DIR, the folder of a back-up, such as isthmus-2026-03-10-023000Z.',
    )
  // Not as an argument: those are in the history of the shell, and everybody on the PC can see
  // them.
  if (values['recovery-key-stdin'] && process.stdin.isTTY)
    process.stderr.write('Type the recovery key, then Enter and Ctrl+D (Windows: Ctrl+Z, Enter).\n')
  const recoveryKey = values['recovery-key-stdin'] ? await text(process.stdin) : undefined
  let told: string | undefined
  const { isDone, text: lines } = await restoreFolder({
    ...{
      folder: values.data,
      from: values.from,
      recoveryKey,
      isAgreed: values.yes,
      now: Date.now(),
    },
    onProgress({ phase }) {
      if (phase !== told) process.stderr.write(`${PHASES[phase]} …\n`)
      told = phase
    },
  })
  process.stdout.write(`${lines}\n`)
  return isDone ? 0 : 1
}
