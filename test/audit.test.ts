import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ACCEPTED } from '../packaging/accepted-advisories.ts'
import { type Manifest, readLock, readManifest } from '../packaging/lock.ts'
import {
  type AuditReport,
  faultsOfSupply,
  INSTALL_SCRIPTS,
  isTool,
  judge,
  shippedOf,
} from '../packaging/supply.ts'

const root = join(import.meta.dirname, '..')
const NPMRC = readFileSync(join(root, '.npmrc'), 'utf8')
const HASH = `sha512-${'A'.repeat(86)}==`

const manifest = (more: Partial<Manifest> = {}): Manifest => ({
  ...{
    dependencies: {},
    devDependencies: {},
    optionalDependencies: {},
    overrides: {},
    allowScripts: {},
    ...more,
  },
})
const lockOf = (packages: object) => readLock(JSON.stringify({ packages: { '': {}, ...packages } }))

describe('the packages of the project', () => {
  it('are pinned exactly, hashed, from no named place, and run no script when they are installed', () => {
    expect(faultsOfSupply(readManifest(), readLock(), NPMRC)).toEqual([])
  })

  it('may run no script but for a reason, and run none', () => {
    const wanting = [...readLock().packages.values()]
      .filter(({ hasInstallScript }) => hasInstallScript)
      .map(({ name }) => name)
    expect([...new Set(wanting)].sort()).toEqual(Object.keys(INSTALL_SCRIPTS).sort())
    for (const reason of Object.values(INSTALL_SCRIPTS)) expect(reason).toMatch(/\w+ \w+/)
  })

  it('are told apart in what is shipped and what we build and test with', () => {
    const { dependencies, devDependencies } = readManifest()
    expect(Object.keys(dependencies).filter(isTool)).toEqual([])
    expect(Object.keys(devDependencies).filter((name) => !isTool(name))).toEqual(
      expect.arrayContaining([
        'react',
        '@mantine/core',
        '@codemirror/state',
        '@cornerstonejs/core',
        'electron',
      ]),
    )
    const shipped = new Set([...shippedOf(readManifest(), readLock())].map(({ name }) => name))
    for (const name of ['fastify', 'fast-uri', 'react-dom', 'comlink', 'electron'])
      expect(shipped).toContain(name)
    for (const name of ['vitest', '@biomejs/biome', 'smtp-server'])
      expect(shipped).not.toContain(name)
  })
})

