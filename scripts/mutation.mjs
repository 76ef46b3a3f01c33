// npm run mutation -- MODULE [OPTIONS OF STRYKER] | --table: mutation testing of the modules where a
// fault costs most. Without an argument it lists them. docs/MUTATION.md explains the setup and keeps
// the scores.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, installPackages, node24, root, stop } from './setup.mjs'

const MINIMUM_SCORE = 85
const LIMIT_MINUTES = 60
const results = join(root, 'node_modules', '.cache', 'isthmus', 'mutation')

/**
 * Sources relative to electron/gateway/ and the tests, relative to test/electron/gateway/, that run
 * for each of their mutants, the cheapest first. A test file is listed when it tests one of these
 * sources directly and takes seconds at most: flow, crash and interop tests are not.
 */
const MODULES = {
  matching: {
    sources: [
      'worklist/matching.ts',
      'worklist/span.ts',
      'worklist/name.ts',
      'worklist/received-key.ts',
      'intake/mismatch.ts',
      'intake/name.ts',
      'store/same-patient.ts',
    ],
    tests: [
      'worklist/span.test.ts',
      'worklist/name.test.ts',
      'intake/name.test.ts',
      'store/same-patient.test.ts',
      'worklist/received-key.test.ts',
      'worklist/matching.test.ts',
      'intake/mismatch.test.ts',
    ],
  },
  correlation: { sources: ['worklist/handed-out.ts'], tests: ['worklist/handed-out.test.ts'] },
  'address-rules': {
    sources: [
      'webhooks/address.ts',
      'webhooks/address-class.ts',
      'webhooks/own-listeners.ts',
      'domain/address-range.ts',
      'domain/refused-hosts.ts',
    ],
    tests: ['domain/address-range.test.ts', 'domain/refused-hosts.test.ts', 'webhooks/address-class.test.ts', 'webhooks/address.test.ts'],
  },
  encryption: {
    sources: [
      'store/seal.ts',
      'store/sealed-file.ts',
      'store/wrapped-key.ts',
      'store/recovery-key.ts',
      'store/data-key.ts',
      'store/key-proof.ts',
      'store/secrets.ts',
    ],
    tests: [
      'store/seal.test.ts',
      'store/secrets.test.ts',
      'store/sealed-file.test.ts',
      'store/recovery-key.test.ts',
      'store/wrapped-key.test.ts',
    ],
  },
  sessions: {
    sources: [
      'domain/sessions.ts',
      'domain/sign-in-throttle.ts',
      'domain/study-access.ts',
      'store/sessions.ts',
      'http/sessions.ts',
      'http/callers.ts',
      'http/admission.ts',
      'domain/users.ts',
      'domain/api-keys.ts',
    ],
    tests: [
      'domain/study-access.test.ts',
      'domain/api-keys.test.ts',
      'domain/users.test.ts',
      'store/sessions.test.ts',
      'http/sessions.test.ts',
      'http/operations.test.ts',
      'http/partners.test.ts',
      'domain/people.test.ts',
    ],
  },
  retention: {
    sources: ['domain/retention.ts', 'store/backup-keeping.ts', 'domain/backup-plan.ts'],
    tests: [
      'domain/backup-plan.test.ts',
      'store/backup-keeping.properties.test.ts',
      'domain/retention.test.ts',
      'store/backup-keeping.test.ts',
    ],
  },
  signing: {
    sources: [
      'domain/report-signing.ts',
      'domain/report-writing.ts',
      'domain/report-locks.ts',
      'domain/report-access.ts',
      'domain/correction-addendum.ts',
      'store/study-identity.ts',
    ],
    tests: [
      'store/study-identity.test.ts',
      'domain/correction-addendum.test.ts',
      'domain/report-signing.test.ts',
      'domain/report-writing.test.ts',
      'domain/report-locks.test.ts',
      'domain/identity-override.test.ts',
    ],
  },
  delivery: {
    sources: ['webhooks/deliveries.ts', 'webhooks/circuit.ts', 'webhooks/signature.ts', 'store/outbox.ts', 'store/outbox-worker.ts'],
    tests: [
      'webhooks/circuit.test.ts',
      'webhooks/signature.test.ts',
      'store/outbox.test.ts',
      'store/outbox-worker.test.ts',
      'webhooks/deliveries.test.ts',
    ],
  },
  'character-sets': {
    sources: ['dimse/character-set.ts', 'dimse/unicode-set.ts', 'dimse/coding.ts', 'worklist/repertoire.ts'],
    tests: ['dimse/character-set.test.ts', 'worklist/repertoire.test.ts'],
  },
  'data-sets': {
    sources: ['dimse/data-set.ts', 'dimse/data-set-writer.ts', 'dimse/data-set-stream.ts', 'dimse/element-header.ts', 'dimse/padding.ts'],
    tests: [
      'dimse/padding.test.ts',
      'dimse/element-header.test.ts',
      'dimse/data-set-stream.test.ts',
      'dimse/dictionary.test.ts',
      'dimse/data-set.test.ts',
    ],
  },
  // Corrected copies of images, and versions of an image that are found again after a restore.
  corrections: {
    sources: [
      'intake/corrections.ts',
      'intake/correction-rules.ts',
      'intake/correction-targets.ts',
      'intake/adoption.ts',
      'store/corrections.ts',
    ],
    tests: ['intake/found-versions.test.ts', 'intake/adoption.test.ts', 'intake/corrections.test.ts'],
  },
  storage: {
    sources: [
      'store/image-files.ts',
      'store/part-file.ts',
      'store/folder-sync.ts',
      'store/wal-sync.ts',
      'store/spare-files.ts',
      'store/database.ts',
    ],
    tests: [
      'store/part-file.test.ts',
      'store/folder-sync.test.ts',
      'store/spare-files.test.ts',
      'store/transactions.test.ts',
      'store/image-files.test.ts',
      'store/wal-sync.test.ts',
      'store/database.test.ts',
    ],
  },
}

