import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isShort, matchExpression, trigramWords } from '#server/database/trigrams.ts'
import { folded } from '#server/platform/text.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../support/property-runs.ts'

describe('folding', () => {
  it.each([
    ['CT Thorax', 'ct thorax'],
    ['Échographie du foie', 'echographie du foie'],
    ['ŁÓDŹ Straße ŒDEMA', 'lodz strasse oedema'],
    ['Рентген ГРУДНОЙ клетки', 'рентген груднои клетки'],
    ['ΘΏΡΑΚΑΣ', 'θωρακασ'],
    ['İSTANBUL', 'istanbul'],
    ['頭部ＣＴ', '頭部ct'],
    ['가각', '가각'],
  ])('takes case and accents off %s', (text, expected) => {
    expect(folded(text)).toBe(expected)
  })

  it('of a folded text changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => folded(folded(text)) === folded(text)),
      runs(100),
    )
  })
})

describe('grams', () => {
  it('find each text that contains the term, however short, and no candidates without its first characters', {
    timeout: RUNS_TIMEOUT_MS,
  }, () => {
    using temp = gramTable()
    const letters = fc.string({
      unit: fc.constantFrom('a', 'b', '%', '_', '"', ' ', 'é', 'ж', '頭', '𝄞'),
      maxLength: 12,
    })
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 12 }),
        letters.filter((term) => term.length > 0),
        (texts, term) => {
          const found = temp.search(texts, term)
          const containing = texts.flatMap((text, at) => (text.includes(term) ? [at] : []))
          expect(containing.filter((at) => !found.includes(at))).toEqual([])
          const start = term.slice(0, 3)
          expect(found.filter((at) => !texts[at]?.includes(start))).toEqual([])
        },
      ),
      runs(200),
    )
  })

  it('of a term of one or two characters are a prefix', () => {
    expect([isShort('ct'), isShort('ctx')]).toEqual([true, false])
    expect(matchExpression('c')).toBe('"0063"*')
    expect(matchExpression('abcd')).toBe('"006100620063" AND "006200630064"')
    expect(trigramWords('abab')).toBe('006100620061 006200610062 006100620000 006200000000')
  })
})

function gramTable() {
  const sqlite = new Sqlite(':memory:')
  sqlite.exec(
    "create virtual table g using fts5 (grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')",
  )
  return {
    search(texts: readonly string[], term: string): number[] {
      sqlite.exec('delete from g')
      for (const [at, text] of texts.entries())
        sqlite.prepare('insert into g (rowid, grams) values (?, ?)').run(at + 1, trigramWords(text))
      const rows = sqlite
        .prepare('select rowid from g where g match ? order by rowid')
        .pluck()
        .all(matchExpression(term)) as number[]
      return rows.map((rowid) => rowid - 1)
    },
    [Symbol.dispose]: () => void sqlite.close(),
  }
}
