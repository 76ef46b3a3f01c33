import { DATA_COMMANDS } from '#server/modules/control/commands.ts'
import { runDataCommand } from './data-command.ts'
import { UsageError } from './words.ts'

export interface Command {
  readonly usage: string
  readonly about: string
  /** Resolves with the exit code. */
  readonly run: (args: readonly string[]) => Promise<number>
}

/**
 * Every command of the command line, stable: its words, what it does. What a command needs is
 * loaded when it runs: a command on the data folder ends before the web server of `serve` would be
 * loaded.
 */
export const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    usage:
      'serve --data DIR [--http HOST:PORT] [--https HOST:PORT] [--dimse HOST:PORT] [--dimse-tls PORT|off] [--ae-title T] [--partner-url URL] [--partner-secret-file F] [--allow-unknown-devices] [--data-key-file F] [--log-file F] [--rescue] [--safe-mode]',
    about:
      'run the gateway until it is told to stop; --rescue: a page to put a back-up back where its data cannot be opened; --safe-mode: only the window of this PC, no device is served and nothing is sent',
    run: async (args) => (await import('./serve.ts')).serve(args),
  },
  ...Object.fromEntries(
    Object.entries(DATA_COMMANDS).map(([name, command]) => [
      name,
      {
        usage: `${name} --data DIR ${command.usage}`,
        about: command.about,
        run: (args: readonly string[]) => runDataCommand(name, command, args),
      },
    ]),
  ),
  recover: {
    usage: 'recover --data DIR --recovery-key-stdin',
    about:
      'put a lost data.key back with the recovery key, read from standard input, and print a link to sign in by',
    run: async (args) => (await import('./recover.ts')).recover(args),
  },
  restore: {
    usage: 'restore --data DIR --from BACKUP_FOLDER [--recovery-key-stdin] [--yes]',
    about:
      'put a back-up in the place of the database, which is kept aside; on a new PC with the recovery key, read from standard input',
    run: async (args) => (await import('./restore.ts')).restore(args),
  },
  'simulator partner': {
    usage:
      'simulator partner --port P --secret-file F|--secret-stdin [--worklist FILE.json] [--scenario normal|slow|down|refuse|garbage|huge|oversize] [--images]',
    about:
      'a small partner that checks signatures and answers all seven events; --images: with an invented CT for the viewer',
    run: async (args) => (await import('./simulate-partner.ts')).simulatePartner(args),
  },
  'simulator modality': {
    usage:
      'simulator modality --ae-title CT1 --to HOST:PORT [--called-ae-title ISTHMUS] [--modality CT] [--date YYYYMMDD|any]',
    about: 'play a device: echo, then the worklist, printed as a console shows it',
    run: async (args) => (await import('./simulate-modality.ts')).simulateModality(args),
  },
  help: {
    usage: 'help',
    about: 'this list',
    run: () => {
      process.stdout.write(`${help()}\n`)
      return Promise.resolve(0)
    },
  },
}

function help(): string {
  const lines = Object.values(COMMANDS).map(({ usage, about }) => `  ${usage}\n      ${about}`)
  return `isthmus <command>\n\n${lines.join('\n')}`
}

/**
 * The command the words begin with, the longest name first, and the words behind it. @throws
 * UsageError
 */
export function commandOf(words: readonly string[]): { command: Command; rest: readonly string[] } {
  const asked = words.length === 0 || words[0] === '--help' || words[0] === '-h' ? ['help'] : words
  for (const length of [2, 1]) {
    const command = Object.hasOwn(COMMANDS, asked.slice(0, length).join(' '))
      ? COMMANDS[asked.slice(0, length).join(' ')]
      : undefined
    if (command) return { command, rest: asked.slice(length) }
  }
  throw new UsageError(`There is no command “${words.slice(0, 2).join(' ')}”.\n\n${help()}`)
}
