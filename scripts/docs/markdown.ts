/** Tables by their name in a mark; some ask the code over a socket, so they may take a moment. */
export type Tables = Readonly<Record<string, () => string | Promise<string>>>

/** A table as Markdown has it. A cell is one line, and its bars are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

const MARKED = /<!-- table: ([a-z0-9-]+) -->\n[\s\S]*?<!-- end -->/g

/**
 * Names of the tables a document has, in their order. @throws RangeError where a mark has no end,
 * or an end no mark
 */
export function marksIn(text: string): string[] {
  const whole = [...text.matchAll(MARKED)].map(([, name = '']) => name)
  const begun = text.match(/<!-- table:/g)?.length ?? 0
  const ended = text.match(/<!-- end -->/g)?.length ?? 0
  if (whole.length !== begun || whole.length !== ended)
    throw new RangeError(`${begun} tables are begun and ${ended} ended`)
  return whole
}

/**
 * The document with each marked table regenerated. @throws RangeError as `marksIn`, or for a mark
 * that no table is made for
 */
export async function filled(text: string, tables: Tables): Promise<string> {
  const made = new Map<string, string>()
  for (const name of marksIn(text)) {
    const make = Object.hasOwn(tables, name) ? tables[name] : undefined
    if (!make) throw new RangeError(`no table is called ${name}`)
    if (!made.has(name)) made.set(name, await make())
  }
  return text.replace(
    MARKED,
    (_, name: string) => `<!-- table: ${name} -->\n${made.get(name)}\n<!-- end -->`,
  )
}

/** `0110`. */
export const hex4 = (number: number): string => number.toString(16).toUpperCase().padStart(4, '0')
export const kib = (bytes: number): string => `${bytes / 1024} KiB`
export const mib = (bytes: number): string => `${bytes / 1024 ** 2} MiB`
export const yesNo = (is: boolean): string => (is ? 'Yes' : 'No')
