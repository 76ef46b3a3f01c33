import { expect, it } from 'vitest'
import { rawQuery } from '#server/database/query.ts'
import { imagesSince } from '#server/modules/backups/log-queries.ts'
import { IMAGE, openStage } from '../images/intake-fixture.ts'

it('lists the files of recent images, without those that a rule removed from this PC', async () => {
  await using stage = await openStage()
  await stage.send(IMAGE)
  const { database } = stage.store
  const [recent] = [...imagesSince(database, '2000-01-01T00:00:00.000Z')]
  expect(stage.files().images.join()).toContain(recent?.file)
  expect([...imagesSince(database, '2999-01-01T00:00:00.000Z')]).toEqual([])
  database.run(rawQuery('update instances set localRemovedAt = receivedAt', []))
  expect([...imagesSince(database, '2000-01-01T00:00:00.000Z')]).toEqual([])
})
