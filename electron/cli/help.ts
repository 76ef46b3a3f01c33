import type { CommandOption } from '#server/modules/control/command.ts'

export interface CommandHelp {
  readonly usage: string
  readonly about: string
  readonly options: Readonly<Record<string, CommandOption>>
}

/** The help of a command: its usage, description and options. */
export function helpOf({ usage, about, options }: CommandHelp): string {
  const visibleOptions = Object.entries(options).filter(([, { isHidden }]) => !isHidden)
  const lines = visibleOptions.flatMap(([name, option]) => [
    `  ${syntaxOf(name, option)}`,
    `      ${sentencesOf(option)}`,
  ])
  return [`Usage: isthmus ${usage}`, '', sentenceCase(about), '', 'Options:', ...lines, HELP].join(
    '\n',
  )
}

const HELP = '  --help\n      Print this help.'

/** A list of commands with their descriptions. */
export const listOf = (commands: readonly CommandHelp[]): string =>
  commands.map(({ usage, about }) => `  ${usage}\n      ${about}`).join('\n')

/** Appended to the message of a usage error. */
export const usageLines = (name: string, { usage }: CommandHelp): string =>
  `Usage: isthmus ${usage}\n“isthmus ${name} --help” lists the options.`

function syntaxOf(name: string, { takes, isNegatable }: CommandOption): string {
  if (isNegatable) return `--${name}, --no-${name}`
  return takes === undefined ? `--${name}` : `--${name} ${takes}`
}

function sentencesOf(option: CommandOption): string {
  const { about, isRequired, multiple, initial, default: given } = option
  const defaultValue = initial ?? (typeof given === 'string' && given !== '' ? given : undefined)
  return [
    about,
    ...(multiple ? ['Joined with commas, or repeated.'] : []),
    ...(isRequired ? ['Required.'] : []),
    ...(defaultValue === undefined ? [] : [`Default: ${defaultValue}.`]),
  ].join(' ')
}

const sentenceCase = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
