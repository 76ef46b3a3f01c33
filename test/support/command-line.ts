import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { PROGRAM_ENVIRONMENT as env, PROGRAM } from './program.ts'

export interface Ran {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs one command of the command line in a process of its own, to its end. */
export async function isthmus(args: readonly string[], input = ''): Promise<Ran> {
  return ranOf(
    spawn(process.execPath, [PROGRAM, ...args], { env, timeout: 60_000, killSignal: 'SIGKILL' }),
    input,
  )
}

/** Hands a process its standard input; resolves with what it said, when it has ended. */
export async function ranOf(child: ChildProcessWithoutNullStreams, input = ''): Promise<Ran> {
  const out = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (out.stdout += chunk))
  child.stderr.on('data', (chunk: Buffer) => (out.stderr += chunk))
  // A command that reads nothing may be gone before it is told anything.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  await once(child, 'close')
  return { exitCode: child.exitCode, ...out }
}

export interface Serving extends AsyncDisposable {
  readonly child: ChildProcess
  /** What the ready line said. */
  readonly ready: Readonly<Record<string, unknown>>
  readonly http: string
  readonly dimsePort: number
  /** Lines of standard output and of standard error so far. */
  readonly stdout: readonly string[]
  readonly stderr: readonly string[]
  /** Sends the signal; the exit code, null where the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/**
 * `serve`, or `simulator partner`, up and ready. Rejects with what it said where it ends before.
 */
export async function running(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = env,
): Promise<Serving> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  const stdout: string[] = []
  const stderr: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line))
  const lines = createInterface({ input: child.stdout }).on('line', (line) => stdout.push(line))
  await Promise.race([once(lines, 'line'), closed])
  const [first] = stdout
  if (first === undefined)
    throw new Error(`it ended with ${child.exitCode ?? child.signalCode}: ${stderr.join('\n')}`)
  const ready = JSON.parse(first) as Record<string, unknown>
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await closed
    return child.exitCode
  }
  return {
    child,
    ready,
    http: String(ready.http ?? ready.url),
    dimsePort: Number(String(ready.dimse).split(':').at(-1)),
    stdout,
    stderr,
    end,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await end('SIGKILL')
    },
  }
}

/** `serve` on a data folder, with free ports of 127.0.0.1. */
export const serving = (folder: string, ...args: readonly string[]): Promise<Serving> =>
  running([
    'serve',
    '--data',
    folder,
    '--http',
    '127.0.0.1:0',
    '--dimse',
    '127.0.0.1:0',
    '--dimse-tls',
    'off',
    ...args,
  ])
