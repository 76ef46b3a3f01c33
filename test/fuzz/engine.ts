import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Journal } from './journal.ts'
import { hashOf, type Random, randomOf } from './random.ts'
import type { OpenTarget, Target } from './target.ts'

/** What an input did that no input may do. */
export interface Failure {
  /** One line. */
  readonly why: string
  /** The same for inputs that fail in the same way. */
  readonly key: string
  readonly input: Buffer
  /** Where it was thrown; '' of what was not thrown. */
  readonly stack: string
}

/** What became of a target in one run. */
export interface Ran {
  readonly target: string
  readonly executions: number
  readonly ms: number
  /** Inputs it began with: those of the corpus and of the machine. */
  readonly given: number
  /** Inputs at the end. */
  readonly inputs: number
  /** What came of the executions, and how often. */
  readonly outcomes: Readonly<Record<string, number>>
}

export interface RunOptions {
  readonly seed: number
  readonly corpus: readonly Buffer[]
  /**
   * Ends after so many executions, or so many seconds, what is first; the corpus itself is run in
   * any case.
   */
  readonly executions: number
  readonly seconds: number
  /** Times the bounds of time, for machines that are slow or busy. */
  readonly patience: number
  /** Kinds of failure after which the target is left. */
  readonly mostFailures: number
  readonly journal: Journal
  readonly onOpen: () => Promise<void>
  readonly onFailure: (failure: Failure) => void
}

const MIB = 1 << 20
/** Inputs that are kept to be changed further. */
const MOST_INPUTS = 4000
const MOST_INPUT_BYTES = 48 * MIB
/** Executions between looks at what is kept in memory, and MiB by which that may grow. */
const LOOK = 1000
const MOST_KEPT_MIB = 64
const MOST_STRIKES = 3
const SHRINK_MS = 3000
const LATER_MS = 50

/** Runs the corpus, and then inputs made of it, kept where something new comes of them. */
export async function runTarget(target: Target, options: RunOptions): Promise<Ran> {
  const {
    seed,
    corpus,
    executions: most,
    seconds,
    patience,
    mostFailures,
    journal,
    onOpen,
    onFailure,
  } = options
  const open = await target.open()
  try {
    const random = randomOf((seed ^ hashOf(Buffer.from(target.name))) >>> 0)
    const inputs = [...corpus, ...(open.seeds ?? [])]
    if (inputs.length === 0) inputs.push(Buffer.alloc(0))
    const given = inputs.length
    let inputBytes = inputs.reduce((sum, { length }) => sum + length, 0)
    const outcomes: Record<string, number> = {}
    const failures = new Set<string>()
    const memory = memoryWatch()
    let executions = 0
    await onOpen()
    const began = performance.now()
    const isOver = () =>
      failures.size >= mostFailures ||
      (executions >= given && (executions >= most || performance.now() - began >= seconds * 1000))

    while (!isOver()) {
      const input =
        executions < given
          ? (inputs[executions] ?? Buffer.alloc(0))
          : mutated(target, open, random, inputs)
      executions++
      journal.begin(input)
      const result = await execute(target, open, input, patience)
      if ('outcome' in result) {
        const isNew = !(result.outcome in outcomes)
        outcomes[result.outcome] = (outcomes[result.outcome] ?? 0) + 1
        if (
          isNew &&
          executions > given &&
          inputs.length < MOST_INPUTS &&
          inputBytes + input.length < MOST_INPUT_BYTES
        ) {
          inputs.push(input)
          inputBytes += input.length
        }
      } else if (!failures.has(result.key)) {
        failures.add(result.key)
        onFailure(result.stack === '' ? result : await shrunk(target, open, result, options))
      }
      if (executions % 64 === 0) await setImmediate()
      if (executions % LOOK === 0) {
        const why = await memory.look(inputBytes)
        if (why !== '') {
          onFailure({ why, key: 'kept', input, stack: '' })
          break
        }
      }
    }
    // What is thrown later, such as by a timer, is thrown now.
    await sleep(LATER_MS)
    return {
      target: target.name,
      executions,
      ms: performance.now() - began,
      given,
      inputs: inputs.length,
      outcomes,
    }
  } finally {
    await open[Symbol.asyncDispose]?.()
  }
}

