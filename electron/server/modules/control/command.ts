import type { z } from 'zod'
import type { Backups } from '#server/modules/backups/backups.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import type { Parts } from '#server/parts.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { ApiError } from '#shared/errors.ts'
import type { ControlRequest } from './control.ts'
import type { RunningGateway } from './shell-commands.ts'

/** An option of a command, as `parseArgs` takes it and as the help shows it. */
export interface CommandOption {
  readonly type: 'string' | 'boolean'
  /** It may be repeated; the values are joined with commas. */
  readonly multiple?: boolean
  /** Placeholder of its value. */
  readonly takes?: string
  /** One sentence. */
  readonly about: string
  readonly default?: string | boolean
  /** The value where it is not given, in words, where it is not `default`. */
  readonly initial?: string
  /** It names a file, whose content the command is given. */
  readonly isFile?: boolean
  /** The command needs it. */
  readonly isRequired?: boolean
  /** It can be switched off with `--no-NAME`. */
  readonly isNegatable?: boolean
  /** It is still taken, but not documented. */
  readonly isHidden?: boolean
}

/**
 * A command on the data folder: it runs in the gateway that has it open, or under the folder's lock
 * where none has.
 */
export interface DataCommand {
  /** Words after `--data DIR`. */
  readonly usage: string
  readonly about: string
  readonly options: Readonly<Record<string, CommandOption>>
  /** The option that says that standard input belongs to the command. */
  readonly input?: string
  /** Resolves with what the command prints. @throws ApiError */
  readonly run: (
    parts: Parts,
    request: ControlRequest,
    context: CommandContext,
  ) => string | Promise<string>
}

export interface CommandContext {
  /** Base URL of the window: the running gateway's, else what the settings say. */
  readonly origin: string
  /** Where the running gateway listens; undefined where none runs. */
  readonly listening:
    | (Readonly<Record<'dimse' | 'http', string>> & { readonly dimseTls?: string | undefined })
    | undefined
  /** How the data key is kept, where the desktop app said so. */
  readonly keyStore?: KeyStoreState | undefined
  /** Of the running gateway, which makes one back-up at a time; undefined where none runs. */
  readonly backups?: Backups | undefined
  /** Sends to the destinations in the running gateway; undefined where none runs. */
  readonly forwarding?: Pick<Forwarding, 'add' | 'update' | 'remove'> | undefined
  /** What only the running gateway can tell or do; undefined where none runs. */
  readonly running?: RunningGateway | undefined
  /** Of the program, as a back-up says it. */
  readonly version?: string | undefined
}

/** Options parsed by a schema; faults name the option as it is written. @throws ApiError */
export function read<T extends z.ZodType>(schema: T, options: unknown): z.output<T> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.map((issue) => ({
    path: `--${kebab(issue.path.join('.'))}`,
    message:
      issue.code === 'invalid_type' && issue.input === undefined ? 'is missing' : issue.message,
  }))
  throw new ApiError('malformed', NOT_CARRIED_OUT, { errors })
}

export const NOT_CARRIED_OUT = 'The command was not carried out.'

/** The name of a field in the form of an option, without the dashes. */
export const kebab = (name: string) =>
  name.replaceAll('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
