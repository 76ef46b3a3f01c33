import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { ANCHOR_FILE, DATABASE_FILE } from './data-directory.ts'
import { KEY_FILE, SEALED_KEY_FILE } from './data-key.ts'
import type { Seal } from './encryption.ts'
import { RECOVERY_FILE } from './recovery-key.ts'

/*
 * The plan of a staged restore. It is written beside a backup that is ready to replace the
 * database, and later kept beside the replaced files, where the audit log finds it.
 */

/**
 * Written last, so its presence means that the staged files are complete. It is moved aside with
 * the replaced files at the end.
 */
export const RESTORE_PLAN_FILE = 'restore.json'

// The logs are moved before the database, so they are never beside a different database.
export const DATABASE_FILES = [
  `${DATABASE_FILE}-wal`,
  `${DATABASE_FILE}-shm`,
  `${DATABASE_FILE}-journal`,
  DATABASE_FILE,
] as const
export const KEY_FILES = [KEY_FILE, SEALED_KEY_FILE, RECOVERY_FILE] as const
const MovableFile = z.enum([...DATABASE_FILES, ...KEY_FILES, ANCHOR_FILE])

/** Name of the folder for replaced files. */
export const REPLACED_FOLDER = /^replaced-[\d-]+Z(-\d+)?$/

export const RestorePlan = z.object({
  version: z.literal(1),
  /** Name of the backup. */
  name: z.string(),
  madeAt: z.string(),
  stagedAt: z.string(),
  /** Who requested the restore. */
  actor: z.string(),
  /** Files of `restore/` with their sizes, and the files of the data folder that they replace. */
  brings: z.array(z.object({ file: MovableFile, bytes: z.int() })),
  replaces: z.array(MovableFile),
  /** The folder for replaced files; null until the first file is moved. */
  keptAside: z.string().regex(REPLACED_FOLDER).nullable(),
  /**
   * Proves that the plan was made with the data key, so that the older audit log is expected.
   * Missing in plans of older versions.
   */
  mac: z.string().optional(),
})
export type RestorePlan = z.infer<typeof RestorePlan>

/** HMAC under a key derived from the data key. */
export const restorePlanMac = (
  seal: Pick<Seal, 'keyFor'>,
  { name, madeAt, stagedAt, actor }: Pick<RestorePlan, 'name' | 'madeAt' | 'stagedAt' | 'actor'>,
): string =>
  createHmac('sha256', seal.keyFor('audit restore'))
    .update(JSON.stringify([name, madeAt, stagedAt, actor]))
    .digest('hex')
