import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentPath, pagesOf } from '../../scripts/docs/documents.ts'

// docs/PROMISES.md and its pages as data, for the tests, scripts/promises.mjs and
// scripts/faults.mjs.

const tests = join(import.meta.dirname, '..')
/** The files that have the promises. */
export const PROMISE_FILES = pagesOf('PROMISES.md').map(documentPath)
export const promisesText = (): string =>
  PROMISE_FILES.map((file) => readFileSync(file, 'utf8')).join('\n')

export interface Reference {
  /** A path below test/. */
  readonly file: string
  readonly name: string
}
export interface Statement {
  readonly id: string
  readonly sentence: string
  readonly tests: readonly Reference[]
  /** Why no test proves it; empty where tests do. */
  readonly reason: string
}

const ROW = /^\| (P-[A-Z]+-\d\d) \| (.+?) \| (.+) \|$/

export function readPromises(text: string): Statement[] {
  return text.split('\n').flatMap((line) => {
    const [, id = '', sentence = '', proof = ''] = ROW.exec(line) ?? []
    if (!id) return []
    const references = [...proof.matchAll(/`([^`]+?) › ([^`]+)`/g)]
    const tests = references.map(([, file = '', name = '']) => ({ file, name }))
    const reason = /^not proved: (.*)$/.exec(proof)?.[1] ?? ''
    return [{ id, sentence, tests, reason }]
  })
}

/** The text of a file below test/; undefined where there is none. */
export function readTestFile(file: string): string | undefined {
  const path = join(tests, file)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/**
 * Whether a call in the text takes exactly this name as its first argument, as `it` and `it.each()`
 * do.
 */
export function hasTest(text: string, name: string): boolean {
  const literals = [`'${name.replaceAll("'", "\\'")}'`, `"${name}"`, `\`${name}\``]
  return literals.some((literal) => {
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1))
      if (/\(\s*$/.test(text.slice(Math.max(0, at - 40), at))) return true
    return false
  })
}

/** Every file of tests, by its path below test/. */
export const testFiles = (): string[] =>
  readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.(test|spec)\.tsx?$/.test(path))

/** What is wrong with the references of a promise, a sentence each. */
export function findFaults(
  { id, tests: references, reason }: Statement,
  read: (file: string) => string | undefined,
  files: () => readonly string[],
): string[] {
  if (references.length === 0)
    return reason.length < 20 ? [`${id} has no test, and does not say why.`] : []
  if (reason) return [`${id} has tests, and says that it is not proved.`]
  return references.flatMap(({ file, name }) => {
    const text = read(file)
    if (text !== undefined && hasTest(text, name)) return []
    const problem = text === undefined ? 'does not exist' : `has no test “${name}”`
    const found = files().filter((other) => hasTest(read(other) ?? '', name))
    const hint = found.length > 0 ? ` “${name}” is in ${found.join(' and ')}.` : ''
    return [`${id}: ${file} ${problem}.${hint}`]
  })
}
