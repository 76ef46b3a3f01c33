import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { Backups } from '#server/modules/backups/backups.ts'
import { recordStandby, removeStandby } from '#server/modules/backups/standby.ts'
import { ApiError } from '#shared/errors.ts'
import { english } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import type { DataCommand, RunningGateway } from './command.ts'

const ACTOR = 'command-line'

const Copy = z.object({
  to: z.string().trim().min(1).max(200),
  backup: z.string().trim().min(1).max(200),
})

/** Commands for backups, restore tests and the standby. */
export const BACKUP_COMMANDS: Readonly<Record<string, DataCommand>> = {
  backup: {
    usage: '',
    about: 'make a backup now; works with and without a running gateway',
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
      'test whether the newest backup can be restored: open it, count its rows, verify its audit trail and read reports; exit code 1 if the test fails',
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
      'record that a backup and its images were copied to a standby (scripts/standby/copy.mjs)',
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
            '--to TEXT names the place of the copy, --backup NAME the backup that was copied; at most 200 characters each.',
          ),
        )
      const { to, recoveryPoint } = await recordStandby(
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
    about: 'remove the record of the standby, so that no warning about its age is shown',
    options: {},
    run(context) {
      removeStandby(context, ACTOR)
      return 'The record of the standby was removed.'
    },
  },
}

/**
 * Runs in the gateway that has the data folder open, if there is one, so that only one operation
 * runs at a time.
 */
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
