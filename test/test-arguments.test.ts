import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { runsOf, TIERS } from '../scripts/test-arguments.mjs'

// `npm test` is run as a person types it. These uses end before anything is installed or built.

const root = join(import.meta.dirname, '..')
const npmTest = (...args: string[]) => spawnSync(process.execPath, [join(root, 'scripts/test.mjs'), ...args], { encoding: 'utf8' })

describe('npm test', () => {
  it('fails for a stage that does not exist, and names the stages', () => {
    const { status, stderr, stdout } = npmTest('untis')
    expect(status).toBe(2)
    expect(stderr).toMatch(/Unknown test stage "untis"\. The stages are types, lint, unit, .*e2e/)
    expect(stdout).toBe('')
  })

  it.each([['--tier', 'weekly'], ['--tier']])('fails for a tier that does not exist: %s %s', (...args) => {
    const { status, stderr } = npmTest(...args)
    expect(status).toBe(2)
    expect(stderr).toContain('The tiers are quick, full, nightly.')
  })

  it('runs the tests of processes together, and each other stage alone', () => {
    expect(runsOf(TIERS.full)).toEqual([['types'], ['lint'], ['unit'], ['crash', 'flows', 'interop'], ['e2e']])
    expect(runsOf(['unit', 'interop'])).toEqual([['unit'], ['interop']])
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
