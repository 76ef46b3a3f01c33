import { DATA_COMMANDS } from '#gateway/commands.ts'
import { runDataCommand } from './data-command.ts'
import { serve } from './serve.ts'
import { simulatePartner } from './simulate-partner.ts'

export interface Command {
  readonly usage: string
  readonly about: string
  /** Resolves with the exit code. */
  readonly run: (args: readonly string[]) => Promise<number>
}

/** Every command of the command line, stable: its words, what it does. */
export const COMMANDS: Record<string, Command> & { readonly help: Command } = {
  serve: {
    usage:
      'serve --data DIR [--http HOST:PORT] [--dimse HOST:PORT] [--ae-title T] [--partner-url URL] [--partner-secret whsec_… | --partner-secret-file F] [--allow-unknown-devices]',
    about: 'run the gateway until it is told to stop',
    run: serve,
  },
  ...Object.fromEntries(
    Object.entries(DATA_COMMANDS).map(([name, command]) => [
      name,
      { usage: `${name} --data DIR ${command.usage}`, about: command.about, run: (args: readonly string[]) => runDataCommand(name, command, args) },
    ]),
  ),
  'simulator partner': {
    usage: 'simulator partner --port P --secret whsec_… [--worklist FILE.json] [--scenario normal|slow|down|refuse|garbage|huge|oversize]',
    about: 'a small partner that checks signatures and answers all seven events',
    run: simulatePartner,
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

/** The command the words begin with, the longest first; `help` where there is none. */
export function commandOf(words: readonly string[]): { name: string & keyof typeof COMMANDS; rest: string[] } {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    if (words.length >= length && Object.hasOwn(COMMANDS, name)) return { name, rest: words.slice(length) }
  }
  if (words.length === 0 || words[0] === '--help' || words[0] === '-h') return { name: 'help', rest: [] }
  return { name: 'help', rest: [] }
}
