import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { KEY_FILE, readDataKey } from '#server/database/data-key.ts'
import { rowCounts } from '#server/database/database-contents.ts'
import { takeLock } from '#server/database/lock.ts'
import { recoverDataKey } from '#server/database/recovery-key.ts'
import { StartError } from '#server/http/start-error.ts'
import { type Message, verbatim } from '#shared/messages/message.ts'
import { isBackupHere } from './backup-manifest.ts'
import {
  type BackupKey,
  type BackupPreview,
  previewBackup,
  type RestoreProgress,
} from './backup-opening.ts'
import { listBackups } from './make-backup.ts'
import { applyStagedRestore, stageRestore } from './restore-files.ts'
import { noteRestores } from './restore-staging.ts'

export interface RestoreCommand {
  /** The data folder; made when it is not there. */
  readonly folder: string
  /** The folder of one backup. */
  readonly from: string
  /** As it was typed. */
  readonly recoveryKey?: string | undefined
  /** The user agreed to replace an existing database. */
  readonly isAgreed: boolean
  readonly now: number
  readonly onProgress: RestoreProgress
}

/** `isDone` is false where nothing was changed, because nobody agreed. */
export interface RestoreOutcome {
  readonly isDone: boolean
  /** What was done, or would be: some lines. */
  readonly text: string
}

/**
 * Puts a backup in the place of the database of a data folder that no gateway has open, or into an
 * empty one on a new PC.
 * @throws StartError, StoreError: nothing was changed
 */
export async function restoreFolder(command: RestoreCommand): Promise<RestoreOutcome> {
  const { folder, from, recoveryKey, isAgreed, now, onProgress } = command
  using lock = takeLock(folder)
  if (!lock)
    throw new StartError(
      verbatim(`A gateway runs on ${folder}: end it first, or put the backup back in its window.`),
    )
  await demandOne(from)
  const key = keyFor(folder, recoveryKey)
  const preview = await previewBackup(from, key)
  const fault = faultOf(preview, recoveryKey !== undefined)
  if (fault !== undefined) throw new StartError(fault)
  const changes = changesOf(folder, from, preview)
  if (existsSync(join(folder, DATABASE_FILE)) && !isAgreed)
    return {
      isDone: false,
      text: [...changes, 'Nothing was changed. Add --yes to do it.'].join('\n'),
    }
  await stageRestore(folder, from, key, 'command-line', now, onProgress)
  const restored = applyStagedRestore(folder, now)
  if (!restored) throw new Error('A backup that was made ready was not there any more')
  const { name, keptAside } = restored
  // Opened once, so that what cannot start is found now. An older database is brought to this
  // version by it.
  using context = openContext({ folder: folder, clock: () => now })
  noteRestores(context, 'command-line')
  const aside =
    keptAside === ''
      ? []
      : [
          `What it replaced lies in ${join(folder, keptAside)}: remove it when you are sure that you do not need it.`,
        ]
  return {
    isDone: true,
    text: [...changes, `${name} is put back in ${folder}, and opens.`, ...aside].join('\n'),
  }
}

/** A folder of several backups is not one of them. @throws StartError */
async function demandOne(from: string): Promise<void> {
  if (isBackupHere(from)) return
  const inside = existsSync(from) ? await listBackups(from) : []
  const [newest] = inside
  throw new StartError(
    verbatim(
      newest
        ? `${from} holds ${inside.length} backups: name the one to put back, such as --from ${join(from, newest.name)}, the newest.`
        : `${from} is not a backup of Isthmus: it has no backup.json.`,
    ),
  )
}

/** What was typed counts before the key of the folder; a key that opens nothing asks what would. */
function keyFor(folder: string, recoveryKey: string | undefined): BackupKey {
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
        'The data key of this folder does not open the backup: add --recovery-key-stdin, and give the recovery key that was made for it.',
      )
    : undefined
}

function changesOf(folder: string, from: string, { manifest }: BackupPreview): string[] {
  const file = join(folder, DATABASE_FILE)
  const now = existsSync(file) ? rowCounts(folder, Object.keys(manifest.rows)) : undefined
  const width = Math.max(...Object.keys(manifest.rows).map((table) => table.length))
  const held = existsSync(file) ? (now === undefined ? 'cannot be read' : undefined) : 'none'
  const rows = Object.entries(manifest.rows).map(([table, count]) => {
    const before = held ?? String(now?.[table] ?? 0)
    return `  ${table.padEnd(width)}  ${before} -> ${count}`
  })
  return [
    `The backup ${from} was made at ${manifest.madeAt}. Rows of the database now, and in the backup:`,
    ...rows,
  ]
}

/**
 * Puts `data.key` back into a data folder that lost it, or whose key is in the key store of another
 * account. No gateway can run on such a folder.
 * @returns one sentence that says what was done
 * @throws StartError, StoreError: nothing was changed
 */
export function restoreDataKey(folder: string, recoveryKey: string): string {
  using lock = takeLock(folder)
  if (!lock)
    throw new StartError(
      verbatim(
        `A gateway runs on ${folder}: it has the data key. End it first if you mean another folder.`,
      ),
    )
  return recoverDataKey(folder, DATABASE_FILE, recoveryKey)
    ? 'data.key is back, and opens the database.'
    : 'data.key was there already, and is the right one: nothing was changed.'
}
