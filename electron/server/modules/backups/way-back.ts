import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DATABASE_FILE, syncFolder } from '#server/database/data-directory.ts'
import { writeKeyFile } from '#server/database/data-key.ts'
import { Database } from '#server/database/database.ts'
import { schemaOfFolder } from '#server/database/database-contents.ts'
import { syncFile } from '#server/database/database-file.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import {
  type UnsupportedRows,
  unsupportedRowsIn,
  writeOlderSchema,
} from '#server/database/older-schema.ts'
import { rawQuery } from '#server/database/query.ts'
import { StartError } from '#server/http/start-error.ts'
import { instantOf } from '#server/platform/clock.ts'
import { json } from '#server/platform/text.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { backupName } from './backup-manifest.ts'
import { readProgramVersion } from './program-version.ts'

/** In the data folder: the version that the folder is prepared for, or was prepared for. */
const ORDER_FILE = 'way-back.json'

const RollbackRequest = z.object({
  state: z.enum(['ordered', 'done', 'refused']),
  /** The older version; empty if unknown. */
  version: z.string(),
  schema: z.int().min(1),
  /** Why nothing was changed. */
  unheld: z.array(z.object({ table: z.string(), column: z.string().nullable(), rows: z.int() })),
})
type RollbackRequest = z.infer<typeof RollbackRequest>

/** What going back to the version before means. */
export interface Rollback {
  /** The version before; empty if unknown. */
  readonly version: string
  readonly schema: number
  /** The older version opens the database as it is. */
  readonly isSameSchema: boolean
  /** What it has no place for: as long as there is any, nothing is changed. */
  readonly unheld: readonly UnsupportedRows[]
}

/** The way back to the version before; `undefined` if none is known. Reads whole tables. */
export function rollbackOf(folder: string, database: Database): Rollback | undefined {
  const previous = readProgramVersion(folder)?.previous
  if (!previous) return undefined
  const { schema } = previous
  const isSameSchema = schema === MIGRATIONS.length
  const refused = readOrder(folder)
  const refusedUnheld =
    refused?.state === 'refused' && refused.schema === schema ? refused.unheld : []
  const read = (sql: string) => database.all(rawQuery<unknown>(sql, []))
  const found = isSameSchema ? [] : unsupportedRowsIn(read, schema)
  return {
    ...{ version: previous.version ?? '', schema, isSameSchema },
    unheld: found.length > 0 ? found : refusedUnheld,
  }
}

/**
 * Has the next opening of the folder prepare it for the version before.
 * @throws ApiError refused if the disk has too little space for the second database
 */
export function requestRollback(folder: string, { version, schema }: Rollback): void {
  const file = join(folder, DATABASE_FILE)
  const bytes = [file, `${file}-wal`].filter(existsSync).map((path) => statSync(path).size)
  const needed = 1.1 * bytes.reduce((sum, size) => sum + size, 0)
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  if (free < needed)
    throw new ApiError(
      'refused',
      message('backups.way-back-no-room', { needed: needed / 1e9, free: free / 1e9 }),
    )
  writeOrder(folder, { state: 'ordered', version, schema, unheld: [] })
}

/**
 * Must be called under the folder's lock, before the database is opened: prepares the folder for an
 * older version if that was ordered. If the older version cannot hold everything, or the attempt
 * fails before anything was changed, the folder is opened as usual.
 * @returns why the attempt failed
 * @throws StartError if the folder is prepared for another version
 */
export function continueRollback(folder: string, now: number): unknown {
  const order = readOrder(folder)
  if (!order || order.state === 'refused') return
  try {
    if (order.state === 'ordered' && !prepareRequested(folder, now)) return
  } catch (error) {
    if (!existsSync(join(folder, DATABASE_FILE))) throw error
    rmSync(join(folder, ORDER_FILE), { force: true })
    rmSync(partOf(folder), { force: true })
    return error
  }
  // The older version itself.
  if (order.schema === MIGRATIONS.length) {
    rmSync(join(folder, ORDER_FILE), { force: true })
    return
  }
  throw new StartError(
    message('backups.prepared-for-older', {
      version: versionOrSchema(order),
      file: join(folder, ORDER_FILE),
    }),
  )
}

/** Carries out what was ordered; false if the older version cannot hold everything. */
export function prepareRequested(folder: string, now: number): boolean {
  const order = readOrder(folder)
  if (order?.state !== 'ordered') return false
  const unheld = prepareForSchema(folder, order.schema, now)
  const state = unheld.length > 0 ? 'refused' : 'done'
  writeOrder(folder, { ...order, state, unheld: [...unheld] })
  return state === 'done'
}

/** The database of the older schema while it is written. */
const partOf = (folder: string) => `${join(folder, DATABASE_FILE)}.older`

/**
 * Replaces the database with one of an older schema that has all of its rows. The database of this
 * version is kept in a folder beside it.
 * @returns what the older schema has no place for; nothing was changed if there is any
 */
function prepareForSchema(folder: string, schema: number, now: number): readonly UnsupportedRows[] {
  const file = join(folder, DATABASE_FILE)
  const part = partOf(folder)
  // Ended between the two renames below: the new file is complete.
  if (!existsSync(file) && existsSync(part)) renameSync(part, file)
  if (schemaOfFolder(folder) <= schema) return []
  // Closing it moves the write-ahead log into it.
  Database.open(file)[Symbol.dispose]()
  const unheld = writeOlderSchema(file, part, schema)
  if (unheld.length > 0) return unheld
  syncFile(part)
  const asideFolder = join(folder, `newer-${backupName(instantOf(now)).slice('isthmus-'.length)}`)
  mkdirSync(asideFolder, { recursive: true, mode: 0o700 })
  renameSync(file, join(asideFolder, DATABASE_FILE))
  renameSync(part, file)
  syncFolder(asideFolder)
  syncFolder(folder)
  return []
}

/** Names the version, or what is known of it. */
export const versionOrSchema = ({
  version,
  schema,
}: Pick<RollbackRequest, 'version' | 'schema'>): string =>
  version === '' ? `(schema ${schema})` : version

/** Why the folder cannot be prepared, and what can be done. */
export function unsupportedRowsMessage({ version, schema, unheld }: Rollback): Message {
  const list = unheld
    .map(({ table, column, rows }) => `${table}${column === null ? '' : `.${column}`} (${rows})`)
    .join(', ')
  return message('backups.way-back-refused', {
    version: versionOrSchema({ version, schema }),
    list,
  })
}

function readOrder(folder: string): RollbackRequest | undefined {
  const file = join(folder, ORDER_FILE)
  if (!existsSync(file)) return undefined
  return RollbackRequest.safeParse(json(readFileSync(file, 'utf8'))).data
}

const writeOrder = (folder: string, order: RollbackRequest): void =>
  writeKeyFile(folder, ORDER_FILE, Buffer.from(`${JSON.stringify(order)}\n`))
