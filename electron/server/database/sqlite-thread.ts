import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

/** Around every program: it is a string because the build bundles the gateway into few files. */
const sourceOf = (program: string) => `
const { parentPort, workerData: { module, data } } = require('node:worker_threads')
const Sqlite = require(module)
parentPort.postMessage((() => { ${program} })())
`

/**
 * Runs a program in a thread, with connections of its own. For work on every page of a large
 * database, which takes seconds during which devices must not wait.
 */
export class SqliteThread<T> {
  /** What the program returns. Rejects if it throws or the thread ends before. */
  readonly result: Promise<T>
  readonly #worker: Worker

  /** @param program the body of a function, with `Sqlite` (better-sqlite3) and `data` in scope */
  constructor(program: string, data: unknown) {
    const module = createRequire(import.meta.url).resolve('better-sqlite3')
    this.#worker = new Worker(sourceOf(program), { eval: true, workerData: { module, data } })
    this.result = new Promise<T>((resolve, reject) => {
      this.#worker.once('message', resolve)
      this.#worker.once('error', reject)
      this.#worker.once('exit', (code) =>
        reject(new Error(`The thread ended with exit code ${code}`)),
      )
    })
    this.result.catch(() => undefined)
  }

  /** Ends the thread, after the call of SQLite that it is in. */
  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
