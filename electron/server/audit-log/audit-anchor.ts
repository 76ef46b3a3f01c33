import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ANCHOR_FILE } from '#server/database/data-directory.ts'
import { giveToOwner, writeKeyFile } from '#server/database/data-key.ts'
import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { syncPath } from '#server/database/folder-sync.ts'
import { json } from '#server/platform/text.ts'

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
 * The anchor of the audit log outside the database. It never runs ahead of what is durable in the
 * database.
 */
export class AuditAnchor {
  readonly #folder: string
  readonly #key: Buffer
  readonly #database: Pick<Database, 'durable' | 'syncNow'>
  /**
   * MACs of the orders of restores of this folder that are not in the audit log yet.
   */
  readonly #restores: readonly string[]
  #read: ReturnType<typeof readAnchor>
  #anchor: Anchor
  #pending: End | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  #isUnwritable = false
  #isExplained: boolean

  constructor(
    folder: string,
    seal: Seal,
    database: Pick<Database, 'durable' | 'syncNow'>,
    restores: readonly string[],
  ) {
    this.#folder = folder
    this.#key = seal.keyFor('audit anchor')
    this.#database = database
    this.#restores = restores
    this.#read = readAnchor(folder, this.#key)
    this.#anchor =
      typeof this.#read === 'object'
        ? this.#read
        : { version: 1, count: 0, hash: '0'.repeat(64), restores: [] }
    this.#isExplained = this.#explains()
  }

  /**
   * As the folder was opened. changed: not written by whoever has the data key; unreadable: it
   * could not be read, which says nothing of what is in it, and it is not written until it was
   * read.
   */
  get state(): 'ok' | 'missing' | 'changed' | 'unreadable' {
    return typeof this.#read === 'object' ? 'ok' : this.#read
  }

  /** Why a rollback may not be detected now; undefined where the file is read and written. */
  get fault(): AnchorFault | undefined {
    if (this.#read === 'unreadable') return 'unreadable'
    return this.#isUnwritable ? 'unwritable' : undefined
  }

  get anchor(): Anchor {
    return this.#anchor
  }

  /**
   * A restore by the gateway itself put another database in place, which the anchor does not know
   * of yet.
   */
  get isExplained(): boolean {
    return this.#isExplained
  }

  /** Reads it again where it could not be read. */
  retry(): void {
    if (this.#read !== 'unreadable') return
    this.#read = readAnchor(this.#folder, this.#key)
    if (typeof this.#read === 'object') this.#anchor = this.#read
    this.#isExplained = this.#explains()
  }

  /** The log ends here from now on: the anchor follows within `LAG_MS`, once that is durable. */
  note(end: End): void {
    this.#pending = end
    this.#schedule()
  }

  /** Writes the anchor now; the end is durable. @throws StoreError bad-folder */
  write(end: End): void {
    this.#pending = undefined
    // Before the file has it: what it says was compared already, and may be recorded as a finding.
    this.#anchor = this.#anchorOf(end)
    this.#isUnwritable = true
    writeKeyFile(this.#folder, ANCHOR_FILE, fileOf(this.#anchor, this.#key))
    this.#isUnwritable = false
  }

  /** Writes what is still to be written, where the database is durable. */
  finish(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    if (!this.#pending || !this.#database.syncNow()) return
    try {
      this.write(this.#pending)
    } catch {
      // It lags, as after a crash.
    }
  }

  #explains(): boolean {
    return (
      this.#read !== 'unreadable' &&
      this.#restores.some((mac) => !this.#anchor.restores.includes(mac))
    )
  }

  #anchorOf({ count, hash, keyedFrom }: End): Anchor {
    const restores = [...new Set([...this.#anchor.restores, ...this.#restores])]
    return {
      ...{ version: 1, count, hash, keyedFrom: keyedFrom ?? undefined },
      restores: restores.slice(-MOST_RESTORES),
    }
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(() => {
      void this.#writeSoon().then(() => {
        if (this.#pending) this.#schedule()
      })
    }, LAG_MS).unref()
  }

  async #writeSoon(): Promise<void> {
    const end = this.#pending
    this.#pending = undefined
    try {
      if (end) await this.#writeEnd(end)
    } catch {
      // Where the disk takes no writes the anchor lags, and the same end is written by a later
      // attempt, unless `write` was called for a newer one meanwhile.
      if (end && end.count >= this.#anchor.count) this.#pending ??= end
      this.#isUnwritable = true
    } finally {
      this.#timer = undefined
    }
  }

  async #writeEnd(end: End): Promise<void> {
    await this.#database.durable()
    const before = this.#anchor
    const next = this.#anchorOf(end)
    const part = join(this.#folder, `${ANCHOR_FILE}.next`)
    const file = await open(part, 'w', 0o600)
    try {
      giveToOwner(this.#folder, file.fd)
      await file.writeFile(fileOf(next, this.#key))
      await file.sync()
    } finally {
      await file.close()
    }
    // `write` was called meanwhile, and has written a newer one.
    if (this.#isClosed || this.#anchor !== before) return
    await rename(part, join(this.#folder, ANCHOR_FILE))
    await syncPath(this.#folder)
    this.#anchor = next
    this.#isUnwritable = false
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
