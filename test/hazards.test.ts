import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { documentPath } from '../scripts/docs/documents.ts'
import { hasTest, promisesText, readPromises, readTestFile } from './support/promise-table.ts'

// docs/HAZARDS.md is read as a table: every control is proved by a promise or a test that exists.

const TEXT = readFileSync(documentPath('HAZARDS.md'), 'utf8')
const SEVERITIES = ['critical', 'serious', 'moderate', 'minor']
const RISKS = ['rare', 'unlikely', 'possible']
const promises = new Map(readPromises(promisesText()).map((one) => [one.id, one]))

const hazards = TEXT.split('\n')
  .filter((line) => line.startsWith('| H-'))
  .map((line) => {
    const [id = '', hazard = '', cause = '', severity = '', control = '', proof = '', risk = ''] =
      line.slice(2, -2).split(' | ')
    return { id, hazard, cause, severity, control, proof, risk }
  })

describe('the hazard register', () => {
  it('numbers the hazards of each area', () => {
    const ids = hazards.map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(35)
    for (const area of new Set(ids.map((id) => id.slice(0, -3)))) {
      const ofArea = ids.filter((id) => id.startsWith(`${area}-`))
      expect(ofArea).toEqual(ofArea.map((_, at) => `${area}-${String(at + 1).padStart(2, '0')}`))
    }
  })

  it('has a cause, a control and known grades for each, and accepts no critical harm that is possible', () => {
    for (const { id, hazard, cause, severity, control, risk } of hazards) {
      expect([id, SEVERITIES.includes(severity), RISKS.includes(risk)]).toEqual([id, true, true])
      for (const text of [hazard, cause, control])
        expect([id, text.length > 10]).toEqual([id, true])
      expect([id, severity === 'critical' && risk === 'possible']).toEqual([id, false])
    }
  })

  it('names promises that are proved by tests, or tests, for each control', () => {
    const faults = hazards.flatMap(({ id, proof }) => {
      const named = [...proof.matchAll(/P-[A-Z]+-\d\d/g)].map(([one]) => one)
      const tests = [...proof.matchAll(/`([^`]+?) › ([^`]+)`/g)].map(
        ([, file = '', name = '']) => ({ file, name }),
      )
      return [
        ...(named.length + tests.length === 0 ? [`${id} names no proof.`] : []),
        ...named
          .filter((one) => !promises.get(one)?.tests.length)
          .map((one) => `${id}: no test proves ${one}.`),
        ...tests
          .filter(({ file, name }) => !hasTest(readTestFile(file) ?? '', name))
          .map(({ file, name }) => `${id}: ${file} has no test “${name}”.`),
      ]
    })
    expect(faults).toEqual([])
  })
})
