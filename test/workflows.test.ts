import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TIERS } from '../scripts/test-arguments.mjs'
import { toolsOf, unacceptedSkips } from '../scripts/test-tools.mjs'
import { REASONS } from './support/needs.ts'
import { sourceLines } from './support/source-lines.ts'

// The workflows of GitHub are read by GitHub's own parser, because they cannot run here.

const root = join(import.meta.dirname, '..')
const folder = join(root, '.github/workflows')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const WORKFLOWS = readdirSync(folder).map((file) => `.github/workflows/${file}`)
const ACTIONS = ['.github/actions/prepare/action.yml']

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string>>
}
interface Job {
  readonly 'timeout-minutes'?: number
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> }
  readonly steps: readonly Step[]
}
interface Workflow {
  readonly permissions?: unknown
  readonly concurrency?: { readonly group?: string }
  readonly jobs: Readonly<Record<string, Job>>
}

// The parser's package imports a JSON file without the attribute that Node asks for.
const hooks = registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
})
let parser: typeof import('@actions/workflow-parser')
let parseYaml: (text: string) => unknown
beforeAll(async () => {
  parser = await import('@actions/workflow-parser')
  // The parser of YAML belongs to a package beneath it.
  parseYaml = createRequire(createRequire(import.meta.url).resolve('yaml'))('yaml').parse
})
afterAll(() => hooks.deregister())

const faultsOf = (name: string, content: string): string[] =>
  parser
    .parseWorkflow({ name, content }, new parser.NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({ message }) => message)
const workflow = (file: string) => parseYaml(read(file)) as Workflow
const jobs = (file: string) => Object.entries(workflow(file).jobs)
const stepsOf = (file: string) => jobs(file).flatMap(([, { steps }]) => steps)

