import { COMMANDS } from '#electron/cli/commands.ts'
import { table } from './markdown.ts'

/** The commands of each table, by the beginning of their names. */
const GROUPS = {
  run: ['serve', 'status', 'lock', 'doctor', 'help'],
  accounts: ['sign-in-link', 'user', 'api-key', 'link', 'file-host'],
  devices: ['device', 'destination', 'connection-sheet'],
  configuration: ['config', 'apply'],
  recovery: ['backup', 'rehearse', 'restore', 'recover', 'replicate', 'take-over', 'standby'],
  updates: ['preflight', 'prepare-update', 'way-back'],
  images: ['lifecycle', 'tiers'],
  trying: ['sandbox', 'conformance', 'simulator'],
} as const satisfies Readonly<Record<string, readonly string[]>>

const isOf = (name: string, start: string) => name === start || name.startsWith(`${start} `)

/**
 * The commands of a group with their usage. @throws RangeError for a command that is in no group
 */
export function commandTable(group: keyof typeof GROUPS): string {
  const starts = Object.values(GROUPS).flat()
  for (const name of Object.keys(COMMANDS))
    if (!starts.some((start) => isOf(name, start)))
      throw new RangeError(`the command ${name} is in no table of docs/COMMANDS.md`)
  const rows = GROUPS[group].flatMap((start) =>
    Object.entries(COMMANDS)
      .filter(([name]) => isOf(name, start))
      .map(([, { usage, about }]) => [`\`${usage}\``, sentence(about)]),
  )
  return table(['Command', 'Description'], rows)
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
