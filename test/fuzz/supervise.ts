import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CORPUS, corpusOf } from './corpus.ts'
import type { Ran } from './engine.ts'
import { countIn, inputIn } from './journal.ts'
import type { Told, WorkerOptions, WorkerTarget } from './worker.ts'

export const TARGETS_MODULE = join(import.meta.dirname, 'targets', 'targets.ts')
export const FAILURES = join(import.meta.dirname, 'failures')

export interface FuzzOptions {
  readonly targets: readonly string[]
  readonly seed: number
  /** Of each target. Without one, or with null, as many executions as the test runs. */
  readonly executions?: number | null
  readonly seconds?: number
  /** The one input to run, in place of the corpus. */
  readonly input?: Buffer
  readonly patience?: number
  /** Kinds of failure after which a target is left; 20. */
  readonly mostFailures?: number
  readonly module?: string
  readonly corpus?: string
  /** Where failures are written. */
  readonly failures?: string
  readonly note?: (line: string) => void
}

/** A failure, kept in a file. */
export interface FoundFailure {
  readonly target: string
  readonly why: string
  readonly stack: string
  readonly path: string
  /** That shows it again. */
  readonly command: string
}

export interface FuzzResult {
  readonly ran: readonly Ran[]
  readonly failures: readonly FoundFailure[]
}

/** Times a target is started again after its process was lost. */
const MOST_STARTS = 5
const WATCH_MS = 200
/** Beyond that the process is ended, MiB. */
const MOST_RSS_MIB = 2048
/** A gateway starts, samples are read. */
const OPENING_SECONDS = 90

/**
 * Runs targets in a process of their own, one after the other; what hangs there, dies or takes all
 * memory is found too.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const {
    targets,
    seed,
    executions = null,
    seconds = Number.MAX_SAFE_INTEGER,
    input,
    patience = 1,
    mostFailures = 20,
    note = () => undefined,
  } = options
  const { module = TARGETS_MODULE, corpus = CORPUS, failures: folder = FAILURES } = options
  const ran: Ran[] = []
  const failures: FoundFailure[] = []
  const scratch = mkdtempSync(join(tmpdir(), 'isthmus-fuzz-'))
  try {
    let left: WorkerTarget[] = targets.map((name) => ({
      ...{ name, seed, seconds },
      executions: input ? 0 : executions,
      corpus: (input ? [input] : corpusOf(name, corpus).map(({ bytes }) => bytes)).map((bytes) =>
        bytes.toString('base64'),
      ),
      isCorpusAlone: input !== undefined,
    }))
    let starts = 0
    while (left.length > 0) {
      const journal = join(scratch, `journal-${starts}`)
      const began = performance.now()
      const ended = await runWorker(
        { module, targets: left, patience, mostFailures, journal },
        (told) => {
          if (told.kind === 'done') {
            ran.push(told.ran)
            left = left.slice(1)
            starts = 0
            note(`${told.ran.target}: ${told.ran.executions} executions`)
          } else if (told.kind === 'failed')
            keep(told.target, { ...told.failure, input: Buffer.from(told.failure.input, 'base64') })
        },
      )
      const [lost] = left
      if (!lost) break
      keep(lost.name, {
        why: ended.why,
        stack: ended.stack,
        input: inputIn(journal) ?? Buffer.alloc(0),
      })
      const executed = countIn(journal)
      starts++
      // With another seed, so that it does not come to the same input; the same input of the corpus
      // would end it again.
      const rest = {
        ...lost,
        seed: lost.seed + 1,
        corpus: lost.corpus.filter(
          (bytes) => !inputIn(journal)?.equals(Buffer.from(bytes, 'base64')),
        ),
      }
      const isGivenUp = starts >= Math.min(MOST_STARTS, mostFailures) || input !== undefined
      const [given, ms] = [lost.corpus.length, performance.now() - began]
      if (isGivenUp || executed === 0)
        ran.push({
          target: lost.name,
          executions: executed,
          ms,
          given,
          inputs: given,
          outcomes: {},
        })
      left = isGivenUp || executed === 0 ? left.slice(1) : [rest, ...left.slice(1)]
      if (isGivenUp) starts = 0
    }
    return { ran, failures }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }

  function keep(
    target: string,
    {
      why,
      stack,
      input: bytes,
    }: { readonly why: string; readonly stack: string; readonly input: Buffer },
  ): void {
    mkdirSync(folder, { recursive: true })
    const path = join(
      folder,
      `${target}-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.bin`,
    )
    if (!existsSync(path)) writeFileSync(path, bytes)
    const command = `npm run fuzz -- --target ${target} --input ${path}`
    failures.push({ target, why, stack, path, command })
    note(`${target} FAILED: ${why}\n${stack}\n  ${command}`)
  }
}

/** How a worker ended that did not end by itself. */
interface Ended {
  readonly why: string
  readonly stack: string
}

function runWorker(options: WorkerOptions, onTold: (told: Told) => void): Promise<Ended> {
  const child = fork(join(import.meta.dirname, 'worker.ts'), [], {
    execArgv: ['--expose-gc', '--max-old-space-size=1024', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  child.send(options)
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-4000)
  })
  let killedFor = ''
  let silentSeconds = 0
  let target = ''
  child.on('message', (told: Told) => {
    if (told.kind === 'opened') ({ silentSeconds, target } = told)
    else if (told.kind === 'done') silentSeconds = 0
    onTold(told)
  })
  const watch = watcher(options.journal, child, (why) => {
    killedFor = why
    child.kill('SIGKILL')
  })
  const timer = setInterval(() => watch(silentSeconds), WATCH_MS)
  return new Promise((resolve) => {
    // After its last words have come.
    child.on('close', (code, signal) => {
      clearInterval(timer)
      const died = `The process died (${signal ?? `exit ${code}`})${target === '' ? '' : ` in ${target}`}: ${lastWords(stderr)}`
      resolve({
        why: killedFor || died,
        stack: killedFor ? '' : stderr.split('\n').slice(-12).join('\n'),
      })
    })
  })
}

const lastWords = (stderr: string) =>
  stderr
    .split('\n')
    .find((line) => /error|fault|fatal/i.test(line))
    ?.trim() ?? stderr.trim().slice(0, 200)

/**
 * A process that others keep from the processor is not one that hangs: it gets so many times as
 * long.
 */
const STARVED = 6

/** Looks whether executions still end, and what memory is taken. */
function watcher(journal: string, child: ChildProcess, kill: (why: string) => void) {
  let count = -1
  let since = performance.now()
  let cpu = 0
  return (silentSeconds: number): void => {
    const now = countIn(journal)
    const worked = cpuSeconds(child.pid)
    if (now !== count) {
      count = now
      since = performance.now()
      cpu = worked ?? 0
    }
    // 0 while a target is being opened or closed.
    const most = silentSeconds || OPENING_SECONDS
    const silent = (performance.now() - since) / 1000
    if (silent > most && (worked === undefined || worked - cpu > most || silent > most * STARVED))
      kill(`It hangs: nothing came of it within ${most} s.`)
    const rss = rssMiB(child.pid)
    if (rss > MOST_RSS_MIB) kill(`It takes ${rss.toFixed(0)} MiB of memory.`)
  }
}

/** Of the process, by Linux's count of hundredths; undefined where that cannot be told. */
function cpuSeconds(pid: number | undefined): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return undefined
  }
}

/** 0 where that cannot be told. */
function rssMiB(pid: number | undefined): number {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / (1 << 20)
  } catch {
    return 0
  }
}
