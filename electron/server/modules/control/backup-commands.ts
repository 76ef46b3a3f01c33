import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { Backups } from '#server/modules/backups/backups.ts'
import { forgetStandby, noteStandby } from '#server/modules/backups/standby.ts'
import { ApiError } from '#shared/errors.ts'
import { english } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import type { DataCommand, RunningGateway } from './command.ts'

const ACTOR = 'command-line'

const Copy = z.object({
  to: z.string().trim().min(1).max(200),
  backup: z.string().trim().min(1).max(200),
})

/** Backups from a script or a terminal, by the table of `commands.ts`. */
export const BACKUP_COMMANDS: Readonly<Record<string, DataCommand>> = {
  backup: {
    usage: '',
    about: 'make a backup now; without a gateway too',
    options: {},
    run: (context, _request, gateway, version) =>
      withBackups(context, gateway, version, async (backups) => {
        const { name } = await backups.make('by-hand', ACTOR)
        return `The backup ${name} was made, opened and compared with the database.`
      }),
  },
  rehearse: {
    usage: '',
    about:
      'try the newest backup: open it, count it, follow its audit trail, read reports; exit code 1 where it would not do',
    options: {},
    run: (context, _request, gateway, version) =>
      withBackups(context, gateway, version, async (backups) => {
        const { success, sentence } = await backups.test(ACTOR)
        if (!success) throw new ApiError('refused', sentence)
        return english(sentence)
      }),
  },
  'standby note': {
    usage: '--to TEXT --backup NAME',
    about:
      'note that a backup has arrived whole on a standby, with the images it speaks of (scripts/standby/copy.mjs)',
    options: {
      to: { type: 'string', takes: 'TEXT', isRequired: true, about: 'Where the standby is.' },
      backup: {
        type: 'string',
        takes: 'NAME',
        isRequired: true,
        about: 'Name of the backup that was copied.',
      },
    },
    async run(context, { options }) {
      const copy = Copy.safeParse({ to: options.to ?? '', backup: options.backup ?? '' })
      if (!copy.success)
        throw new ApiError(
          'malformed',
          verbatim(
            '--to TEXT says where the copy is, --backup NAME which backup was copied; at most 200 characters.',
          ),
        )
      const { to, recoveryPoint } = await noteStandby(
        context,
        copy.data.to,
        copy.data.backup,
        ACTOR,
      )
      return `The standby at ${to} has all data up to ${recoveryPoint}.`
    },
  },
  'standby forget': {
    usage: '',
    about: 'there is no standby any more: nobody is warned that it is behind',
    options: {},
    run(context) {
      forgetStandby(context, ACTOR)
      return 'The standby is forgotten.'
    },
  },
}

/** Of the running gateway, which does one thing at a time; of our own where none runs. */
async function withBackups(
  context: Context,
  gateway: RunningGateway | undefined,
  version: string,
  run: (backups: Backups) => Promise<string>,
): Promise<string> {
  if (gateway) return run(gateway.backups)
  await using own = new Backups(context, version)
  return await run(own)
}
