import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { RESCUE_HINT_FILE } from '#server/database/data-directory.ts'
import { writeKeyFile } from '#server/database/data-key.ts'

/** What somebody needs to know who restores a backup. Nothing in it is secret. */
const Hint = z.object({ version: z.literal(1), backupFolder: z.string() })

/**
 * Where the backups are, as it was noted last; undefined where it never was, or cannot be read.
 */
export function hintedBackupFolder(folder: string): string | undefined {
  try {
    return Hint.parse(JSON.parse(readFileSync(join(folder, RESCUE_HINT_FILE), 'utf8'))).backupFolder
  } catch {
    return undefined
  }
}

/**
 * Notes where the backups are, now and whenever it changes. A note that cannot be written costs
 * nobody anything yet. Returns what ends it.
 */
export function keepRescueHint({ folder, settings }: Context): () => void {
  const keep = () => {
    const backupFolder = settings.get('backup.folder')
    if (backupFolder === null || backupFolder === hintedBackupFolder(folder)) return
    try {
      writeKeyFile(
        folder,
        RESCUE_HINT_FILE,
        Buffer.from(`${JSON.stringify({ version: 1, backupFolder }, null, 2)}\n`),
      )
    } catch {
      // As on a full disk, of which the gateway says enough elsewhere.
    }
  }
  keep()
  return settings.onChange((keys) => keys.includes('backup.folder') && keep())
}
