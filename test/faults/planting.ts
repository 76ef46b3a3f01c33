import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { Fault } from './fault.ts'

/** Why the fault cannot be planted in the text, as a sentence; undefined where it can. */
export function whyNotPlanted({ file, find, replace }: Fault, text: string): string | undefined {
  const count = [...text.matchAll(new RegExp(anyLayout(find), 'g'))].length
  if (count === 0) return `${file} does not have its text any more.`
  if (count > 1) return `${file} has its text ${count} times.`
  if (find === replace) return 'It changes nothing.'
  try {
    stripTypeScriptTypes(planted({ find, replace }, text))
  } catch (error) {
    return `With it, ${file} cannot be parsed: ${(error as Error).message}`
  }
  return undefined
}

export const planted = ({ find, replace }: Pick<Fault, 'find' | 'replace'>, text: string): string =>
  text.replace(new RegExp(anyLayout(find)), () => replace)

/**
 * A pattern for this code however the formatter has broken its lines: where it has a space or a
 * bracket there may be any white space, and a comma before a bracket that closes.
 */
const anyLayout = (code: string): string =>
  code
    .trim()
    .split(/\s+|(?<=[([{])|(?=[)\]}.])/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .map((part, at) => (at === 0 ? part : /^\\[)\]}]/.test(part) ? `,?\\s*${part}` : `\\s*${part}`))
    .join('')

/**
 * Plants the fault below `root` while `work` runs. The file is written anew: it may be a hard link.
 */
export async function withFault<T>(root: string, fault: Fault, work: () => Promise<T>): Promise<T> {
  const path = join(root, fault.file)
  const text = readFileSync(path, 'utf8')
  const why = whyNotPlanted(fault, text)
  if (why !== undefined) throw new Error(why)
  const write = (content: string) => {
    rmSync(path)
    writeFileSync(path, content)
  }
  write(planted(fault, text))
  try {
    return await work()
  } finally {
    write(text)
  }
}
