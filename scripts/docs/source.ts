import { readdirSync, readFileSync } from 'node:fs'

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

const COMMENT = [
  // new DimseError(0x0110, 'words')
  /DimseError\(\s*0x([0-9a-f]{4}),\s*(?:commentOf\()?(['`])(.+?)\2/g,
  // { status: 0x0110, errorComment: 'words' }
  /status: 0x([0-9a-f]{4}),\s*errorComment: (['`])(.+?)\2/g,
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
    const constants = new Map(
      [...source.matchAll(/^const ([A-Z_]+) = '([^']+)'$/gm)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    )
    for (const pattern of COMMENT) {
      for (const [, code = '', , words = ''] of source.matchAll(pattern)) {
        const status = Number.parseInt(code, 16)
        const comment = words.replace(
          /\$\{([^}]*)\}/g,
          (_, what: string) => constants.get(what) ?? '…',
        )
        const known = found.get(status) ?? []
        if (!known.includes(comment)) found.set(status, [...known, comment])
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
