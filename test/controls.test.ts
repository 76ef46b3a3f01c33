import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// docs/CONTROLS.md is read as tables: every requirement has a state, and what it names is there.

const ROOT = join(import.meta.dirname, '..')
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const TEXT = textOf('docs/CONTROLS.md')
const THREATS = new Set(
  [...textOf('docs/THREATS.md').matchAll(/^\| ([STRIDE]\d+) \|/gm)].map(([, id]) => id),
)

/** Requirements of ASVS 4.0.3 of levels 1 and 2, by chapter: each section with its numbers. */
const REQUIREMENTS: Readonly<Record<number, string>> = {
  1: '1:1-7 2:1-4 4:1,4-5 5:1-4 6:1-4 7:1-2 8:1-2 9:1-2 10:1 11:1-2 12:2 14:1-6',
  2: '1:1-12 2:1-3 3:1-3 4:1-5 5:1-7 6:1-3 7:1-6 8:1-7 9:1-3 10:1-4',
  3: '1:1 2:1-4 3:1-4 4:1-5 5:1-3 7:1',
  4: '1:1-3,5 2:1-2 3:1-3',
  5: '1:1-5 2:1-8 3:1-10 4:1-3 5:1-4',
  6: '1:1-3 2:1-6 3:1-2 4:1-2',
  7: '1:1-4 2:1-2 3:1,3-4 4:1-3',
  8: '1:1-4 2:1-3 3:1-8',
  9: '1:1-3 2:1-4',
  10: '2:1-2 3:1-3',
  11: '1:1-8',
  12: '1:1-3 2:1 3:1-6 4:1-2 5:1-2 6:1',
  13: '1:1,3-5 2:1-3,5-6 3:1-2 4:1-2',
  14: '1:1-4 2:1-6 3:2-3 4:1-7 5:1-4',
}

function numbersIn(ranges: string): number[] {
  return ranges.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}
/** By section, such as `2.1`. */
const SECTIONS = new Map<string, readonly number[]>(
  Object.entries(REQUIREMENTS).flatMap(([chapter, sections]) =>
    sections.split(' ').map((section) => {
      const [number = '', ranges = ''] = section.split(':')
      return [`${chapter}.${number}`, numbersIn(ranges)]
    }),
  ),
)

interface Row {
  readonly what: string
  readonly state: string
  readonly by: string
  readonly left: string
}

function rowsOf(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const cells = line.replace(/^\| | \|$/g, '').split(' | ')
    const [what = '', state = '', by = '', left = ''] = cells
    return line.startsWith('| ') && cells.length === 4 && state !== 'state'
      ? [{ what, state, by, left }]
      : []
  })
}

const [HIPAA = '', ASVS = ''] = TEXT.split('## OWASP')
const rows = rowsOf(ASVS)

/** Requirements that a row speaks for: those it numbers, or all of its section. */
const requirementsOf = ({ what }: Row): string[] =>
  [...what.matchAll(/V(\d+\.\d+)(?:\.(\d+))?(?:–V\1\.(\d+))?/g)].flatMap(
    ([, section = '', from, to = from]) =>
      (SECTIONS.get(section) ?? [Number.NaN])
        .filter((number) => from === undefined || !(number < Number(from) || number > Number(to)))
        .map((number) => `${section}.${number}`),
  )

describe('the table of controls', () => {
  it('has each requirement of ASVS level 2 once, in sections and number as it says', () => {
    const all = [...SECTIONS].flatMap(([section, numbers]) =>
      numbers.map((number) => `${section}.${number}`),
    )
    expect(rows.flatMap(requirementsOf).toSorted()).toEqual(all.toSorted())
    expect(ASVS).toContain(
      `${all.length} requirements of levels 1 and 2 in ${SECTIONS.size} sections`,
    )
    expect(rows.filter((row) => requirementsOf(row).length === 0)).toEqual([])
  })

  it('says a reason where a requirement is not met, and only there', () => {
    for (const { what, state, by, left } of [...rowsOf(HIPAA), ...rows]) {
      expect([what, state]).toEqual([
        what,
        expect.stringMatching(/^(met|partly|not met|not applicable)$/),
      ])
      if (state !== 'met') expect([what, left.length > 10]).toEqual([what, true])
      if (state === 'met' || state === 'partly') expect([what, by.length > 1]).toEqual([what, true])
    }
    for (const { what, left } of rows.filter(({ state }) => state === 'met'))
      expect([what, left]).toEqual([what, '–'])
  })

  it('numbers only requirements of the row’s own', () => {
    const faults = rows.flatMap((row) => {
      const numbered = [...row.left.matchAll(/\b(\d+\.\d+\.\d+)\b/g)].map(([one]) => one)
      return numbered
        .filter((one) => !requirementsOf(row).includes(one))
        .map((one) => `${row.what}: ${one}`)
    })
    expect(faults).toEqual([])
  })

  it('names files and threats that are there', () => {
    const cells = [...rowsOf(HIPAA), ...rows].map(({ by, left }) => `${by} ${left}`).join('\n')
    const files = [
      ...cells.matchAll(
        /`((?:electron|renderer|shared|test|docs|packaging|\.github)\/[^` ]*|[A-Z]+\.md)`/g,
      ),
    ]
    const links = [...cells.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => join('docs', path))
    const named = [...files.map(([, path = '']) => path), ...links]
    expect(named.length).toBeGreaterThan(60)
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    const threats = [...cells.matchAll(/\b([STRIDE]\d+)\b/g)].map(([, id]) => id)
    expect(threats.length).toBeGreaterThan(90)
    expect(threats.filter((id) => !THREATS.has(id))).toEqual([])
  })

  it('would notice a requirement without a row, and one that has two', () => {
    const [range, whole] = rowsOf(
      '| V2.1.3–V2.1.5, V2.1.8 Some | met | S1 | – |\n| V2.6 All | met | S1 | – |',
    )
    expect(range && requirementsOf(range)).toEqual(['2.1.3', '2.1.4', '2.1.5', '2.1.8'])
    expect(whole && requirementsOf(whole)).toEqual(['2.6.1', '2.6.2', '2.6.3'])
    expect(rowsOf('| V9.9 None | met | S1 | – |').flatMap(requirementsOf)).toEqual(['9.9.NaN'])
  })
})
