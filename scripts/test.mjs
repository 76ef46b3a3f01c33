// npm test: installs what it lacks, then type-check, lint, unit, flow, interop and browser tests. What could not run is counted and named
// at the end with the reason. On CI nothing may be skipped but what needs a real Electron binary.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { build, environment, installPackages, placeNative, root, runNode } from './setup.mjs'

const DEBIAN_PACKAGES = {
  findscu: 'dcmtk',
  Orthanc: 'orthanc',
  dciodvfy: 'dicom3tools',
  pdftotext: 'poppler-utils',
  rclone: 'rclone',
  'systemd-analyze': 'systemd',
  chromium: 'chromium',
  curl: 'curl',
}
const PYTHON_PACKAGE = 'python3-pydicom'
const STATES = { passed: 'passed', failed: 'failed', pending: 'skipped', skipped: 'skipped', todo: 'skipped', disabled: 'skipped' }
const results = join(root, 'node_modules', '.cache', 'isthmus')
const tool = (name) => join(root, 'node_modules', name)

installPackages()
const missing = installDebianPackages()
const native = placeNative(['present', 'cache', 'prebuild', 'compile'].slice(0, process.env.ISTHMUS_NO_COMPILE ? 3 : 4))

rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
const failures = []
const step = (name, run) => {
  console.log(`\n── ${name}`)
  const started = Date.now()
  if (run() !== 0) failures.push(name)
  console.log(`── ${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

const only = process.argv.slice(2)
const wanted = (name) => only.length === 0 || only.includes(name)
if (wanted('types')) step('types', () => runNode([tool('typescript/bin/tsc'), '-b']))
if (wanted('lint')) step('lint', () => runNode([tool('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']))
build()
for (const project of ['unit', 'flows', 'interop']) {
  if (wanted(project)) step(project, () => vitest(project))
}
if (wanted('e2e'))
  step('e2e', () =>
    runNode([tool('@playwright/test/cli.js'), 'test'], {
      env: { ...environment(), PLAYWRIGHT_JSON_OUTPUT_NAME: join(results, 'e2e.json') },
    }),
  )

report()

function vitest(project) {
  return runNode([
    tool('vitest/vitest.mjs'),
    'run',
    '--project',
    project,
    '--reporter',
    'default',
    '--reporter',
    'json',
    `--outputFile.json=${join(results, `${project}.json`)}`,
  ])
}

function installDebianPackages() {
  const has = (command) => spawnSync('which', [command], { stdio: 'ignore' }).status === 0
  const hasPydicom = () => spawnSync('/usr/bin/python3', ['-c', 'import pydicom'], { stdio: 'ignore' }).status === 0
  const lacking = () => [
    ...Object.keys(DEBIAN_PACKAGES)
      .filter((name) => !has(name))
      .map((name) => DEBIAN_PACKAGES[name]),
    ...(hasPydicom() ? [] : [PYTHON_PACKAGE]),
  ]
  const packages = process.platform === 'linux' ? lacking() : Object.values(DEBIAN_PACKAGES)
  if (packages.length > 0 && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    console.log(`Installing ${packages.join(' ')} from the distribution …`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const apt = (...args) =>
      spawnSync('apt-get', ['-qq', '-o', 'Dpkg::Use-Pty=0', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env })
    apt('update')
    apt('install', '-y', '--no-install-recommends', ...packages)
    return lacking()
  }
  return packages
}

function report() {
  const tests = [...['unit', 'flows', 'interop'].flatMap(vitestTests), ...browserTests()]
  const count = (state) => tests.filter((test) => test.state === state).length
  const skipped = tests.filter((test) => test.state === 'skipped')
  console.log('\n── result')
  if (missing.length > 0) console.log(`Not on this machine: ${missing.join(', ')}`)
  if (!native) console.log('Not on this machine: the native module dicom-dimse-native (npm run native says why)')
  for (const { name, reason } of skipped) console.log(`skipped: ${name}\n         because ${reason}`)
  const unexcused = process.env.CI ? skipped.filter(({ reason }) => !reason.includes('Electron binary')) : []
  if (unexcused.length > 0) failures.push(`${unexcused.length} tests skipped on CI`)
  if (process.env.CI && (missing.length > 0 || !native)) failures.push('tools missing on CI')
  if (tests.length === 0 && only.length === 0) failures.push('no test ran')
  for (const { name } of tests.filter(({ isFlaky }) => isFlaky)) console.log(`passed at the second try alone: ${name}`)
  for (const { name, fault } of tests.filter(({ state }) => state === 'failed')) console.log(`failed: ${name}\n        ${fault}`)
  for (const name of failures) console.log(`failed: ${name}`)
  console.log(`${count('passed')} passed, ${count('failed')} failed, ${skipped.length} skipped`)
  process.exit(failures.length > 0 || count('failed') > 0 ? 1 : 0)
}

function readResults(name) {
  const file = join(results, `${name}.json`)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function vitestTests(project) {
  return (readResults(project)?.testResults ?? []).flatMap((file) =>
    file.assertionResults.map((test) => ({
      name: `${relative(root, file.name)}: ${test.fullName}`,
      state: STATES[test.status] ?? 'failed',
      reason: test.meta?.needs ?? 'no reason is given',
      fault: inShort(test.failureMessages),
    })),
  )
}

// Of a long log only the end may be kept.
function inShort(messages = []) {
  return stripVTControlCharacters(messages.join(' ')).replace(/\s+/g, ' ').slice(0, 600)
}

function browserTests() {
  const specs = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specs)]
  return (readResults('e2e')?.suites ?? []).flatMap(specs).flatMap((spec) =>
    spec.tests.map((test) => ({
      name: `${spec.file}: ${spec.title}`,
      state: test.status === 'skipped' ? 'skipped' : test.status === 'unexpected' ? 'failed' : 'passed',
      isFlaky: test.status === 'flaky',
      fault: inShort(test.results.flatMap(({ errors = [] }) => errors.map(({ message }) => message))),
      reason: test.annotations.find((annotation) => annotation.type === 'skip')?.description ?? 'no reason is given',
    })),
  )
}
