import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { acquireLock } from '#server/database/lock.ts'
import { readInspection } from '#server/modules/worklist/inspection-queries.ts'
import { readDocument } from '#server/modules/worklist/queries.ts'
import { killAfter } from '../support/acknowledging-child.ts'
import { bundledChild } from '../support/bundled-child.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

const ROUNDS = perTier(5, 50)

describe('a process that is killed', () => {
  it('loses nothing it acknowledged, leaves a sound database and a free lock', {
    timeout: 480_000,
  }, async () => {
    using temp = tempFolder()
    const program = await bundledChild('store-writer.ts')
    const acknowledged: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      acknowledged.push(
        ...(await killAfter(50 + Math.floor(Math.random() * 300), program, temp.folder)).map(
          Number,
        ),
      )

      using lock = acquireLock(temp.folder)
      expect(lock).toBeDefined()
      using store = openContext({
        folder: temp.folder,
        clock: Date.now,
        uuid: () => crypto.randomUUID(),
      })
      const lost = acknowledged.filter((inspectionId) => {
        const found = readInspection(store.database, inspectionId)
        return (
          !found?.detail.equals(Buffer.alloc(2000, 1)) ||
          readDocument(store, found.answerHash ?? '')?.length !== 36
        )
      })
      expect(lost).toEqual([])
      const beside = new Sqlite(join(temp.folder, DATABASE_FILE), { readonly: true })
      expect(beside.pragma('integrity_check', { simple: true })).toBe('ok')
      expect(beside.pragma('foreign_key_check')).toEqual([])
      beside.close()
    }
    expect(acknowledged.length).toBeGreaterThan(ROUNDS * 50)
    expect(new Set(acknowledged).size).toBe(acknowledged.length)
  })
})
