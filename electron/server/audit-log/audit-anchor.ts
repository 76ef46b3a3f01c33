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

/** Maximum delay between an audit entry and its anchor while the gateway runs. */
const MAX_LAG_MS = 2000
/** Error codes that mean that something other than a file is at this path. */
const NOT_A_FILE_CODES = ['EISDIR', 'ELOOP', 'ENOTDIR']
/** Number of restore MACs that are remembered. */
const MAX_RESTORES = 100

const AnchorContent = z.object({
  version: z.literal(1),
  /** Number of entries in the audit log, and the hash of the last entry. */
  count: z.int().nonnegative(),
  hash: z.hex().length(64),
  keyedFrom: z.int().positive().optional(),
  /** MACs of the restores that explained an older database. Each one is accepted only once. */
  restores: z.array(z.string().max(64)),
})
export type Anchor = z.infer<typeof AnchorContent>
const AnchorFile = z.object({ anchor: AnchorContent, mac: z.hex().length(64) })

/** The end of the chain. */
interface ChainEnd {
  readonly count: number
  readonly hash: string
  readonly keyedFrom?: number | null | undefined
}

/** unwritable: the last attempt to write the file failed. */
export type AnchorFault = 'unreadable' | 'unwritable'

/**
 * The audit anchor, a record outside the database of how far the audit log reaches. It is never
 * ahead of what is durable in the database.
 */
export class AuditAnchor {
  readonly #folder: string
  readonly #key: Buffer
  readonly #database: Pick<Database, 'durable' | 'syncNow'>
  /** MACs of restores of this folder that the audit log does not contain yet. */
  readonly #restores: readonly string[]
  #read: ReturnType<typeof readAnchor>
  #anchor: Anchor
  #pending: ChainEnd | undefined
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
   * State of the anchor when the folder was opened. changed: not written by the holder of the data
   * key; unreadable: the file could not be read, so it is not overwritten until it has been read.
   */
  get state(): 'ok' | 'missing' | 'changed' | 'unreadable' {
    return typeof this.#read === 'object' ? 'ok' : this.#read
  }

  /** Why a rollback may go undetected; undefined if the anchor file can be read and written. */
  get fault(): AnchorFault | undefined {
    if (this.#read === 'unreadable') return 'unreadable'
    return this.#isUnwritable ? 'unwritable' : undefined
  }

  get anchor(): Anchor {
    return this.#anchor
  }

  /**
   * Whether a restore by this gateway replaced the database, so that a difference from the anchor
   * is expected.
   */
  get isExplained(): boolean {
    return this.#isExplained
  }

  /** Reads the anchor again if the last attempt failed. */
  retry(): void {
    if (this.#read !== 'unreadable') return
    this.#read = readAnchor(this.#folder, this.#key)
    if (typeof this.#read === 'object') this.#anchor = this.#read
    this.#isExplained = this.#explains()
  }

  /**
   * Records a new end of the audit log. The anchor file follows within `MAX_LAG_MS`, once the end
   * is durable.
   */
  note(end: ChainEnd): void {
    this.#pending = end
    this.#schedule()
  }

  /** Writes the anchor now; the caller has made the end durable. @throws StoreError bad-folder */
  write(end: ChainEnd): void {
    this.#pending = undefined
    // Set before the file is written, because the caller has already compared the old anchor and
    // may have recorded a finding.
    this.#anchor = this.#anchorOf(end)
    this.#isUnwritable = true
    writeKeyFile(this.#folder, ANCHOR_FILE, fileOf(this.#anchor, this.#key))
    this.#isUnwritable = false
  }

  /** Writes a pending end if the database is durable. */
  finish(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    if (!this.#pending || !this.#database.syncNow()) return
    try {
      this.write(this.#pending)
    } catch {
      // The anchor is then behind, as after a crash.
    }
  }

  #explains(): boolean {
    return (
      this.#read !== 'unreadable' &&
      this.#restores.some((mac) => !this.#anchor.restores.includes(mac))
    )
  }

  #anchorOf({ count, hash, keyedFrom }: ChainEnd): Anchor {
    const restores = [...new Set([...this.#anchor.restores, ...this.#restores])]
    return {
      ...{ version: 1, count, hash, keyedFrom: keyedFrom ?? undefined },
      restores: restores.slice(-MAX_RESTORES),
    }
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(() => {
      void this.#writeSoon().then(() => {
        if (this.#pending) this.#schedule()
      })
    }, MAX_LAG_MS).unref()
  }

  async #writeSoon(): Promise<void> {
    const end = this.#pending
    this.#pending = undefined
    try {
      if (end) await this.#writeEnd(end)
    } catch {
      // If the disk refuses the write, a later attempt writes the same end, unless `write` has
      // recorded a newer one in the meantime.
      if (end && end.count >= this.#anchor.count) this.#pending ??= end
      this.#isUnwritable = true
    } finally {
      this.#timer = undefined
    }
  }

  async #writeEnd(end: ChainEnd): Promise<void> {
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
    // `write` has recorded a newer end in the meantime.
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
    return NOT_A_FILE_CODES.includes(code) ? 'changed' : 'unreadable'
  }
  const parsed = AnchorFile.safeParse(json(text))
  if (!parsed.success || macOf(parsed.data.anchor, key) !== parsed.data.mac) return 'changed'
  return parsed.data.anchor
}
