import { z } from 'zod'
import type { CommandContext, DataCommand } from '#server/modules/control/command.ts'
import type { Parts } from '#server/parts.ts'
import { ApiError } from '#shared/errors.ts'
import { type Backups, openBackups } from './backups.ts'
import { openStandby } from './standby.ts'

const ACTOR = 'command-line'

const Copy = z.object({
  to: z.string().trim().min(1, '--to TEXT says where the copy is').max(200),
  backup: z.string().trim().min(1, '--backup NAME says which back-up was copied').max(200),
})

/** Back-ups from a script or a terminal, by the table of `commands.ts`. */
export const UPKEEP_COMMANDS: Readonly<Record<string, DataCommand>> = {
  backup: {
    usage: '',
    about: 'make a back-up now; without a gateway too',
    options: {},
    run: (parts, _request, context) =>
      by(parts, context, async (backups) => {
        const { name } = await backups.make('by-hand', ACTOR)
        return `The back-up ${name} is written, and was opened and compared with the database.`
      }),
  },
  rehearse: {
    usage: '',
    about:
      'try the newest back-up: open it, count it, follow its audit trail, read reports; exit code 1 where it would not do',
    options: {},
    run: (parts, _request, context) =>
      by(parts, context, async (backups) => {
        const { success, sentence } = await backups.rehearse(ACTOR)
        if (!success) throw new ApiError('refused', sentence)
        return sentence
      }),
  },
  'standby note': {
    usage: '--to TEXT --backup NAME',
    about:
      'note that a back-up has arrived whole on a standby, with the images it speaks of (scripts/standby/copy.mjs)',
    options: {
      to: { type: 'string', takes: 'TEXT', isRequired: true, about: 'Where the standby is.' },
      backup: {
        type: 'string',
        takes: 'NAME',
        isRequired: true,
        about: 'Name of the backup that was copied.',
      },
    },
    async run({ deps, settings }, { options }) {
      const copy = Copy.safeParse({ to: options.to ?? '', backup: options.backup ?? '' })
      if (!copy.success)
        throw new ApiError('malformed', copy.error.issues.map(({ message }) => message).join('; '))
      const { to, recoveryPoint } = await openStandby({ ...deps, settings }).note(copy.data, ACTOR)
      return `The standby at ${to} has everything up to ${recoveryPoint}.`
    },
  },
  'standby forget': {
    usage: '',
    about: 'there is no standby any more: nobody is warned that it is behind',
    options: {},
    run({ deps, settings }) {
      openStandby({ ...deps, settings }).forget(ACTOR)
      return 'The standby is forgotten.'
    },
  },
}

/**
 * Through what the running gateway has, so that one thing is done at a time; without a gateway
 * alone.
 */
async function by(
  parts: Parts,
  { backups, version }: CommandContext,
  run: (backups: Backups) => Promise<string>,
): Promise<string> {
  if (backups) return run(backups)
  const faults: unknown[] = []
  await using own = openBackups({
    ...parts.deps,
    settings: parts.settings,
    version: version ?? '',
    onError: (error) => faults.push(error),
  })
  const said = await run(own)
  if (faults.length > 0) throw faults[0]
  return said
}
