import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { CHANGED, GOLDEN_AT, goldenAudit, goldenRows, type Row, type Rows } from './golden.ts'

export const MIGRATING = join(import.meta.dirname, 'migrating.ts')

export function reading<T>(file: string, read: (sqlite: Sqlite.Database) => T): T {
  const sqlite = new Sqlite(file, { readonly: true, fileMustExist: true })
  try {
    return read(sqlite)
  } finally {
    sqlite.close()
  }
}

/**
 * Every row of the tables the program writes itself; those of the text index are made from these.
 */
export function rowsIn(file: string): Rows {
  return reading(file, (sqlite) => {
    const tables = sqlite
      .prepare(
        `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not glob '*Study[GW]*' and name <> 'auditUnkeyed'`,
      )
      .pluck()
      .all() as string[]
    return Object.fromEntries(
      tables.map((table) => [table, sqlite.prepare(`select * from "${table}"`).all() as Row[]]),
    )
  })
}

const textOf = (row: Row, columns: readonly string[]) =>
  JSON.stringify(
    columns.map((column) =>
      Buffer.isBuffer(row[column]) ? row[column].toString('hex') : row[column],
    ),
  )

/** Rows of before that are not there any more, in the columns that both have. */
export function lost(before: Rows, after: Rows): string[] {
  return Object.entries(before).flatMap(([table, rows]) => {
    const now = after[table]
    if (!now) return [`the table ${table}`]
    const columns = Object.keys(rows[0] ?? {}).filter(
      (column) => !CHANGED[table]?.includes(column) && Object.keys(now[0] ?? {}).includes(column),
    )
    const there = new Set(now.map((row) => textOf(row, columns)))
    return rows
      .map((row) => textOf(row, columns))
      .flatMap((text) => (there.has(text) ? [] : [`${table} ${text}`]))
  })
}

export function faultsOf(file: string): unknown[] {
  return reading(file, (sqlite) => [
    ...(sqlite.pragma('integrity_check') as { integrity_check: string }[]).filter(
      (row) => row.integrity_check !== 'ok',
    ),
    ...(sqlite.pragma('foreign_key_check') as unknown[]),
  ])
}
export const schemaOf = (file: string) =>
  reading(file, (sqlite) => sqlite.pragma('user_version', { simple: true }))

/** Enough for a migration that takes a while: every later one has something to do. */
export function manyRows(count: number): Rows {
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  const first = goldenRows(2)
  return {
    ...{
      settings: first.settings ?? [],
      users: first.users ?? [],
      apiKeys: first.apiKeys ?? [],
      endpoints: first.endpoints ?? [],
    },
    sessions: first.sessions ?? [],
    ...goldenAudit(count),
    studies: numbers.map((number) => ({
      ...{
        studyId: `stu_${number}`,
        area: number % 2 ? 'viewer' : 'scribe',
        studyInstanceUid: `1.2.${number}`,
        severity: 'normal',
      },
      ...{
        studyDescription: `CT ${number}`,
        descriptionFolded: `ct ${number}`,
        status: number % 2 ? 'incomplete' : 'unassigned',
      },
      ...{ createdAt: GOLDEN_AT, updatedAt: GOLDEN_AT, createdByApiKeyId: 'k1' },
    })),
  }
}

interface Migrated {
  readonly said: readonly string[]
  readonly signal: NodeJS.Signals | null
}

interface MigratedOptions {
  /** The command that starts the process, such as a shell that limits it. */
  readonly before?: readonly string[]
  /** `MIGRATING`, or its bundle. */
  readonly program?: string
  readonly killAfterMs?: number
  /** The process kills itself before this call that changes the disk, counted from 0. */
  readonly killAtCall?: number
}

/** Opens the folder in a process of its own, which may be killed on the way. */
export async function migrated(
  folder: string,
  { before = [], program = MIGRATING, killAfterMs, killAtCall }: MigratedOptions = {},
): Promise<Migrated> {
  const [command = '', ...args] = [...before, process.execPath, program, folder]
  if (killAtCall !== undefined) args.push(String(killAtCall))
  const child: ChildProcessWithoutNullStreams = spawn(command, args)
  const ended = once(child, 'close')
  let text = ''
  child.stderr.resume()
  const begun = new Promise<void>((resolve) =>
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk
      if (text.includes('begins\n')) resolve()
    }),
  )
  await Promise.race([begun, ended])
  if (killAfterMs !== undefined) {
    await Promise.race([sleep(killAfterMs), ended])
    child.kill('SIGKILL')
  }
  await ended
  return { said: text.trimEnd().split('\n'), signal: child.signalCode }
}
