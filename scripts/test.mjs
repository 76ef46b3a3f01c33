// npm test [STAGE …] [-- --tier quick|full|nightly]: installs what is missing, then runs the stages
// of the tier, or the named ones. It fails when a stage fails or ran no test, when a test only
// passed at the second try and, on CI, when a test was skipped, or a tool or a stage of the tier is
// missing. CONTRIBUTING.md has the stages with their seconds.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import {
  build,
  environment,
  installPackages,
  missingElectron,
  node24,
  placeNative,
  root,
  runNode,
} from './setup.mjs'
import { parseTestArguments, runsOf, STAGES, stagesNotRun } from './test-arguments.mjs'
import { installTools, toolsOf, unacceptedSkips } from './test-tools.mjs'

const STATES = {
  passed: 'passed',
  failed: 'failed',
  pending: 'skipped',
  skipped: 'skipped',
  todo: 'skipped',
  disabled: 'skipped',
}
const results = join(root, 'node_modules', '.cache', 'isthmus', 'results')
const tool = (name) => join(root, 'node_modules', name)

const wanted = parseTestArguments(process.argv.slice(2))
if ('error' in wanted) {
  console.error(wanted.error)
  process.exit(2)
}
const { tier, areNamed } = wanted
installPackages({ withTools: true })
// A stage that was named runs, and fails, without what it needs.
const lacking =
  areNamed || !wanted.stages.includes('electron') ? {} : { electron: missingElectron() }
const stages = wanted.stages.filter((name) => !lacking[name])
const isNeeded = (need) => stages.some((name) => STAGES[name].needs.includes(need))

const missing = isNeeded('tools') ? installTools() : []
const nativeWays = ['present', 'cache', 'prebuild', 'compile']
const isNativeThere =
  !isNeeded('native') || placeNative(nativeWays.slice(0, process.env.ISTHMUS_NO_COMPILE ? 3 : 4))

rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
// Compiled code is kept between the hundreds of processes that the tests start.
const env = {
  ...environment(),
  ISTHMUS_TIER: tier,
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
}
// Where the unit tests and those of the browser keep their files: they prove nothing about a disk.
const memory = memoryFolder()
const failures = []
const seconds = []
const tests = []

