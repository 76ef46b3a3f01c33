// npm run mutation -- MODULE [OPTIONS OF STRYKER] | --table: mutation testing of the modules where
// a fault costs most. Without an argument it lists them. docs/MUTATION.md explains the setup and
// keeps the scores.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, installPackages, node24, root, stop } from './setup.mjs'

const MINIMUM_SCORE = 85
const LIMIT_MINUTES = 60
const results = join(root, 'node_modules', '.cache', 'isthmus', 'mutation')

/**
 * Sources relative to electron/server/ and the tests, relative to test/electron/server/, that run
 * for each of their mutants, the cheapest first. A test file is listed when it tests one of these
 * sources directly and takes seconds at most: flow, crash and interop tests are not.
 */
const MODULES = {
  matching: {
    sources: [
      'modules/worklist/matching.ts',
      'modules/worklist/dates.ts',
      'modules/worklist/row.ts',
      'modules/worklist/received-key.ts',
      'modules/images/mismatch.ts',
      'modules/images/person-name.ts',
      'modules/studies/same-patient.ts',
    ],
    tests: [
      'modules/worklist/dates.test.ts',
      'modules/worklist/row.test.ts',
      'modules/images/person-name.test.ts',
      'modules/studies/same-patient.test.ts',
      'modules/worklist/received-key.test.ts',
      'modules/worklist/matching.test.ts',
      'modules/images/mismatch.test.ts',
    ],
  },
  correlation: {
    sources: ['modules/worklist/worklist-correlation.ts'],
    tests: ['modules/worklist/worklist-correlation.test.ts'],
  },
  'address-rules': {
    sources: [
      'webhooks/address.ts',
      'webhooks/address-class.ts',
      'platform/address-range.ts',
      'modules/partners/refused-hosts.ts',
    ],
    tests: [
      'platform/address-range.test.ts',
      'modules/partners/refused-hosts.test.ts',
      'webhooks/address-class.test.ts',
      'webhooks/address.test.ts',
    ],
  },
  encryption: {
    sources: [
      'database/encryption.ts',
      'database/encrypted-file.ts',
      'database/wrapped-key.ts',
      'database/recovery-key.ts',
      'database/data-key.ts',
      'database/key-proof.ts',
      'configuration/secret-queries.ts',
    ],
    tests: [
      'database/encryption.test.ts',
      'configuration/secret-queries.test.ts',
      'database/encrypted-file.test.ts',
      'database/recovery-key.test.ts',
      'database/wrapped-key.test.ts',
    ],
  },
  sessions: {
    sources: [
      'modules/users/sessions.ts',
      'modules/users/sign-in-throttle.ts',
      'modules/studies/study-access.ts',
      'modules/users/session-queries.ts',
      'http/session-authentication.ts',
      'http/callers.ts',
      'http/access-check.ts',
      'modules/users/users.ts',
      'modules/api-keys/api-keys.ts',
    ],
    tests: [
      'modules/studies/study-access.test.ts',
      'modules/api-keys/api-keys.test.ts',
      'modules/users/users.test.ts',
      'modules/users/session-queries.test.ts',
      'http/session-authentication.test.ts',
      'http/operations.test.ts',
      'http/partner-authentication.test.ts',
      'modules/users/people.test.ts',
    ],
  },
  retention: {
    sources: [
      'modules/diagnostics/retention.ts',
      'modules/backups/backup-retention.ts',
      'modules/backups/backup-plan.ts',
    ],
    tests: [
      'modules/backups/backup-plan.test.ts',
      'modules/backups/backup-retention.properties.test.ts',
      'modules/diagnostics/retention.test.ts',
      'modules/backups/backup-retention.test.ts',
    ],
  },
  signing: {
    sources: [
      'modules/reports/report-signing.ts',
      'modules/reports/report-writing.ts',
      'modules/reports/report-locks.ts',
      'modules/reports/report-drafts.ts',
      'modules/reports/identity-override.ts',
      'modules/reports/correction-instant-queries.ts',
      'modules/studies/study-identity.ts',
    ],
    tests: [
      'modules/studies/study-identity.test.ts',
      'modules/reports/correction-instant-queries.test.ts',
      'modules/reports/report-signing.test.ts',
      'modules/reports/report-writing.test.ts',
      'modules/reports/report-locks.test.ts',
      'modules/reports/identity-override.test.ts',
    ],
  },
  delivery: {
    sources: [
      'webhooks/deliveries.ts',
      'webhooks/circuit-breaker.ts',
      'webhooks/signature.ts',
      'jobs/outbox-queries.ts',
      'jobs/outbox-worker.ts',
      'jobs/retry-schedules.ts',
    ],
    tests: [
      'webhooks/circuit-breaker.test.ts',
      'webhooks/signature.test.ts',
      'jobs/outbox-queries.test.ts',
      'jobs/retry-schedules.test.ts',
      'jobs/outbox-worker.test.ts',
      'webhooks/deliveries.test.ts',
    ],
  },
  'character-sets': {
    sources: [
      'dicom/character-sets/character-set.ts',
      'dicom/character-sets/unicode-set.ts',
      'dicom/data-set/coding.ts',
      'modules/worklist/character-set-fallback.ts',
    ],
    tests: [
      'dicom/character-sets/character-set.test.ts',
      'modules/worklist/character-set-fallback.test.ts',
    ],
  },
  'data-sets': {
    sources: [
      'dicom/data-set/data-set.ts',
      'dicom/data-set/data-set-writer.ts',
      'dicom/data-set/data-set-stream.ts',
      'dicom/data-set/element-header.ts',
      'dicom/data-set/vr.ts',
    ],
    tests: [
      'dicom/data-set/vr.test.ts',
      'dicom/data-set/element-header.test.ts',
      'dicom/data-set/data-set-stream.test.ts',
      'dicom/data-set/dictionary.test.ts',
      'dicom/data-set/data-set.test.ts',
    ],
  },
  // Corrected copies of images, and versions of an image that are found again after a restore.
  corrections: {
    sources: [
      'modules/corrections/corrections.ts',
      'modules/corrections/correction-rules.ts',
      'modules/corrections/correction-targets.ts',
      'modules/corrections/correction-plan.ts',
      'modules/corrections/correction-commit.ts',
      'modules/corrections/correction-undo.ts',
      'modules/corrections/correction-restore.ts',
      'modules/images/orphan-import.ts',
      'modules/corrections/correction-queries.ts',
    ],
    tests: [
      'modules/corrections/correction-rules.test.ts',
      'modules/corrections/correction-targets.test.ts',
      'modules/corrections/correction-queries.test.ts',
      'modules/corrections/correction-plan.test.ts',
      'modules/images/recovery.test.ts',
      'modules/images/orphan-import.test.ts',
      'modules/images/found-versions.test.ts',
      'modules/corrections/corrections.test.ts',
    ],
  },
  storage: {
    sources: [
      'database/image-files.ts',
      'database/recovery-folder.ts',
      'database/copy-journal.ts',
      'database/part-file.ts',
      'database/folder-sync.ts',
      'database/wal-sync.ts',
      'database/spare-files.ts',
      'database/database.ts',
      'database/group-commit.ts',
    ],
    tests: [
      'database/part-file.test.ts',
      'database/folder-sync.test.ts',
      'database/spare-files.test.ts',
      'database/transactions.test.ts',
      'database/image-files.test.ts',
      'database/wal-sync.test.ts',
      'database/database.test.ts',
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
  for (const [module, { sources }] of Object.entries(MODULES))
    console.log(`  ${module.padEnd(16)}${sources.join(' ')}`)
  console.log(
    '\n--all runs every module. --table prints the scores measured in this copy as a Markdown table.',
  )
}

async function run(module) {
  const found = MODULES[module]
  if (!found) stop(`There is no module "${module}". npm run mutation lists them.`)
  const missing = [...sourcesOf(found), ...testsOf(found)].filter(
    (path) => !existsSync(join(root, path)),
  )
  if (missing.length > 0) stop(`${module} names files that are not there: ${missing.join(' ')}`)
  installPackages({ withTools: true })
  mkdirSync(results, { recursive: true })
  const report = join(results, `${module}.report.json`)
  const config = join(results, `${module}.config.json`)
  rmSync(report, { force: true })
  writeFileSync(config, JSON.stringify(configOf(found, module, report), null, 2))
  const started = Date.now()
  const status = await stryker(['run', config, ...options], testsOf(found))
  const minutes = (Date.now() - started) / 60_000
  if (!existsSync(report)) {
    console.error(
      `${module}: ended after ${minutes.toFixed(0)} minutes without a score. The next run continues.`,
    )
    return status || 1
  }
  const summary = {
    ...countsOf(JSON.parse(readFileSync(report, 'utf8'))),
    minutes: minutes.toFixed(1),
    measured: measuredNow(),
  }
  // A run limited to some of the files gives no score for the module.
  if (!options.includes('--mutate'))
    writeFileSync(join(results, `${module}.json`), JSON.stringify(summary))
  console.log(`${module}: ${lineOf(summary)}`)
  return status
}

function sourcesOf({ sources }) {
  return sources.map((path) => `electron/server/${path}`)
}

function testsOf({ tests }) {
  return tests.map((path) => `test/electron/server/${path}`)
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

/**
 * Exit status of Stryker. At the limit it is interrupted, and keeps what it has measured by then.
 */
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

/**
 * The commit that is measured and the day, such as `0a1b2c3 2026-11-23`; `+` after a commit with
 * changes beside it.
 */
function measuredNow() {
  const git = (...args) =>
    spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? ''
  const changes = git('status', '--porcelain', '--', 'electron', 'shared', 'test') === '' ? '' : '+'
  return `${git('rev-parse', '--short=7', 'HEAD')}${changes} ${new Date().toISOString().slice(0, 10)}`
}

function countsOf({ files }) {
  const mutants = Object.values(files).flatMap((file) => file.mutants)
  const count = (...states) => mutants.filter(({ status }) => states.includes(status)).length
  const [killed, timeouts, survived, noCoverage] = [
    count('Killed'),
    count('Timeout'),
    count('Survived'),
    count('NoCoverage'),
  ]
  const all = killed + timeouts + survived + noCoverage
  const score = all === 0 ? 0 : (100 * (killed + timeouts)) / all
  return {
    score: score.toFixed(1),
    killed,
    survived,
    timeouts,
    noCoverage,
    ignored: count('Ignored'),
  }
}

function lineOf({ score, killed, survived, timeouts, noCoverage, ignored, minutes }) {
  return `score ${score} %, ${killed} killed, ${survived} survived, ${timeouts} timeouts, ${noCoverage} without coverage, ${ignored} ignored, ${minutes} min`
}

function table() {
  const head = [
    'Module',
    'Score',
    'Killed',
    'Survived',
    'Timeouts',
    'No coverage',
    'Ignored',
    'Commit and date',
  ]
  const rows = Object.keys(MODULES).map((module) => {
    const file = join(results, `${module}.json`)
    if (!existsSync(file)) return [module, 'not yet measured', '', '', '', '', '', '']
    const {
      score,
      killed,
      survived,
      timeouts,
      noCoverage,
      ignored,
      measured = '',
    } = JSON.parse(readFileSync(file, 'utf8'))
    return [module, `${score} %`, killed, survived, timeouts, noCoverage, ignored, measured]
  })
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [
    line(head),
    line(head.map((_, index) => (index < 2 || index > 6 ? '---' : '--:'))),
    ...rows.map(line),
  ].join('\n')
}