describe.each(WORKFLOWS)('%s', (file) => {
  it('is one that GitHub takes', () => {
    expect(faultsOf(file, read(file))).toEqual([])
  })

  it('may read the repository and nothing more, but where a job says so', () => {
    expect(workflow(file).permissions).toEqual({ contents: 'read' })
  })

  it('has a time limit for each job, and runs once at a time', () => {
    expect(jobs(file).filter(([, job]) => !(Number(job['timeout-minutes']) <= 300))).toEqual([])
    expect(workflow(file).concurrency?.group).toBeTruthy()
  })

  it('leaves no token of its own in the checkout', () => {
    const checkouts = stepsOf(file).filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    expect(
      checkouts.filter((step) => String(step.with?.['persist-credentials']) !== 'false'),
    ).toEqual([])
  })

  it('runs scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const commands = stepsOf(file).flatMap(({ run }) => run ?? [])
    const named = commands.flatMap((run) =>
      [...run.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name),
    )
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
    const files = commands.flatMap((run) =>
      [...run.matchAll(/\b(?:node|bash) ([\w./-]+)/g)].map(([, path = '']) => path),
    )
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

it.each([...WORKFLOWS, ...ACTIONS])(
  '%s names each action by a commit, with its version beside it',
  (file) => {
    const lines = read(file)
      .split('\n')
      .filter((line) => /\buses: (?!\.\/)/.test(line))
    expect(lines.length).toBeGreaterThan(0)
    expect(
      lines.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)),
    ).toEqual([])
  },
)

it('names one action by one commit everywhere', () => {
  const pins = [...WORKFLOWS, ...ACTIONS].flatMap((file) => [
    ...read(file).matchAll(/uses: ([\w-]+\/[\w-]+)@(.+)/g),
  ])
  const byAction = Map.groupBy(pins, ([, action]) => action)
  expect([...byAction].filter(([, all]) => new Set(all.map(([, , pin]) => pin)).size > 1)).toEqual(
    [],
  )
})

it('is read by a parser that finds faults', () => {
  const wrong = [
    'on: push',
    'jobs:',
    '  a:',
    '    runs-on: x',
    '    timeout-minuts: 1',
    '    steps:',
    '      - run: $',
    '{{ foo.bar }}',
  ]
  const faults = faultsOf('x', wrong.join('\n').replace('$\n', '$'))
  expect(faults).toEqual([
    expect.stringContaining('timeout-minuts'),
    expect.stringContaining('foo'),
  ])
})

describe('a release', () => {
  it('lets only the job that makes the draft write', () => {
    const writing = jobs('.github/workflows/release.yml').filter(([, { permissions = {} }]) =>
      Object.values(permissions).includes('write'),
    )
    expect(writing.map(([name]) => name)).toEqual(['draft'])
  })

  it('takes nothing from a cache', () => {
    const steps = stepsOf('.github/workflows/release.yml')
    expect(steps.filter(({ uses }) => uses?.startsWith('actions/cache@'))).toEqual([])
    const prepared = steps.filter(({ uses }) => uses === './.github/actions/prepare')
    expect(prepared.map((step) => step.with?.cache)).toEqual(['false', 'false', 'false'])
  })
})

describe('a night', () => {
  const { jobs: nightly } = { jobs: () => workflow('.github/workflows/nightly.yml').jobs }

  it('covers every shard of the planted faults once', () => {
    const shards = nightly().faults?.strategy?.matrix.shard ?? []
    expect(shards).toEqual(shards.map((_, at) => `${at + 1}/${shards.length}`))
    expect(shards.length).toBeGreaterThan(1)
  })

  it('measures every module of the mutation tests', () => {
    const list = execFileSync(process.execPath, [join(root, 'scripts/mutation.mjs')], {
      encoding: 'utf8',
    })
    const modules = [...list.matchAll(/^ {2}(\S+) +\S+\.ts\b/gm)].map(([, name]) => name)
    expect(modules.length).toBeGreaterThan(9)
    expect(nightly().mutation?.strategy?.matrix.module?.toSorted()).toEqual(modules.toSorted())
  })

  it('runs every stage of the nightly tier', () => {
    const text = read('.github/workflows/nightly.yml')
    const [, named = ''] = /npm run test:nightly -- (.+)/.exec(text) ?? []
    const alone = ['electron', 'faults', 'mutation'].filter((stage) =>
      new RegExp(`npm run (test:)?${stage}\\b`).test(text),
    )
    expect([...named.split(' '), ...alone].sort()).toEqual(TIERS.nightly.toSorted())
  })

  it('has no input that could leave something out', () => {
    expect(read('.github/workflows/nightly.yml')).not.toContain('inputs.')
    expect(read('.github/workflows/nightly.yml')).not.toContain('continue-on-error')
  })
})

/**
 * What skips tests of Playwright. `npm test` installs the packages and does not make pictures, so
 * the first two skip nothing there.
 */
const SKIPS_OF_PLAYWRIGHT = [
  'e2e/newcomer.spec.ts: test.skip(!areInstalled(), NOT_INSTALLED)',
  "e2e/pictures.spec.ts: test.skip(isMaking, 'They are being made.')",
  "e2e/viewer-documents.spec.ts: test.skip(lacking.length > 0, lacking.join(', '))",
  "e2e/viewer-formats.spec.ts: test.skip(lacking.length > 0, lacking.join(', '))",
  "e2e/viewer-pixels.spec.ts: test.skip(lacking.length > 0, lacking.join(', '))",
]

/** Tools whose tests run by a command of their own. */
const BY_COMMAND = ['Ceph']

describe('the tools of the tests', () => {
  it('are all required on Linux', () => {
    expect(toolsOf('linux').unavailable.map(({ name }) => name)).toEqual(BY_COMMAND)
  })

  it.each(['darwin', 'win32'])('are required on %s or have a reason', (platform) => {
    const { required, unavailable } = toolsOf(platform)
    const names = [...required, ...unavailable].map(({ name }) => name)
    const onLinux = toolsOf('linux').required.map(({ name }) => name)
    expect(names.toSorted()).toEqual([...onLinux, ...BY_COMMAND].toSorted())
    expect(unavailable.filter(({ reason }) => reason.length < 10)).toEqual([])
  })

  it('have a row for every reason for which test/support/needs.ts skips a test, and no other', () => {
    const { required, unavailable } = toolsOf('linux')
    const skips = [...required, ...unavailable].flatMap(({ skips }) => skips ?? [])
    expect([...new Set(skips)].sort()).toEqual(REASONS.toSorted())
  })

  it('excuse a skipped test where all its reasons are those of what the system cannot have', () => {
    const [all, native, none] = [
      ['it needs Linux', 'rsyslog with TLS is not installed'],
      ['dicom-dimse-native is not built'],
      [],
    ].map((reasons) => ({ reasons })) as [
      { reasons: string[] },
      { reasons: string[] },
      { reasons: string[] },
    ]
    const both = { reasons: [...all.reasons, ...native.reasons] }
    for (const platform of ['darwin', 'win32'])
      expect(unacceptedSkips([all, native, none, both], platform)).toEqual([native, none, both])
    expect(unacceptedSkips([all], 'linux')).toEqual([all])
    const posix = { reasons: ['it needs a POSIX system'] }
    expect([unacceptedSkips([posix], 'win32'), unacceptedSkips([posix], 'darwin')]).toEqual([
      [],
      [posix],
    ])
  })

  it('are all that a test is skipped for', () => {
    const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts'),
    )
    expect(files.length).toBeGreaterThan(500)
    const skips = files
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name !== 'support/needs.ts' && name !== 'workflows.test.ts')
      .flatMap((name) => sourceLines(read(`test/${name}`)).map((line) => `${name}: ${line.trim()}`))
      .filter((line) => /\b(skipIf|runIf)\b|\.(skip|fixme|todo)\(/.test(line))
    expect(skips.toSorted()).toEqual(SKIPS_OF_PLAYWRIGHT)
  })
})
