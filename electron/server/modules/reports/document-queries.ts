import { createHash } from 'node:crypto'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { type Clock, instantOf, msOf } from '#server/platform/clock.ts'

/**
 * A document is kept so long without anything that refers to it: whoever kept it may be about to.
 */
const GRACE_MS = 60 * 60_000

/**
 * Bodies kept once under the SHA-256 of their bytes, compressed and sealed: partner's answers,
 * verdicts.
 */
export interface DocumentsStore {
  /**
   * Keeps the bytes, unless they are there; their SHA-256 in hex. Durable with the open
   * transaction, at once where none is open.
   */
  keep(bytes: Buffer): string
  /** Whether it is kept. */
  has(hash: string): boolean
  /** @throws StoreError seal-broken */
  read(hash: string): Buffer | undefined
  /**
   * Forgets at most `limit` documents that no answer and no inspection refers to and that were kept
   * over an hour ago.
   */
  purgeUnreferenced(limit?: number): number
}

export function documentsStore(db: Database, seal: Seal, clock: Clock): DocumentsStore {
  return {
    keep(bytes) {
      const hash = createHash('sha256').update(bytes).digest('hex')
      const now = clock()
      const kept = db.get(db.sql.selectFrom('documents').select('keptAt').where('hash', '=', hash))
      if (kept === undefined) {
        const packed = zstdCompressSync(bytes, {
          params: { [constants.ZSTD_c_compressionLevel]: 1 },
        })
        const sealed = seal.seal(packed, contextOf(hash))
        db.run(
          db.sql
            .insertInto('documents')
            .values({ hash, sealed, byteLength: bytes.length, keptAt: instantOf(now) }),
        )
      } else if (Math.abs(now - msOf(kept.keptAt)) > GRACE_MS / 2)
        db.run(
          db.sql
            .updateTable('documents')
            .set({ keptAt: instantOf(now) })
            .where('hash', '=', hash),
        )
      return hash
    },
    has: (hash) =>
      db.get(db.sql.selectFrom('documents').select('hash').where('hash', '=', hash)) !== undefined,
    read(hash) {
      const row = db.get(
        db.sql.selectFrom('documents').select(['sealed', 'byteLength']).where('hash', '=', hash),
      )
      return (
        row &&
        zstdDecompressSync(seal.open(row.sealed, contextOf(hash)), {
          maxOutputLength: Math.max(1, row.byteLength),
        })
      )
    },
    purgeUnreferenced: (limit = 1000) =>
      db.run(
        db.sql.deleteFrom('documents').where(
          'hash',
          'in',
          db.sql
            .selectFrom('documents')
            .select('hash')
            .where('keptAt', '<', instantOf(clock() - GRACE_MS))
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('answers')
                    .select('items')
                    .whereRef('documentHash', '=', 'documents.hash'),
                ),
              ),
            )
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('inspections')
                    .select('sent')
                    .whereRef('answerHash', '=', 'documents.hash'),
                ),
              ),
            )
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('inspections')
                    .select('sent')
                    .whereRef('verdictHash', '=', 'documents.hash'),
                ),
              ),
            )
            .limit(limit),
        ),
      ).changes,
  }
}

const contextOf = (hash: string) => `document ${hash}`
