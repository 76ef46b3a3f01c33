import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { KEY_FILE, readDataKey } from '#server/database/data-key.ts'
import { rowCounts } from '#server/database/database-contents.ts'
import { acquireLock } from '#server/database/lock.ts'
import { recoverDataKey } from '#server/database/recovery-key.ts'
import { StartError } from '#server/http/start-error.ts'
import { type Message, verbatim } from '#shared/messages/message.ts'
import { isBackupFolder } from './backup-manifest.ts'
import { listBackups } from './make-backup.ts'
import {
  type BackupKey,
  type BackupPreview,
  previewBackup,
  type RestoreProgress,
} from './open-backup.ts'
import { applyStagedRestore, stageRestore } from './restore-files.ts'
import { recordRestores } from './restore-staging.ts'

export interface RestoreCommand {
  /** The data folder, which is created if it does not exist. */
  readonly folder: string
  /** The folder of the backup. */
  readonly from: string
  /** The recovery key as the user typed it. */
  readonly recoveryKey?: string | undefined
  /** Whether the user agreed to replace an existing database. */
  readonly isAgreed: boolean
  readonly now: number
  readonly onProgress: RestoreProgress
}

/** `isDone` is false if nothing was changed because the user's consent is missing. */
export interface RestoreOutcome {
  readonly isDone: boolean
  /** What was done, or would be done, in several lines. */
  readonly text: string
}

/**
 * Restores a backup to a data folder that no gateway has open, or to an empty one on a new PC.
 * @throws StartError, StoreError; nothing was changed
 */
export async function restoreFolder(command: RestoreCommand): Promise<RestoreOutcome> {
  const { folder, from, recoveryKey, isAgreed, now, onProgress } = command
  using lock = acquireLock(folder)
  if (!lock)
    throw new StartError(
      verbatim(
        `A gateway is running on ${folder}. Stop it first, or restore the backup in its window.`,
      ),
    )
  await requireBackupFolder(from)
  const key = backupKeyFor(folder, recoveryKey)
  const preview = await previewBackup(from, key)
  const fault = faultOf(preview, recoveryKey !== undefined)
  if (fault !== undefined) throw new StartError(fault)
  const changes = describeChanges(folder, from, preview)
  if (existsSync(join(folder, DATABASE_FILE)) && !isAgreed)
    return {
      isDone: false,
      text: [...changes, 'Nothing was changed. Add --yes to restore the backup.'].join('\n'),
    }
  await stageRestore(folder, from, key, 'command-line', now, onProgress)
  const restored = applyStagedRestore(folder, now)
  if (!restored) throw new Error('A backup that was made ready was not there any more')
  const { name, keptAside } = restored
  // Opening the database detects now whether it is usable, and migrates an older one.
  using context = openContext({ folder: folder, clock: () => now })
  recordRestores(context, 'command-line')
  const asideLines =
    keptAside === ''
      ? []
      : [
          `The replaced files are in ${join(folder, keptAside)}. Delete them when you are sure that you do not need them.`,
        ]
  return {
    isDone: true,
    text: [
      ...changes,
      `${name} was restored to ${folder}, and the database opens.`,
      ...asideLines,
    ].join('\n'),
  }
}

/**
 * Requires a backup's own folder, not a folder that contains backups.
 * @throws StartError
 */
async function requireBackupFolder(from: string): Promise<void> {
  if (isBackupFolder(from)) return
  const inside = existsSync(from) ? await listBackups(from) : []
  const [newest] = inside
  throw new StartError(
    verbatim(
      newest
        ? `${from} contains ${inside.length} backups. Name the one to restore, such as the newest: --from ${join(from, newest.name)}`
        : `${from} is not a backup of Isthmus: it has no backup.json.`,
    ),
  )
}

/**
 * The recovery key if one was typed, else the data key of the folder. Without either, a key that
 * opens nothing, so that the preview reports which key is required.
 */
function backupKeyFor(folder: string, recoveryKey: string | undefined): BackupKey {
  if (recoveryKey !== undefined) return { recoveryKey }
  const hasKey = existsSync(join(folder, KEY_FILE))
  return {
    dataKey: hasKey
      ? readDataKey(folder, { mayCreate: false, random: () => Buffer.alloc(0) })
      : Buffer.alloc(32),
  }
}

function faultOf({ opensWith, fault }: BackupPreview, isTyped: boolean): Message | undefined {
  if (fault) return fault
  return opensWith === 'recovery-key' && !isTyped
    ? verbatim(
        'The data key of this folder does not open the backup. Add --recovery-key-stdin and enter the recovery key that was created for it.',
      )
    : undefined
}

function describeChanges(folder: string, from: string, { manifest }: BackupPreview): string[] {
  const file = join(folder, DATABASE_FILE)
  const now = existsSync(file) ? rowCounts(folder, Object.keys(manifest.rows)) : undefined
  const width = Math.max(...Object.keys(manifest.rows).map((table) => table.length))
  const currentState = existsSync(file)
    ? now === undefined
      ? 'cannot be read'
      : undefined
    : 'none'
  const rows = Object.entries(manifest.rows).map(([table, count]) => {
    const before = currentState ?? String(now?.[table] ?? 0)
    return `  ${table.padEnd(width)}  ${before} -> ${count}`
  })
  return [
    `The backup ${from} was made at ${manifest.madeAt}. Rows in the current database and in the backup:`,
    ...rows,
  ]
}

/**
 * Restores `data.key` in a data folder that lost it, or whose key is in the key store of another
 * account. No gateway can run on such a folder.
 * @returns one sentence that describes what was done
 * @throws StartError, StoreError; nothing was changed
 */
export function restoreDataKey(folder: string, recoveryKey: string): string {
  using lock = acquireLock(folder)
  if (!lock)
    throw new StartError(
      verbatim(
        `A gateway is running on ${folder} and has the data key. Stop it first to restore the key anyway.`,
      ),
    )
  return recoverDataKey(folder, DATABASE_FILE, recoveryKey)
    ? 'data.key was restored and opens the database.'
    : 'data.key already exists and is correct: nothing was changed.'
}
