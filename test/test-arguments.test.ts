import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { runsOf, STAGES, stagesNotRun, TIERS } from '../scripts/test-arguments.mjs'

// `npm test` is run as a person types it. These uses end before anything is installed or built.

const root = join(import.meta.dirname, '..')
const npmTest = (...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts/test.mjs'), ...args], { encoding: 'utf8' })

describe('npm test', () => {
  it('fails for a stage that does not exist, and names the stages', () => {
    const { status, stderr, stdout } = npmTest('untis')
    expect(status).toBe(2)
    expect(stderr).toMatch(/Unknown test stage "untis"\. The stages are types, lint, unit, .*e2e/)
    expect(stdout).toBe('')
  })

  it.each([['--tier', 'weekly'], ['--tier']])(
    'fails for a tier that does not exist: %s %s',
    (...args) => {
      const { status, stderr } = npmTest(...args)
      expect(status).toBe(2)
      expect(stderr).toContain('The tiers are quick, full, nightly.')
    },
  )

  it('runs the stages of Vitest together, and each other stage alone', () => {
    expect(runsOf(TIERS.full)).toEqual([
      ['types'],
      ['lint'],
      ['unit', 'crash', 'flows', 'interop'],
      ['attacks'],
      ['e2e'],
    ])
    expect(runsOf(['unit', 'e2e'])).toEqual([['unit'], ['e2e']])
  })

  it('names the stages that a tier leaves out, each with the reason', () => {
    const electron = 'where a display and the Electron binary are: npm run test:electron'
    expect(stagesNotRun({ stages: TIERS.full })).toEqual([
      `Not run: electron (in the tier nightly, ${electron})`,
      'Not run: fuzz, simulate, soak, faults, mutation (in the tier nightly)',
    ])
    expect(stagesNotRun({ stages: TIERS.quick })[0]).toBe(
      'Not run: crash, flows, interop, attacks, e2e (in the tier full)',
    )
    expect(stagesNotRun({ stages: TIERS.nightly })).toEqual([])
    const stages = TIERS.nightly.filter((name) => name !== 'electron')
    expect(stagesNotRun({ stages }, { electron: 'there is no display' })).toEqual([
      'Not run: electron (there is no display)',
    ])
    const others = Object.keys(STAGES).filter((name) => name !== 'unit')
    expect(stagesNotRun({ stages: ['unit'], areNamed: true })).toEqual([
      `Not run: ${others.join(', ')} (other stages were named)`,
    ])
  })

  it('has every stage in a tier', () => {
    expect(TIERS.nightly.toSorted()).toEqual(Object.keys(STAGES).sort())
  })

  it('has a command for each tier', () => {
    const { scripts } = packageJson
    expect(scripts.test).toBe('node scripts/test.mjs')
    expect(scripts['test:quick']).toBe('node scripts/test.mjs --tier quick')
    expect(scripts['test:nightly']).toBe('node scripts/test.mjs --tier nightly')
  })

  it('is all that CI runs', () => {
    const commands = readFileSync(join(root, '.ci/run'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    expect(commands.at(-1)).toBe('npm test')
    expect(commands.join('\n')).not.toMatch(/\|\||set \+e|--tier/)
  })
})
