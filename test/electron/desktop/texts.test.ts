import { expect, it } from 'vitest'
import { shellTexts } from '../../../electron/desktop/texts.ts'

/** Every text of a tree of words, by its path. */
function textsOf(words: unknown, path = ''): [string, string][] {
  if (typeof words === 'string') return [[path, words]]
  if (typeof words === 'function') return [[path, (words as (one: never) => string)(7 as never)]]
  return Object.entries(words as object).flatMap(([name, inner]) =>
    textsOf(inner, `${path}.${name}`),
  )
}

const SAME: readonly string[] = ['.language']

it('says everything in Spanish that it says in English', () => {
  const en = new Map(textsOf(shellTexts('en')))
  const es = new Map(textsOf(shellTexts('es')))
  expect([...es.keys()]).toEqual([...en.keys()])
  const untold = [...en].filter(
    ([path, text]) => text === '' || (es.get(path) === text && !SAME.includes(path)),
  )
  expect(untold).toEqual([])
})

it.each([
  ['es', 'es'],
  ['es-419', 'es'],
  ['ES-mx', 'es'],
  ['en-US', 'en'],
  ['est', 'en'],
  ['de', 'en'],
  ['', 'en'],
])('speaks to a system in %j in %s', (locale, language) => {
  expect(shellTexts(locale).language).toBe(language)
})
