import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, it } from 'vitest'
import { rawQuery } from '#gateway/store/raw-query.ts'
import { openStore } from '#gateway/store/store.ts'
import { SERIES } from '../electron/gateway/intake/intake-fixture.ts'
import { bundledChild } from '../support/bundled-child.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

const ROUNDS = perTier(8, 150)
const IMAGES = 6

/** Kills the program at a moment within its work on corrections; how many it had acknowledged. */
async function killed(program: string, folder: string): Promise<number> {
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  const after = 2 + Math.floor(Math.random() * 4)
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
    if (printed.split('\n').length > after) setTimeout(() => child.kill('SIGKILL'), Math.random() * 60)
  })
  await once(child, 'close')
  return printed.split('\n').length - 2
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.dcm'))
    .map((name) => name.replaceAll('\\', '/'))

it('a process that is killed while it corrects images shows each image once, whole, and leaves no other file', {
  timeout: 480_000,
}, async () => {
  using temp = tempFolder()
  const program = await bundledChild('image-corrector.ts')
  let acknowledged = 0
  for (let round = 0; round < ROUNDS; round++) {
    acknowledged += await killed(program, temp.folder)
    using store = openStore({ folder: temp.folder, clock: Date.now, uuid: randomUUID })
    const { imageFiles, instances, database } = store
    // As the start of the gateway does, before it looks for unknown files.
    imageFiles.sweep()
    for (const { note, files } of imageFiles.notedCopies()) {
      for (const file of files) if (!instances.has(file)) await imageFiles.remove(file)
      imageFiles.forgetCopies(note)
    }
    const rows = database.all(
      rawQuery<{ instanceId: number; file: string; state: string; crc32: number; dataSetOffset: number }>(
        'select instanceId, file, state, crc32, dataSetOffset from instances',
        [],
      ),
    )
    expect(filesIn(join(temp.folder, 'images')).sort()).toEqual(rows.map(({ file }) => file).sort())
    for (const { file, crc32: expected, dataSetOffset } of rows)
      expect(crc32(readFileSync(imageFiles.pathOf(file)).subarray(dataSetOffset))).toBe(expected)
    // Each image is shown once: as it came, or as one copy.
    const current = rows.filter(({ state }) => state === 'current')
    expect(current).toHaveLength(IMAGES)
    for (let number = 1; number <= IMAGES; number++) {
      const original = instances.versions(`${SERIES}.${number}`)[0]
      const copies = database.all(
        rawQuery<{ correctedId: number }>('select correctedId from correctedInstances where originalId = ?', [original?.instanceId ?? 0]),
      )
      const shown = [original?.instanceId, ...copies.map(({ correctedId }) => correctedId)]
      expect(current.filter(({ instanceId }) => shown.includes(instanceId))).toHaveLength(1)
    }
    expect(store.audit.verify().isIntact).toBe(true)
  }
  expect(acknowledged).toBeGreaterThan(ROUNDS)
})
