import { userErrorText } from '#server/http/start-error.ts'
import { DATA_COMMANDS } from '#server/modules/control/commands.ts'
import { UsageError } from './arguments.ts'
import { runDataCommand } from './data-command.ts'
import { type CommandHelp, helpOf, listOf, usageLines } from './help.ts'
import {
  CONFORMANCE_OPTIONS,
  DATA_OPTION,
  DAY_SIMULATOR_OPTIONS,
  MODALITY_SIMULATOR_OPTIONS,
  PARTNER_SIMULATOR_OPTIONS,
  PREFLIGHT_OPTIONS,
  RECOVER_OPTIONS,
  REPLICATE_OPTIONS,
  RESTORE_OPTIONS,
  ROLLBACK_OPTIONS,
  SANDBOX_EVENT_OPTIONS,
  SANDBOX_EXAM_OPTIONS,
  SANDBOX_OPTIONS,
  SANDBOX_REPORT_OPTIONS,
  SERVE_OPTIONS,
  TAKE_OVER_OPTIONS,
} from './options.ts'

export interface Command extends CommandHelp {
  /** Resolves with the exit code. */
  readonly run: (args: readonly string[]) => Promise<number>
}

/**
 * The commands of the command line, whose names and options are stable. The code of a command is
 * loaded when it runs, so that a data command does not load the web server of `serve`.
 */
