import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { applyStagedRestore, stageRestore } from '#server/modules/backups/restore-files.ts'

/**
 * `apply N`: puts what is ready in a data folder in its place, and is killed before the Nth call
 * that changes the disk; prints `whole` where there were fewer. `stage FROM KEY`: makes a backup
 * ready again and again with the recovery key, to be ended by SIGKILL, or by a full disk
 * (`ulimit -f`).
 */
const [folder = '', mode, first = '', recoveryKey = ''] = process.argv.slice(2)
// The default of the signal is the end of the process; with a handler the call fails with EFBIG.
process.on('SIGXFSZ', () => undefined)
const NOW = Date.parse('2026-03-11T08:00:00.000Z')

if (mode === 'apply') {
  let left = Number(first)
  for (const name of ['renameSync', 'mkdirSync', 'rmSync', 'fsyncSync', 'writeSync'] as const) {
    const call = fs[name] as (...args: unknown[]) => unknown
    Object.assign(fs, {
      [name](...args: unknown[]) {
        if (left-- === 0) process.kill(process.pid, 'SIGKILL')
        return call(...args)
      },
    })
  }
  syncBuiltinESMExports()
  applyStagedRestore(folder, NOW)
  fs.writeFileSync(1, 'whole\n')
} else {
  fs.writeSync(1, 'begins\n')
  for (;;) await stageRestore(folder, join(first), { recoveryKey }, 'x', NOW)
}
