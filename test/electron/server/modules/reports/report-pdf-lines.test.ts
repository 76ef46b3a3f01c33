import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  printableText,
  type SetLine,
  type TextStyle,
  Typesetter,
} from '#server/modules/reports/report-pdf-lines.ts'
import { runs } from '../../../../support/property-runs.ts'

/** Every character is one point wide. */
const STYLE: TextStyle = { size: 1, weight: 400, color: '#000', leading: 1 }
const typesetter = () =>
  new Typesetter(
    { runsOf: (text) => (text === '' ? [] : [{ font: 'f', text, isUnknown: text.includes('?') }]) },
    ({ text }) => [...text].length * 1000,
  )
const textOf = ({ runs }: SetLine) => runs.map(({ text }) => text).join('')
const broken = (text: string, width: number) => typesetter().lines(text, STYLE, width).map(textOf)

describe('lines of a report', () => {
  it('are broken between words, without the space', () => {
    expect(broken('one two three', 7)).toEqual(['one two', 'three'])
    expect(broken('one  two', 5)).toEqual(['one', 'two'])
  })

  it('end where the text has a line end, and an empty line is a line', () => {
    expect(broken('a\n\nb', 10)).toEqual(['a', '', 'b'])
    expect(broken('a\r\nb\u2028c', 10)).toEqual(['a', 'b', 'c'])
    expect(broken('', 10)).toEqual([''])
  })

  it('divide a word that is longer than a line, and no other', () => {
    expect(broken('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
    expect(broken('no abcdefghij', 4)).toEqual(['no', 'abcd', 'efgh', 'ij'])
  })

  it('keep marks with the letter they stand on', () => {
    for (const line of broken('x\u0323\u0308'.repeat(9), 4)) expect(line).not.toMatch(/^\p{M}/u)
  })

  it('keep a number with its unit, and a sign of comparison with its number', () => {
    expect(broken('it is 8 mm wide', 7)).toEqual(['it is', '8 mm', 'wide'])
    expect(broken('nodule ≤ 8 mm', 8)).toEqual(['nodule', '≤ 8 mm'])
    expect(broken('see 8 men', 5)).toEqual(['see 8', 'men'])
  })

  it('may end after a hyphen or a slash within a word', () => {
    expect(broken('contrast-enhanced', 10)).toEqual(['contrast-', 'enhanced'])
    expect(broken('12-34 x', 4)).not.toContain('12-')
  })

  it('may end beside any kanji or kana, yet never before their closing punctuation or after the opening one', () => {
    expect(broken('右肺上葉に結節', 3)).toEqual(['右肺上', '葉に結', '節'])
    expect(broken('右肺。上葉', 2)).toEqual(['右', '肺。', '上葉'])
    expect(broken('右肺「上葉」', 3)).toEqual(['右肺', '「上', '葉」'])
  })

  it('begin further lines of an item below its text', () => {
    const lines = typesetter().lines('- one two three', STYLE, 9)
    expect(lines.map(textOf)).toEqual(['- one two', 'three'])
    expect(lines.map(({ indent }) => indent)).toEqual([0, 2])
    expect(
      typesetter()
        .lines('12) aaaa bbbb', STYLE, 9)
        .map(({ indent }) => indent),
    ).toEqual([0, 4])
  })

  it('are cut with an ellipsis where there is room for one only', () => {
    expect(textOf(typesetter().line('one two three', STYLE, 8))).toBe('one two…')
    expect(textOf(typesetter().line(' one\ntwo ', STYLE, 8))).toBe('one two')
  })

  it('know when a character has no font', () => {
    const one = typesetter()
    one.lines('fine', STYLE, 10)
    expect(one.hasUnknown()).toBe(false)
    one.lines('what ?', STYLE, 10)
    expect(one.hasUnknown()).toBe(true)
  })

  it('have all that can be seen of the text, and are no wider than the column', () => {
    const seen = (text: string) => printableText(text).replace(/\s/g, '')
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.integer({ min: 8, max: 30 }),
        (text, width) => {
          const lines = typesetter().lines(text, STYLE, width)
          const widths = lines.map(
            (line) => line.indent + [...textOf(line).trimEnd().replace(/\p{M}/gu, '')].length,
          )
          return seen(lines.map(textOf).join('')) === seen(text) && Math.max(...widths) <= width + 1
        },
      ),
      runs(100),
    )
  })
})

describe('printable text', () => {
  it('is composed, and has no characters that hide or reorder others', () => {
    expect(printableText('e\u0301')).toBe('é')
    expect(printableText('a\u202eb\u0000c\u200bd\u00ade')).toBe('abcde')
    expect(printableText('a\tb')).toBe('a    b')
    expect(printableText('\ud800x')).toBe('\ufffdx')
    expect(printableText(`x${'\u0301\u200b\u200d'.repeat(50_000)}`).length).toBe(31)
  })
})
