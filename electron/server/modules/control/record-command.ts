import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'
import type { CommandOption } from './command.ts'

/** Shared by the commands for devices and destinations. */

export const ACTOR = 'command-line'

export const LIST_OPTIONS = {
  json: { type: 'boolean', about: 'Print JSON with every field.' },
} as const satisfies Record<string, CommandOption>

/** Options of an update: no defaults and none required, because omitted fields stay unchanged. */
export const withoutDefaults = (
  options: Readonly<Record<string, CommandOption>>,
): Record<string, CommandOption> =>
  Object.fromEntries(
    Object.entries(options).map(([name, { initial: _, isRequired: __, ...option }]) => [
      name,
      option,
    ]),
  )

/** `--ae-title TEXT …`: the required options, followed by a placeholder for the others. */
export const usageOf = (options: Readonly<Record<string, CommandOption>>): string =>
  [
    ...Object.entries(options)
      .filter(([, { isRequired }]) => isRequired)
      .map(([name, { takes }]) => `--${name} ${takes}`),
    '[OPTION …]',
  ].join(' ')

/**
 * Requires that the command has no positional arguments.
 * @throws ApiError malformed
 */
export function requireNoArguments(command: string, words: readonly string[]): void {
  if (words.length > 0)
    throw new ApiError(
      'malformed',
      verbatim(
        `${command} takes options only; “${words[0]}” is none. ${command} --help lists them.`,
      ),
    )
}

/**
 * Finds the record that the argument names by its id or by another name.
 * @throws ApiError malformed if there is not exactly one argument; not-found; refused if several
 *   records have this name
 */
export function findRecord<T>(
  command: string,
  words: readonly string[],
  records: readonly T[],
  names: { readonly kind: string; readonly id: keyof T; readonly others: readonly (keyof T)[] },
): T {
  const { kind, id, others } = names
  const [word] = words
  if (word === undefined || words.length > 1)
    throw new ApiError(
      'malformed',
      verbatim(`${command} takes one ${kind}: its id, AE title or name. ${kind} list shows them.`),
    )
  const exact = records.find((record) => record[id] === word)
  if (exact) return exact
  const folded = word.trim().toUpperCase()
  const found = records.filter((record) =>
    others.some((name) => String(record[name]).trim().toUpperCase() === folded),
  )
  const [only] = found
  if (only === undefined)
    throw new ApiError(
      'not-found',
      verbatim(`There is no ${kind} “${word}”. ${kind} list shows them.`),
    )
  if (found.length > 1)
    throw new ApiError(
      'refused',
      verbatim(
        `${found.length} ${kind}s are called “${word}”: name one by its id, as ${kind} list shows it.`,
      ),
    )
  return only
}

/**
 * Requires that at least one field changes.
 * @throws ApiError malformed
 */
export function requireChange(command: string, patch: object): void {
  if (Object.keys(patch).length === 0)
    throw new ApiError(
      'malformed',
      verbatim(`Nothing to change was given. ${command} --help lists the options.`),
    )
}

/**
 * Formats a table with columns as wide as their widest value. Control characters, which the AE
 * title of a caller may contain, are replaced: a terminal would carry them out.
 */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [headings, ...rows].map((line) =>
    line.map((value) => value.replace(/\p{Cc}/gu, '?')),
  )
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((value, at) => value.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
