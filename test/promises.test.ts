import { describe, expect, it } from 'vitest'
import {
  findFaults,
  hasTest,
  promisesText,
  readPromises,
  readTestFile,
  type Statement,
  testFiles,
} from './support/promise-table.ts'

// The tables of docs/PROMISES.md and its pages are read: every test that they name has to exist.

const TEXT = promisesText()
const promises = readPromises(TEXT)

describe('the list of promises', () => {
  it('gives each promise an id of its own, numbered within its area', () => {
    const ids = promises.map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(120)
    expect(new Set(ids).size).toBe(ids.length)
    expect(TEXT.split('\n').filter((line) => line.includes('| P-'))).toHaveLength(ids.length)
    for (const area of new Set(ids.map((id) => id.slice(0, -3)))) {
      const ofArea = ids.filter((id) => id.startsWith(`${area}-`))
      expect(ofArea).toEqual(ofArea.toSorted())
    }
  })

  it('says each in one sentence', () => {
    for (const { id, sentence } of promises)
      expect([id, /^["`A-Z].{15,220}\.$/.test(sentence)]).toEqual([id, true])
  })

  it('names one to three tests for each, which exist, or the reason why there is none', () => {
    expect(promises.flatMap((one) => findFaults(one, readTestFile, testFiles))).toEqual([])
    expect(promises.filter(({ tests }) => tests.length > 3)).toEqual([])
  })
})

describe('the check of the list', () => {
  const files: Record<string, string> = {
    'a.test.ts': "it('stands', () => 0)",
    'b.test.ts': "it.each([1])('%s holds', () => 0)\nconst text = 'mentioned'",
  }
  const [one] = readPromises(
    '| P-IMG-03 | It is so. | `a.test.ts › stands`<br>`b.test.ts › %s holds` |',
  )
  const faultsOf = (change: Partial<Statement>) =>
    findFaults(
      { ...(one as Statement), ...change },
      (file) => files[file],
      () => Object.keys(files),
    )

  it('finds nothing wrong with references that exist', () => {
    expect(one?.tests).toEqual([
      { file: 'a.test.ts', name: 'stands' },
      { file: 'b.test.ts', name: '%s holds' },
    ])
    expect(faultsOf({})).toEqual([])
    expect(faultsOf({ tests: [], reason: 'nothing can be done about the weather' })).toEqual([])
  })

  it('finds a test that was renamed, a file that has moved, and a promise without either', () => {
    expect(faultsOf({ tests: [{ file: 'a.test.ts', name: 'stand' }] })).toEqual([
      'P-IMG-03: a.test.ts has no test “stand”.',
    ])
    expect(faultsOf({ tests: [{ file: 'c.test.ts', name: 'stands' }] })).toEqual([
      'P-IMG-03: c.test.ts does not exist. “stands” is in a.test.ts.',
    ])
    expect(faultsOf({ tests: [], reason: 'yes' })).toHaveLength(1)
    expect(faultsOf({ reason: 'nothing can be done about the weather' })).toHaveLength(1)
    expect(hasTest(files['b.test.ts'] ?? '', 'mentioned')).toBe(false)
  })
})
