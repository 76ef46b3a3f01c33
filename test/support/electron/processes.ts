import { PassThrough } from 'node:stream'
import type * as E from 'electron'
import { Hearing } from './hearing.ts'

export const processes: FakeProcess[] = []

type ProcessSurface = Pick<E.UtilityProcess, 'kill' | 'postMessage' | 'stderr' | 'stdout'>

export class FakeProcess extends Hearing<E.UtilityProcess> implements ProcessSurface {
  readonly stdout = new PassThrough()
  readonly stderr = new PassThrough()
  readonly messages: unknown[] = []
  readonly path: string
  readonly args: readonly string[]
  readonly options: E.ForkOptions
  constructor(path: string, args: readonly string[], options: E.ForkOptions) {
    super()
    this.path = path
    this.args = args
    this.options = options
  }
  postMessage(message: unknown): void {
    this.messages.push(structuredClone(message))
    if (message === 'stop') setImmediate(() => this.exit(0))
  }
  kill(): boolean {
    this.exit(1)
    return true
  }
  /** Prints a line of JSON. */
  prints(line: unknown): void {
    this.stdout.write(`${JSON.stringify(line)}\n`)
  }
  /** Ends, its streams with it. */
  exit(code: number): void {
    this.stdout.end()
    this.stderr.end()
    this.fire('exit', code)
  }
}

export const utilityProcess = {
  fork: (path: string, args: string[] = [], options: E.ForkOptions = {}): FakeProcess => {
    const child = new FakeProcess(path, args, options)
    processes.push(child)
    return child
  },
} satisfies { fork: (...given: Parameters<typeof E.utilityProcess.fork>) => ProcessSurface }
