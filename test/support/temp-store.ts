import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Context, openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { readDataKey } from '#server/database/data-key.ts'
import { Database } from '#server/database/database.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { SettingKey } from '#shared/contract/settings.ts'

/** A clock that stands until it is moved. */
export interface StandingClock {
  (): number
  now: number
  /** Moves it by so many ms. */
  pass(ms: number): void
}

export function standingClock(instant = '2026-03-10T09:00:00.000Z'): StandingClock {
  const clock = Object.assign(() => clock.now, {
    now: Date.parse(instant),
    pass(ms: number) {
      clock.now += ms
    },
  })
  return clock
}

/** What a file of tests may take, at the most. */
const LONGEST_FILE_MS = 4 * 60_000

/**
 * For a gateway whose partner checks signatures, which wants them within five minutes of the real
 * time: a clock that runs, and begins at the next midnight where that would come within four
 * minutes.
 */
export function sameDayClock(real: Clock = Date.now): Clock {
  const now = real()
  const midnights = [new Date(now).setHours(24, 0, 0, 0), new Date(now).setUTCHours(24, 0, 0, 0)]
  const left = Math.min(...midnights) - now
  const ahead = left < LONGEST_FILE_MS ? left : 0
  return () => real() + ahead
}

/** A folder of its own, gone when disposed of. */
export function tempFolder(): { readonly folder: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-test-'))
  return {
    folder,
    [Symbol.dispose]: () =>
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
  }
}

let emptyDatabase: Buffer | undefined

/** The bytes of a database that has seen every migration and holds no row; made once per worker. */
function migratedDatabase(): Buffer {
  if (!emptyDatabase) {
    using temp = tempFolder()
    const file = join(temp.folder, DATABASE_FILE)
    Database.open(file)[Symbol.dispose]()
    emptyDatabase = readFileSync(file)
  }
  return emptyDatabase
}

/**
 * Puts a data key and an empty database of the newest schema into a folder without one, so that
 * opening it runs no migrations: they would take most of the time of a test.
 */
export function prepareDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true })
  readDataKey(folder, { mayCreate: true, random: randomBytes })
  writeFileSync(join(folder, DATABASE_FILE), migratedDatabase(), { mode: 0o600, flag: 'wx' })
}

/** A data folder as `prepareDataFolder` makes it, removed when disposed of. */
export function tempDataFolder(): { readonly folder: string } & Disposable {
  const temp = tempFolder()
  prepareDataFolder(temp.folder)
  return temp
}

/** A real store in a folder of its own, on a standing clock. */
export function tempStore(instant?: string): {
  readonly store: Context
  readonly folder: string
  readonly clock: StandingClock
  readonly uuid: () => string
} & Disposable {
  const temp = tempFolder()
  const clock = standingClock(instant)
  prepareDataFolder(temp.folder)
  const store = openContext({ folder: temp.folder, clock, uuid: randomUUID, check: 'done' })
  return {
    store,
    folder: temp.folder,
    clock,
    uuid: randomUUID,
    [Symbol.dispose]() {
      store[Symbol.dispose]()
      temp[Symbol.dispose]()
    },
  }
}

/**
 * Until it is disposed the database has no room to grow, as on a full disk (changes that need a new
 * page fail with SQLITE_FULL), or takes no writes at all, as on one that can only be read
 * (SQLITE_READONLY).
 */
export function withoutRoom(
  { database }: Context,
  disk: 'full' | 'read-only' = 'full',
): Disposable {
  const query = (sql: string) =>
    ({ compile: () => ({ sql: `pragma ${sql}`, parameters: [] }) }) as never
  if (disk === 'full') {
    database.get(query('max_page_count = 1'))
    return { [Symbol.dispose]: () => database.get(query(`max_page_count = ${2 ** 30}`)) }
  }
  database.run(query('query_only = on'))
  return { [Symbol.dispose]: () => database.run(query('query_only = off')) }
}

/** Errors of ours that are reported from now on (`reportError`). */
export function reportedErrors(context: Context, errors: unknown[] = []): unknown[] {
  const keep = (entry: { readonly err?: unknown }) => {
    if (entry.err !== undefined) errors.push(entry.err)
  }
  const log = Object.assign(Object.create(context.log), { error: keep, debug: keep })
  Object.assign(context, { log })
  return errors
}

/** Removes the database of a data folder with its log, as a person or a failing disk does. */
export function removeDatabase(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(DATABASE_FILE)) rmSync(join(folder, name))
}

/** The context with settings as the test says they are. */
export const withSettings = (
  context: Context,
  settingOf: (key: SettingKey) => unknown,
): Context => ({
  ...context,
  settings: { ...context.settings, get: settingOf as Context['settings']['get'] },
})
