import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { readSecret } from '#server/configuration/secret-queries.ts'
import { openContext } from '#server/context.ts'
import { keyLocation, unwrapKey } from '#server/database/wrapped-key.ts'
import { bundledChild } from '../support/bundled-child.ts'
import { folderOf, reception } from '../support/sealed-key-folder.ts'
import { perTier } from '../support/tier.ts'

it('moving the data key into a key store leaves a folder that opens, wherever it was killed', {
  timeout: 120_000,
}, async () => {
  using temp = folderOf('recovery key')
  const { folder, key, clock, uuid } = temp
  const program = await bundledChild('key-mover.ts')
  for (let round = 0; round < perTier(12, 100); round++) {
    const mover = spawn(process.execPath, [program, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(mover, 'close')
    await Promise.race([once(mover.stdout, 'data'), ended])
    await sleep(Math.random() * 60)
    expect(mover.exitCode).toBe(null)
    mover.kill('SIGKILL')
    await ended
    expect(keyLocation(folder)).not.toBe('none')
    const dataKey = unwrapKey(folder, reception)
    if (keyLocation(folder) === 'sealed') expect(dataKey).toEqual(key)
    using store = openContext({ folder, clock, uuid, dataKey })
    expect(readSecret(store, 'mail.password')).toBe('seven calm otters')
  }
})
