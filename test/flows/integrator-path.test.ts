import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { documentOf, stepsOf } from '../support/documented-calls.ts'
import { followPath, pathSteps } from '../support/integrator-path.ts'

// A new integrator's path: PARTNERS.md is followed as it stands, from the first command to the
// first report. `scripts/integrator-path.mjs` does the same with every version that the page names.

const FIRST_CALL_SECONDS = 120
const FIRST_REPORT_SECONDS = 600

const which = (name: string) =>
  spawnSync('which', ['-a', name], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean)

describe('the path of a new integrator', { timeout: 300_000 }, () => {
  it.each(['JavaScript', 'Python'] as const)('in %s ends with a report', async (language) => {
    const [python = ''] = which('python3')
    const times = await followPath({ language, node: process.execPath, python })
    expect(times.firstCall).toBeLessThan(FIRST_CALL_SECONDS)
    expect(times.signatureVerified).toBeLessThan(FIRST_REPORT_SECONDS)
    expect(times.firstReport).toBeLessThan(FIRST_REPORT_SECONDS)
  })

  it('has every command and every program of the page', () => {
    const followed = new Set(
      (['JavaScript', 'Python'] as const).flatMap(pathSteps).map(({ line }) => line),
    )
    const left = stepsOf(documentOf('PARTNERS.md')).filter(({ line }) => !followed.has(line))
    expect(left.map(({ line }) => line)).toEqual([])
  })

  it('is a page that can be read in one go', () => {
    const lines = documentOf('PARTNERS.md').trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(300)
    const isProse = (line: string) => !line.startsWith('|')
    expect(lines.filter((line) => isProse(line) && line.length > 120)).toEqual([])
  })
})
