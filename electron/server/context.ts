import { randomUUID } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AuditAnchor } from '#server/audit-log/audit-anchor.ts'
import { AuditStore } from '#server/audit-log/audit-queries.ts'
import { pendingRestoreMacs } from '#server/audit-log/pending-restore-audit.ts'
import {
  openSettings,
  type SettingOverrides,
  type Settings,
} from '#server/configuration/settings.ts'
import { hasImages, ImageFiles } from '#server/database/image-files.ts'
import { createFeed, type Feed } from '#server/live-events/feed.ts'
import type { Clock } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { type Log, openLog } from '#server/platform/log.ts'
import { openWriteHealth, type WriteHealth } from '#server/platform/write-health.ts'
import { message } from '#shared/messages/message.ts'
import {
  DATABASE_FILE,
  makeFolder,
  RESCUE_HINT_FILE,
  SANDBOX_FILE,
} from './database/data-directory.ts'
import { Database } from './database/database.ts'
import type { CheckTime } from './database/database-file.ts'
import { loadSeal } from './database/encryption.ts'
import { matchesKey } from './database/key-proof.ts'
import { rawQuery } from './database/query.ts'
import { StoreError } from './database/store-error.ts'

/**
 * The shared dependencies of routes, services and workers. Queries receive only the database
 * (decision 0036).
 */
export interface Context extends Disposable {
  /** The data folder. */
  readonly folder: string
  readonly clock: Clock
  /** A new UUID v4. */
  readonly uuid: () => string
  /** In safe mode no worker starts on its own; only what a person requests is done. */
  readonly isSafe: boolean
  /** Whether this is the data folder of the sandbox, which only test keys reach. */
  readonly isSandbox: boolean
  readonly database: Database
  readonly writeHealth: WriteHealth
  readonly settings: Settings
  readonly audit: AuditStore
  readonly imageFiles: ImageFiles
  readonly log: Log
  /** Feed lines and change notices for open windows. */
  readonly feed: Feed
}

export interface ContextOptions {
  /** The data folder; created if it is missing. The caller holds its lock (`acquireLock`). */
  readonly folder: string
  readonly clock?: Clock | undefined
  /** A new UUID v4. */
  readonly uuid?: (() => string) | undefined
  /** Defaults to false. */
  readonly isSafe?: boolean | undefined
  /** Defaults to no log. */
  readonly log?: Log | undefined
  /** Setting overrides for this run only. */
  readonly overrides?: SettingOverrides | undefined
  /** The data key (32 bytes), if it is stored somewhere other than `data.key`. */
  readonly dataKey?: Buffer | undefined
  /** When every page of the database is checked. Defaults to `before` it is used. */
  readonly check?: CheckTime | undefined
  /**
   * Whether this is a copy of a database in its own folder, such as a backup under test. A copy has
   * no audit anchor.
   */
  readonly isCopy?: boolean
}

/** Creating a new database here would orphan the images and lose every device, study and report. */
const missingDatabaseError = (file: string) =>
  new StoreError('database-missing', message('database.missing', { file }))

/**
 * Inspects the audit log. The gateway starts even if the disk or the anchor cannot be written; each
 * verification tries again.
 */
function inspectAudit(audit: AuditStore): void {
  try {
    audit.inspect()
  } catch (error) {
    const isAnchorFault = error instanceof StoreError && error.fault === 'bad-folder'
    if (!isAnchorFault && diskFaultKind(error) === undefined) throw error
  }
}

/**
 * Opens the data folder: the key, the database, and a new `clinic.id` on first start. @throws
 * StoreError with one sentence for the user
 */
export function openContext({
  folder,
  clock = Date.now,
  uuid = randomUUID,
  isSafe = false,
  log = openLog('silent'),
  overrides,
  dataKey,
  check,
  isCopy = false,
}: ContextOptions): Context {
  makeFolder(folder)
  const file = join(folder, DATABASE_FILE)
  // The key is written before the database, so a crash in between cannot leave a database without
  // its key.
  const isNew = !existsSync(file) || statSync(file).size === 0
  if (isNew && (hasImages(folder) || existsSync(join(folder, RESCUE_HINT_FILE))))
    throw missingDatabaseError(file)
  const seal = loadSeal(folder, { mayCreate: isNew, dataKey })
  const database = Database.open(file, { ...(check && { check }), seal })
  const writeHealth = openWriteHealth(folder, clock)
  database.onWrite(writeHealth.note)
  try {
    if (matchesKey((sql) => database.get(rawQuery(sql, [])), seal) === false)
      throw new StoreError('key-wrong', message('database.key-wrong', { file }))
    const restores = pendingRestoreMacs(folder, seal)
    const anchor = isCopy ? undefined : new AuditAnchor(folder, seal, database, restores)
    const audit = new AuditStore(database, clock, anchor)
    inspectAudit(audit)
    const settings = openSettings(database, clock, audit, overrides)
    if (settings.get('clinic.id') === null && !settings.unreadable().includes('clinic.id'))
      settings.set('clinic.id', uuid())
    return {
      folder,
      clock,
      uuid,
      isSafe,
      isSandbox: existsSync(join(folder, SANDBOX_FILE)),
      database,
      writeHealth,
      settings,
      audit,
      imageFiles: new ImageFiles(folder, uuid),
      log,
      feed: createFeed({ clock }),
      [Symbol.dispose]() {
        anchor?.finish()
        database[Symbol.dispose]()
      },
    }
  } catch (error) {
    database[Symbol.dispose]()
    throw error
  }
}
