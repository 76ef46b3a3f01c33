import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import { matchesTerms, termsOf } from '#server/database/search-text.ts'
import { searchWords } from '#server/database/search-words.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../support/property-runs.ts'
import { tempFolder } from '../../../support/temp-store.ts'

const words = searchWords(Buffer.alloc(32, 7))
const uid = '1.2.826.0.1.3680043.10.999.17'
const found = (search: string, ...texts: string[]) => matchesTerms(termsOf(search), { texts, uid })

describe('what a study is found by', () => {
  it.each([
    ['müller', 'MUELLER^Ana', false],
    ['muller', 'Müller^Ana', true],
    ['MÜLLER ana', 'Müller^Ana', true],
    ['ana muller', 'Müller^Ana', true],
    ['ana, muller', 'Müller^Ana', true],
    ['ull', 'Müller^Ana', true],
    ['m', 'Müller^Ana', true],
    ['an', 'Müller^Ana', true],
    ['u', 'Müller^Ana', false],
    ['ul', 'Müller^Ana', false],
    ['brien', "O'Brien^Pat", true],
    ['b', "O'Brien^Pat", true],
    ["o'b", "O'Brien^Pat", true],
    ['山田', 'Yamada^Tarou=山田^太郎=やまだ^たろう', true],
    ['太', 'Yamada^Tarou=山田^太郎=やまだ^たろう', true],
    ['郎', 'Yamada^Tarou=山田^太郎=やまだ^たろう', true],
    ['だ', 'Yamada^Tarou=山田^太郎=やまだ^たろう', true],
    ['た', 'やまだ^はなこ', false],
    ['김', 'Kim^Minsu=김^민수', true],
    ['%', '100 %', true],
    ['_', 'ab_c', false],
    ['b_c', 'ab_c', true],
    ['b*', 'abc', false],
    ['***', 'abc', false],
    ['"a', 'abc', false],
    ['1.2.826', 'x', true],
    ['1.2', 'x', true],
    ['2.826', 'x', false],
    ['1', 'x', false],
    ['^', 'x', true],
  ])('%j in %j: %j', (search, text, isThere) => {
    expect(found(search, text)).toBe(isThere)
  })

  it('are ten words at most, each once, whatever is typed', () => {
    expect(termsOf('a b c d e f g h i j k l a')).toHaveLength(10)
    expect(termsOf('ct CT ^= cT')).toEqual(['ct'])
  })
})

describe('the blind index', () => {
  const piece = fc.constantFrom(
    'ann',
    'Anná',
    'o’b',
    '山田',
    '太郎',
    'CT',
    'thorax',
    '1.2',
    '1.2.826.0.1',
    '%',
    '"',
    '*',
    'OR',
    'ß',
    '𠮷野',
    'MRN-00',
    '11',
    '111',
  )
  const text = fc
    .array(fc.oneof(piece, fc.constantFrom(' ', '^', '=', ',')), { maxLength: 6 })
    .map((parts) => parts.join(''))

  it('lets through every text that is found, and of exact expressions no other', {
    timeout: RUNS_TIMEOUT_MS,
  }, () => {
    using temp = tempFolder()
    using database = Database.open(`${temp.folder}/words.sqlite`)
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 3 }),
        text,
        fc.constantFrom(uid, '2.25.111', '1.2'),
        (texts, search, uid) => {
          const terms = termsOf(search)
          fc.pre(terms.length > 0)
          const expressions = words.expressionsOf(search)
          expect(expressions).toHaveLength(terms.length)
          database.run(
            rawQuery('replace into imageStudyWords (rowid, words) values (1, ?)', [
              words.wordsOf({ texts, uid }),
            ]),
          )
          for (const [at, expression] of expressions.entries()) {
            const isLet =
              database.get(
                rawQuery('select 1 from imageStudyWords where imageStudyWords match ?', [
                  expression.text,
                ]),
              ) !== undefined
            const isThere = matchesTerms([terms[at] ?? ''], { texts, uid })
            if (isThere || expression.isExact) expect(isLet).toBe(isThere)
          }
        },
      ),
      runs(400),
    )
  })

  it('says nothing of a text, other under another key, and the same under the same', () => {
    const record = { texts: ['Zzyzx^Quentin'], uid }
    const here = words.wordsOf(record)
    expect(here).toMatch(/^[a-z2-7]{10}( [a-z2-7]{10})*$/)
    expect(here).not.toMatch(/zzy|que|826/i)
    expect(searchWords(Buffer.alloc(32, 7)).wordsOf(record)).toBe(here)
    const other = new Set(searchWords(Buffer.alloc(32, 8)).wordsOf(record).split(' '))
    expect(here.split(' ').filter((word) => other.has(word))).toEqual([])
  })
})
