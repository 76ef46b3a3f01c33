import { randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { RECOVERY_FILE, recoverDataKey } from '#server/database/recovery-key.ts'
import { RecoveryKeySetup } from '#server/modules/backups/recovery-key-setup.ts'
import { standingClock, tempFolder } from '../../../../support/temp-store.ts'

// What the store notes asks its clock for the time: the nth asking is where the gateway goes down.
it('gives a key that opens the folder, wherever its confirmation was cut off, or none', () => {
  for (let nth = 1; nth <= 3; nth++) {
    using temp = tempFolder()
    const clock = standingClock()
    let left = Number.POSITIVE_INFINITY
    const failing = () => {
      if (--left < 0) throw new Error('the gateway goes down')
      return clock()
    }
    const store = openContext({ folder: temp.folder, clock: failing, uuid: randomUUID })
    const recovery = new RecoveryKeySetup(store)
    const { recoveryKey, asked } = recovery.make('command-line')
    const groups = asked.map((group) => recoveryKey.split('-')[group] ?? '')
    // The confirmation itself asks twice.
    left = nth + 1
    if (nth < 3) expect(() => recovery.confirm(groups, 'command-line')).toThrow('goes down')
    else expect(recovery.confirm(groups, 'command-line').state).toBe('ready')
    store[Symbol.dispose]()
    rmSync(join(temp.folder, 'data.key'))
    const isThere = existsSync(join(temp.folder, RECOVERY_FILE))
    expect(isThere, String(nth)).toBe(nth > 1)
    if (isThere) expect(recoverDataKey(temp.folder, DATABASE_FILE, recoveryKey)).toBe(true)
  }
})