const checks = {
  types: [[tool('typescript/bin/tsc'), '-b']],
  lint: [
    [tool('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'],
    [join(root, 'scripts/prose/main.ts')],
  ],
}
const run = {
  vitest,
  attacks: vitest,
  e2e: () => playwright('e2e', 'playwright.config.ts', { ...env, TMPDIR: memory ?? env.TMPDIR }),
  electron: () => playwright('electron', 'playwright.electron.config.ts'),
  fuzz: () => script('fuzz.mjs', '--seconds', '120'),
  simulate: () =>
    script('simulate.mjs', '--rounds', '200', '--minutes', '60') ||
    script('simulate.mjs', '--kills', '200'),
  soak: () => script('soak.mjs'),
  faults: () => script('faults.mjs'),
  mutation: () => script('mutation.mjs', '--all'),
}

const started = Date.now()
// The checks read only sources. They run beside the build and the first tests, which wait for
// sockets now and then.
let checking = stages
  .filter((name) => name in checks)
  .flatMap((name) => checks[name].map((args) => ({ name, ended: outputOf(args) })))
if (isNeeded('build')) await timed(['build'], build)
const runs = runsOf(stages.filter((name) => !(name in checks)))
if (runs.length === 0 && checking.length > 0) await timed(namesOf(checking), endChecks)
for (const names of runs) {
  const [first] = names
  const status = await timed([...namesOf(checking), ...names], async () => {
    const ended = run[STAGES[first].run ?? first](names)
    await endChecks()
    return ended
  })
  if (status !== 0) failures.push(names.join(', '))
  const { reads } = STAGES[first]
  if (!reads) continue
  const found = reads === 'vitest' ? vitestTests(names) : playwrightTests(first)
  for (const name of names)
    if (!found.some(({ stage }) => stage === name)) failures.push(`${name}: no test ran`)
  tests.push(...found)
}
report()

function namesOf(some) {
  return [...new Set(some.map(({ name }) => name))]
}

/** Waits for the checks that run, and prints what they found. */
async function endChecks() {
  for (const { name, ended } of checking) {
    const { status, output } = await ended
    process.stdout.write(output)
    if (status !== 0 && !failures.includes(name)) failures.push(name)
  }
  checking = []
}

/** Starts a file by Node 24; its exit status and all that it printed. */
function outputOf(args) {
  const child = spawn(node24(), args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => printed.push(chunk))
  return new Promise((resolve) => {
    child.on('close', (status) =>
      resolve({ status: status ?? 1, output: Buffer.concat(printed).toString() }),
    )
  })
}

/** Runs stages and keeps their duration for the table at the end. */
async function timed(names, work) {
  console.log(`\n── ${names.join(', ')}`)
  const began = Date.now()
  const status = await work()
  seconds.push([names.join(', '), (Date.now() - began) / 1000])
  return status
}

/**
 * A folder in memory for temporary files, removed at the end; undefined where there is no room for
 * one.
 */
function memoryFolder() {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return undefined
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize < 8e9) return undefined
  const folder = mkdtempSync(join(memory, 'isthmus-test-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function vitest(stages) {
  const projects = stages.flatMap((name) => (name === 'unit' ? ['unit', 'isolated'] : [name]))
  return runNode(
    [
      tool('vitest/vitest.mjs'),
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      ...['--reporter', process.env.CI ? 'dot' : 'default', '--reporter', 'json'],
      `--outputFile.json=${resultsOf(stages)}`,
    ],
    { env: { ...env, ...(memory && { ISTHMUS_MEMORY: memory }) } },
  )
}

function playwright(stage, config, variables = env) {
  return runNode([tool('@playwright/test/cli.js'), 'test', '--config', config], {
    env: { ...variables, PLAYWRIGHT_JSON_OUTPUT_NAME: resultsOf([stage]) },
  })
}

function script(file, ...args) {
  return runNode([join(root, 'scripts', file), ...args], { env })
}

function report() {
  const inState = (state) => tests.filter((test) => test.state === state)
  const skipped = inState('skipped')
  const failed = inState('failed')
  console.log('\n── result')
  if (missing.length > 0) console.log(`Not on this machine: ${missing.join(', ')}`)
  if (!isNativeThere)
    console.log(
      'Not on this machine: the native module dicom-dimse-native (npm run native says why)',
    )
  for (const line of stagesNotRun({ stages, areNamed }, lacking)) console.log(line)
  for (const { name, reasons } of skipped)
    console.log(`skipped: ${name}\n         because ${reasons.join(', ') || 'no reason is given'}`)
  const { unavailable } = toolsOf()
  for (const { name, reason } of unavailable)
    console.log(`Not on ${process.platform}: ${name} (${reason})`)
  const unaccepted = unacceptedSkips(skipped)
  for (const [name, reason] of Object.entries(lacking))
    if (process.env.CI && reason) failures.push(`${name}: ${reason}`)
  if (process.env.CI && unaccepted.length > 0)
    failures.push(`${unaccepted.length} tests skipped on CI`)
  if (process.env.CI && (missing.length > 0 || !isNativeThere)) failures.push('tools missing on CI')
  const flaky = tests.filter(({ isFlaky }) => isFlaky)
  for (const { name } of flaky) failures.push(`passed only at the second try: ${name}`)
  for (const { name, fault } of failed) console.log(`failed: ${name}\n        ${fault}`)
  for (const name of failures) console.log(`failed: ${name}`)
  seconds.push(['all', (Date.now() - started) / 1000])
  console.log(`\n| stage (${tier}) | seconds |\n|---|---|`)
  for (const [name, value] of seconds) console.log(`| ${name} | ${Math.round(value)} |`)
  console.log(
    `\n${inState('passed').length} passed, ${failed.length} failed, ${skipped.length} skipped`,
  )
  process.exit(failures.length > 0 || failed.length > 0 ? 1 : 0)
}

function resultsOf(stages) {
  return join(results, `${stages.join('-')}.json`)
}

function readResults(stages) {
  const file = resultsOf(stages)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/**
 * The tests of one run of Vitest, each with its stage, which is its folder where several share the
 * run.
 */
function vitestTests(stages) {
  return (readResults(stages)?.testResults ?? []).flatMap((file) => {
    const path = relative(root, file.name)
    const [, folder] = path.split(sep)
    const stage = stages.includes(folder) ? folder : 'unit'
    return file.assertionResults.map((test) => ({
      stage,
      name: `${path}: ${test.fullName}`,
      state: STATES[test.status] ?? 'failed',
      reasons: test.meta?.needs ?? [],
      fault: shortened(test.failureMessages),
    }))
  })
}

/** CI may keep only the end of a long log, so each failure is at most 600 characters there. */
function shortened(messages = []) {
  return stripVTControlCharacters(messages.join(' ')).replace(/\s+/g, ' ').slice(0, 600)
}

function playwrightTests(stage) {
  const specs = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specs)]
  return (readResults([stage])?.suites ?? []).flatMap(specs).flatMap((spec) =>
    spec.tests.map((test) => ({
      stage,
      name: `${spec.file}: ${spec.title}`,
      state:
        test.status === 'skipped' ? 'skipped' : test.status === 'unexpected' ? 'failed' : 'passed',
      isFlaky: test.status === 'flaky',
      fault: shortened(
        test.results.flatMap(({ errors = [] }) => errors.map(({ message }) => message)),
      ),
      reasons: test.annotations.flatMap(({ type, description }) =>
        type === 'skip' && description ? [description] : [],
      ),
    })),
  )
}