export const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    usage:
      'serve --data DIR [--http HOST:PORT] [--https HOST:PORT] [--dimse HOST:PORT] [--dimse-tls PORT|off] [--ae-title T] [--partner-url URL] [--partner-secret-file F] [--allow-unknown-devices] [--data-key-file F] [--log-file F] [--rescue] [--safe-mode]',
    about:
      'run the gateway until it is stopped; --rescue: serve a page to restore a backup if the data cannot be opened; --safe-mode: open Isthmus on this PC only, serve no devices and send nothing',
    options: SERVE_OPTIONS,
    run: async (args) => (await import('./serve.ts')).serve(args),
  },
  ...Object.fromEntries(
    Object.entries(DATA_COMMANDS).map(([name, command]) => [
      name,
      {
        usage: `${name} --data DIR ${command.usage}`.trimEnd(),
        about: command.about,
        options: { data: DATA_OPTION, ...command.options },
        run: (args: readonly string[]) => runDataCommand(name, command, args),
      },
    ]),
  ),
  recover: {
    usage: 'recover --data DIR --recovery-key-stdin',
    about:
      'restore a lost data.key from the recovery key, read from standard input, and print a sign-in link',
    options: RECOVER_OPTIONS,
    run: async (args) => (await import('./recovery.ts')).recover(args),
  },
  restore: {
    usage: 'restore --data DIR --from BACKUP_FOLDER [--recovery-key-stdin] [--yes]',
    about:
      'replace the database with a backup and keep the former database; on a new PC, the recovery key is required and is read from standard input',
    options: RESTORE_OPTIONS,
    run: async (args) => (await import('./recovery.ts')).restore(args),
  },
  preflight: {
    usage: 'preflight --data DIR',
    about:
      'check the database, the disk space and waiting jobs before an update, and estimate how long the update takes; run it with the new version while the old one is still running',
    options: PREFLIGHT_OPTIONS,
    run: async (args) => (await import('./update.ts')).preflight(args),
  },
  'way-back': {
    usage: 'way-back --data DIR [--yes]',
    about:
      'convert the data for the previous version, including everything received since the update; run it with the newer version while no gateway is running',
    options: ROLLBACK_OPTIONS,
    run: async (args) => (await import('./update.ts')).prepareRollback(args),
  },
  replicate: {
    usage: 'replicate --data DIR --from DIR [--recovery-key-stdin] [--once]',
    about:
      'on a standby: keep a copy of the database of another gateway up to date, usually less than 15 seconds behind',
    options: REPLICATE_OPTIONS,
    run: async (args) => (await import('./standby.ts')).replicate(args),
  },
  'take-over': {
    usage: 'take-over --data DIR --from DIR [--recovery-key-stdin] [--old-is-off]',
    about:
      'on a standby: turn the copy into a data folder that a gateway can serve from, after the other gateway has stopped',
    options: TAKE_OVER_OPTIONS,
    run: async (args) => (await import('./standby.ts')).takeOverCommand(args),
  },
  conformance: {
    usage:
      'conformance --url URL --secret-file F|--secret-stdin [--events EVENTS] [--data FILE.json] [--at-least PERCENT] [--json]',
    about:
      'send all events to a partner’s endpoint, including slow, malformed, repeated and out-of-order ones, and print a scored report',
    options: CONFORMANCE_OPTIONS,
    run: async (args) => (await import('./conformance.ts')).conformance(args),
  },
  'sandbox status': {
    usage: 'sandbox status [--url URL] [--key-file F] [--json]',
    about: 'print what the sandbox contains and where its events are sent',
    options: SANDBOX_OPTIONS,
    run: async (args) => (await import('./sandbox.ts')).sandboxStatus(args),
  },
  'sandbox exam': {
    usage: 'sandbox exam [--accession-number NUMBER] [--url URL] [--key-file F] [--json]',
    about: 'perform an exam in the sandbox, from the worklist to the images',
    options: SANDBOX_EXAM_OPTIONS,
    run: async (args) => (await import('./sandbox.ts')).sandboxExam(args),
  },
  'sandbox sign-report': {
    usage:
      'sandbox sign-report [--study ID|UID] [--text FILE] [--critical] [--url URL] [--key-file F] [--json]',
    about: 'sign a report in the sandbox and deliver it to the partner',
    options: SANDBOX_REPORT_OPTIONS,
    run: async (args) => (await import('./sandbox.ts')).sandboxReport(args),
  },
  'sandbox event': {
    usage: 'sandbox event EVENT [--data FILE.json] [--dry-run] [--url URL] [--key-file F] [--json]',
    about:
      'send an event to the webhook of the sandbox and print how the gateway would interpret the response',
    options: SANDBOX_EVENT_OPTIONS,
    run: async (args) => (await import('./sandbox.ts')).sandboxEvent(args),
  },
  'sandbox advance': {
    usage: 'sandbox advance [--url URL] [--key-file F] [--json]',
    about: 'retry every waiting report of the sandbox now',
    options: SANDBOX_OPTIONS,
    run: async (args) => (await import('./sandbox.ts')).sandboxAdvance(args),
  },
  'simulator partner': {
    usage:
      'simulator partner --port P --secret-file F|--secret-stdin [--worklist FILE.json] [--scenario normal|slow|down|refuse|garbage|huge|oversize] [--images] [--demo]',
    about:
      'simulate a partner that verifies signatures and responds to all seven events; --images: include a sample CT for the viewer',
    options: PARTNER_SIMULATOR_OPTIONS,
    run: async (args) => (await import('./simulate-partner.ts')).simulatePartner(args),
  },
  'simulator modality': {
    usage:
      'simulator modality --ae-title CT1 --to HOST:PORT [--called-ae-title ISTHMUS] [--modality CT] [--date YYYYMMDD|any]',
    about:
      'simulate a device: send a C-ECHO, query the worklist and print it as a console would show it',
    options: MODALITY_SIMULATOR_OPTIONS,
    run: async (args) => (await import('./simulate-modality.ts')).simulateModality(args),
  },
  'simulator day': {
    usage:
      'simulator day --to HOST:PORT --window URL --radiologist E --password-file F [--called-ae-title ISTHMUS]',
    about:
      'simulate the devices and a radiologist of a clinic, as npm run demo does; only for a gateway without real patients',
    options: DAY_SIMULATOR_OPTIONS,
    run: async (args) => (await import('./simulate-day.ts')).simulateDay(args),
  },
  help: {
    usage: 'help [COMMAND]',
    about: 'print this list, or the options of one command, as COMMAND --help does',
    options: {},
    run: (words) => {
      process.stdout.write(`${helpFor(words)}\n`)
      return Promise.resolve(0)
    },
  },
}

