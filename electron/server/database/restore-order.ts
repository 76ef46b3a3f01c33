import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { ANCHOR_FILE, DATABASE_FILE } from './data-directory.ts'
import { KEY_FILE, SEALED_KEY_FILE } from './data-key.ts'
import type { Seal } from './encryption.ts'
import { RECOVERY_FILE } from './recovery-key.ts'

/*
 * The order of a restore: written beside a backup that is ready to take the place of the database,
 * and kept beside what was replaced, where the audit trail reads what was done.
 */

/** Written last: what is in it is whole. It goes aside with what was replaced, when all is done. */
export const ORDER_FILE = 'restore.json'

// Its logs go before it: they are never beside another database.
export const DATABASE_FILES = [
  `${DATABASE_FILE}-wal`,
  `${DATABASE_FILE}-shm`,
  `${DATABASE_FILE}-journal`,
  DATABASE_FILE,
] as const
export const KEY_FILES = [KEY_FILE, SEALED_KEY_FILE, RECOVERY_FILE] as const
const Movable = z.enum([...DATABASE_FILES, ...KEY_FILES, ANCHOR_FILE])

/** The folder of what was replaced. */
export const ASIDE = /^replaced-[\d-]+Z(-\d+)?$/

export const Order = z.object({
  version: z.literal(1),
  /** Of the backup. */
  name: z.string(),
  madeAt: z.string(),
  stagedAt: z.string(),
  /** Who asked for it. */
  actor: z.string(),
  /** Files of `restore/` by their size, and which of the data folder they take the place of. */
  brings: z.array(z.object({ file: Movable, bytes: z.int() })),
  replaces: z.array(Movable),
  /** The folder for what is replaced; null until the first file is moved. */
  keptAside: z.string().regex(ASIDE).nullable(),
  /**
   * That it was made with the data key: an older audit trail is then no finding. Orders of older
   * versions have none.
   */
  mac: z.string().optional(),
})
export type Order = z.infer<typeof Order>

/** HMAC under a key derived from the data key. */
export const orderMac = (
  seal: Pick<Seal, 'keyFor'>,
  { name, madeAt, stagedAt, actor }: Pick<Order, 'name' | 'madeAt' | 'stagedAt' | 'actor'>,
): string =>
  createHmac('sha256', seal.keyFor('audit restore'))
    .update(JSON.stringify([name, madeAt, stagedAt, actor]))
    .digest('hex')
