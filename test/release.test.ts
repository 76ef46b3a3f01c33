import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { compareVersions, prepareRelease, sectionOf, versionFault } from '../scripts/release.mjs'
import { nightlyFaults, tagFaults, type WorkflowRun } from '../scripts/release-check.mjs'
import { missingSigning } from '../scripts/release-signing.mjs'

const CHANGELOG = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 1.0.0 - 2026-01-01\n\n- First.\n'
const FILES = {
  'CHANGELOG.md': CHANGELOG,
  'package.json': '{\n  "name": "isthmus",\n  "version": "1.0.0"\n}\n',
  'package-lock.json':
    '{\n  "version": "1.0.0",\n  "packages": {\n    "": {\n      "version": "1.0.0"\n    }\n  }\n}\n',
  'docs/CONFORMANCE.md': '**Isthmus 1.0.0**, a gateway. Date of this document: 2026-01-01.\n',
  'docs/INTEGRATION.md': '| **Date** | 2026-01-01 |\n| **Version** | 1.0.0 |\n',
}

describe('preparing a release', () => {
  let folder: string
  const git = (...args: string[]) => {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')),
    )
    const all = [
      '-c',
      'user.name=Test',
      '-c',
      'user.email=test@example.org',
      '-c',
      'core.hooksPath=none',
      ...args,
    ]
    expect(spawnSync('git', all, { cwd: folder, env }).status).toBe(0)
  }
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const prepare = (version: string) => prepareRelease({ folder, version, date: '2026-03-10' })
  const change = (file: string, text: string) => {
    writeFileSync(join(folder, file), text)
    git('commit', '--quiet', '--all', '--message', 'change')
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'isthmus-release-'))
    mkdirSync(join(folder, 'docs'))
    for (const [file, text] of Object.entries(FILES)) writeFileSync(join(folder, file), text)
    git('init', '--quiet')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'first')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('moves Unreleased into the version and writes its number everywhere', () => {
    expect(prepare('1.1.0').toSorted()).toEqual(Object.keys(FILES).toSorted())
    expect(read('CHANGELOG.md')).toBe(
      CHANGELOG.replace('## Unreleased', '## Unreleased\n\n## 1.1.0 - 2026-03-10'),
    )
    for (const file of ['package.json', 'package-lock.json'] as const)
      expect(read(file)).toBe(FILES[file].replaceAll('1.0.0', '1.1.0'))
    for (const file of ['docs/CONFORMANCE.md', 'docs/INTEGRATION.md'] as const)
      expect(read(file)).toBe(
        FILES[file].replace('1.0.0', '1.1.0').replace('2026-01-01', '2026-03-10'),
      )
  })

  it('refuses a dirty tree, and writes nothing', () => {
    writeFileSync(join(folder, 'new.txt'), '')
    expect(() => prepare('1.1.0')).toThrow(/not clean/)
    expect(read('package.json')).toBe(FILES['package.json'])
  })

  it('refuses an Unreleased section that is empty or missing', () => {
    change('CHANGELOG.md', CHANGELOG.replace('- New.\n', ''))
    expect(() => prepare('1.1.0')).toThrow(/is empty/)
    change('CHANGELOG.md', CHANGELOG.replace('## Unreleased', ''))
    expect(() => prepare('1.1.0')).toThrow(/no section "## Unreleased"/)
  })

  it('refuses a version that is no version, or not newer', () => {
    for (const version of ['1.1', 'v1.1.0', '1.0.0', '0.9.9', '1.0.0-rc.1'])
      expect(() => prepare(version)).toThrow(version)
  })

  it('takes the number that was never released for the first release', () => {
    change('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n- New.\n')
    prepare('1.0.0')
    expect(sectionOf(read('CHANGELOG.md'), '1.0.0')).toBe('- New.')
  })
})

it('orders versions by precedence', () => {
  const sorted = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0',
    '1.2.0',
    '1.10.0',
  ]
  expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted)
  expect(versionFault('1.0.0', '1.0.1')).toBeUndefined()
})

describe('checking a tag', () => {
  const right = {
    tag: 'v1.0.0',
    version: '1.0.0',
    lockVersion: '1.0.0',
    changelog: CHANGELOG.replace('- New.\n', ''),
    isOnMain: true,
  }
  it('passes one that fits', () => expect(tagFaults(right)).toEqual([]))
  it.each([
    [{ tag: '1.0.0' }, /tag is 1\.0\.0/],
    [{ lockVersion: '0.9.0' }, /package-lock\.json has version 0\.9\.0/],
    [{ changelog: '## Unreleased\n' }, /no section of 1\.0\.0/],
    [{ changelog: CHANGELOG }, /unreleased changes/],
    [{ isOnMain: false }, /not on the main branch/],
  ])('refuses %j', (wrong, reason) =>
    expect(tagFaults({ ...right, ...wrong }).join()).toMatch(reason),
  )
})

describe('the nightly run of a commit', () => {
  const run = (more: Partial<WorkflowRun> = {}): WorkflowRun => ({
    ...{
      conclusion: 'success',
      status: 'completed',
      head_sha: 'a',
      path: '.github/workflows/nightly.yml',
    },
    ...{ event: 'schedule', created_at: '2026-03-10T02:17:00Z' },
    ...more,
  })
  it('is green', () => expect(nightlyFaults('a', [run()])).toEqual([]))
  it.each([
    [[]],
    [[run({ head_sha: 'b' })]],
    [[run({ path: '.github/workflows/ci.yml' })]],
    [[run({ event: 'pull_request' })]],
    [[run({ status: 'in_progress', conclusion: null })]],
    [[run(), run({ conclusion: 'failure', created_at: '2026-03-11T02:17:00Z' })]],
  ])('is not green: %j', (runs) => expect(nightlyFaults('a', runs)).toHaveLength(1))
})

it('names the signing variables that are missing or empty', () => {
  expect(missingSigning('win32', { CSC_LINK: 'x', CSC_KEY_PASSWORD: ' ' })).toEqual([
    'CSC_KEY_PASSWORD',
  ])
  expect(missingSigning('darwin', {})).toContain('APPLE_TEAM_ID')
  expect(missingSigning('linux', {})).toEqual([])
})
