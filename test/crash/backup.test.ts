import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listBackups, removeBackup, sweepBackupSpool } from '#server/modules/backups/make-backup.ts'
import { openBackup } from '#server/modules/backups/open-backup.ts'
import { bundledChild } from '../support/bundled-child.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

const ROUNDS = perTier(6, 20)

it('a backup that a kill interrupts leaves the database, and only whole backups', {
  timeout: 480_000,
}, async () => {
  using temp = tempFolder()
  const [data, target] = [join(temp.folder, 'data'), join(temp.folder, 'backups')]
  const writer = await bundledChild('limited-backup.ts')
  expect(spawnSync(process.execPath, [writer, temp.folder, '--fill']).status).toBe(0)
  let whole = 0
  /** What one backup takes on this machine, ms. */
  let takes = 0
  for (let round = 0; round <= ROUNDS; round++) {
    const child = spawn(process.execPath, [writer, temp.folder, '--for-ever'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    const began = performance.now()
    if (round === 0) {
      await once(child.stdout, 'data')
      takes = performance.now() - began
      child.kill('SIGKILL')
    } else setTimeout(() => child.kill('SIGKILL'), (round / ROUNDS) * 1.5 * takes)
    await once(child, 'close')
    const listed = await listBackups(target)
    for (const { name } of listed.slice(0, 2)) {
      const to = join(temp.folder, `opened ${round} ${name}`)
      const key = { dataKey: readFileSync(join(data, 'data.key')) }
      const { manifest } = await openBackup(join(target, name), to, key)
      expect(manifest.rows.auditEntries).toBeGreaterThanOrEqual(500)
      rmSync(to, { recursive: true })
      whole += 1
    }
    for (const { name } of listed) expect(await removeBackup(target, name)).toBe(true)
    await sweepBackupSpool(data)
    expect(existsSync(join(data, 'spool-backup'))).toBe(false)
  }
  expect(whole).toBeGreaterThan(0)
})
