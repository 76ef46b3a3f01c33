import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Context } from '#server/context.ts'
import { RESCUE_HINT_FILE } from '#server/database/data-directory.ts'
import { writeKeyFile } from '#server/database/data-key.ts'

/** Non-secret information for restoring a backup when the database cannot be opened. */
const Hint = z.object({ version: z.literal(1), backupFolder: z.string() })

/** The backup folder that was last stored; `undefined` if there is none or it cannot be read. */
export function readRescueHint(folder: string): string | undefined {
  try {
    return Hint.parse(JSON.parse(readFileSync(join(folder, RESCUE_HINT_FILE), 'utf8'))).backupFolder
  } catch {
    return undefined
  }
}

/**
 * Stores the backup folder now and whenever it changes. A failure is ignored, because the hint is
 * needed only for a restore. Returns a function that stops it.
 */
export function openRescueHint({ folder, settings }: Context): () => void {
  const update = () => {
    const backupFolder = settings.get('backup.folder')
    if (backupFolder === null || backupFolder === readRescueHint(folder)) return
    try {
      writeKeyFile(
        folder,
        RESCUE_HINT_FILE,
        Buffer.from(`${JSON.stringify({ version: 1, backupFolder }, null, 2)}\n`),
      )
    } catch {
      // For example because the disk is full, which is reported elsewhere.
    }
  }
  update()
  return settings.onChange((keys) => keys.includes('backup.folder') && update())
}