function mutated(
  target: Target,
  open: OpenTarget,
  random: Random,
  inputs: readonly Buffer[],
): Buffer {
  // The newest are what the corpus did not have: half of the time one of them.
  const from = random.isOnce(2) ? inputs : inputs.slice(-32)
  return Buffer.from(
    open.mutate(random.of(from), random, () => random.of(inputs)).subarray(0, target.mostBytes),
  )
}

type Result = { readonly outcome: string } | Failure

/** One execution within its bounds; a hang is for whoever watches the journal. */
async function execute(
  target: Target,
  open: OpenTarget,
  input: Buffer,
  patience: number,
): Promise<Result> {
  const began = performance.now()
  const cpu = process.cpuUsage()
  const rss = process.memoryUsage.rss()
  const failed = (why: string, key: string): Failure => ({ why, key, input, stack: '' })
  let outcome = ''
  try {
    const ran = open.run(input)
    outcome = typeof ran === 'string' ? ran : await ran
  } catch (error) {
    return thrown(error, input)
  }
  const slow = target.slowSeconds * patience
  if (performance.now() - began > slow * 1000) {
    const { user, system } = process.cpuUsage(cpu)
    const seconds = (user + system) / 1e6
    if (seconds > slow)
      return failed(
        `It took ${seconds.toFixed(1)} s of processor time; at most ${slow} s are right.`,
        'slow',
      )
  }
  const grown = (process.memoryUsage.rss() - rss) / MIB
  if (grown > target.mostMiB)
    return failed(
      `It took ${grown.toFixed(0)} MiB of memory; at most ${target.mostMiB} MiB are right.`,
      'memory',
    )
  return { outcome }
}

function thrown(error: unknown, input: Buffer): Failure {
  const {
    name,
    message,
    stack = '',
  } = error instanceof Error ? error : { name: typeof error, message: String(error) }
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  const place =
    frames.find((line) => !line.includes('/node_modules/') && !line.includes('node:')) ??
    frames[0] ??
    ''
  return {
    why: `${name}: ${message}`.replace(/\s+/g, ' ').slice(0, 500),
    // Inputs differ in their numbers and texts, not in the place.
    key: `${name} ${message.replace(/[^A-Za-z ]+/g, '').slice(0, 30)} ${place.trim()}`,
    input,
    stack: frames.slice(0, 8).join('\n') || name,
  }
}

/** The failure with a smaller input that fails in the same way, as far as that is found soon. */
async function shrunk(
  target: Target,
  open: OpenTarget,
  failure: Failure,
  { journal, patience }: RunOptions,
): Promise<Failure> {
  let best = failure
  const until = performance.now() + SHRINK_MS
  for (let size = best.input.length >>> 1; size >= 1; size >>>= 1) {
    for (let at = 0; at + size <= best.input.length && performance.now() < until; ) {
      const input = Buffer.concat([best.input.subarray(0, at), best.input.subarray(at + size)])
      journal.begin(input)
      const result = await execute(target, open, input, patience)
      if ('key' in result && result.key === failure.key) best = result
      else at += size
    }
  }
  return best
}

/** Tells what is kept in memory and grows: without `--expose-gc` nothing can be said. */
function memoryWatch() {
  let least: number | undefined
  let strikes = 0
  return {
    async look(ofInputs: number): Promise<string> {
      if (!globalThis.gc) return ''
      // What lies outside of the heap is given back a turn later.
      for (let turn = 0; turn < 2; turn++) {
        globalThis.gc()
        await setImmediate()
      }
      const { heapUsed, external } = process.memoryUsage()
      const kept = heapUsed + external - ofInputs
      least = Math.min(least ?? kept, kept)
      const grown = (kept - least) / MIB
      strikes = grown > MOST_KEPT_MIB ? strikes + 1 : 0
      return strikes >= MOST_STRIKES ? `It keeps ${grown.toFixed(0)} MiB more than before.` : ''
    },
  }
}
