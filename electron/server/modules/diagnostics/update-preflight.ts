import { statSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import type { PendingMigrations } from '#server/database/pending-migrations.ts'
import { backupFinding } from '#server/modules/backups/backup-health.ts'
import { readRecord } from '#server/modules/backups/backup-record.ts'
import { bad, type Finding, ok, warn } from '#server/platform/finding.ts'
import { message } from '#shared/messages/message.ts'
import { countWaiting } from './update-queries.ts'

const MB = 1e6
const GB = 1e9
const PROBE_FILE = '.write-probe'
const PROBE_BYTES = 32 * MB
/** Of the tables that migrations touch. A cautious estimate; it was not measured. */
const MIGRATED_BYTES_PER_SECOND = 20 * MB
/** The copy from before is written, read and checked. */
const COPY_PASSES = 3
/** What an update costs at the most. */
export interface UpdateEstimate {
  readonly seconds: number
  /** Disk space beside the data, and how much there is. */
  readonly bytes: number
  readonly freeBytes: number
}

export interface UpdatePreflight {
  readonly findings: readonly Finding[]
  readonly estimate: UpdateEstimate
}

/**
 * Whether the gateway could be updated now. The migrations of the next version are not known, so
 * the estimate is for those that touch every table.
 */
export async function updatePreflight(context: Context): Promise<UpdatePreflight> {
  const { database, folder, imageFiles } = context
  const { size: bytes } = statSync(join(folder, DATABASE_FILE))
  const waiting = countWaiting(database)
  const estimate = estimateOf(bytes, bytes, imageFiles.space().freeBytes, await writeRate(folder))
  const standby = readRecord(context, 'standby')
  return {
    estimate,
    findings: [
      spaceFinding(estimate),
      await backupFinding(context),
      checkedFinding(context),
      waitingFinding(waiting),
      ...(standby ? [ok(message('diagnostics.update-standby', { to: standby.to }))] : []),
    ],
  }
}

/** The same for a folder that this version has not opened yet, whose migrations it knows. */
export async function folderPreflight(
  folder: string,
  pending: PendingMigrations,
  freeBytes: number,
): Promise<UpdatePreflight> {
  const { bytes, touchedBytes, verdict, waiting } = pending
  const isUpdate = pending.schema < pending.newest
  const copied = isUpdate ? bytes : 0
  const estimate = estimateOf(copied, touchedBytes, freeBytes, await writeRate(folder))
  return {
    estimate,
    findings: [
      spaceFinding(estimate),
      verdict === 'ok'
        ? ok(message('diagnostics.update-intact'))
        : bad(
            message('diagnostics.update-damaged', { verdict }),
            message('diagnostics.update-damaged-remedy'),
          ),
      waitingFinding(waiting),
    ],
  }
}

function estimateOf(
  copiedBytes: number,
  touchedBytes: number,
  freeBytes: number,
  bytesPerSecond: number,
): UpdateEstimate {
  const copySeconds = (copiedBytes * COPY_PASSES) / bytesPerSecond
  return {
    seconds: Math.ceil(copySeconds + touchedBytes / MIGRATED_BYTES_PER_SECOND),
    // The copy from before, and the write-ahead log of the migrations.
    bytes: copiedBytes + touchedBytes,
    freeBytes,
  }
}

/** How fast this disk writes durably, bytes per second. */
async function writeRate(folder: string): Promise<number> {
  const file = join(folder, PROBE_FILE)
  const startedAt = performance.now()
  try {
    const handle = await open(file, 'w', 0o600)
    try {
      await handle.writeFile(Buffer.alloc(PROBE_BYTES))
      await handle.sync()
    } finally {
      await handle.close()
    }
  } finally {
    await rm(file, { force: true })
  }
  return (PROBE_BYTES / Math.max(1, performance.now() - startedAt)) * 1000
}

function spaceFinding({ bytes, freeBytes }: UpdateEstimate): Finding {
  // Not shown as nothing.
  const [needed, free] = [Math.max(0.1, bytes / GB), freeBytes / GB]
  return freeBytes < bytes
    ? bad(
        message('diagnostics.update-no-room', { needed, free }),
        message('diagnostics.update-no-room-remedy'),
      )
    : ok(message('diagnostics.update-room', { needed, free }))
}

/** Each backup is opened and checked as a whole, and one is made before an update. */
function checkedFinding(context: Context): Finding {
  const last = readRecord(context, 'backup')?.last
  return last?.success
    ? ok(message('diagnostics.update-checked', { day: last.at.slice(0, 10) }))
    : warn(message('diagnostics.update-unchecked'), message('diagnostics.update-unchecked-remedy'))
}

const waitingFinding = (waiting: number): Finding =>
  waiting === 0
    ? ok(message('diagnostics.update-nothing-waits'))
    : ok(message('diagnostics.update-waiting', { waiting }))
