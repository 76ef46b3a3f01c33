import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Fault } from './faults/fault.ts'
import { FAULTS } from './faults/index.ts'
import { planted, whyNotPlanted } from './faults/planting.ts'
import { promisesText, readPromises, testFiles } from './support/promise-table.ts'

// The faults of test/faults are current; `npm run faults` runs them.

const root = join(import.meta.dirname, '..')

describe('the planted faults', () => {
  it('can each be planted: their text occurs once, and the file can still be parsed', () => {
    const problems = FAULTS.flatMap((fault) => {
      const why = whyNotPlanted(fault, readFileSync(join(root, fault.file), 'utf8'))
      return why === undefined ? [] : [`${fault.id}: ${why}`]
    })
    expect(problems).toEqual([])
  })

  it('break promises that are listed, and are expected of tests that exist', () => {
    const promises = new Set(readPromises(promisesText()).map(({ id }) => id))
    const files = testFiles()
    const exists = (pattern: string) => {
      const [start = '', end] = pattern.split('*')
      return files.some((file) =>
        end === undefined ? file === pattern : file.startsWith(start) && file.endsWith(end),
      )
    }
    expect(FAULTS.filter(({ promise }) => !promises.has(promise)).map(({ id }) => id)).toEqual([])
    const missing = FAULTS.flatMap(({ id, tests }) =>
      tests.some(exists)
        ? tests.filter((one) => !one.includes('*') && !exists(one)).map((one) => `${id}: ${one}`)
        : [`${id}: ${tests}`],
    )
    expect(missing).toEqual([])
  })

  it('are many, each with an id of its own', () => {
    const ids = FAULTS.map(({ id }) => id)
    expect(ids.length).toBeGreaterThanOrEqual(100)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('planting', () => {
  const fault: Fault = {
    ...{ id: 'F-X-01', promise: 'P-X-01', what: 'it says no', file: 'a.ts', tests: [] },
    ...{ find: 'return true', replace: 'return false' },
  }

  it('changes the text where it occurs, and nothing else', () => {
    expect(planted(fault, 'const a = () => { return true }')).toBe(
      'const a = () => { return false }',
    )
    expect(planted({ find: 'a', replace: "$&'" }, 'a')).toBe("$&'")
  })

  it('refuses a text that is gone, that occurs twice, and a change that cannot be parsed', () => {
    expect(whyNotPlanted(fault, 'function a() { return true }')).toBeUndefined()
    expect(whyNotPlanted(fault, 'function a() { return 1 }')).toContain('does not have its text')
    expect(whyNotPlanted(fault, 'function a() { return true; return true }')).toContain('2 times')
    expect(
      whyNotPlanted({ ...fault, replace: 'return (' }, 'function a() { return true }'),
    ).toContain('cannot be parsed')
    expect(
      whyNotPlanted({ ...fault, replace: fault.find }, 'function a() { return true }'),
    ).toContain('changes nothing')
  })
})
