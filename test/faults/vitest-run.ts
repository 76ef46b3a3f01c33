import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface RunOptions {
  readonly project: string
  /** Paths from the root of the copy. */
  readonly files: readonly string[]
  readonly timeLimitMs: number
  /** Stops at the first failure. */
  readonly bail: boolean
}

/** A test that failed, with what it said first. */
export interface Failure {
  readonly file: string
  readonly name: string
  readonly message: string
}

export interface RunResult {
  /** Files of which nothing failed, and that were run. */
  readonly passed: readonly string[]
  readonly failures: readonly Failure[]
  /** What kept the run from a result: a file that could not be loaded, the time limit. */
  readonly error: string
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

const running = new Set<number>()

/** Stops what is under way. */
export function stopRuns(): void {
  for (const pid of running) stopGroup(pid)
}

/** Runs tests of the copy at `root` by Vitest, in a process of its own. */
export async function runVitest(root: string, options: RunOptions): Promise<RunResult> {
  const { project, files, timeLimitMs, bail } = options
  const output = join(root, 'faults-report.json')
  rmSync(output, { force: true })
  const args = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--project', project, '--reporter=json', `--outputFile=${output}`],
    ...(bail ? ['--bail=1'] : []),
    ...files,
  ]
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  if (child.pid !== undefined) running.add(child.pid)
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-4000)
    })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    stopGroup(child.pid)
  }, timeLimitMs)
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  if (child.pid !== undefined) running.delete(child.pid)
  if (isLate)
    return { passed: [], failures: [], error: `nothing ended within ${timeLimitMs / 1000} s` }
  return resultOf(root, output, status, printed)
}

/** A run that hangs may have children of its own. */
function stopGroup(pid: number | undefined): void {
  if (pid === undefined) return
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'])
  else
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
}

function resultOf(root: string, output: string, status: number | null, printed: string): RunResult {
  let report: Report
  try {
    report = JSON.parse(readFileSync(output, 'utf8')) as Report
  } catch {
    return { passed: [], failures: [], error: `Vitest wrote no report: ${lastLine(printed)}` }
  }
  const results = report.testResults.map(({ name, ...rest }) => ({
    ...rest,
    file: name.slice(root.length + 1),
  }))
  const failures = results.flatMap(({ file, assertionResults }) =>
    assertionResults
      .filter((one) => one.status === 'failed')
      .map((one) => ({ file, name: one.fullName, message: one.failureMessages?.[0] ?? '' })),
  )
  const unloaded = results.find(
    (one) =>
      one.status === 'failed' && !one.assertionResults.some(({ status: of }) => of === 'failed'),
  )
  const passed = results.filter((one) => one.status === 'passed').map(({ file }) => file)
  const isQuiet = failures.length === 0 && status !== 0
  const error = unloaded
    ? `${unloaded.file}: ${firstLine(unloaded.message)}`
    : isQuiet
      ? lastLine(printed) || `status ${status}`
      : ''
  return { passed, failures, error }
}

export const firstLine = (text: string): string => text.trim().split('\n')[0] ?? ''
const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''
