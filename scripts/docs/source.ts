import { readdirSync, readFileSync } from 'node:fs'
import en from '#shared/messages/en.json' with { type: 'json' }

const read = (path: string): string =>
  readFileSync(new URL(`../../electron/server/${path}`, import.meta.url), 'utf8')

/** TypeScript files of a folder below `electron/server`. */
export const filesIn = (folder: string): string[] =>
  readdirSync(new URL(`../../electron/server/${folder}`, import.meta.url))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)

/** Numbers of four hex digits in the code of these files. */
export const hexNumbersIn = (...files: readonly string[]): number[] =>
  files.flatMap((file) =>
    [...read(file).matchAll(/\b0x([0-9a-f]{4})\b/g)].map(([, code = '']) =>
      Number.parseInt(code, 16),
    ),
  )

/** Keys of `SOP_CLASS` that the files of a folder name. */
export const sopClassKeysIn = (folder: string): string[] =>
  filesIn(folder).flatMap((file) =>
    [...read(file).matchAll(/\bSOP_CLASS\.(\w+)/g)].map(([, name = '']) => name),
  )

const ENGLISH: Readonly<Record<string, string>> = en
/** The text of a message; what it fills in is an ellipsis. */
const textOf = (code: string): string =>
  (ENGLISH[code] ?? '').replace(/\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')

/** A value in a source, from where it begins to the comma or bracket that ends it. */
function valueAt(source: string, start: number): string {
  let depth = 0
  for (let at = start; at < source.length; at++) {
    const one = source[at] ?? ''
    if (one === "'" || one === '`') at = source.indexOf(one, at + 1)
    else if ('([{'.includes(one)) depth++
    else if (depth === 0 && ',)]}'.includes(one)) return source.slice(start, at)
    else if (')]}'.includes(one)) depth--
  }
  return source.slice(start)
}

/** Texts that an expression of a source may be: of its literals and messages, also by name. */
function textsOf(expression: string, source: string): string[] {
  const literals = [...expression.matchAll(/(['`])([A-Z][^'`]*)\1/g)].map(([, , words = '']) =>
    words.replace(/\$\{[^}]*\}/g, '…'),
  )
  const named = [...expression.matchAll(/\b([A-Z_]{3,}|[a-z]\w+)(?=\(|\b)/g)].flatMap(
    ([, name = '']) => {
      const made = new RegExp(`^(?:const|function) ${name}\\b[^;]{0,160}?message\\('([^']+)'`, 'm')
      const code = name === 'message' ? undefined : made.exec(source)?.[1]
      return code === undefined ? [] : [textOf(code)]
    },
  )
  const codes = [...expression.matchAll(/message\('([^']+)'/g)].map(([, code = '']) => textOf(code))
  return [...codes, ...literals, ...named]
}

/** What is before an Error Comment in a source: `new DimseError(0x0110, `, and a result. */
const COMMENT = [
  /DimseError\(\s*0x([0-9a-f]{4}),\s*/g,
  /status: 0x([0-9a-f]{4}),\s*errorComment: /g,
]

/**
 * Error Comments (0000,0902) that the code of these files sends, by status; what it fills in is an
 * ellipsis.
 */
export function errorCommentsIn(
  ...files: readonly string[]
): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>()
  for (const file of files) {
    const source = read(file)
    for (const pattern of COMMENT) {
      for (const match of source.matchAll(pattern)) {
        const status = Number.parseInt(match[1] ?? '', 16)
        const known = found.get(status) ?? []
        const texts = textsOf(valueAt(source, match.index + match[0].length), source)
        found.set(status, [...new Set([...known, ...texts])])
      }
    }
  }
  return found
}

/**
 * The first match of a pattern in a file. @throws RangeError where there is none: the code is not
 * what it was
 */
export function matchIn(file: string, pattern: RegExp): RegExpExecArray {
  const found = pattern.exec(read(file))
  if (!found) throw new RangeError(`${file} has nothing like ${pattern}`)
  return found
}
