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
import { DATABASE_FILE, makeFolder, RESCUE_HINT_FILE } from './database/data-directory.ts'
import { Database } from './database/database.ts'
import { openSeal } from './database/encryption.ts'
import { fitsKey } from './database/key-proof.ts'
import { rawQuery } from './database/query.ts'
import { StoreError } from './database/store-error.ts'

/**
 * What routes, services and workers are given. Rules take values, and queries the database alone
 * (decision 0036).
 */
export interface Context extends Disposable {
  /** The data folder. */
  readonly folder: string
  readonly clock: Clock
  /** A new UUID v4. */
  readonly uuid: () => string
  /** In safe mode no worker starts work by itself; what a person asks for is done. */
  readonly isSafe: boolean
  readonly database: Database
  readonly writeHealth: WriteHealth
  readonly settings: Settings
  readonly audit: AuditStore
  readonly imageFiles: ImageFiles
  readonly log: Log
  /** The lines and change notices that open windows receive. */
  readonly feed: Feed
}

export interface ContextOptions {
  /** The data folder; made when it is not there. Whoever opens it holds its lock (`takeLock`). */
  readonly folder: string
  readonly clock?: Clock | undefined
  /** A new UUID v4. */
  readonly uuid?: (() => string) | undefined
  /** False where it is not given. */
  readonly isSafe?: boolean | undefined
  /** Defaults to no logging. */
  readonly log?: Log | undefined
  /** Settings for this run only. */
  readonly overrides?: SettingOverrides | undefined
  /** The data key of 32 bytes, where something else than `data.key` keeps it. */
  readonly dataKey?: Buffer | undefined
  /** Skips the integrity check: the caller has just run it, such as on an opened backup. */
  readonly isChecked?: boolean
  /**
   * A copy of a database in a folder of its own, such as of a backup that is tested: its audit
   * trail has no anchor.
   */
  readonly isCopy?: boolean
}

/** A new database here would orphan the images and lose every device, study and report. */
const missing = (file: string) =>
  new StoreError('database-missing', message('database.missing', { file }))

/**
 * Where the disk takes no writes, or the folder no anchor, the gateway serves all the same, and
 * each verification tries again.
 */
function inspectAudit(audit: AuditStore): void {
  try {
    audit.inspect()
  } catch (error) {
    const isAnchor = error instanceof StoreError && error.fault === 'bad-folder'
    if (!isAnchor && diskFaultKind(error) === undefined) throw error
  }
}

/**
 * Opens the data folder: key, database, and `clinic.id` at the first start. @throws StoreError one
 * sentence for a person
 */
export function openContext({
  folder,
  clock = Date.now,
  uuid = randomUUID,
  isSafe = false,
  log = openLog('silent'),
  overrides,
  dataKey,
  isChecked = false,
  isCopy = false,
}: ContextOptions): Context {
  makeFolder(folder)
  const file = join(folder, DATABASE_FILE)
  // The key is made before the database: a crash between the two leaves nothing that it cannot
  // open.
  const isNew = !existsSync(file) || statSync(file).size === 0
  if (isNew && (hasImages(folder) || existsSync(join(folder, RESCUE_HINT_FILE))))
    throw missing(file)
  const seal = openSeal(folder, { mayCreate: isNew, dataKey })
  const database = Database.open(file, { isChecked, seal })
  const writeHealth = openWriteHealth(folder, clock)
  database.onWrite(writeHealth.note)
  try {
    if (fitsKey((sql) => database.get(rawQuery(sql, [])), seal) === false)
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