const [name, ...options] = process.argv.slice(2)
if (name === undefined) listModules()
else if (name === '--table') console.log(table())
else if (name === '--all') process.exit(await runAll())
else process.exit(await run(name))

/** Runs every module, also after one whose score is too low. */
async function runAll() {
  let status = 0
  for (const module of Object.keys(MODULES)) status = (await run(module)) || status
  console.log(table())
  return status
}

function listModules() {
  console.log('npm run mutation -- MODULE, where MODULE is one of:\n')
  for (const [module, { sources }] of Object.entries(MODULES)) console.log(`  ${module.padEnd(16)}${sources.join(' ')}`)
  console.log('\n--all runs every module. --table prints the scores measured in this copy as a Markdown table.')
}

async function run(module) {
  const found = MODULES[module]
  if (!found) stop(`There is no module "${module}". npm run mutation lists them.`)
  const missing = [...sourcesOf(found), ...testsOf(found)].filter((path) => !existsSync(join(root, path)))
  if (missing.length > 0) stop(`${module} names files that are not there: ${missing.join(' ')}`)
  installPackages()
  mkdirSync(results, { recursive: true })
  const report = join(results, `${module}.report.json`)
  const config = join(results, `${module}.config.json`)
  rmSync(report, { force: true })
  writeFileSync(config, JSON.stringify(configOf(found, module, report), null, 2))
  const started = Date.now()
  const status = await stryker(['run', config, ...options], testsOf(found))
  const minutes = (Date.now() - started) / 60_000
  if (!existsSync(report)) {
    console.error(`${module}: ended after ${minutes.toFixed(0)} minutes without a score. The next run continues.`)
    return status || 1
  }
  const summary = { ...countsOf(JSON.parse(readFileSync(report, 'utf8'))), minutes: minutes.toFixed(1), measured: measuredNow() }
  // A run limited to some of the files gives no score for the module.
  if (!options.includes('--mutate')) writeFileSync(join(results, `${module}.json`), JSON.stringify(summary))
  console.log(`${module}: ${lineOf(summary)}`)
  return status
}

