import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Fault } from './fault.ts'
import { FAULTS } from './index.ts'
import { whyNotPlanted, withFault } from './planting.ts'
import { type Failure, firstLine, runVitest, stopRuns } from './vitest-run.ts'

// The work of scripts/faults.mjs.

const root = join(import.meta.dirname, '../..')
const TIME_LIMIT_MS = {
  unit: 180_000,
  isolated: 180_000,
  crash: 240_000,
  flows: 240_000,
  interop: 300_000,
}
const BASELINE_LIMIT_MS = 15 * 60_000

type Verdict = 'caught' | 'survived' | 'error'
interface Outcome {
  readonly fault: Fault
  readonly verdict: Verdict
  readonly seconds: number
  /** The test that failed, or what went wrong. */
  readonly detail: string
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    area: { type: 'string' },
    shard: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    list: { type: 'boolean', default: false },
    'no-baseline': { type: 'boolean', default: false },
  },
})

function chosen(): Fault[] {
  const ids = values.only?.split(',')
  const unknown = ids?.filter((id) => !FAULTS.some((fault) => fault.id === id)) ?? []
  if (unknown.length > 0) return stop(`There is no fault ${unknown.join(', ')}: --list shows them.`)
  const areas = values.area?.split(',')
  const wanted = FAULTS.filter(
    ({ id }) =>
      (!ids || ids.includes(id)) && (!areas || areas.some((area) => id.startsWith(`F-${area}-`))),
  )
  const [, number, count] =
    /^(\d+)\/(\d+)$/.exec(values.shard ?? '1/1') ?? stop('--shard is N/M, such as 1/4.')
  const some = wanted.filter((_, index) => index % Number(count) === Number(number) - 1)
  return some.length > 0 ? some : stop('No fault is of that kind: --list shows them.')
}

function stop(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}

const projectOf = ({ project = 'unit' }: Fault) => project
const filesOf = ({ tests }: Fault): string[] =>
  tests
    .flatMap((pattern) => globSync(`test/${pattern}`, { cwd: root }))
    .map((path) => path.replaceAll('\\', '/'))

/** A copy of the tracked and new files of the working tree, with its node_modules. */
function copySources(to: string): void {
  const { stdout, status } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      ...{ cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 },
    },
  )
  if (status !== 0) stop('The faults need a git checkout: git ls-files failed.')
  for (const file of new Set(stdout.split('\0').filter(Boolean))) {
    // Deleted, and not yet so in the index.
    if (!statSync(join(root, file), { throwIfNoEntry: false })?.isFile()) continue
    mkdirSync(dirname(join(to, file)), { recursive: true })
    copyFileSync(join(root, file), join(to, file))
  }
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'), 'junction')
}

/** Runs the tests without any fault; gives the files that do not pass. */
async function brokenFiles(copy: string, faults: readonly Fault[]): Promise<ReadonlySet<string>> {
  const broken = new Set<string>()
  for (const [project, some] of Map.groupBy(faults, projectOf)) {
    const files = [...new Set(some.flatMap(filesOf))]
    if (files.length === 0) continue
    if (some.some(({ requires }) => requires === 'dist')) build(copy)
    const result = await runVitest(copy, {
      project,
      files,
      timeLimitMs: BASELINE_LIMIT_MS,
      bail: false,
    })
    for (const file of files) if (!result.passed.includes(file)) broken.add(file)
    for (const { file, name, message } of result.failures)
      console.log(`  ${file} › ${name}: ${firstLine(message)}`)
    if (result.error) console.log(`  ${result.error}`)
  }
  return broken
}

function build(copy: string): void {
  // Tests start the program only where this has noted that it is built.
  const script = "import('./scripts/setup.mjs').then(({ build }) => build())"
  const { status } = spawnSync(process.execPath, ['-e', script], { cwd: copy, stdio: 'inherit' })
  if (status !== 0) throw new Error('The build failed')
}

/** A fault of the change itself: no promise was tested. */
const isOwnFault = ({ message }: Failure) =>
  /^(SyntaxError|ReferenceError)|is not a function/.test(firstLine(message))

