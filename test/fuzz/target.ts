import type { Random } from './random.ts'

/** What is fed with inputs, and what must hold of each. */
export interface Target {
  readonly name: string
  /** Longest input that is made; bytes. */
  readonly mostBytes: number
  /** Seconds without an end of an execution after which it hangs. */
  readonly silentSeconds: number
  /** Seconds of processor time that one execution may take. */
  readonly slowSeconds: number
  /** MiB by which one execution may make the process larger. */
  readonly mostMiB: number
  /** Executions that the test runs of it. */
  readonly testExecutions: number
  /** Prepares what is fed, such as a gateway. */
  open(): OpenTarget | Promise<OpenTarget>
}

export interface OpenTarget extends Partial<AsyncDisposable> {
  /**
   * Inputs besides the files of the corpus: sample files of the machine, what the opened thing
   * gave.
   */
  readonly seeds?: readonly Buffer[]
  /** Another input; `other` gives one of the corpus. */
  mutate(input: Buffer, random: Random, other: () => Buffer): Buffer
  /**
   * Runs one input, which alone decides what is done. Gives what came of it in a few words of a
   * small vocabulary: an input with words that have not been seen is kept to be changed further.
   * @throws whatever the input is not allowed to cause
   */
  run(input: Buffer): string | Promise<string>
}

/** Something that must hold does not. */
export class Broken extends Error {
  override name = 'Broken'
}

/** @throws {Broken} with the sentence unless it holds */
export function hold(does: boolean, sentence: string | (() => string)): asserts does {
  if (!does) throw new Broken(typeof sentence === 'string' ? sentence : sentence())
}

/** @throws {Broken} unless both say the same as JSON */
export function same(what: string, one: unknown, other: unknown): void {
  const [first, second] = [textOf(one), textOf(other)]
  if (first === second) return
  let at = 0
  while (first[at] === second[at]) at++
  const around = (text: string) => text.slice(Math.max(0, at - 80), at + 160)
  throw new Broken(`${what}: ${around(first)} is not ${around(second)}`)
}

/** A value of ten thousand levels has no text; it is then not compared. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    if (error instanceof RangeError) return 'too deep'
    throw error
  }
}

/** Bounds that suit what takes microseconds. */
export const QUICK = { silentSeconds: 10, slowSeconds: 2, mostMiB: 128 } as const