function sourcesOf({ sources }) {
  return sources.map((path) => `electron/gateway/${path}`)
}

function testsOf({ tests }) {
  return tests.map((path) => `test/electron/gateway/${path}`)
}

function configOf(found, module, report) {
  return {
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.mutation.config.ts', related: false },
    testFiles: testsOf(found),
    mutate: sourcesOf(found),
    coverageAnalysis: 'perTest',
    // A mutant of a constant needs all modules loaded anew and every test run for it.
    ignoreStatic: true,
    incremental: true,
    incrementalFile: join(results, `${module}.incremental.json`),
    concurrency: 2,
    // Generous, as is the limit of each test: a slow machine must not look like a killed mutant.
    timeoutFactor: 5,
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 10,
    thresholds: { high: 95, low: MINIMUM_SCORE, break: MINIMUM_SCORE },
    // Stryker reads it with the compiler's JavaScript interface, which TypeScript 7 does not have.
    tsconfigFile: 'no-tsconfig.json',
    // Vite leaves files under node_modules untransformed, so the copies cannot be in the cache.
    tempDirName: '.stryker-tmp',
    ignorePatterns: ['dist', 'release', 'docs/pictures', 'test/e2e', 'test/fuzz', 'packaging'],
    reporters: ['progress-append-only', 'clear-text', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: report },
  }
}

/** Exit status of Stryker. At the limit it is interrupted, and keeps what it has measured by then. */
function stryker(args, tests) {
  const bin = join(root, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')
  const env = { ...environment(), ISTHMUS_MUTATION_TESTS: tests.join(' ') }
  const child = spawn(node24(), [bin, ...args], { cwd: root, stdio: 'inherit', env })
  const limit = setTimeout(() => child.kill('SIGINT'), LIMIT_MINUTES * 60_000)
  return new Promise((resolve) => {
    child.on('exit', (status) => {
      clearTimeout(limit)
      resolve(status ?? 1)
    })
  })
}

/** The commit that is measured and the day, such as `0a1b2c3 2026-11-23`; `+` after a commit with changes beside it. */
function measuredNow() {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? ''
  const changes = git('status', '--porcelain', '--', 'electron', 'shared', 'test') === '' ? '' : '+'
  return `${git('rev-parse', '--short=7', 'HEAD')}${changes} ${new Date().toISOString().slice(0, 10)}`
}

function countsOf({ files }) {
  const mutants = Object.values(files).flatMap((file) => file.mutants)
  const count = (...states) => mutants.filter(({ status }) => states.includes(status)).length
  const [killed, timeouts, survived, noCoverage] = [count('Killed'), count('Timeout'), count('Survived'), count('NoCoverage')]
  const all = killed + timeouts + survived + noCoverage
  const score = all === 0 ? 0 : (100 * (killed + timeouts)) / all
  return { score: score.toFixed(1), killed, survived, timeouts, noCoverage, ignored: count('Ignored') }
}

function lineOf({ score, killed, survived, timeouts, noCoverage, ignored, minutes }) {
  return `score ${score} %, ${killed} killed, ${survived} survived, ${timeouts} timeouts, ${noCoverage} without coverage, ${ignored} ignored, ${minutes} min`
}

function table() {
  const head = ['Module', 'Score', 'Killed', 'Survived', 'Timeouts', 'No coverage', 'Ignored', 'Commit and date']
  const rows = Object.keys(MODULES).map((module) => {
    const file = join(results, `${module}.json`)
    if (!existsSync(file)) return [module, 'not yet measured', '', '', '', '', '', '']
    const { score, killed, survived, timeouts, noCoverage, ignored, measured = '' } = JSON.parse(readFileSync(file, 'utf8'))
    return [module, `${score} %`, killed, survived, timeouts, noCoverage, ignored, measured]
  })
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, index) => (index < 2 || index > 6 ? '---' : '--:'))), ...rows.map(line)].join('\n')
}
