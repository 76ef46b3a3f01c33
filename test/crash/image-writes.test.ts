import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { hasInstanceOfFile, lastInstanceId } from '#server/modules/images/instance-queries.ts'
import { killAfter } from '../support/acknowledging-child.ts'
import { bundledChild } from '../support/bundled-child.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

const ROUNDS = perTier(5, 50)

describe('a process that is killed while it keeps images', () => {
  it('loses none it acknowledged, and leaves nothing half-written', {
    timeout: 480_000,
  }, async () => {
    using temp = tempFolder()
    const program = await bundledChild('image-writer.ts')
    const acknowledged: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      acknowledged.push(
        ...(await killAfter(20 + Math.floor(Math.random() * 100), program, temp.folder)),
      )
      using store = openContext({ folder: temp.folder, clock: Date.now, uuid: randomUUID })
      const { imageFiles, database } = store
      imageFiles.sweep()
      for await (const file of imageFiles.orphans(
        (known) => hasInstanceOfFile(database, known),
        lastInstanceId(database),
      ))
        await imageFiles.remove(file)
      expect(acknowledged.filter((file) => !hasInstanceOfFile(database, file))).toEqual([])

      expect(readdirSync(join(temp.folder, 'spool'))).toEqual([])
      const images = join(temp.folder, 'images')
      const there = readdirSync(images, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.dcm'))
        .map((name) => name.replaceAll('\\', '/'))
      const whole = (file: string) =>
        readFileSync(join(images, file), 'latin1') === file.repeat(1000)
      expect(there.filter((file) => !whole(file) || !hasInstanceOfFile(database, file))).toEqual([])
      const rows = store.database.all(store.database.sql.selectFrom('instances').select('file'))
      expect(rows.map(({ file }) => file).sort()).toEqual(there.sort())
    }
    expect(acknowledged.length).toBeGreaterThan(ROUNDS * 20)
  })
})
