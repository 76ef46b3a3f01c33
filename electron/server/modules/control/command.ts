import type { z } from 'zod'
import type { Context } from '#server/context.ts'
import type { Backups } from '#server/modules/backups/backups.ts'
import type { ListenerAddresses } from '#server/modules/devices/listeners.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import type { Lifecycle } from '#server/modules/lifecycle/lifecycle.ts'
import type { Sandbox } from '#server/modules/sandbox/sandbox.ts'
import type { Verifications } from '#server/modules/tiers/verification.ts'
import type { KeyStoreState, ShellStatus } from '#shared/contract/shell.ts'
import { ApiError } from '#shared/errors.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import { verbatim } from '#shared/messages/message.ts'
import type { ControlRequest } from './control.ts'

/** An option of a command, in the form of `parseArgs` with the attributes that the help shows. */
export interface CommandOption {
  readonly type: 'string' | 'boolean'
  /** It may be repeated; the values are joined with commas. */
  readonly multiple?: boolean
  /** Placeholder of its value in the help. */
  readonly takes?: string
  /** Description, one sentence. */
  readonly about: string
  readonly default?: string | boolean
  /** Description of the default value, if `default` is not set. */
  readonly initial?: string
  /** Its value is a file name; the command receives the content of the file. */
  readonly isFile?: boolean
  readonly isRequired?: boolean
  /** It can be negated with `--no-NAME`. */
  readonly isNegatable?: boolean
  /** It is accepted but not documented. */
  readonly isHidden?: boolean
}

/**
 * A command on the data folder. It runs in the gateway that has the folder open, or under the
 * folder's lock if none has.
 */
export interface DataCommand {
  /** Arguments after `--data DIR`. */
  readonly usage: string
  readonly about: string
  readonly options: Readonly<Record<string, CommandOption>>
  /** The option that makes the command read standard input. */
  readonly input?: string
  /** The command takes one argument, the name of a file, whose content becomes its input. */
  readonly fileArgument?: true
  /**
   * Resolves with the output of the command.
   * @throws ApiError
   */
  readonly run: (
    context: Context,
    request: ControlRequest,
    /** `undefined` if no gateway is running. */
    gateway: RunningGateway | undefined,
    /** Version of the program. */
    version: string,
  ) => string | Promise<string>
}

/** The parts of the running gateway that commands use. */
export interface RunningGateway {
  /** Base URL of the window. */
  readonly origin: string
  /** `undefined` until every listener is open. */
  readonly listening: ListenerAddresses | undefined
  /** How the data key is stored, if the desktop app has reported it. */
  readonly keyStore: KeyStoreState | undefined
  readonly backups: Backups
  readonly lifecycle: Pick<Lifecycle, 'runNow' | 'forecast'>
  readonly forwarding: Pick<Forwarding, 'add' | 'update' | 'remove' | 'refresh'>
  readonly verifications: Pick<Verifications, 'run'>
  /** `undefined` in the gateway of the sandbox. */
  readonly sandbox: Pick<Sandbox, 'createKey' | 'setWebhook' | 'empty'> | undefined
  /** Path of the log file; `undefined` if the log goes to stderr. */
  readonly logFile: string | undefined
  status(): Promise<ShellStatus>
  /** Opens the data folder again in this process; `undefined` in tests. */
  readonly restart: (() => void) | undefined
  /**
   * Prepares for being stopped by an update; resolves with one sentence.
   * @throws ApiError, StoreError; the gateway continues as before
   */
  prepareUpdate(): Promise<string>
}

/**
 * Parses options with a schema. Errors name the option as the user writes it.
 * @throws ApiError malformed
 */
export function parseOptions<T extends z.ZodType>(schema: T, options: unknown): z.output<T> {
  const parsed = schema.safeParse(options)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.map((issue) => ({
    path: `--${optionName(issue.path.join('.'))}`,
    message:
      issue.code === 'invalid_type' && issue.input === undefined
        ? verbatim('is missing')
        : issueMessage(issue),
  }))
  throw new ApiError('malformed', NOT_CARRIED_OUT_MESSAGE, { errors })
}

export const NOT_CARRIED_OUT_MESSAGE = verbatim('The command was not carried out.')

/** Converts a field name to an option name without dashes: `aeTitle` becomes `ae-title`. */
export const optionName = (name: string) =>
  name.replaceAll('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Base URL of the window: that of the running gateway, else the one from the settings. */
export const originOf = (context: Context, gateway: RunningGateway | undefined): string =>
  gateway?.origin ??
  context.settings.get('http.publicUrl') ??
  `http://127.0.0.1:${context.settings.get('http.port')}`
