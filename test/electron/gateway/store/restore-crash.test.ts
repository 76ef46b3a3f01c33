import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { makeBackup } from '#gateway/store/backup.ts'
import { keepRecoveryKey, keepRecoveryProof, newRecoveryKey, wrapDataKey } from '#gateway/store/recovery-key.ts'
import { applyStagedRestore, refuseHalfRestored, stageRestore } from '#gateway/store/restore.ts'
import { DATABASE_FILE, openStore } from '#gateway/store/store.ts'
import { tempFolder, tempStore } from '../../../support/temp-store.ts'

const NOW = Date.parse('2026-03-11T08:00:00.000Z')
const RESTORER = join(import.meta.dirname, '../../../support/store-restorer.ts')
const quiet = { onProgress: () => {} }
/** Audit entries in the back-up, and of the database that was written to after it. */
const [BACKED_UP, WRITTEN] = [200, 201]

/** A closed data folder, a back-up of it, and a place for copies of it to be damaged. */
async function stage() {
  using opened = new DisposableStack()
  const temp = opened.use(tempStore())
  const { folder: target } = opened.use(tempFolder())
  const { store, folder, clock, uuid } = temp
  const recoveryKey = newRecoveryKey()
  keepRecoveryProof(store.secrets)
  keepRecoveryKey(folder, wrapDataKey(store.seal, recoveryKey, clock()))
  const append = (action: string) => store.audit.append({ actor: 'gateway', action, target: 'x', detail: { text: 'x'.repeat(9000) } })
  for (let at = 0; at < BACKED_UP; at++) append('before')
  const made = await makeBackup(store, { folder: target, kind: 'scheduled', version: '1', now: clock(), ...quiet })
  append('after')
  store[Symbol.dispose]()
  const data = join(target, 'data')
  const all = opened.move()
  return {
    ...{ data, recoveryKey, from: join(target, made.name), key: readFileSync(join(folder, 'data.key')) },
    /** The data folder anew, without its key. */
    renew() {
      rmSync(data, { recursive: true, force: true })
      cpSync(folder, data, { recursive: true })
      rmSync(join(data, 'data.key'))
    },
    /** What a database holds that opens, with the key of the folder or the one it always had. */
    entries() {
      const dataKey = existsSync(join(data, 'data.key')) ? undefined : readFileSync(join(folder, 'data.key'))
      using again = openStore({ folder: data, clock, uuid, dataKey })
      const verdict = again.audit.verify()
      return verdict.isIntact ? verdict.entries : 'broken'
    },
    [Symbol.dispose]: () => all[Symbol.dispose](),
  }
}

/** Audit entries of each whole database below the folder, wherever it lies; looked at in a copy, so that nothing is added beside it. */
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

describe('a restore that a kill interrupts', () => {
  it('is finished by the next start, before whichever call to the disk it came', { timeout: 480_000 }, async () => {
    using on = await stage()
    let half = 0
    let isWhole = false
    for (let call = 0; !isWhole; call++) {
      on.renew()
      await stageRestore({ data: on.data, from: on.from, key: { recoveryKey: on.recoveryKey }, actor: 'x', now: NOW, ...quiet })
      const ran = spawnSync(process.execPath, [RESTORER, on.data, 'apply', String(call)], { encoding: 'utf8' })
      isWhole = ran.stdout === 'whole\n'
      if (!isWhole) expect(ran.signal).toBe('SIGKILL')
      // Both are there, wherever they lie.
      expect(wholeIn(on.data).sort()).toEqual([BACKED_UP, WRITTEN])
      try {
        refuseHalfRestored(on.data)
      } catch {
        half += 1
      }
      applyStagedRestore(on.data, NOW + 60_000)
      expect(on.entries()).toBe(BACKED_UP)
      expect(existsSync(join(on.data, 'data.key'))).toBe(true)
      refuseHalfRestored(on.data)
      const left = readdirSync(on.data).filter((name) => /\.part$|^replaced-/.test(name))
      // By the clock of the run that began it, or of the next where that had not begun.
      expect(left).toEqual([expect.stringMatching(/^replaced-2026-03-11-080[01]00Z$/)])
      expect(wholeIn(join(on.data, left[0] ?? ''))).toEqual([WRITTEN])
    }
    expect(half).toBeGreaterThan(10)
  })

  it('leaves the database as it was while it was being made ready', { timeout: 480_000 }, async () => {
    using on = await stage()
    for (let round = 0; round < 20; round++) {
      on.renew()
      const child = spawn(process.execPath, [RESTORER, on.data, 'stage', on.from, on.recoveryKey], { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      setTimeout(() => child.kill('SIGKILL'), Math.random() * 600)
      await once(child, 'close')
      expect(wholeIn(on.data)).toContain(WRITTEN)
      const restored = applyStagedRestore(on.data, NOW)
      expect(on.entries()).toBe(restored ? BACKED_UP : WRITTEN)
      expect(wholeIn(on.data)).toContain(WRITTEN)
      // It can be done again.
      await stageRestore({ data: on.data, from: on.from, key: { recoveryKey: on.recoveryKey }, actor: 'x', now: NOW, ...quiet })
      expect(applyStagedRestore(on.data, NOW)).toMatchObject({ madeAt: '2026-03-10T09:00:00.000Z' })
      expect(on.entries()).toBe(BACKED_UP)
    }
  })
})
