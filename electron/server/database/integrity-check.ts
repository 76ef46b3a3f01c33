import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { tryWrite } from '#server/platform/write-health.ts'
import { message } from '#shared/messages/message.ts'
import { SqliteThread } from './sqlite-thread.ts'
import { StoreError } from './store-error.ts'

/** Checking a file of this size takes about a tenth of a second. */
const MAX_BYTES_CHECKED_FIRST = 32 * 2 ** 20

const PROGRAM = `
try {
  const sqlite = new Sqlite(data, { readonly: true, fileMustExist: true })
  sqlite.pragma('cache_size = -4000')
  const verdict = sqlite.pragma('quick_check(1)', { simple: true })
  sqlite.close()
  return verdict
} catch (error) {
  return error.message
}
`

/** Beside a database that a check has found damaged, so that the next start checks it first. */
const damageMarkerPath = (file: string): string => `${file}.damaged`

/** Called when the file was checked before it is used. */
export const removeDamageMark = (file: string): void =>
  rmSync(damageMarkerPath(file), { force: true })

/**
 * Whether every page of the file can be checked while it is already being served: the check takes
 * long, and nothing indicates damage, because the last run closed the database. A run that was
 * killed or lost its power leaves its write-ahead log. Called before the file is opened.
 */
export function mayCheckLater(file: string): boolean {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  const mayBeDamaged = (log?.size ?? 0) > 0 || existsSync(damageMarkerPath(file))
  return !mayBeDamaged && statSync(file).size > MAX_BYTES_CHECKED_FIRST
}

export const damagedError = (file: string, verdict: string, cause?: unknown): StoreError =>
  new StoreError(
    'damaged',
    message('database.damaged', {
      file,
      detail: verdict.replace(/\s+/g, ' '),
      folder: dirname(file),
    }),
    cause,
  )

/**
 * The check of every page of the database (`PRAGMA quick_check`). That of a large database runs in
 * a thread while the gateway serves; what changes data waits for it (docs/decisions/0077).
 */
export class IntegrityCheck {
  readonly #file: string
  readonly #outcome = Promise.withResolvers<void>()
  #hasPassed: boolean
  #hasEnded = false
  #thread: SqliteThread<unknown> | undefined

  /** @param isDone whether the file was checked before it was opened */
  constructor(file: string, isDone: boolean) {
    this.#file = file
    this.#hasPassed = isDone
    if (isDone) this.#outcome.resolve()
    this.#outcome.promise.catch(() => undefined)
  }

  get hasPassed(): boolean {
    return this.#hasPassed
  }

  /**
   * Resolves when the file is known to be intact.
   * @throws StoreError damaged, or closed if the check was ended before
   */
  get passed(): Promise<void> {
    return this.#outcome.promise
  }

  /** Starts the check, unless it is done or running. */
  begin(): void {
    if (this.#hasPassed || this.#thread) return
    this.#thread = new SqliteThread(PROGRAM, this.#file)
    this.#thread.result.then(
      (verdict) => this.#conclude(verdict),
      (error: unknown) => this.#conclude(error instanceof Error ? error.message : error),
    )
  }

  #conclude(verdict: unknown): void {
    if (this.#hasEnded) return
    this.#hasPassed = verdict === 'ok'
    if (this.#hasPassed) {
      this.#outcome.resolve()
      return
    }
    tryWrite(() => writeFileSync(damageMarkerPath(this.#file), ''))
    this.#outcome.reject(damagedError(this.#file, String(verdict)))
  }

  /** Ends a check that is running. Whoever waits for it is refused. */
  async end(): Promise<void> {
    this.#hasEnded = true
    this.#outcome.reject(new StoreError('closed', message('database.closed')))
    await this.#thread?.end()
  }
}