describe('a package that is named or locked wrongly', () => {
  const good = { 'node_modules/a': { version: '1.0.0', integrity: HASH } }
  const faults = (given: Manifest, packages: object = good, npmrc = NPMRC) =>
    faultsOfSupply(given, lockOf(packages), npmrc).filter(
      (fault) => !fault.includes('runs no script any more'),
    )

  it('is no fault where all is right', () => {
    expect(faults(manifest({ dependencies: { a: '1.0.0' } }))).toEqual([])
  })

  it.each([
    '^1.0.0',
    '~1.0.0',
    '1.x',
    '*',
    'latest',
    '>=1.0.0',
    'git+https://forge.example/a.git',
    'file:../a',
  ])('is told where it is named as %s', (version) => {
    for (const where of ['dependencies', 'devDependencies', 'optionalDependencies'] as const)
      expect(faults(manifest({ [where]: { a: version } }))).toEqual([
        expect.stringMatching(/^package\.json names a as .*exactly\.$/),
      ])
    expect(faults(manifest({ overrides: { b: { a: version } } }))).toEqual([
      expect.stringContaining('names a as'),
    ])
  })

  it('is told where the lock has another one, or none', () => {
    expect(faults(manifest({ dependencies: { a: '1.0.1' } }))).toEqual([
      expect.stringContaining('has a 1.0.0, package.json 1.0.1'),
    ])
    expect(faults(manifest({ dependencies: { b: '1.0.1' } }))).toEqual([
      expect.stringContaining('has b not at all'),
    ])
  })

  it.each(['', 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=', 'sha512-short=='])(
    'is told where its hash is “%s”',
    (integrity) => {
      expect(faults(manifest(), { 'node_modules/a': { version: '1.0.0', integrity } })).toEqual([
        expect.stringContaining('no SHA-512 of node_modules/a'),
      ])
    },
  )

  it('is told where the lock says from where it comes', () => {
    const packages = {
      'node_modules/a': {
        version: '1.0.0',
        integrity: HASH,
        resolved: 'https://packages.example/a.tgz',
      },
    }
    expect(faults(manifest(), packages)).toEqual([
      expect.stringContaining('from where node_modules/a comes'),
    ])
  })

  it('is told where it wants to run a script, is let to, or nothing holds it back', () => {
    expect(
      faults(manifest(), {
        'node_modules/a': { version: '1.0.0', integrity: HASH, hasInstallScript: true },
      }),
    ).toEqual([expect.stringContaining('a wants to run a script')])
    expect(faults(manifest({ allowScripts: { a: true, b: false } }))).toEqual([
      expect.stringContaining('lets a run scripts'),
    ])
    expect(faults(manifest(), good, 'fund=false\n')).toEqual([
      expect.stringContaining('ignore-scripts'),
    ])
  })

  it('is told where a script that was looked at is gone', () => {
    expect(faultsOfSupply(manifest(), lockOf(good), NPMRC)).toEqual(
      Object.keys(INSTALL_SCRIPTS).map((name) =>
        expect.stringContaining(`${name} runs no script any more`),
      ),
    )
  })

  it('is found as Node finds it: the nearest one', () => {
    const lock = lockOf({
      'node_modules/a': { version: '1.0.0', integrity: HASH, dependencies: { b: '2' } },
      'node_modules/a/node_modules/b': {
        version: '2.0.0',
        integrity: HASH,
        dependencies: { c: '1' },
      },
      'node_modules/b': { version: '1.0.0', integrity: HASH },
      'node_modules/c': { version: '1.0.0', integrity: HASH },
    })
    expect([...lock.closure(['a'])].map(({ path }) => path)).toEqual([
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/c',
    ])
  })
})

describe('an advisory of the registry', () => {
  const report = (name: string, path: string): AuditReport => ({
    vulnerabilities: {
      [name]: {
        ...{ name, severity: 'high', nodes: [path] },
        via: [
          'another',
          {
            url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
            title: 'reads too much',
            severity: 'high',
          },
        ],
      },
    },
  })
  const shipped = new Set(['node_modules/a'])
  const accepted = {
    advisory: 'GHSA-aaaa-bbbb-cccc',
    package: 'a',
    reason: 'we never call it',
    until: '2026-12-31',
  }

  it('is a fault for what is shipped', () => {
    expect(judge(report('a', 'node_modules/a'), shipped, '2026-11-22', [])).toEqual({
      faults: ['a: reads too much (high, GHSA-aaaa-bbbb-cccc)'],
      notes: [],
    })
  })

  it('is a note for what we build with', () => {
    expect(judge(report('b', 'node_modules/b'), shipped, '2026-11-22', [])).toEqual({
      faults: [],
      notes: [expect.stringContaining('not shipped')],
    })
  })

  it('may be accepted until a day, and no longer', () => {
    expect(judge(report('a', 'node_modules/a'), shipped, '2026-12-31', [accepted])).toEqual({
      faults: [],
      notes: [expect.stringContaining('we never call it')],
    })
    expect(judge(report('a', 'node_modules/a'), shipped, '2027-01-01', [accepted]).faults).toEqual([
      expect.stringContaining('was accepted until'),
    ])
    expect(
      judge(report('a', 'node_modules/a'), shipped, '2026-11-22', [{ ...accepted, package: 'b' }])
        .faults,
    ).toHaveLength(1)
  })

  it('that is gone is to be taken out of the table', () => {
    expect(judge({ vulnerabilities: {} }, shipped, '2026-11-22', [accepted])).toEqual({
      faults: [],
      notes: [expect.stringContaining('no longer found')],
    })
  })

  it('is accepted with a reason, by one row each, for half a year at most', () => {
    const latest = new Date(Date.now() + 184 * 86_400_000).toISOString().slice(0, 10)
    for (const { advisory, reason, until } of ACCEPTED) {
      expect(advisory).toMatch(/^GHSA(-[0-9a-z]{4}){3}$/)
      expect(reason.length).toBeGreaterThan(20)
      expect(until).toMatch(/^\d{4}-\d\d-\d\d$/)
      expect(until <= latest).toBe(true)
    }
    expect(new Set(ACCEPTED.map((one) => `${one.advisory} ${one.package}`)).size).toBe(
      ACCEPTED.length,
    )
  })
})

describe('npm run audit', () => {
  it('says that it could not ask where the registry cannot be reached, and ends with 2', () => {
    const env = {
      ...process.env,
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retries: '0',
      npm_config_offline: 'false',
    }
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'packaging/ask-audit.ts')],
      { env, encoding: 'utf8' },
    )
    expect(stderr).toMatch(
      /^The registry could not be asked for advisories: .+\. Nothing is known of them\.\n$/,
    )
    expect(stdout).toMatch(/^\d+ packages are locked, \d+ of them may be in what we ship\.\n$/)
    expect(status).toBe(2)
  })
})