async function tried(
  copy: string,
  fault: Fault,
  broken: ReadonlySet<string>,
): Promise<Omit<Outcome, 'fault' | 'seconds'>> {
  const files = filesOf(fault)
  const missing = fault.tests.filter(
    (pattern) => globSync(`test/${pattern}`, { cwd: root }).length === 0,
  )
  if (missing.length > 0)
    return { verdict: 'error', detail: `There is no test/${missing.join(', no test/')}.` }
  const failing = files.filter((file) => broken.has(file))
  if (failing.length > 0)
    return { verdict: 'error', detail: `${failing.join(', ')} fails without the fault.` }
  const why = whyNotPlanted(fault, readFileSync(join(copy, fault.file), 'utf8'))
  if (why !== undefined) return { verdict: 'error', detail: why }
  return await withFault(copy, fault, async () => {
    if (fault.requires === 'dist') build(copy)
    const project = projectOf(fault)
    const { failures, error } = await runVitest(copy, {
      project,
      files,
      timeLimitMs: TIME_LIMIT_MS[project],
      bail: true,
    })
    const failure = failures.find((one) => !isOwnFault(one))
    if (failure)
      return { verdict: 'caught', detail: `${failure.name}: ${firstLine(failure.message)}` }
    const [own] = failures
    if (own) return { verdict: 'error', detail: `${own.name}: ${firstLine(own.message)}` }
    return error ? { verdict: 'error', detail: error } : { verdict: 'survived', detail: fault.what }
  })
}

const shortened = (text: string) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
  const plain = text.replace(/\u001b\[[\d;]*m/g, '')
  return plain.length > 150 ? `${plain.slice(0, 149)}…` : plain
}

async function main(): Promise<void> {
  const faults = chosen()
  if (values.list) {
    for (const { id, promise, file, what } of faults)
      console.log([id, promise.padEnd(8), what, `(${file})`].join('  '))
    return
  }
  const jobs = Math.max(1, Math.min(2, Number(values.jobs), faults.length))
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-faults-'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
  process.on('exit', () => {
    stopRuns()
    rmSync(folder, { recursive: true, force: true })
  })
  const copies = Array.from({ length: jobs }, (_, index) => join(folder, String(index + 1)))
  for (const copy of copies) copySources(copy)
  const began = Date.now()
  let broken: ReadonlySet<string> = new Set()
  if (!values['no-baseline']) {
    console.log('The tests without a fault …')
    broken = await brokenFiles(copies[0] ?? folder, faults)
  }

  const left = [...faults]
  const outcomes: Outcome[] = []
  const work = async (copy: string) => {
    for (let fault = left.shift(); fault; fault = left.shift()) {
      const start = Date.now()
      const { verdict, detail } = await tried(copy, fault, broken).catch((error: Error) => ({
        ...{ verdict: 'error' as const, detail: error.message },
      }))
      const seconds = (Date.now() - start) / 1000
      outcomes.push({ fault, verdict, seconds, detail })
      const at = `${outcomes.length}/${faults.length}`.padStart(7)
      const { id, promise } = fault
      console.log(
        [
          at,
          id,
          promise.padEnd(8),
          verdict.padEnd(8),
          `${seconds.toFixed(1)} s`.padStart(7),
          shortened(detail),
        ].join('  '),
      )
    }
  }
  await Promise.all(copies.map(work))

  const count = (verdict: Verdict) => outcomes.filter((one) => one.verdict === verdict).length
  const minutes = ((Date.now() - began) / 60_000).toFixed(1)
  const sums = `${count('caught')} caught, ${count('survived')} survived, ${count('error')} errors`
  console.log(`\n${faults.length} faults in ${minutes} minutes: ${sums}.`)
  for (const { fault, verdict, detail } of outcomes.filter((one) => one.verdict !== 'caught'))
    console.log(`  ${fault.id} (${fault.promise}) ${verdict}: ${shortened(detail)}`)
  process.exitCode = count('caught') === faults.length ? 0 : 1
}

await main()
