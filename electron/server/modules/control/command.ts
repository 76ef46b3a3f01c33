import type { z } from 'zod'
import type { Context } from '#server/context.ts'
import type { Backups } from '#server/modules/backups/backups.ts'
import type { ListenerAddresses } from '#server/modules/devices/listeners.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import type { KeyStoreState, ShellStatus } from '#shared/contract/shell.ts'
import { ApiError } from '#shared/errors.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import { verbatim } from '#shared/messages/message.ts'
import type { ControlRequest } from './control.ts'

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
    context: Context,
    request: ControlRequest,
    /** Undefined where none runs. */
    gateway: RunningGateway | undefined,
    /** Of the program. */
    version: string,
  ) => string | Promise<string>
}

/** What a command may ask of the gateway that runs on the data folder. */
export interface RunningGateway {
  /** Base URL of the window. */
  readonly origin: string
  /** Undefined until every listener was opened. */
  readonly listening: ListenerAddresses | undefined
  /** How the data key is kept, where the desktop app said so. */
  readonly keyStore: KeyStoreState | undefined
  readonly backups: Backups
  readonly forwarding: Pick<Forwarding, 'add' | 'update' | 'remove'>
  /** Where its log goes; undefined: to stderr. */
  readonly logFile: string | undefined
  status(): Promise<ShellStatus>
  /**
   * Makes everything ready for its end; resolves with one sentence. @throws ApiError, StoreError:
   * it goes on as before
   */
  prepareUpdate(): Promise<string>
}

/** Options parsed by a schema; faults name the option as it is written. @throws ApiError */
export function read<T extends z.ZodType>(schema: T, options: unknown): z.output<T> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.map((issue) => ({
    path: `--${kebab(issue.path.join('.'))}`,
    message:
      issue.code === 'invalid_type' && issue.input === undefined
        ? verbatim('is missing')
        : issueMessage(issue),
  }))
  throw new ApiError('malformed', NOT_CARRIED_OUT, { errors })
}

export const NOT_CARRIED_OUT = verbatim('The command was not carried out.')

/** The name of a field in the form of an option, without the dashes. */
export const kebab = (name: string) =>
  name.replaceAll('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Base URL of the window: the running gateway's, else what the settings say. */
export const originOf = (context: Context, gateway: RunningGateway | undefined): string =>
  gateway?.origin ??
  context.settings.get('http.publicUrl') ??
  `http://127.0.0.1:${context.settings.get('http.port')}`