/** @throws UsageError if no command begins with these words */
export function helpFor(words: readonly string[]): string {
  if (words.length === 0) return help()
  const name = nameOf(words)
  const command = name === undefined ? undefined : COMMANDS[name]
  if (command) return helpOf(command)
  const group = groupOf(words[0] ?? '')
  if (group.length > 0)
    return `isthmus ${words[0]} <command>\n\n${listOf(group)}\n\n${OPTIONS_HINT}`
  throw unknownCommandError(words)
}

const OPTIONS_HINT = '“isthmus COMMAND --help” lists the options of a command.'

const help = () => `isthmus <command>\n\n${listOf(Object.values(COMMANDS))}\n\n${OPTIONS_HINT}`

/** Two-word commands that begin with this word. */
const groupOf = (word: string): Command[] =>
  Object.entries(COMMANDS)
    .filter(([name]) => name.startsWith(`${word} `))
    .map(([, command]) => command)

/** The name of the command at the start of the words; the longest match counts. */
const nameOf = (words: readonly string[]): string | undefined =>
  [2, 1]
    .filter((length) => length <= words.length)
    .map((length) => words.slice(0, length).join(' '))
    .find((name) => Object.hasOwn(COMMANDS, name))

function unknownCommandError(words: readonly string[]): UsageError {
  const group = groupOf(words[0] ?? '')
  const commandList =
    group.length > 0 ? `isthmus ${words[0]} <command>\n\n${listOf(group)}` : help()
  return new UsageError(`There is no command “${words.slice(0, 2).join(' ')}”.\n\n${commandList}`)
}

/**
 * The command at the start of the words, and the remaining words; with `--help` among them, the
 * help of that command. @throws UsageError
 */
export function commandOf(words: readonly string[]): {
  name: string
  command: Command
  rest: readonly string[]
} {
  const end = words.indexOf('--')
  const options = end < 0 ? words : words.slice(0, end)
  const helpCommand = { name: 'help', command: COMMANDS.help as Command }
  if (words.length === 0) return { ...helpCommand, rest: [] }
  if (options.includes('--help') || options.includes('-h')) {
    const firstOption = words.findIndex((word) => word.startsWith('-'))
    return { ...helpCommand, rest: words.slice(0, firstOption) }
  }
  const name = nameOf(words)
  if (name === undefined) throw unknownCommandError(words)
  return { name, command: COMMANDS[name] as Command, rest: words.slice(name.split(' ').length) }
}

/** Runs one command and sets the exit code of the process. */
export async function main(args: readonly string[]): Promise<void> {
  let usage: string | undefined
  try {
    const { name, command, rest } = commandOf(args)
    usage = usageLines(name, command)
    process.exitCode = await command.run(rest)
  } catch (error) {
    const { sentence, exitCode } = failureOf(error, usage)
    process.stderr.write(`${sentence}\n`)
    process.exitCode = exitCode
  }
}

/**
 * The error message and exit code of a failed command: 2 for a usage error, otherwise 1. An
 * internal error includes its stack. `usage` is appended for an unknown option.
 */
export function failureOf(error: unknown, usage = ''): { sentence: string; exitCode: number } {
  if (error instanceof UsageError) return { sentence: error.message, exitCode: 2 }
  const isParseArgsError =
    error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (isParseArgsError) {
    // Node's hint about positional arguments obscures the actual error.
    const errorText = error.message.replace(/\. To specify a positional argument .*$/s, '.')
    const sentence = [errorText, usage].filter((text) => text !== '').join('\n\n')
    return { sentence, exitCode: 2 }
  }
  const sentence =
    userErrorText(error) ??
    (error instanceof Error ? (error.stack ?? error.message) : String(error))
  return { sentence, exitCode: 1 }
}
