import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { Fault } from './fault.ts'

/** Why the fault cannot be planted in the text, as a sentence; undefined where it can. */
export function whyNotPlanted({ file, find, replace }: Fault, text: string): string | undefined {
  const count = text.split(find).length - 1
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

export function planted({ find, replace }: Pick<Fault, 'find' | 'replace'>, text: string): string {
  const at = text.indexOf(find)
  return text.slice(0, at) + replace + text.slice(at + find.length)
}

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
