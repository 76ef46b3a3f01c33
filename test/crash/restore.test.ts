import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { keepRecoveryKey, newRecoveryKey, wrapDataKey } from '#server/database/recovery-key.ts'
import { makeBackup } from '#server/modules/backups/make-backup.ts'
import { storeRecoveryProof } from '#server/modules/backups/recovery-key-setup.ts'
import {
  applyStagedRestore,
  refuseHalfRestored,
  stageRestore,
} from '#server/modules/backups/restore-files.ts'
import { bundledChild } from '../support/bundled-child.ts'
import { tempFolder, tempStore } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

const NOW = Date.parse('2026-03-11T08:00:00.000Z')
const ROUNDS = perTier(6, 20)

/** A closed data folder, a backup of it, and a place for copies of it to be damaged. */
async function openStage(entries: number) {
  using opened = new DisposableStack()
  const temp = opened.use(tempStore())
  const { folder: target } = opened.use(tempFolder())
  const { store, folder, clock, uuid } = temp
  const recoveryKey = newRecoveryKey()
  storeRecoveryProof(store)
  keepRecoveryKey(folder, wrapDataKey(store.database.seal, recoveryKey, clock()))
  const append = (action: string) =>
    store.audit.append({
      actor: 'gateway',
      action,
      target: 'x',
      detail: { text: 'x'.repeat(9000) },
    })
  for (let at = 0; at < entries; at++) append('before')
  const made = await makeBackup(store, target, 'scheduled', '1')
  append('after')
  store[Symbol.dispose]()
  const data = join(target, 'data')
  const all = opened.move()
  return {
    ...{
      data,
      recoveryKey,
      from: join(target, made.name),
      key: readFileSync(join(folder, 'data.key')),
    },
    /** Audit entries in the backup, and of the database that was written to after it. */
    ...{ backedUp: entries, written: entries + 1 },
    /** The data folder anew, without its key. */
    renew() {
      rmSync(data, { recursive: true, force: true })
      cpSync(folder, data, { recursive: true })
      rmSync(join(data, 'data.key'))
    },
    /** What a database holds that opens, with the key of the folder or the one it always had. */
    entries() {
      const dataKey = existsSync(join(data, 'data.key'))
        ? undefined
        : readFileSync(join(folder, 'data.key'))
      using again = openContext({ folder: data, clock, uuid, dataKey })
      const verdict = again.audit.verify()
      return verdict.isIntact ? verdict.entries : 'broken'
    },
    [Symbol.dispose]: () => all[Symbol.dispose](),
  }
}

/**
 * Audit entries of each whole database below the folder, wherever it lies; looked at in a copy, so
 * that nothing is added beside it.
 */
function wholeIn(folder: string): number[] {
  using scratch = tempFolder()
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.split(/[\\/]/).at(-1) === DATABASE_FILE)
    .flatMap((name, index) => {
      const copy = join(scratch.folder, String(index))
      copyFileSync(join(folder, name), copy)
      try {
        const sqlite = new Sqlite(copy, { fileMustExist: true })
        const isWhole = sqlite.pragma('quick_check(1)', { simple: true }) === 'ok'
        const entries = Number(sqlite.prepare('select count(*) from auditEntries').pluck().get())
        sqlite.close()
        return isWhole ? [entries] : []
      } catch {
        // Half of one, which is being made ready.
        return []
      }
    })
}

const restoreOf = (on: Awaited<ReturnType<typeof openStage>>) =>
  stageRestore(on.data, on.from, { recoveryKey: on.recoveryKey }, 'x', NOW)

describe('a restore that a kill interrupts', () => {
  it('is finished by the next start, before whichever call to the disk it came', {
    timeout: 480_000,
  }, async () => {
    using on = await openStage(20)
    using staged = tempFolder()
    const restorer = await bundledChild('store-restorer.ts')
    on.renew()
    await restoreOf(on)
    cpSync(on.data, staged.folder, { recursive: true })
    let half = 0
    let isWhole = false
    for (let call = 0; !isWhole; call++) {
      rmSync(on.data, { recursive: true })
      cpSync(staged.folder, on.data, { recursive: true })
      const ran = spawnSync(process.execPath, [restorer, on.data, 'apply', String(call)], {
        encoding: 'utf8',
      })
      isWhole = ran.stdout === 'whole\n'
      if (!isWhole) expect(ran.signal).toBe('SIGKILL')
      // Both are there, wherever they are kept.
      expect(wholeIn(on.data).sort()).toEqual([on.backedUp, on.written])
      try {
        refuseHalfRestored(on.data)
      } catch {
        half += 1
      }
      applyStagedRestore(on.data, NOW + 60_000)
      expect(on.entries()).toBe(on.backedUp)
      expect(existsSync(join(on.data, 'data.key'))).toBe(true)
      refuseHalfRestored(on.data)
      const left = readdirSync(on.data).filter((name) => /\.part$|^replaced-/.test(name))
      // By the clock of the run that began it, or of the next where that had not begun.
      expect(left).toEqual([expect.stringMatching(/^replaced-2026-03-11-080[01]00Z$/)])
      expect(wholeIn(join(on.data, left[0] ?? ''))).toEqual([on.written])
    }
    expect(half).toBeGreaterThan(10)
  })

  it('leaves the database as it was while it was being made ready', {
    timeout: 480_000,
  }, async () => {
    using on = await openStage(200)
    const restorer = await bundledChild('store-restorer.ts')
    on.renew()
    const startedAt = performance.now()
    await restoreOf(on)
    const takes = performance.now() - startedAt
    for (let round = 0; round < ROUNDS; round++) {
      on.renew()
      const child = spawn(process.execPath, [restorer, on.data, 'stage', on.from, on.recoveryKey], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      // The child makes it ready again and again: the last rounds kill the second time.
      setTimeout(() => child.kill('SIGKILL'), (round / ROUNDS) * 1.5 * takes)
      await once(child, 'close')
      expect(wholeIn(on.data)).toContain(on.written)
      const restored = applyStagedRestore(on.data, NOW)
      expect(on.entries()).toBe(restored ? on.backedUp : on.written)
      expect(wholeIn(on.data)).toContain(on.written)
      // It can be done again.
      await restoreOf(on)
      expect(applyStagedRestore(on.data, NOW)).toMatchObject({ madeAt: '2026-03-10T09:00:00.000Z' })
      expect(on.entries()).toBe(on.backedUp)
    }
  })
})
