import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { giveToOwner, writeKeyFile } from '#server/database/data-key.ts'
import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { syncPath } from '#server/database/folder-sync.ts'
import { json } from '#server/platform/json.ts'

/**
 * Beside the database: how far the audit trail had come, which a copy of an older database lacks.
 */
export const ANCHOR_FILE = 'audit-anchor.json'
/** How far the anchor may be behind the trail of a running gateway. */
const LAG_MS = 2000
/** Something else than a file is in its place. */
const NO_FILE = ['EISDIR', 'ELOOP', 'ENOTDIR']
/** Orders that are remembered. */
const MOST_RESTORES = 100

const Anchored = z.object({
  version: z.literal(1),
  /** Entries of the trail, and the hash of the last. */
  count: z.int().nonnegative(),
  hash: z.hex().length(64),
  keyedFrom: z.int().positive().optional(),
  /** Of the orders of restores that explained an older database, which each does once. */
  restores: z.array(z.string().max(64)),
})
export type Anchor = z.infer<typeof Anchored>
const AnchorFile = z.object({ anchor: Anchored, mac: z.hex().length(64) })

/** An end of the chain. */
interface End {
  readonly count: number
  readonly hash: string
  readonly keyedFrom?: number | null | undefined
}

/** unwritable: the last attempt to write the file failed. */
export type AnchorFault = 'unreadable' | 'unwritable'

/**
 * The anchor of the audit trail outside the database. It never runs ahead of what is durable in the
 * database.
 */
export interface AnchorKeeper {
  /**
   * As the folder was opened. changed: not written by whoever has the data key; unreadable: it
   * could not be read, which says nothing of what is in it, and it is not written until it was
   * read.
   */
  readonly state: 'ok' | 'missing' | 'changed' | 'unreadable'
  /** Why a rollback may not be detected now; undefined where the file is read and written. */
  readonly fault: AnchorFault | undefined
  /** Reads it again where it could not be read. */
  retry(): void
  readonly anchor: Anchor
  /**
   * A restore by the gateway itself put another database in place, which the anchor does not know
   * of yet.
   */
  readonly isExplained: boolean
  /** The trail ends here from now on: the anchor follows within `LAG_MS`, once that is durable. */
  note(end: End): void
  /** Writes the anchor now; the end is durable. @throws StoreError bad-folder */
  write(end: End): void
  /** Writes what is still to be written, where the database is durable. */
  finish(): void
}

export interface AnchorOptions {
  readonly folder: string
  readonly seal: Seal
  readonly database: Pick<Database, 'durable' | 'syncNow'>
  /** Of the orders of restores of this folder that are not noted in the trail yet: their MACs. */
  readonly restores: readonly string[]
}

export function openAnchor({ folder, seal, database, restores }: AnchorOptions): AnchorKeeper {
  const key = seal.keyFor('audit anchor')
  const none: Anchor = { version: 1, count: 0, hash: '0'.repeat(64), restores: [] }
  let read = readAnchor(folder, key)
  let anchor = typeof read === 'object' ? read : none
  let pending: End | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let isUnwritable = false

  const explains = (known: typeof read) =>
    known !== 'unreadable' && restores.some((mac) => !anchor.restores.includes(mac))
  let isExplained = explains(read)

  const anchorOf = ({ count, hash, keyedFrom }: End): Anchor => {
    const accepted = [...new Set([...anchor.restores, ...restores])].slice(-MOST_RESTORES)
    return { version: 1, count, hash, keyedFrom: keyedFrom ?? undefined, restores: accepted }
  }

  function write(end: End): void {
    pending = undefined
    // Before the file has it: what it says was compared already, and may be recorded as a finding.
    anchor = anchorOf(end)
    isUnwritable = true
    writeKeyFile(folder, ANCHOR_FILE, fileOf(anchor, key))
    isUnwritable = false
  }

  async function writeEnd(end: End): Promise<void> {
    await database.durable()
    const before = anchor
    const next = anchorOf(end)
    const part = join(folder, `${ANCHOR_FILE}.next`)
    const file = await open(part, 'w', 0o600)
    try {
      giveToOwner(folder, file.fd)
      await file.writeFile(fileOf(next, key))
      await file.sync()
    } finally {
      await file.close()
    }
    // `write` was called meanwhile, and has written a newer one.
    if (isClosed || anchor !== before) return
    await rename(part, join(folder, ANCHOR_FILE))
    await syncPath(folder)
    anchor = next
    isUnwritable = false
  }

  async function writeSoon(): Promise<void> {
    const end = pending
    pending = undefined
    try {
      if (end) await writeEnd(end)
    } catch {
      // Where the disk takes no writes the anchor lags, and the same end is written by a later
      // attempt, unless `write` was called for a newer one meanwhile.
      if (end && end.count >= anchor.count) pending ??= end
      isUnwritable = true
    } finally {
      timer = undefined
    }
  }

  function schedule(): void {
    if (isClosed) return
    timer ??= setTimeout(() => {
      void writeSoon().then(() => {
        if (pending) schedule()
      })
    }, LAG_MS).unref()
  }

  return {
    get state() {
      return typeof read === 'object' ? 'ok' : read
    },
    get fault() {
      if (read === 'unreadable') return 'unreadable'
      return isUnwritable ? 'unwritable' : undefined
    },
    retry() {
      if (read !== 'unreadable') return
      read = readAnchor(folder, key)
      if (typeof read === 'object') anchor = read
      isExplained = explains(read)
    },
    get anchor() {
      return anchor
    },
    get isExplained() {
      return isExplained
    },
    note(end) {
      pending = end
      schedule()
    },
    write,
    finish() {
      isClosed = true
      clearTimeout(timer)
      if (!pending || !database.syncNow()) return
      try {
        write(pending)
      } catch {
        // It lags, as after a crash.
      }
    },
  }
}

function fileOf(anchor: Anchor, key: Buffer): Buffer {
  return Buffer.from(`${JSON.stringify({ anchor, mac: macOf(anchor, key) }, null, 2)}\n`)
}

const macOf = (anchor: Anchor, key: Buffer): string =>
  createHmac('sha256', key)
    .update(
      JSON.stringify([
        anchor.version,
        anchor.count,
        anchor.hash,
        anchor.keyedFrom ?? null,
        anchor.restores,
      ]),
    )
    .digest('hex')

function readAnchor(folder: string, key: Buffer): Anchor | 'missing' | 'changed' | 'unreadable' {
  let text: string
  try {
    text = readFileSync(join(folder, ANCHOR_FILE), 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return 'missing'
    return NO_FILE.includes(code) ? 'changed' : 'unreadable'
  }
  const parsed = AnchorFile.safeParse(json(text))
  if (!parsed.success || macOf(parsed.data.anchor, key) !== parsed.data.mac) return 'changed'
  return parsed.data.anchor
}
