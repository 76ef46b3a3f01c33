import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { type Failure, type Ran, runTarget } from './engine.ts'
import { openJournal } from './journal.ts'
import type { Target } from './target.ts'

/** What the process that runs the targets is told, as its first message. */
export interface WorkerOptions {
  /** Exports `TARGETS`. */
  readonly module: string
  readonly targets: readonly WorkerTarget[]
  readonly patience: number
  readonly mostFailures: number
  readonly journal: string
}

export interface WorkerTarget {
  readonly name: string
  readonly seed: number
  /** base64. */
  readonly corpus: readonly string[]
  /** null: as many as the test runs. */
  readonly executions: number | null
  readonly seconds: number
  /** The corpus is run, and not the inputs of the machine. */
  readonly isCorpusAlone: boolean
}

/** What it says. */
export type Told =
  | { readonly kind: 'opened'; readonly target: string; readonly silentSeconds: number }
  | {
      readonly kind: 'failed'
      readonly target: string
      readonly failure: Omit<Failure, 'input'> & { readonly input: string }
    }
  | { readonly kind: 'done'; readonly ran: Ran }

/** Targets by name, each loaded when it is wanted. */
export type Targets = Readonly<Record<string, () => Promise<Target>>>

const tell = (told: Told): Promise<void> =>
  new Promise((resolve, reject) =>
    process.send?.(told, undefined, undefined, (error) => (error ? reject(error) : resolve())),
  )

async function work({
  module,
  targets,
  patience,
  mostFailures,
  journal: path,
}: WorkerOptions): Promise<void> {
  const { TARGETS } = (await import(pathToFileURL(module).href)) as { readonly TARGETS: Targets }
  using journal = openJournal(path)
  for (const { name, seed, corpus, executions, seconds, isCorpusAlone } of targets) {
    const load = TARGETS[name]
    if (!load) throw new Error(`no such target: ${name}`)
    const target = await load()
    const telling: Promise<void>[] = []
    const ran = await runTarget(isCorpusAlone ? withoutSeeds(target) : target, {
      ...{ seed, seconds, patience, mostFailures, journal },
      executions: executions ?? target.testExecutions,
      corpus: corpus.map((bytes) => Buffer.from(bytes, 'base64')),
      onOpen: () =>
        tell({ kind: 'opened', target: name, silentSeconds: target.silentSeconds * patience }),
      onFailure: ({ input, ...failure }) => {
        telling.push(
          tell({
            kind: 'failed',
            target: name,
            failure: { ...failure, input: input.toString('base64') },
          }),
        )
      },
    })
    await Promise.all(telling)
    await tell({ kind: 'done', ran })
  }
}

const withoutSeeds = (target: Target): Target => ({
  ...target,
  async open() {
    const { seeds: _, ...open } = await target.open()
    return open
  },
})

// Nobody listens any more.
process.on('disconnect', () => process.exit(2))
// What is thrown outside of an execution, such as in a server's listener, is the failure of the
// input under way.
process.on('uncaughtException', (error) => {
  console.error(error)
  process.exit(3)
})
process.on('unhandledRejection', (error) => {
  console.error(error)
  process.exit(3)
})

const [options] = (await once(process, 'message')) as [WorkerOptions]
await work(options)
process.exit(0)
