import { describe, expect, it } from 'vitest'
import { expandTemplate, fieldsOf, normalizeReport, sectionsOf } from '#shared/report-text.ts'

describe('the sections of a report', () => {
  it('begin with a heading on its own line, or with one and a colon, in any case', () => {
    const text =
      'CT chest\n\nINDICATION: cough\nFindings\nLungs are clear.\nNo effusion.\n  impression :\nNormal.\n'
    expect(sectionsOf(text).map(({ heading, text: body }) => [heading, body])).toEqual([
      ['', 'CT chest'],
      ['Indication', 'cough'],
      ['Findings', 'Lungs are clear.\nNo effusion.'],
      ['Impression', 'Normal.'],
    ])
  })

  it('say where they are, and cover the text', () => {
    const text = 'Findings:\r\nClear.\r\nImpression: normal'
    const sections = sectionsOf(text)
    expect(sections.map(({ from, bodyFrom, to }) => [from, bodyFrom, to])).toEqual([
      [0, 11, 19],
      [19, 31, text.length],
    ])
    expect(text.slice(sections[0]?.bodyFrom, sections[0]?.to)).toBe('Clear.\r\n')
  })

  it('are none of a word inside a sentence', () => {
    expect(
      sectionsOf('Findings are normal.\nThe impression: of a mass\nImpressions').map(
        ({ heading }) => heading,
      ),
    ).toEqual([''])
    expect(sectionsOf('')).toEqual([])
    expect(sectionsOf(' \n ')).toEqual([])
  })

  it('may be empty', () => {
    expect(sectionsOf('Findings\nImpression:').map(({ heading, text }) => [heading, text])).toEqual(
      [
        ['Findings', ''],
        ['Impression', ''],
      ],
    )
  })
})

describe('fields to fill in', () => {
  it.each([
    ['[ ]', []],
    ['[]', []],
    ['[___]', []],
    ['[size in mm]', []],
    ['{left|right}', ['left', 'right']],
    ['{none | small | large}', ['none', 'small', 'large']],
    ['[Größe]', []],
  ])('are %s', (field, choices) => {
    expect(fieldsOf(`A ${field} b`)).toEqual([{ from: 2, to: 2 + field.length, choices }])
  })

  it.each(['[x]', '[X]', '[1]', '[3 cm]', '{alone}', '[a\nb]', '(left)', 'a[', '{a|b'])(
    'are not %j',
    (text) => {
      expect(fieldsOf(text)).toEqual([])
    },
  )
})

describe('a template', () => {
  it('takes its variables, and keeps as fields what is unknown or empty', () => {
    const values = { patientName: 'Ada Example', age: ' ', indication: 'cough' }
    expect(
      expandTemplate('{patientName}, {age}: {indication}. {constructor} {left|right}', values),
    ).toBe('Ada Example, [age]: cough. [constructor] {left|right}')
  })
  it('does not read variables inside what was put in', () => {
    expect(expandTemplate('{a}', { a: '{b}', b: 'no' })).toBe('{b}')
  })
})

describe('the text that is signed', () => {
  it('has one kind of line end, no spaces at their ends, and no blank lines around it', () => {
    expect(normalizeReport('\r\n  A \t\r\nB\u2028C\u0085D \n\n')).toBe('  A\nB\nC\nD')
  })
  it('is composed, well-formed, and without what nobody sees', () => {
    expect(normalizeReport('cafe\u0301 \ufeffa\u0000b\u001b[31m\u202ec \ud800')).toBe(
      'café ab[31mc \ufffd',
    )
    expect(normalizeReport('a\tb 日本 \u200d x')).toBe('a\tb 日本 \u200d x')
  })
  it('is made of a text that is mostly blank as well', () => {
    for (const blank of [' ', '\n', '\t \n', '[', '{|', '\r'])
      expect(normalizeReport(`${blank.repeat(60_000)}x`).at(-1)).toBe('x')
  })
  it('has thirty marks on a character at most', () => {
    expect(normalizeReport(`x${'\u0316\u0301'.repeat(100_000)}y`)).toBe(
      `x${'\u0316'.repeat(15)}${'\u0301'.repeat(15)}y`,
    )
    expect(normalizeReport('को e\u0301\u0323')).toBe('को \u1eb9\u0301')
  })
  it('stays as it is when it is read again', () => {
    const marks = '\u0301'.repeat(29)
    for (const text of [' x \r\n\n y\u0301 ', `x${marks}\ufeff${marks}\u200d${marks}\u0344`]) {
      const once = normalizeReport(text)
      expect(normalizeReport(once)).toBe(once)
    }
  })
})
