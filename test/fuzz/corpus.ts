import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const CORPUS = join(import.meta.dirname, 'corpus')

/** An input and where it is from. */
export interface NamedInput {
  readonly name: string
  readonly bytes: Buffer
}

/**
 * The checked-in inputs of a target, in the order of their names: `make-corpus.ts` makes those
 * named `made-…`, and those named `found-…` once broke something.
 */
export function corpusOf(target: string, folder: string = CORPUS): NamedInput[] {
  const own = join(folder, target)
  if (!existsSync(own)) return []
  return readdirSync(own)
    .sort()
    .map((name) => ({ name, bytes: readFileSync(join(own, name)) }))
}
