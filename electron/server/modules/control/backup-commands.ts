import { z } from 'zod'
import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { Backups } from '#server/modules/backups/backups.ts'
import { recordStandby, removeStandby } from '#server/modules/backups/standby.ts'
import { TakeoverNote, writeTakeoverNote } from '#server/modules/backups/takeover-note.ts'
import { ApiError } from '#shared/errors.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import type { DataCommand, RunningGateway } from './command.ts'

const ACTOR = 'command-line'
/** After the reply was sent. */
const STOP_DELAY_MS = 200

const StandbyCopyOptions = z.object({
  to: z.string().trim().min(1).max(200),
  backup: z.string().trim().min(1).max(200),
  upTo: z.iso.datetime().optional(),
})

/** Commands for backups, restore tests and the standby. */
export const BACKUP_COMMANDS: Readonly<Record<string, DataCommand>> = {
  backup: {
    usage: '',
    about: 'make a backup now, whether or not a gateway is running',
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
      'test whether the newest backup can be restored: open it, count its rows, verify its audit log and read reports; exit code 1 if the test fails',
    options: {},
    run: (context, _request, gateway, version) =>
      withBackups(context, gateway, version, async (backups) => {
        const { success, sentence } = await backups.test(ACTOR)
        if (!success) throw new ApiError('refused', sentence)
        return englishText(sentence)
      }),
  },
  'standby note': {
    usage: '--to TEXT --backup NAME [--up-to INSTANT]',
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
      'up-to': {
        type: 'string',
        takes: 'INSTANT',
        about:
          'Everything written until then is on the standby, for example 2026-03-10T09:00:00.000Z.',
        initial: 'when the backup was made',
      },
    },
    async run(context, { options }) {
      const copy = StandbyCopyOptions.safeParse({
        to: options.to ?? '',
        backup: options.backup ?? '',
        upTo: options['up-to'],
      })
      if (!copy.success)
        throw new ApiError(
          'malformed',
          verbatim(
            '--to TEXT names the place of the copy, --backup NAME the backup that was copied, at most 200 characters each; --up-to takes a time in UTC.',
          ),
        )
      const { to, backup, upTo } = copy.data
      const { recoveryPoint } = await recordStandby(context, to, backup, ACTOR, upTo)
      return `The standby at ${to} has all data up to ${recoveryPoint}.`
    },
  },
  'standby taken-over': {
    usage: '--by HOST --at INSTANT',
    about:
      'record that a standby has taken over (scripts/standby/follow.mjs); the gateway stops, and does not start on this folder again',
    options: {
      by: { type: 'string', takes: 'HOST', isRequired: true, about: 'Name of the other PC.' },
      at: { type: 'string', takes: 'INSTANT', isRequired: true, about: 'When it took over.' },
    },
    run(context, { options }, gateway) {
      const found = TakeoverNote.safeParse({ by: options.by, at: options.at })
      if (!found.success)
        throw new ApiError('malformed', verbatim('--by takes a name, --at a time in UTC.'))
      note(context, ACTOR, 'standby.taken-over', found.data.by, { at: found.data.at })
      writeTakeoverNote(context.folder, found.data)
      // The gateway is opened again, which the note refuses.
      setTimeout(() => gateway?.restart?.(), STOP_DELAY_MS)
      return `${found.data.by} serves the clinic since ${found.data.at}. This gateway stops.`
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
