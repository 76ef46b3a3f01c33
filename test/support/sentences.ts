import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { literalsOf } from './literals.ts'
import { NOT_READ_FILES, NOT_READ_FORMS, NOT_READ_TEXTS } from './not-read.ts'

/**
 * Something the gateway says to a person at the window, with `{}` where a value stands, and the
 * first file that says it.
 */
export interface SaidText {
  readonly text: string
  readonly file: string
}

export interface SaidTexts {
  /** Whole sentences: a capital first, a full stop last. */
  readonly sentences: readonly SaidText[]
  /**
   * What sentences are put together of, and what is said of a field: `must be 10 digits`,
   * `{} images`.
   */
  readonly fragments: readonly SaidText[]
  /** Every literal there is: what the catalogue may have. */
  readonly literals: ReadonlySet<string>
}

const ROOT = join(import.meta.dirname, '../..')
const PLACES = [
  'electron/server',
  'shared',
  'renderer/src/viewer/engine',
  'renderer/src/client.ts',
  'electron/desktop/updates.ts',
  'electron/desktop/update-place.ts',
]

/** What the sources say to the people at the window. */
export function saidTexts(): SaidTexts {
  const sentences = new Map<string, SaidText>()
  const fragments = new Map<string, SaidText>()
  const literals = new Set<string>()
  for (const path of PLACES.flatMap(sourcesIn)) {
    const file = relative(ROOT, path)
    const isRead = !NOT_READ_FILES.some(({ files }) => files.test(file))
    for (const text of literalsOf(readFileSync(path, 'utf8'))) {
      literals.add(text)
      if (!isRead || !isSaid(text, file)) continue
      const kind = isSentence(text) ? sentences : fragments
      if (!kind.has(text)) kind.set(text, { text, file })
    }
  }
  return { sentences: [...sentences.values()], fragments: [...fragments.values()], literals }
}

const sourcesIn = (place: string): string[] =>
  place.endsWith('.ts')
    ? [join(ROOT, place)]
    : readdirSync(join(ROOT, place), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()

const isSentence = (text: string): boolean => /^[A-Z“{]/.test(text) && /[.…?!]$/.test(text)

/**
 * Of more than one word. What begins with a space or a comma is a part of the template around it,
 * whose forms are in `FORMS`.
 */
const isSaid = (text: string, file: string): boolean =>
  / /.test(text.trim()) &&
  /[a-z]/.test(text.replaceAll('{}', '')) &&
  !/^[\s,;(]/.test(text) &&
  !NOT_READ_FORMS.some(({ form, within }) => form.test(text) && (within?.test(file) ?? true)) &&
  !NOT_READ_TEXTS.some(({ texts }) => texts.includes(text))
