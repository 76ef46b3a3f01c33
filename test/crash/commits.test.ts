import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { takeLock } from '#gateway/store/lock.ts'
import { DATABASE_FILE, openStore } from '#gateway/store/store.ts'
import { bundledChild } from '../support/bundled-child.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

const ROUNDS = perTier(5, 50)

/** Lets the writer acknowledge some commits and kills it between two of them; the ids it acknowledged. */
async function writeAndKill(program: string, folder: string, acknowledgements: number): Promise<number[]> {
  const writer = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  writer.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
    if (printed.split('\n').length > acknowledgements) writer.kill('SIGKILL')
  })
  await once(writer, 'close')
  // The last line may have been cut by the kill.
  return printed.split('\n').slice(0, -1).map(Number)
}

describe('a process that is killed', () => {
  it('loses nothing it acknowledged, leaves a sound database and a free lock', { timeout: 480_000 }, async () => {
    using temp = tempFolder()
    const program = await bundledChild('store-writer.ts')
    const acknowledged: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      acknowledged.push(...(await writeAndKill(program, temp.folder, 50 + Math.floor(Math.random() * 300))))

      using lock = takeLock(temp.folder)
      expect(lock).toBeDefined()
      using store = openStore({ folder: temp.folder, clock: Date.now, uuid: () => crypto.randomUUID() })
      const lost = acknowledged.filter((inspectionId) => {
        const found = store.inspections.read(inspectionId)
        return !found?.detail.equals(Buffer.alloc(2000, 1)) || store.documents.read(found.answerHash ?? '')?.length !== 36
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
